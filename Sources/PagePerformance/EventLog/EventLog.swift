/// The recorder's log: append-only, from any thread, written by a thread of its own.
///
/// Recording takes a lock for as long as it takes to append to a list; encoding and input or output happen on the
/// writer's thread. What waits to be written is bounded: when it is full, new events are lost, the log says so, and
/// scrolls that lost a line don't end in it. How that is read, what a kill loses, and how the log leaves the device is
/// told in <doc:WritingTheLog>.
public final class EventLog: Sendable {
    private let state: Monitor<EventLogState>
    private let sampling: PageSampling

    /// Opens a log: its first line is `run`, each further part begins with the same line under the part's own name.
    public init(_ run: LogEvent.Run, to sink: any LogSink, options: EventLogOptions = EventLogOptions()) {
        let state = Monitor(EventLogState(queue: LogQueue(limit: options.bufferLimit)))
        self.state = state
        sampling = options.sampling
        let isStarted = WriterThread.start {
            var writer = EventLogWriter(run, to: sink, options: options, state: state)
            writer.writeUntilClosed()
        }
        if !isStarted { state.withLock { $0.fail(.noThread) } }
    }

    deinit { close() }

    /// Records an event; what becomes of it, `completion` hears.
    public func record(_ event: LogEvent, completion: Completion? = nil) {
        guard let outcome = enqueue(event, completion) else { return }
        completion?(outcome)
    }

    /// Calls `completion` when everything recorded before is written.
    public func flush(_ completion: @escaping Completion) {
        let isTaken = state.withLock { $0.append(.flush(completion)) }
        if isTaken { state.signal() } else { completion(.closed) }
    }

    /// Ends the stream when everything recorded before is written; what comes later is not taken.
    public func close(_ completion: Completion? = nil) {
        let isTaken = state.withLock { state in
            defer { state.isClosed = true }
            return state.append(.close(completion))
        }
        if isTaken { state.signal() } else { completion?(.closed) }
    }

    /// Nothing to do: the event waits. Else what became of it.
    private func enqueue(_ event: LogEvent, _ completion: Completion?) -> Outcome? {
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
    /// Whether a page's visit is among those that are logged, for a recorder that need not measure the others.
    public func isLogged(page: String, visit: String? = nil) -> Bool {
        sampling.takes(page: page, visit: visit)
    }

    /// The repetition of the test that events belong to which name none, from 0.
    public var iteration: Int {
        get { state.withLock { $0.iteration } }
        set { state.withLock { $0.iteration = newValue } }
    }

    /// The test that events belong to which name none, as `Target/Class/test`; `nil`: none.
    public var test: String? {
        get { state.withLock { $0.test } }
        set { state.withLock { $0.test = newValue } }
    }

    /// What became of the events so far.
    public var counts: Counts {
        state.withLock { $0.allCounts }
    }

    /// Why nothing is written any more; `nil` while all is well.
    public var failure: LogSinkError? {
        state.withLock { $0.failure }
    }
}
