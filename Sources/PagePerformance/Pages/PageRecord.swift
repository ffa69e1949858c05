/// A recorder's measurement of a page.
public struct PageRecord: Hashable, Sendable {
    /// The kind of measurement, with its values.
    public enum Content: Hashable, Sendable {
        /// The visit ended, or reached a checkpoint.
        case visit(PageVisitEvent)
        /// The page was left, or covered by another page: the sums of its frames.
        case screen(ScreenRecord)
        /// The same without frames: the hangs of the main thread.
        case hangs(HangRecord)
        /// Frames were dropped at one instant of a scroll.
        case drop(FrameDrop)
        /// A scroll ended, with drops or without.
        case scroll(ScrollRecord)
        /// A stretch of a scroll's ticks is complete, if ticks are kept.
        case segment(SegmentRecord)
        /// The number of evaluations of a view's body during the visit.
        case bodyEvaluations(Int, view: String)
    }

    /// The page's name.
    public var page: String
    /// The identity of its visit, which a sampling log uses for its choice.
    public var visitID: String
    /// The measurement.
    public var content: Content
    /// The conditions under which the visit started.
    public var conditions: VisitConditions

    /// Makes a record.
    public init(page: String, visitID: String, content: Content, conditions: VisitConditions = VisitConditions()) {
        (self.page, self.visitID, self.content, self.conditions) = (page, visitID, content, conditions)
    }
}

extension LogEvent {
    /// The log line of a recorder's measurement, in the log's current iteration and test.
    public init(_ record: PageRecord) {
        let place = Place(page: record.page, visit: record.visitID, conditions: record.conditions)
        switch record.content {
        case .visit(let event): self = .visit(Visit(event))
        case .screen(let screen): self = .screen(Screen(screen, place: place))
        case .hangs(let hangs):
            var line = Screen(place: place, duration: Milliseconds(hangs.duration))
            line.hang = Milliseconds(hangs.hang)
            line.hangThreshold = Milliseconds(hangs.hangThreshold)
            self = .screen(line)
        case .drop(let drop): self = .frameDrop(FrameDrop(drop, place: place))
        case .scroll(let scroll):
            var line = Scroll(place: place, scroll: scroll.number, duration: Milliseconds(scroll.duration))
            line.sums = scroll.sums
            self = .scroll(line)
        case .segment(let segment): self = .frames(Frames(segment, place: place))
        case .bodyEvaluations(let count, let view):
            self = .metric(
                CustomMetric(
                    place: place, id: "body_evaluations_\(view)", unit: "evaluations", isHigherBetter: false,
                    values: [Double(count)]))
        }
    }
}

extension LogEvent.FrameDrop {
    /// The drop of a scroll; outside of scrolls, where a recorder counts none, it would belong to the first.
    fileprivate init(_ drop: FrameDrop, place: LogEvent.Place) {
        self.init(
            place: place, scroll: drop.scroll ?? 0, framesDropped: drop.framesDropped,
            cumulativeFrames: drop.cumulativeFramesDropped, cumulativeEvents: drop.cumulativeFrameDropEvents,
            counting: drop.counting)
    }
}

extension PageRecorder {
    /// Makes a recorder that writes all its measurements into a log.
    /// - Parameters:
    ///   - log: The log.
    ///   - configuration: The settings for the events of visits.
    ///   - frames: How frames are counted; frames outside of scrolls never count as dropped.
    public convenience init(
        log: EventLog, configuration: PPSConfiguration = PPSConfiguration(),
        frames: FrameDropDetector.Configuration = FrameDropDetector.Configuration()
    ) {
        self.init(log: log, configuration: configuration, frames: frames, clock: MonotonicClock())
    }

    /// The same with a source of times.
    package convenience init(
        log: EventLog, configuration: PPSConfiguration, frames: FrameDropDetector.Configuration, clock: any TimeSource
    ) {
        self.init(configuration: configuration, frames: frames, clock: clock) { log.record(LogEvent($0)) }
        iteration = { log.iteration }
    }
}

/// Numbers of the last second and of the last visit, for display in a debug build. They are displayed, never recorded:
/// a gate compares the records.
public struct LiveFigures: Sendable {
    /// Frames per second over the last full second of frames; `nil` before the first.
    public private(set) var framesPerSecond: Double?
    /// Hitch time in that second; `nil` before the first.
    public private(set) var hitch: Milliseconds?
    /// The frames dropped since the figures were created.
    public private(set) var dropped = 0
    /// The last reported visit, loaded or ended; `nil` before the first.
    public internal(set) var lastVisit: PageVisitEvent? {
        didSet {
            guard let lastVisit else { return }
            visits.removeAll { $0.visitID == lastVisit.visitID }
            visits.append(lastVisit)
            if visits.count > Self.mostVisits { visits.removeFirst() }
        }
    }
    /// The last visits, the newest last.
    public private(set) var visits: [PageVisitEvent] = []
    /// The frames dropped at each of the last instants with drops, the newest last.
    public private(set) var drops: [Int] = []
    /// The visits that were not recorded because their page has no name.
    public internal(set) var unnamedVisits = 0

    private static let mostVisits = 12
    private static let mostDrops = 8
    private var segment: FrameSegment
    private var frames = 0
    private var duration = Nanoseconds.zero
    private var late = Nanoseconds.zero

    /// Makes figures without frames.
    public init(clock: FrameClock = .vsync) { segment = FrameSegment(clock: clock) }

    /// Processes one call of the display link.
    public mutating func add(_ tick: FrameTick) {
        guard case .pair(let pair) = segment.advance(to: tick) else { return }
        frames += 1
        duration += pair.interval
        late += pair.hitch
        if pair.dropped > 0 {
            dropped = dropped.saturatingSum(pair.dropped)
            drops.append(pair.dropped)
            if drops.count > Self.mostDrops { drops.removeFirst() }
        }
        guard duration >= .seconds(1) else { return }
        framesPerSecond = FrameRates.framesPerSecond(frames: frames, duration: duration)
        hitch = Milliseconds(late)
        (frames, duration, late) = (0, .zero, .zero)
    }

    /// Starts a new segment.
    public mutating func interrupt() { segment.interrupt() }

    /// The figures as lines of text, with a dash for an unknown value.
    public var lines: [String] {
        var lines = ["\(Self.text(framesPerSecond)) fps · hitches \(Self.text(hitch?.value)) ms · dropped \(dropped)"]
        if !drops.isEmpty { lines.append("drops " + drops.map { "▾\($0)" }.joined(separator: " ")) }
        if let visit = lastVisit {
            let times = visit.visit
            let texts = [PageMetric.ttfl, .ttil, .alt, .rclt, .scrollThreadHang].map { Self.text(times.sample(of: $0)) }
            lines.append("\(visit.page): \(visit.outcome?.rawValue ?? "–")")
            lines.append("layout \(texts[0]) · load \(texts[1]) · more \(texts[2]) · images \(texts[3]) ms")
            lines.append("hangs \(texts[4]) ms")
        }
        if unnamedVisits > 0 { lines.append("visits without a page name: \(unnamedVisits)") }
        return lines
    }

    /// A line for each of the last visits, the newest first: its page with first layout, load, more, images in ms.
    public var pageLines: [String] {
        visits.reversed().map { event in
            let times = [PageMetric.ttfl, .ttil, .alt, .rclt].map { Self.text(event.visit.sample(of: $0)) }
            return "\(event.page): \(times.joined(separator: " · ")) ms, \(event.outcome?.rawValue ?? "–")"
        }
    }

    private static func text(_ number: Double?) -> String {
        guard let number, number >= 0, number < 1e15 else { return "–" }
        return String(Int(number + 0.5))
    }
}

/// How long a page was on the screen, and how long the main thread hung meanwhile, measured without frames.
struct HangWatch {
    private let threshold: Nanoseconds
    private var since: Nanoseconds?
    private var duration = Nanoseconds.zero
    private var hang = Nanoseconds.zero

    init(threshold: Nanoseconds) { self.threshold = threshold }

    /// The page is on the screen from now on, or no longer.
    mutating func show(_ isShown: Bool, at now: Nanoseconds) {
        if let since, let passed = now.since(since) { duration += passed }
        since = isShown ? now : nil
    }

    /// The main thread worked without a pause; a hang counts as far as the page was on the screen.
    mutating func add(from start: Nanoseconds, to end: Nanoseconds) {
        guard let since, let time = end.since(max(start, since)), time > threshold else { return }
        hang += time
    }

    /// Returns the sums since the last call and resets them; `nil` if the page was never on the screen.
    /// - Parameter work: The start of the main thread's present work, if it works: so far it hung on this page.
    mutating func take(at now: Nanoseconds, workingSince work: Nanoseconds?) -> HangRecord? {
        if let work { add(from: work, to: now) }
        show(false, at: now)
        defer { (duration, hang) = (.zero, .zero) }
        return duration > .zero ? HangRecord(duration: duration, hang: hang, hangThreshold: threshold) : nil
    }
}

/// The hangs of the main thread during a page's time on the screen, measured without frames.
public struct HangRecord: Hashable, Sendable {
    /// The time on the screen while the app was active, above 0.
    public let duration: Nanoseconds
    /// Σ of the times for which the main thread worked without a pause, each above the threshold.
    public let hang: Nanoseconds
    /// The time beyond which the main thread hangs.
    public let hangThreshold: Nanoseconds
}
