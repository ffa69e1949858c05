/// Writes the parts of the log one after another, each a stream with a head and a foot.
struct LogStreamWriter {
    /// The events that the sink has.
    private(set) var written = 0
    /// The events that the sink refused.
    private(set) var lost = 0
    /// The reason why it refuses lines; `nil` while it accepts them.
    private(set) var failure: LogSinkError?
    /// The size of the part so far, in bytes.
    private(set) var partBytes = 0

    private var run: LogEvent.Run
    private let partName: String
    private var sink: any LogSink
    private var encoder = LineEncoder()
    private var pending: [EventLog.Completion] = []
    private var number = 0
    private var lines = 0
    private var lostBefore = 0

    init(_ run: LogEvent.Run, to sink: any LogSink) {
        self.run = run
        partName = run.part
        self.sink = sink
    }

    /// The bytes that the sink hasn't received yet.
    var pendingBytes: Int { encoder.bytes.count }

    /// Begins the next part: `launch-1`, then `launch-1.2` and so on; existing parts are skipped.
    mutating func open() {
        guard failure == nil else { return }
        lines = 0
        partBytes = 0
        do throws(LogSinkError) {
            repeat {
                number += 1
                run.part = number == 1 ? partName : "\(partName).\(number)"
            } while try !sink.begin(run: run.id, part: run.part)
        } catch {
            failure = error
        }
        append(.run(run))
        _ = push()
    }

    mutating func append(_ event: LogEvent) {
        let start = encoder.bytes.count
        event.encode(into: &encoder)
        lines += 1
        partBytes += encoder.bytes.count - start
    }

    /// Adds the line of a recorded event.
    mutating func append(_ event: LogEvent, _ completion: @escaping EventLog.Completion) {
        append(event)
        pending.append(completion)
    }

    /// Passes the pending bytes to the sink; returns the completions to call after the counts are published.
    ///
    /// The first failure of a part is its last: a part with a gap would be misleading.
    mutating func push() -> [EventLog.Completion] {
        guard !encoder.bytes.isEmpty else { return [] }
        if failure == nil {
            do throws(LogSinkError) {
                try sink.write(encoder.bytes)
            } catch {
                failure = error
            }
        }
        encoder.removeAll()
        if failure == nil { written += pending.count } else { lost += pending.count }
        defer { pending.removeAll() }
        return pending
    }

    var removedFiles: Int { sink.removedFiles }

    var currentPath: String? { sink.currentPath }

    /// Begins another part after this one failed, which then has no end.
    mutating func reopen() {
        sink.end()
        encoder.removeAll()
        failure = nil
        open()
    }

    /// Ends the part, and returns the completions to call; `lost`: the launch's events so far that were lost before
    /// they reached the stream.
    mutating func close(lost: Int) -> [EventLog.Completion] {
        let lostHere = lost - lostBefore
        lostBefore = lost
        append(.end(LogEvent.End(run: run.id, part: run.part, lines: lines + 1 + lostHere, lost: lostHere)))
        defer { sink.end() }
        return push()
    }
}
