/// Numbers of the last second and of the last visit, for the eye of whoever uses a debug build.
///
/// They are shown, never recorded: what a gate compares comes from the records.
public struct LiveFigures: Sendable {
    /// Frames per second over the last full second of frames; `nil` before there was one.
    public private(set) var framesPerSecond: Double?
    /// Hitch time in that second; `nil` before there was one.
    public private(set) var hitch: Milliseconds?
    /// The frames dropped since the figures were made.
    public private(set) var dropped = 0
    /// The last visit that ended; `nil` before one did.
    public internal(set) var lastVisit: PageVisitEvent?
    /// The visits that were not recorded because their page has no name.
    public internal(set) var unnamedVisits = 0

    private var segment: FrameSegment
    private var frames = 0
    private var duration = Nanoseconds.zero
    private var late = Nanoseconds.zero

    /// Figures of frames yet to come.
    public init(clock: FrameClock = .vsync) {
        segment = FrameSegment(clock: clock)
    }

    /// Takes one call of the display link.
    public mutating func add(_ tick: FrameTick) {
        guard case .pair(let pair) = segment.advance(to: tick) else { return }
        frames += 1
        duration += pair.interval
        late += pair.hitch
        dropped = dropped.saturatingSum(pair.dropped)
        guard duration >= .seconds(1) else { return }
        framesPerSecond = FrameRates.framesPerSecond(frames: frames, duration: duration)
        hitch = Milliseconds(late)
        (frames, duration, late) = (0, .zero, .zero)
    }

    /// Starts a new segment.
    public mutating func interrupt() {
        segment.interrupt()
    }

    /// The figures as lines of text; one that isn't known is a dash.
    public var lines: [String] {
        var lines = [
            "\(Self.text(framesPerSecond)) fps · hitches \(Self.text(hitch?.value)) ms · dropped \(dropped)"
        ]
        if let visit = lastVisit {
            let times = visit.visit
            let texts = [PageMetric.ttfl, .ttil, .alt, .rclt, .scrollThreadHang].map { Self.text(times.sample(of: $0)) }
            lines.append("\(visit.page): \(visit.outcome.rawValue)")
            lines.append("layout \(texts[0]) · load \(texts[1]) · more \(texts[2]) · images \(texts[3]) ms")
            lines.append("hangs \(texts[4]) ms")
        }
        if unnamedVisits > 0 { lines.append("visits without a page name: \(unnamedVisits)") }
        return lines
    }

    private static func text(_ number: Double?) -> String {
        guard let number, number >= 0, number < 1e15 else { return "–" }
        return String(Int(number + 0.5))
    }
}
