import PagePerformance
import Synchronization

/// Whether a simulated app still lives.
final class KillSwitch: Sendable {
    enum State {
        case alive
        /// Killed while the next line is written.
        case dying
        case dead
    }

    private let state = Mutex(State.alive)

    /// Ends the app; with `cutting`, half of the next line is still written.
    func kill(cutting: Bool) {
        state.withLock { $0 = cutting ? .dying : .dead }
    }

    /// The state, for one write.
    func take() -> State {
        state.withLock { state in
            defer { if state == .dying { state = .dead } }
            return state
        }
    }
}

/// Writes to another sink until the app is killed.
struct KillableSink: LogSink {
    private var sink: any LogSink
    private let killSwitch: KillSwitch

    init(_ sink: any LogSink, _ killSwitch: KillSwitch) {
        self.sink = sink
        self.killSwitch = killSwitch
    }

    mutating func begin(run: String, part: String) throws(LogSinkError) -> Bool {
        try sink.begin(run: run, part: part)
    }

    mutating func write(_ lines: [UInt8]) throws(LogSinkError) {
        switch killSwitch.take() {
        case .alive: try sink.write(lines)
        case .dying:
            let line = lines.prefix { $0 != UInt8(ascii: "\n") }
            try sink.write(Array(line.prefix(line.count / 2)))
        case .dead: break
        }
    }

    mutating func end() {
        sink.end()
    }
}
