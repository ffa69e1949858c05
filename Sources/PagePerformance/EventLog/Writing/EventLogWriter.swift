/// Writes what is recorded, on a thread of its own.
struct EventLogWriter {
    /// How many bytes are written at once.
    static let chunk = 64 << 10

    private let state: Monitor<EventLogState>
    private let options: EventLogOptions
    private var stream: LogStreamWriter
    private var ledger = ScrollLedger()
    /// The events that were recorded and must not be written.
    private var withheld = 0
    /// The lost events that the log tells of.
    private var toldLost = 0

    init(
        _ run: LogEvent.Run, to sink: any LogSink, options: EventLogOptions, state: Monitor<EventLogState>
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

    /// Tells the counts, and then everyone who waits for them.
    private func finish(_ completions: [EventLog.Completion]) {
        state.withLock { state in
            state.counts.written = stream.written
            state.counts.lost = withheld + stream.lost
            if let error = stream.failure { state.failure = error }
        }
        for completion in completions { completion(outcome) }
    }

    private var outcome: EventLog.Outcome { stream.failure == nil ? .written : .lost }

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

    /// Does what an entry asks for; `false`: the log is closed.
    private mutating func write(_ entry: LogQueue.Entry, lost: Int) -> Bool {
        switch entry {
        case .event(let event, let lost, let completion):
            write(event, lost: lost, completion)
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

    /// A scroll belongs to its part, so a part ends between scrolls; at four times its size it ends anyhow.
    private mutating func beginPartIfFull(lost: Int) {
        guard let size = options.partSize, stream.partBytes >= size else { return }
        guard ledger.open.isEmpty || stream.partBytes >= size * 4 else { return }
        ledger.damageOpenScrolls()
        close(lost: lost)
        stream.open()
    }
}
