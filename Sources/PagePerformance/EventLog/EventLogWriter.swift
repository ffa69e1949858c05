import LibC

/// Writes recorded events on its own thread: the log's parts one after another, each a stream with a head and a foot.
struct EventLogWriter {
    /// The number of bytes per write.
    static let chunk = 64 << 10

    private let state: LockedValue<EventLogState>
    private let options: EventLogOptions
    private let partName: String
    private var run: LogEvent.Run
    private var sink: any LogSink
    private var ledger = ScrollLedger()
    private var visits = VisitLedger()
    /// The lines that the sink hasn't received yet, and the completions of their events.
    private var encoder = LineEncoder()
    private var pending: [EventLog.Completion] = []
    private var number = 0, lines = 0, partBytes = 0
    /// Whether a part has begun and hasn't ended.
    private var isOpen = false
    /// The reason why the sink refuses lines; `nil` while it accepts them.
    private var failure: LogSinkError?
    /// The events that the sink has, and those that it refused.
    private var written = 0, refused = 0
    /// The recorded events that must not be written.
    private var withheld = 0
    /// The lost events that the log reports, and those that its closed parts report.
    private var toldLost = 0, lostBefore = 0

    init(_ run: LogEvent.Run, to sink: any LogSink, options: EventLogOptions, state: LockedValue<EventLogState>) {
        (self.state, self.options, self.run, self.sink) = (state, options, run, sink)
        partName = run.part
    }

    mutating func writeUntilClosed() {
        if state.withLock({ $0.hasConsent }) { open() }
        var goesOn = true
        while goesOn {
            let batch = nextBatch()
            for key in batch.damaged { ledger.damage(key) }
            for entry in batch.entries { goesOn = write(entry, lost: batch.lost) && goesOn }
            push()
            state.withLock { $0.queue.release() }
        }
    }

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
        case .event(let event, let lost, let completion): write(event, lost: lost, completion)
        case .retry:
            guard failure != nil else { break }
            ledger.damageOpenScrolls()
            // What waits is lost, and the part that failed has no end.
            push()
            sink.end()
            visits.endPart()
            failure = nil
            open()
            publish()
        case .endPart(let completion):
            ledger.damageOpenScrolls()
            endPart(lost: lost + withheld)
            completion(outcome)
        case .flush(let completion):
            push()
            completion(outcome)
        case .close(let completion):
            endPart(lost: lost + withheld)
            completion?(outcome)
            return false
        }
        return true
    }

    private mutating func write(_ event: LogEvent, lost: Int, _ completion: EventLog.Completion?) {
        guard ledger.admits(event) else {
            withheld += 1
            publish()
            completion?(.lost)
            return
        }
        if !isOpen { open() }
        let event = visits.noted(event)
        if case .state(let state) = event, let tags = state.tags { run.tags = tags }
        if lost + withheld > toldLost {
            toldLost = lost + withheld
            append(.state(LogEvent.State(iteration: event.place?.iteration, eventsLost: toldLost)))
        }
        append(event)
        pending.append(completion ?? { _ in })
        if encoder.bytes.count >= Self.chunk { push() }
        beginPartIfFull(lost: lost + withheld)
    }

    /// A scroll belongs to its part, so a part ends between scrolls; at four times its size it ends in any case.
    private mutating func beginPartIfFull(lost: Int) {
        guard let size = options.partSize, partBytes >= size else { return }
        guard ledger.open.isEmpty || partBytes >= size * 4 else { return }
        ledger.damageOpenScrolls()
        endPart(lost: lost)
        open()
    }

    /// Begins the next part: `launch-1`, then `launch-1.2` and so on; existing parts are skipped.
    private mutating func open() {
        isOpen = true
        guard failure == nil else { return }
        begin()
        append(.run(run))
        write()
    }

    private mutating func begin() {
        (lines, partBytes) = (0, 0)
        do throws(LogSinkError) {
            repeat {
                number += 1
                run.part = number == 1 ? partName : "\(partName).\(number)"
            } while try !sink.begin(run: run.id, part: run.part)
        } catch {
            failure = error
        }
    }

    private mutating func append(_ event: LogEvent) {
        let start = encoder.bytes.count
        event.encode(into: &encoder)
        lines += 1
        partBytes += encoder.bytes.count - start
    }

    /// Passes the lines to the sink. The first failure of a part is its last: a part with a gap would be misleading.
    private mutating func write() {
        guard !encoder.bytes.isEmpty else { return }
        if failure == nil {
            do throws(LogSinkError) {
                try sink.write(encoder.bytes)
            } catch LogSinkError.removed {
                writeAgain()
            } catch {
                failure = error
            }
        }
        encoder.removeAll()
        if failure == nil { written += pending.count } else { refused += pending.count }
    }

    /// Begins another part with the lines, because somebody removed the file of this one.
    private mutating func writeAgain() {
        let rest = encoder.bytes
        // An end alone has nothing to end.
        guard isOpen else { return }
        sink.end()
        begin()
        guard failure == nil else { return }
        encoder.removeAll()
        append(.run(run))
        lines += rest.count { $0 == UInt8(ascii: "\n") }
        partBytes += rest.count
        do throws(LogSinkError) {
            try sink.write(encoder.bytes + rest)
        } catch {
            failure = error
        }
    }

    /// Passes the lines to the sink, publishes the counts, and then calls the waiting completions.
    private mutating func push() {
        write()
        publish()
        for completion in pending { completion(outcome) }
        pending.removeAll()
    }

    /// Ends the part, if there is one; `lost`: the launch's events so far that were lost before they reached the writer.
    private mutating func endPart(lost: Int) {
        // The lines go first: if the file is gone, they and the end belong to another part.
        push()
        guard isOpen else { return }
        isOpen = false
        visits.endPart()
        let lostHere = lost - lostBefore
        lostBefore = lost
        append(.end(LogEvent.End(run: run.id, part: run.part, lines: lines + 1 + lostHere, lost: lostHere)))
        write()
        sink.end()
        push()
    }

    private func publish() {
        state.withLock { state in
            state.counts.written = written
            state.counts.lost = withheld + refused
            state.counts.removedFiles = sink.removedFiles
            if let path = sink.currentPath, state.paths.last != path { state.paths.append(path) }
            state.failure = failure
        }
    }

    private var outcome: EventLog.Delivery { failure == nil ? .written : .lost }
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
