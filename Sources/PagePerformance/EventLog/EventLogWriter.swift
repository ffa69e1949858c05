import LibC

/// Writes recorded events on its own thread.
struct EventLogWriter {
    /// The number of bytes per write.
    static let chunk = 64 << 10

    private let state: LockedValue<EventLogState>
    private let options: EventLogOptions
    private var stream: LogStreamWriter
    private var ledger = ScrollLedger()
    /// The recorded events that must not be written.
    private var withheld = 0
    /// The lost events that the log reports.
    private var toldLost = 0

    init(
        _ run: LogEvent.Run, to sink: any LogSink, options: EventLogOptions, state: LockedValue<EventLogState>
    ) {
        self.state = state
        self.options = options
        stream = LogStreamWriter(run, to: sink)
    }

    /// Writes until the log is closed.
    mutating func writeUntilClosed() {
        stream.open()
        var isOpen = true
        while isOpen {
            let batch = nextBatch()
            for key in batch.damaged { ledger.damage(key) }
            for entry in batch.entries { isOpen = write(entry, lost: batch.lost) && isOpen }
            push()
            state.withLock { $0.queue.release() }
        }
    }

    private mutating func push() {
        let completions = stream.push()
        finish(completions)
    }

    private mutating func close(lost: Int) {
        let completions = stream.close(lost: lost)
        finish(completions)
    }

    /// Publishes the counts, and then calls the waiting completions.
    private func finish(_ completions: [EventLog.Completion]) {
        state.withLock { state in
            state.counts.written = stream.written
            state.counts.lost = withheld + stream.lost
            state.counts.removedFiles = stream.removedFiles
            if let path = stream.currentPath, state.paths.last != path { state.paths.append(path) }
            state.failure = stream.failure
        }
        for completion in completions { completion(outcome) }
    }

    private var outcome: EventLog.Delivery { stream.failure == nil ? .written : .lost }

    private func nextBatch() -> LogQueue.Batch {
        state.wait(
            until: { state in
                state.isWriterIdle = state.queue.isEmpty
                return !state.isWriterIdle
            },
            then: { _ in })
        state.wait(atMost: options.writeInterval) { $0.isUrgent }
        return state.withLock { state in
            state.isUrgent = false
            return state.queue.take()
        }
    }

    /// Processes an entry; `false`: the log is closed.
    private mutating func write(_ entry: LogQueue.Entry, lost: Int) -> Bool {
        switch entry {
        case .event(let event, let lost, let completion):
            write(event, lost: lost, completion)
            return true
        case .retry:
            guard stream.failure != nil else { return true }
            ledger.damageOpenScrolls()
            stream.reopen()
            finish([])
            return true
        case .flush(let completion):
            push()
            completion(outcome)
            return true
        case .close(let completion):
            close(lost: lost + withheld)
            completion?(outcome)
            return false
        }
    }

    private mutating func write(_ event: LogEvent, lost: Int, _ completion: EventLog.Completion?) {
        guard ledger.admits(event) else {
            withheld += 1
            finish([])
            completion?(.lost)
            return
        }
        if lost + withheld > toldLost {
            toldLost = lost + withheld
            stream.append(.state(LogEvent.State(iteration: event.place?.iteration, eventsLost: toldLost)))
        }
        stream.append(event, completion ?? { _ in })
        if stream.pendingBytes >= Self.chunk { push() }
        beginPartIfFull(lost: lost + withheld)
    }

    /// A scroll belongs to its part, so a part ends between scrolls; at four times its size it ends in any case.
    private mutating func beginPartIfFull(lost: Int) {
        guard let size = options.partSize, stream.partBytes >= size else { return }
        guard ledger.open.isEmpty || stream.partBytes >= size * 4 else { return }
        ledger.damageOpenScrolls()
        close(lost: lost)
        stream.open()
    }
}

/// The state that the recording threads and the writing thread share.
struct EventLogState: Sendable {
    var queue: LogQueue
    var iteration = 0
    var test: String?
    /// The conditions at the start of the launch, for its `run` line.
    let conditions: VisitConditions
    var counts = EventLog.Counts()
    /// The written files.
    var paths: [String] = []
    var failure: LogSinkError?
    var isClosed = false

    /// Whether the writer waits for its first event.
    var isWriterIdle = false
    /// Whether the writer must not wait for more events.
    var isUrgent = false

    init(queue: LogQueue, conditions: VisitConditions = VisitConditions()) {
        self.queue = queue
        self.conditions = conditions
    }

    /// Whether the writer must be woken.
    var wantsWriter: Bool { isWriterIdle || isUrgent }

    /// The counts, including the events lost because the queue was full.
    var allCounts: EventLog.Counts {
        var counts = counts
        counts.lost += queue.lost
        return counts
    }

    /// Takes an event; `nil`: it waits, otherwise the outcome.
    mutating func append(_ event: LogEvent, _ completion: EventLog.Completion?) -> EventLog.Delivery? {
        guard !isClosed else {
            counts.late += 1
            return .closed
        }
        // A gap between two ticks is no hitch: after a loss, ticks belong to a new segment.
        let event = event.settled(iteration: iteration, test: test, conditions: conditions, gaps: queue.lost)
        let isTaken = queue.append(event, completion: completion)
        // A test may kill the app as soon as its page is visible: a visit doesn't wait for other events.
        if queue.isHalfFull || event.isVisit { isUrgent = true }
        return isTaken ? nil : .lost
    }

    /// Takes an entry that isn't an event; `false`: the log is closed.
    mutating func append(_ entry: LogQueue.Entry) -> Bool {
        guard !isClosed else { return false }
        queue.append(entry)
        isUrgent = true
        return true
    }

    /// Stores the reason why writing stopped.
    mutating func fail(_ error: LogSinkError) {
        failure = error
        isClosed = true
    }
}

extension LogEvent {
    fileprivate var isVisit: Bool {
        if case .visit = self { true } else { false }
    }

    /// The event with the log's own context, its ticks separated from those before a gap.
    fileprivate func settled(iteration: Int, test: String?, conditions: VisitConditions, gaps: Int) -> LogEvent {
        switch self {
        case .run, .end: return self
        case .state(var state):
            state.iteration = state.iteration ?? iteration
            return .state(state)
        case .frames(var frames):
            frames.place.settle(iteration, test, conditions)
            return .frames(frames)
        case .frame(var frame):
            frame.place.settle(iteration, test, conditions)
            frame.segment += gaps
            return .frame(frame)
        case .frameDrop(var drop):
            drop.place.settle(iteration, test, conditions)
            return .frameDrop(drop)
        case .scroll(var scroll):
            scroll.place.settle(iteration, test, conditions)
            return .scroll(scroll)
        case .visit(var visit):
            visit.place.settle(iteration, test)
            return .visit(visit)
        case .screen(var screen):
            screen.place.settle(iteration, test, conditions)
            return .screen(screen)
        case .metric(var metric):
            metric.place.settle(iteration, test, conditions)
            return .metric(metric)
        }
    }
}

extension LogEvent.Place {
    /// Adds the log's context to the place. A visit states its conditions, because it may be read alone; its other
    /// measurements only state conditions that differ from the launch's.
    fileprivate mutating func settle(_ iteration: Int, _ test: String?, _ launch: VisitConditions? = nil) {
        self.iteration = self.iteration ?? iteration
        self.test = self.test ?? test
        if let launch, conditions == launch { conditions = VisitConditions() }
    }
}

/// A thread for one long job that must not disturb other work.
enum WriterThread {
    private final class Job {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Starts a thread; `false` if the system provides none.
    static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        #if canImport(Glibc)
        var thread = pthread_t()
        #else
        var thread: pthread_t?
        #endif
        let job = Unmanaged.passRetained(Job(body))
        let result = pthread_create(&thread, nil, { WriterThread.main($0) }, job.toOpaque())
        if result != 0 { job.release() }
        return result == 0
    }

    private static func main(_ job: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        pthread_detach(pthread_self())
        #if canImport(Darwin)
        pthread_setname_np("perfgate event log")
        pthread_set_qos_class_self_np(QOS_CLASS_UTILITY, 0)
        #endif
        if let job { Unmanaged<Job>.fromOpaque(job).takeRetainedValue().body() }
        return nil
    }
}
