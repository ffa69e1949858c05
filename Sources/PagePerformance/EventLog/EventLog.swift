/// The recorder's log: append-only, accepts events from any thread, and writes on its own thread.
///
/// Recording holds a lock only while it appends to a list; encoding and input or output happen on the writer's thread.
/// The queue of waiting events is bounded: when it is full, new events are lost, the log records the loss, and scrolls
/// that lost a line get no end line. <doc:WritingTheLog> describes how to read such a log, the effect of a kill, and
/// how the log leaves the device.
public final class EventLog: Sendable {
    private let state: LockedValue<EventLogState>
    private let sampling: PageSampling

    /// Opens a log: its first line is `run`; each further part begins with the same line under the part's own name.
    /// - Parameter clock: The clock of its events' times.
    public init(
        _ run: LogEvent.Run, to sink: any LogSink, options: EventLogOptions = EventLogOptions(),
        clock: WallClock = WallClock()
    ) {
        var context = LogContext()
        (context.conditions, context.user, context.clock) = (run.conditions.ofVisits, options.user, clock)
        context.keepsStarts = options.keepsStarts
        let state = LockedValue(
            EventLogState(
                queue: LogQueue(limit: options.bufferLimit), context: context, hasConsent: options.hasConsent))
        (self.state, sampling) = (state, options.sampling)
        let isStarted = WriterThread.start {
            var writer = EventLogWriter(run, to: sink, options: options, state: state)
            writer.writeUntilClosed()
        }
        if !isStarted { state.withLock { $0.fail(.noThread) } }
    }

    deinit { close() }

    /// Records an event; `completion` receives its outcome.
    public func record(_ event: LogEvent, completion: Completion? = nil) {
        guard let outcome = enqueue(event, completion) else { return }
        completion?(outcome)
    }

    /// Calls `completion` when everything recorded before is written.
    public func flush(_ completion: @escaping Completion) { enqueue(.flush(completion), completion) }

    /// Resumes writing in a new part after the sink failed; called when the app enters the foreground again. Events in
    /// between are lost and counted. Without a failure it does nothing.
    public func retry() {
        let isTaken = state.withLock { $0.failure != nil && $0.append(.retry) }
        if isTaken { state.signal() }
    }

    /// Ends the present part when everything recorded before is written, so that it can be sent; the next event begins
    /// another. Called when the app enters the background: a suspended app then has no open file.
    public func endPart(_ completion: @escaping Completion = { _ in }) { enqueue(.endPart(completion), completion) }

    /// Ends the stream when everything recorded before is written; later events are refused.
    public func close(_ completion: Completion? = nil) { enqueue(.close(completion), completion) }

    private func enqueue(_ entry: LogQueue.Entry, _ completion: Completion?) {
        let isTaken = state.withLock { $0.append(entry) }
        if isTaken { state.signal() } else { completion?(.closed) }
    }

    /// Nothing to do: the event waits. Otherwise the outcome.
    private func enqueue(_ event: LogEvent, _ completion: Completion?) -> Delivery? {
        if let problem = event.problem {
            state.withLock { $0.counts.refused += 1 }
            return .refused(problem)
        }
        if let place = event.place, !isLogged(page: place.page, visit: place.visit) {
            state.withLock { $0.counts.sampledOut += 1 }
            return .sampledOut
        }
        let (outcome, wakes) = state.withLock { ($0.append(event, completion), $0.wantsWriter) }
        if wakes { state.signal() }
        return outcome
    }
}

extension EventLog {
    /// Whether a page's visit is sampled; a recorder doesn't need to measure the others.
    public func isLogged(page: String, visit: String? = nil) -> Bool { sampling.takes(page: page, visit: visit) }

    /// The test's repetition for events that name none, from 0.
    public var iteration: Int {
        get { state.withLock { $0.context.iteration } }
        set { state.withLock { $0.context.iteration = newValue } }
    }

    /// The test for events that name none, as `Target/Class/test`; `nil`: none.
    public var test: String? {
        get { state.withLock { $0.context.test } }
        set { state.withLock { $0.context.test = newValue } }
    }

    /// The identifier of the installation for events that name none: random, and replaced from time to time, never an
    /// account; `nil`: none.
    public var user: String? {
        get { state.withLock { $0.context.user } }
        set { state.withLock { $0.context.user = newValue } }
    }

    /// Whether the user allows the log. Without consent every event is discarded; taking it back ends the present part.
    public var hasConsent: Bool {
        get { state.withLock { $0.hasConsent } }
        set {
            let (isEnd, tags) = state.withLock { state in
                defer {
                    state.hasConsent = newValue
                    if newValue { state.waitingTags = nil }
                }
                return (state.hasConsent && !newValue, newValue ? state.waitingTags : nil)
            }
            if isEnd { endPart() }
            if let tags { setTags(tags) }
        }
    }

    /// Sets the app's own dimensions of all later events.
    public func setTags(_ tags: LogTags) {
        var line = LogEvent.State()
        line.tags = tags
        let isAllowed = state.withLock { state in
            if !state.hasConsent { state.waitingTags = tags }
            return state.hasConsent
        }
        if isAllowed { record(.state(line)) }
    }

    /// The outcomes of the events so far.
    public var counts: Counts { state.withLock { $0.allCounts } }

    /// The files written by this launch; the open file is the last. Empty if the sink writes no files.
    public var paths: [String] { state.withLock { $0.paths } }

    /// The reason why writing stopped, until `retry()`; `nil` while writing works.
    public var failure: LogSinkError? { state.withLock { $0.failure } }
}

extension EventLog {
    /// Opens the log of this launch, with run, part, iteration and test from its environment.
    /// - Parameters:
    ///   - launch: The launch's environment.
    ///   - sink: The destination of the lines.
    ///   - app: The measured app.
    ///   - device: The device; only the user interface knows the refresh rate.
    ///   - conditions: The conditions at the start.
    ///   - tags: The app's own dimensions.
    ///   - options: The log's use of memory, files and time.
    ///   - clock: The clock that continues the launch's time.
    public convenience init(
        _ launch: LaunchEnvironment = .current, to sink: any LogSink, app: AppFacts, device: DeviceFacts,
        conditions: DeviceConditions, tags: LogTags = LogTags(), options: EventLogOptions = EventLogOptions(),
        clock: any TimeSource = UptimeClock()
    ) {
        var run = LogEvent.Run(
            id: launch.run, part: launch.part, shard: launch.shard, iterations: launch.iterations,
            expectsEnd: launch.expectsEnd, startedAt: UniversalTime.text(launch.time), app: app, device: device,
            conditions: conditions)
        (run.isProfiled, run.tags) = (launch.isProfiled, tags)
        self.init(run, to: sink, options: options, clock: WallClock(reading: launch.time, clock: clock))
        (iteration, test) = (launch.iteration, launch.test)
    }

    /// Opens the log of this launch in files, in the environment's folder, or in `folder` if the environment has none.
    public convenience init(
        _ launch: LaunchEnvironment = .current, folder: String, app: AppFacts, device: DeviceFacts,
        conditions: DeviceConditions, options: EventLogOptions = EventLogOptions()
    ) {
        self.init(
            launch, to: FileSink(folder: launch.folder ?? folder), app: app, device: device, conditions: conditions,
            options: options)
    }

    /// Begins an iteration: events that name none belong to it, and a line records the conditions at its start.
    public func beginIteration(_ number: Int, conditions: DeviceConditions) {
        iteration = number
        record(.state(LogEvent.State(iteration: number, conditions: conditions)))
    }
}

extension EventLog {
    /// The outcome of an event, or of everything before a flush.
    public enum Delivery: Hashable, Sendable {
        /// The sink has it; a file has passed it to the system, so a kill of the app no longer loses it.
        case written
        /// It was lost: the queue was full, its scroll had lost a line before, or the sink failed.
        case lost
        /// It can't be a line.
        case refused(LogEvent.Problem)
        /// Its visit isn't sampled.
        case sampledOut
        /// The user hasn't allowed it.
        case withoutConsent
        /// The log was already closed.
        case closed
    }

    /// Receives an outcome, on the thread that determines it first; it must return quickly.
    public typealias Completion = @Sendable (Delivery) -> Void

    /// The outcomes of all events so far. Waiting events are in none of the counts.
    public struct Counts: Hashable, Sendable {
        /// The events that the sink has.
        public internal(set) var written = 0
        /// The lost events.
        public internal(set) var lost = 0
        /// The events that can't be lines.
        public internal(set) var refused = 0
        /// The events of visits that aren't sampled.
        public internal(set) var sampledOut = 0
        /// The events that the user hasn't allowed.
        public internal(set) var withoutConsent = 0
        /// The events after the log was closed.
        public internal(set) var late = 0
        /// The files of earlier launches that were removed to keep the folder within its bounds.
        public internal(set) var removedFiles = 0
    }
}

extension EventLog {
    /// Waits until everything recorded before is written.
    @discardableResult
    public func flush() async -> Delivery {
        await withCheckedContinuation { continuation in flush { continuation.resume(returning: $0) } }
    }

    /// Ends the stream and waits until it has ended.
    @discardableResult
    public func close() async -> Delivery {
        await withCheckedContinuation { continuation in close { continuation.resume(returning: $0) } }
    }

    /// Blocks the thread until everything recorded is written: for code that can't await, such as a test's teardown.
    @available(*, noasync)
    @discardableResult
    public func flushAndWait() -> Delivery { wait { flush($0) } }

    /// Ends the present part and blocks the thread until it has ended.
    @available(*, noasync)
    @discardableResult
    public func endPartAndWait() -> Delivery { wait { endPart($0) } }

    /// Ends the stream and blocks the thread until it has ended.
    @available(*, noasync)
    @discardableResult
    public func closeAndWait() -> Delivery { wait { close($0) } }

    private func wait(for start: (@escaping Completion) -> Void) -> Delivery {
        let result = LockedValue<Delivery?>(nil)
        start { outcome in
            result.withLock { $0 = outcome }
            result.signal()
        }
        return result.wait(until: { $0 != nil }, then: { $0 ?? .closed })
    }
}
