/// Detects dropped frames while the app runs, tick by tick of a display link. Call `tick(_:)` from the display link's
/// callback, and report where scrolls begin and end:
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
/// **Concurrency.** A detector isn't `Sendable`: the compiler keeps it on the actor of its owner, which is the main
/// actor for a display link. So a tick takes no lock, and the delegate is called on the owner's thread. Drops leave the
/// detector as values, through `drops(buffering:)`.
///
/// **Cost.** A tick allocates nothing. A drop may allocate for its listeners. If ticks are kept, every `keptTicks`-th
/// tick allocates too.
public final class FrameDropDetector {
    /// Receives dropped frames immediately.
    public weak var delegate: (any FrameDropDetectorDelegate)?
    /// Receives measurements for a log; `nil` without a log.
    public var sink: (any FrameRecordSink)?
    /// The listeners for drops that are not known to be gone.
    private(set) var listeners: [AsyncStream<FrameDrop>.Continuation] = []

    private var state: DetectorState
    private var limits: FrameDropLimits?
    private var breachHandler: ((FrameDropBreach) -> Void)?

    /// Makes a detector without a tick: it runs, and in published counting is paused until `resume()`.
    public init(_ configuration: Configuration = Configuration()) { state = DetectorState(configuration) }

    deinit { for listener in listeners { listener.finish() } }

    /// The configuration of the detector.
    public var configuration: Configuration { state.configuration }

    /// The frames reported as dropped since the scroll began or the counts were cleared.
    public var counts: DropCounts { state.counts }

    /// `counts.total`, under the name of the published detector.
    public var currentFrameDropCount: Int { counts.total }

    /// `counts.events`, under the name of the published detector.
    public var currentFrameDropEventCount: Int { counts.events }

    /// The number of the scroll in progress; `nil` if there is none.
    public var scroll: Int? { state.scroll }

    /// Whether the detector is paused; it ignores ticks meanwhile.
    public var isPaused: Bool { state.isPaused }

    // MARK: Ticks

    /// Processes one call of the display link.
    public func tick(_ tick: FrameTick) { if state.advance(to: tick) { tell(state.takeNews()) } }

    private func tell(_ results: DetectorState.Results) {
        if let segment = results.segment { sink?.record(segment) }
        if let scroll = results.scroll { sink?.record(scroll) }
        if let drop = results.drop { tell(drop) }
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

    /// The drops from now on, for a task on any actor; ends with the detector. If the task is slower than the drops,
    /// the newest ones are kept; a drop's cumulative counts include the others.
    public func drops(buffering limit: Int = 256) -> AsyncStream<FrameDrop> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: FrameDrop.self, bufferingPolicy: .bufferingNewest(max(1, limit)))
        listeners.append(continuation)
        return stream
    }

    /// Calls `handler` immediately for every drop that exceeds `limits`, once per limit; replaces the previous handler.
    ///
    ///     detector.setLimits { Issue.record("\($0)") }            // fails a test
    ///     detector.setLimits { assertionFailure("\($0)") }        // stops a debug build
    public func setLimits(
        _ limits: FrameDropLimits = .standard, onBreach handler: @escaping (FrameDropBreach) -> Void
    ) {
        (self.limits, breachHandler) = (limits, handler)
    }

    /// Removes the limits.
    public func removeLimits() { (limits, breachHandler) = (nil, nil) }

    // MARK: Scrolls

    /// Begins a scroll and clears the counts; ends a scroll in progress first. Scrolls are numbered from 0; a given
    /// `number` continues the numbering from there. Returns the number.
    @discardableResult
    public func beginScroll(number: Int? = nil) -> Int {
        endScroll()
        let number = number ?? state.nextScroll
        tell(state.beginScroll(number: number))
        return number
    }

    /// Ends the scroll; `nil` if none had begun, or if no interval was measured.
    @discardableResult
    public func endScroll() -> ScrollRecord? {
        let results = state.endScroll()
        tell(results)
        return results.scroll
    }

    /// Sets the running counts to 0; the scroll's record is unaffected.
    public func clearFrameDropCount() { tell(state.clearCounts()) }

    // MARK: Interruptions

    /// Starts a new segment: at the end of a run loop's mode, a change of page, or after skipped ticks. Published
    /// counting only recognises inactivity as an interruption, and counts the gap as one frame.
    public func interrupt() { tell(state.interrupt()) }

    /// Ignores ticks until `resume()`.
    public func pause() { tell(state.setPaused(true)) }

    /// Accepts ticks again, as a new segment; published counting continues from the last tick before the pause.
    public func resume() { tell(state.setPaused(false)) }

    /// Ignores ticks while the app is inactive or in the background. Published counting pauses, and so loses whether it
    /// was paused before.
    public func willResignActive() { tell(state.setActive(false)) }

    /// Accepts ticks again after the app was inactive, as a new segment, unless the detector is paused. Published
    /// counting ends a pause too.
    public func didBecomeActive() { tell(state.setActive(true)) }
}

@available(*, unavailable)
extension FrameDropDetector: Sendable {}

extension FrameDropDetector {
    /// The configuration of a detector.
    public struct Configuration: Hashable, Sendable {
        /// How frames are counted.
        public var counting: FrameCounting
        /// The source of the ticks' timestamps.
        public var clock: FrameClock
        /// The highest frame rate of the display, above 0.
        public var maxFPS: Int
        /// Whether ticks count outside scrolls; ticks of other screen activity then count too.
        public var countsOutsideScrolls: Bool
        /// The number of ticks kept for the sink's segment records, for pictures; below 2 none are kept.
        public var keptTicks: Int
        /// The interval beyond which a screen hangs; a detector that only reports drops doesn't use it.
        public var hangThreshold: Nanoseconds

        /// Makes a configuration; by default it counts every tick of a 60 Hz display exactly, and keeps none.
        public init(
            counting: FrameCounting = .exact, clock: FrameClock = .vsync, maxFPS: Int = 60,
            countsOutsideScrolls: Bool = true, keptTicks: Int = 0, hangThreshold: Nanoseconds = .hangThreshold
        ) {
            (self.counting, self.clock, self.maxFPS) = (counting, clock, maxFPS)
            (self.countsOutsideScrolls, self.keptTicks) = (countsOutsideScrolls, keptTicks)
            self.hangThreshold = hangThreshold
        }
    }
}

/// A receiver of dropped frames, by either method.
public protocol FrameDropDetectorDelegate: AnyObject {
    /// Frames were dropped; called within `FrameDropDetector.tick(_:)`, so on the thread that calls it. The published
    /// detector calls its delegate from its own queue. For the same behaviour, await
    /// `FrameDropDetector.drops(buffering:)` there.
    func frameDropDetector(_ detector: FrameDropDetector, didDrop drop: FrameDrop)

    /// The same under the name of the published detector.
    func framesDropped(_ count: Int, cumulativeFramesDropped: Int, cumulativeFrameDropEvents: Int)
}

extension FrameDropDetectorDelegate {
    /// Does nothing.
    public func frameDropDetector(_ detector: FrameDropDetector, didDrop drop: FrameDrop) {}

    /// Does nothing.
    public func framesDropped(_ count: Int, cumulativeFramesDropped: Int, cumulativeFrameDropEvents: Int) {}
}

/// A receiver of a detector's measurements, to write them into a log. All calls happen within a call of the detector,
/// so on the thread that owns it.
public protocol FrameRecordSink {
    /// Frames were dropped: a log's `frame_drop` line.
    func record(_ drop: FrameDrop)

    /// A scroll with a measurement ended: a log's `scroll` line.
    func record(_ scroll: ScrollRecord)

    /// A stretch of kept ticks is complete: a log's `frames` line.
    func record(_ segment: SegmentRecord)
}
