/// The sums over the frames of one scroll, in constant memory.
///
/// Sums are whole nanoseconds, so any order of pairs and any way of splitting a scroll into segments that are then
/// merged gives the same values.
public struct ScrollFrames: Hashable, Sendable {
    /// Frames dropped at instants.
    @usableFromInline var counts = DropCounts()

    /// The pairs that the sums are over.
    public internal(set) var pairs = 0

    /// The pairs that were left out, because their frame was not due after itself.
    public internal(set) var skippedPairs = 0

    /// Σ interval: the time covered by pairs.
    public internal(set) var duration = Nanoseconds(0)

    /// Σ hitch.
    public internal(set) var hitch = Nanoseconds(0)

    /// Σ of `FramePair.threadHang`: the scroll thread hang.
    public internal(set) var threadHang = Nanoseconds(0)

    /// A scroll without frames.
    @inlinable
    public init() {}

    /// The dropped frames; `nil` if there were pairs and none could be measured, which is not the same as no drops.
    @inlinable
    public var drops: DropCounts? {
        pairs == 0 && skippedPairs > 0 ? nil : counts
    }

    /// Adds what a tick was to its segment.
    public mutating func add(_ step: FrameSegment.Step) {
        switch step {
        case .pair(let pair): add(pair)
        case .unmeasurable: skippedPairs = skippedPairs.saturatingSum(1)
        case .opened, .repeated, .reversed: break
        }
    }

    /// Adds a pair of neighbours.
    public mutating func add(_ pair: FramePair) {
        pairs = pairs.saturatingSum(1)
        duration += pair.interval
        threadHang += pair.threadHang
        guard pair.late > pair.tolerance else { return }
        hitch += pair.late
        counts.add(frames: pair.dropped)
    }

    /// Adds the frames of another segment of the same scroll.
    public mutating func merge(_ other: ScrollFrames) {
        counts.merge(other.counts)
        pairs = pairs.saturatingSum(other.pairs)
        skippedPairs = skippedPairs.saturatingSum(other.skippedPairs)
        duration += other.duration
        hitch += other.hitch
        threadHang += other.threadHang
    }
}
