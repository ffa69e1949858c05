/// Detects dropped frames while the app runs, tick by tick of a display link.
///
/// Feed it with `tick(_:)` from the display link's callback, and tell it where scrolls begin and end:
///
///     let detector = FrameDropDetector()
///     detector.delegate = self
///     detector.beginScroll()          // scrollViewWillBeginDragging
///     detector.tick(tick)             // the display link
///     detector.endScroll()            // the scroll view came to rest
///
/// Without scrolls it works as KSScrollPerformanceDetector does: `resume()`, `clearFrameDropCount()` after each
/// scroll, `pause()`.
///
/// **Concurrency.** A detector belongs to whoever made it and isn't `Sendable`: the compiler keeps it on the actor of
/// its owner, for a display link the main actor. So a tick takes no lock, and the delegate is called on the owner's
/// thread. Drops leave it as values, through `drops(buffering:)`.
///
/// **Cost.** A tick allocates nothing. A drop may, for those who listen; so does every `keptTicks`-th tick, where
/// ticks are kept.
public final class FrameDropDetector {
    /// Hears of dropped frames at once.
    public weak var delegate: (any FrameDropDetectorDelegate)?

    /// Takes what is measured, to write it into a log; `nil` where nobody does.
    public var sink: (any FrameRecordSink)?

    /// Those who await drops and haven't been found gone.
    private(set) var listeners: [AsyncStream<FrameDrop>.Continuation] = []

    private var state: DetectorState
    private var limits: FrameDropLimits?
    private var breachHandler: ((FrameDropBreach) -> Void)?

    /// Makes a detector that has seen no tick yet: it runs, and in published counting is paused until `resume()`.
    public init(_ configuration: Configuration = Configuration()) {
        state = DetectorState(configuration)
    }

    deinit {
        for listener in listeners { listener.finish() }
    }

    /// How the detector measures.
    public var configuration: Configuration { state.configuration }

    /// The frames reported as dropped since the scroll began or the counts were cleared.
    public var counts: DropCounts { state.counts }

    /// `counts.total`, under the name of the published detector.
    public var currentFrameDropCount: Int { counts.total }

    /// `counts.events`, under the name of the published detector.
    public var currentFrameDropEventCount: Int { counts.events }

    /// The number of the scroll that has begun and not ended; `nil` if there is none.
    public var scroll: Int? { state.scroll }

    /// Whether the detector was told to pause; ticks that come all the same are ignored.
    public var isPaused: Bool { state.isPaused }

    // MARK: Ticks

    /// Takes one call of the display link.
    public func tick(_ tick: FrameTick) {
        if state.advance(to: tick) { tell(state.takeNews()) }
    }

    private func tell(_ news: DetectorState.News) {
        if let segment = news.segment { sink?.record(segment) }
        if let scroll = news.scroll { sink?.record(scroll) }
        if let drop = news.drop { tell(drop) }
    }

    private func tell(_ drop: FrameDrop) {
        listeners.removeAll { listener in
            if case .terminated = listener.yield(drop) { true } else { false }
        }
        sink?.record(drop)
        delegate?.frameDropDetector(self, didDrop: drop)
        delegate?.framesDropped(
            drop.framesDropped, cumulativeFramesDropped: drop.cumulativeFramesDropped,
            cumulativeFrameDropEvents: drop.cumulativeFrameDropEvents)
        guard let limits, let breachHandler else { return }
        limits.breaches(by: drop, maxFPS: configuration.maxFPS).forEach(breachHandler)
    }

    // MARK: Listening

    /// The drops from now on, for a task on any actor; ends with the detector.
    ///
    /// Where the task is slower than the drops, the newest are kept; the cumulative counts of a drop tell of those
    /// that were left out.
    public func drops(buffering limit: Int = 256) -> AsyncStream<FrameDrop> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: FrameDrop.self, bufferingPolicy: .bufferingNewest(max(1, limit)))
        listeners.append(continuation)
        return stream
    }

    /// Calls `handler` at once for every drop that exceeds `limits`, once a limit; replaces what was set before.
    ///
    ///     detector.setLimits { Issue.record("\($0)") }            // fails a test
    ///     detector.setLimits { assertionFailure("\($0)") }        // stops a debug build
    public func setLimits(
        _ limits: FrameDropLimits = .standard, onBreach handler: @escaping (FrameDropBreach) -> Void
    ) {
        self.limits = limits
        breachHandler = handler
    }

    /// Allows everything again.
    public func removeLimits() {
        limits = nil
        breachHandler = nil
    }

    // MARK: Scrolls

    /// Begins a scroll and clears the counts; a scroll that hasn't ended is ended.
    ///
    /// Scrolls are numbered from 0, or from the one after `number` where that is given. Returns the number.
    @discardableResult
    public func beginScroll(number: Int? = nil) -> Int {
        endScroll()
        let number = number ?? state.nextScroll
        tell(state.beginScroll(number: number))
        return number
    }

    /// Ends the scroll; `nil` where none had begun, or where no interval of it was measured.
    @discardableResult
    public func endScroll() -> ScrollRecord? {
        let news = state.endScroll()
        tell(news)
        return news.scroll
    }

    /// Sets the running counts to 0; what the scroll's record will say stays.
    public func clearFrameDropCount() {
        tell(state.clearCounts())
    }

    // MARK: Interruptions

    /// Starts a new segment: where a run loop's mode ends, a page changes, or ticks were left out.
    ///
    /// Published counting knows of no interruption but inactivity, and counts the gap as one frame.
    public func interrupt() {
        tell(state.interrupt())
    }

    /// Ignores ticks until `resume()`.
    public func pause() {
        tell(state.setPaused(true))
    }

    /// Takes ticks again, as a new segment; published counting goes on from the last tick before the pause.
    public func resume() {
        tell(state.setPaused(false))
    }

    /// Ignores ticks while the app is inactive or in the background.
    ///
    /// Published counting pauses, and so forgets whether it was paused before.
    public func willResignActive() {
        tell(state.setActive(false))
    }

    /// Takes ticks again after the app was inactive, as a new segment, unless the detector is paused.
    ///
    /// Published counting ends a pause too.
    public func didBecomeActive() {
        tell(state.setActive(true))
    }
}

@available(*, unavailable)
extension FrameDropDetector: Sendable {}

extension FrameDropDetector {
    /// How a detector measures.
    public struct Configuration: Hashable, Sendable {
        /// How frames are counted.
        public var counting: FrameCounting

        /// What the ticks' timestamps are taken from.
        public var clock: FrameClock

        /// The highest frame rate of the display, above 0.
        public var maxFPS: Int

        /// Whether ticks count where no scroll has begun; those of other screen activity are then counted too.
        public var countsOutsideScrolls: Bool

        /// How many ticks are kept for the sink's segment records, for pictures; below 2 none are.
        public var keptTicks: Int

        /// Beyond which an interval of a screen is a hang; a detector of drops alone doesn't ask for it.
        public var hangThreshold: Nanoseconds

        /// Makes a configuration; by default every tick of a 60 Hz display is counted exactly, and none kept.
        public init(
            counting: FrameCounting = .exact, clock: FrameClock = .vsync, maxFPS: Int = 60,
            countsOutsideScrolls: Bool = true, keptTicks: Int = 0, hangThreshold: Nanoseconds = .hangThreshold
        ) {
            self.counting = counting
            self.clock = clock
            self.maxFPS = maxFPS
            self.countsOutsideScrolls = countsOutsideScrolls
            self.keptTicks = keptTicks
            self.hangThreshold = hangThreshold
        }
    }
}

/// Whoever wants to hear of dropped frames at once, by either method.
public protocol FrameDropDetectorDelegate: AnyObject {
    /// Frames were dropped; called within `FrameDropDetector.tick(_:)`, so on the thread that feeds the detector.
    ///
    /// The published detector calls its delegate from a queue of its own. Whoever wants that awaits
    /// `FrameDropDetector.drops(buffering:)` there.
    func frameDropDetector(_ detector: FrameDropDetector, didDrop drop: FrameDrop)

    /// The same in the words of the published detector.
    func framesDropped(_ count: Int, cumulativeFramesDropped: Int, cumulativeFrameDropEvents: Int)
}

extension FrameDropDetectorDelegate {
    /// Does nothing.
    public func frameDropDetector(_ detector: FrameDropDetector, didDrop drop: FrameDrop) {}

    /// Does nothing.
    public func framesDropped(_ count: Int, cumulativeFramesDropped: Int, cumulativeFrameDropEvents: Int) {}
}

/// Takes what a detector measured, to write it into a log.
///
/// All calls come from within a call of the detector, so on the thread that owns it.
public protocol FrameRecordSink {
    /// Frames were dropped: a log's `frame_drop` line.
    func record(_ drop: FrameDrop)

    /// A scroll ended that had something measured: a log's `scroll` line.
    func record(_ scroll: ScrollRecord)

    /// A stretch of kept ticks is complete: a log's `frames` line.
    func record(_ segment: SegmentRecord)
}
