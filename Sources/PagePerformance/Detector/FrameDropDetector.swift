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
    /// How the detector measures.
    public let configuration: Configuration

    /// Hears of dropped frames at once.
    public weak var delegate: (any FrameDropDetectorDelegate)?

    /// Takes what is measured, to write it into a log; `nil` where nobody does.
    public var sink: (any FrameRecordSink)?

    /// The frames reported as dropped since the scroll began or the counts were cleared.
    public private(set) var counts = DropCounts()

    /// The number of the scroll that has begun and not ended; `nil` if there is none.
    public private(set) var scroll: Int?

    /// Whether the detector was told to pause; ticks that come all the same are ignored.
    public private(set) var isPaused = false

    private var isActive = true
    private var counter: ScrollCounter
    private var ticks: TickBuffer
    private var nextScroll = 0
    private var limits: FrameDropLimits?
    private var breachHandler: ((FrameDropBreach) -> Void)?
    /// Those who await drops and haven't been found gone.
    private(set) var listeners: [AsyncStream<FrameDrop>.Continuation] = []

    /// Makes a detector that runs and has seen no tick yet.
    public init(_ configuration: Configuration = Configuration()) {
        self.configuration = configuration
        counter = ScrollCounter(
            counting: configuration.counting, clock: configuration.clock, maxFPS: configuration.maxFPS)
        ticks = TickBuffer(capacity: configuration.keptTicks, clock: configuration.clock)
    }

    deinit {
        for listener in listeners { listener.finish() }
    }

    // MARK: Ticks

    /// Takes one call of the display link.
    public func tick(_ tick: FrameTick) {
        guard !isPaused, isActive else { return }
        let reported = counter.advance(to: tick)
        guard scroll != nil || configuration.countsOutsideScrolls else { return }
        if let finished = ticks.append(tick, scroll: scroll) { sink?.record(finished) }
        if reported > 0 { report(reported) }
    }

    private func report(_ frames: Int) {
        counts.add(frames: frames)
        let drop = FrameDrop(
            framesDropped: frames, cumulativeFramesDropped: counts.total, cumulativeFrameDropEvents: counts.events,
            scroll: scroll, counting: configuration.counting)
        listeners.removeAll { listener in
            if case .terminated = listener.yield(drop) { true } else { false }
        }
        sink?.record(drop)
        delegate?.frameDropDetector(self, didDrop: drop)
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
        finishSegment()
        let number = number ?? nextScroll
        nextScroll = number.saturatingSum(1)
        scroll = number
        counts = DropCounts()
        counter.beginScroll()
        return number
    }

    /// Ends the scroll; `nil` where none had begun, or where no interval of it was measured.
    @discardableResult
    public func endScroll() -> ScrollRecord? {
        guard let number = scroll else { return nil }
        let segment = ticks.finish(scroll: number)
        let record = ScrollRecord(number: number, counting: configuration.counting, frames: counter.frames)
        scroll = nil
        counter.interrupt()
        if let segment { sink?.record(segment) }
        if let record { sink?.record(record) }
        return record
    }

    /// Sets the running counts to 0; what the scroll's record will say stays.
    public func clearFrameDropCount() {
        counts = DropCounts()
        interrupt()
    }

    // MARK: Interruptions

    /// Starts a new segment: where a run loop's mode ends, a page changes, or ticks were left out.
    ///
    /// Published counting knows of no interruption but inactivity, and counts the gap as one frame.
    public func interrupt() {
        finishSegment()
        counter.interrupt()
    }

    /// Ignores ticks until `resume()`.
    public func pause() {
        interrupt()
        isPaused = true
    }

    /// Takes ticks again, as a new segment; published counting goes on from the last tick before the pause.
    public func resume() {
        interrupt()
        isPaused = false
    }

    /// Ignores ticks while the app is inactive or in the background.
    ///
    /// Published counting pauses, and so forgets whether it was paused before.
    public func willResignActive() {
        interrupt()
        switch configuration.counting {
        case .exact: isActive = false
        case .published: isPaused = true
        }
    }

    /// Takes ticks again after the app was inactive, as a new segment, unless the detector is paused.
    ///
    /// Published counting ends a pause too.
    public func didBecomeActive() {
        finishSegment()
        counter.reactivate()
        switch configuration.counting {
        case .exact: isActive = true
        case .published: isPaused = false
        }
    }

    private func finishSegment() {
        if let finished = ticks.finish(scroll: scroll) { sink?.record(finished) }
    }
}

@available(*, unavailable)
extension FrameDropDetector: Sendable {}
