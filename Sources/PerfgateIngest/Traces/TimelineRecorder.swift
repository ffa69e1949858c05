import PagePerformance
import PerfgateModel

/// Draws frames over time as they come, in constant memory: where they need more buckets than there are, two
/// neighbours become one, which keeps the worse of them.
///
/// A bucket begins at a multiple of its width on the log's clock. So the picture depends on which frames there are, and
/// not on the order in which they came.
struct TimelineRecorder {
    fileprivate struct Bucket {
        var longest: UInt64 = 0
        var budget: UInt64 = 0
        var dropped = 0
        var hitches = 0

        @inline(__always)
        mutating func merge(_ other: Bucket) {
            // Of equally long frames the one that had less time is the worse one.
            if other.longest > longest || (other.longest == longest && other.budget < budget) {
                (longest, budget) = (other.longest, other.budget)
            }
            dropped += other.dropped
            hitches += other.hitches
        }
    }

    /// How many buckets there are at most.
    static let capacity = 48
    /// The width of the first buckets is 2 to the power of this, in ns: 16.8 ms, about a frame at 60 Hz.
    private static let finestShift: UInt64 = 24

    private var shift = Self.finestShift
    /// The number of the first bucket, counted from the clock's start.
    private var first: UInt64 = 0
    private var buckets: [Bucket] = []

    /// Adds a frame.
    @inline(__always)
    mutating func add(_ pair: FramePair) {
        let index = place(for: pair.start.count)
        let dropped = pair.dropped
        buckets[index].merge(
            Bucket(
                longest: pair.interval.count, budget: pair.expected.count, dropped: dropped,
                hitches: dropped > 0 ? 1 : 0))
    }

    /// The frames so far; `nil` without any.
    var timeline: FrameTimeline? {
        guard !buckets.isEmpty else { return nil }
        return FrameTimeline(
            bucketMS: Double(1 << shift) / 1_000_000, buckets: buckets.map { $0.longest > 0 ? $0.drawn : nil })
    }

    /// The index of the bucket for an instant, for which room is made where there is none.
    @inline(__always)
    private mutating func place(for instant: UInt64) -> Int {
        let offset = instant >> shift &- first
        return offset < UInt64(buckets.count) ? Int(offset) : makeRoom(for: instant)
    }

    @inline(never)
    private mutating func makeRoom(for instant: UInt64) -> Int {
        if buckets.isEmpty {
            first = instant >> shift
            buckets.reserveCapacity(Self.capacity)
            buckets.append(Bucket())
        }
        while !fits(instant >> shift) { coarsen() }
        let number = instant >> shift
        if number < first {
            buckets.insert(contentsOf: repeatElement(Bucket(), count: Int(first - number)), at: 0)
            first = number
        }
        let index = Int(number - first)
        while index >= buckets.count { buckets.append(Bucket()) }
        return index
    }

    private func fits(_ number: UInt64) -> Bool {
        let last = max(number, first + UInt64(buckets.count - 1))
        return last - min(number, first) < UInt64(Self.capacity)
    }

    /// Makes two neighbours one, in place.
    private mutating func coarsen() {
        var last = 0
        for offset in buckets.indices.dropFirst() {
            let index = Int((first + UInt64(offset)) / 2 - first / 2)
            if index == last {
                buckets[index].merge(buckets[offset])
            } else {
                buckets[index] = buckets[offset]
                last = index
            }
        }
        buckets.removeLast(buckets.count - last - 1)
        first /= 2
        shift += 1
    }
}

extension TimelineRecorder.Bucket {
    fileprivate var drawn: FrameTimeline.Bucket {
        FrameTimeline.Bucket(
            longestMS: Double(longest) / 1_000_000, budgetMS: Double(budget) / 1_000_000, droppedFrames: dropped,
            hitches: hitches)
    }
}
