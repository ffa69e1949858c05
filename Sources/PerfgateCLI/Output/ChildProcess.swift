import Foundation
import LibC
import PerfgateCompare
import PerfgateFiles
import Synchronization

/// A program that runs to its end. It leads its own process group, which ends with perfgate: INT, TERM and HUP go to it
/// first. Input and output go through pipes, so no secret is written to a file.
struct ChildProcess {
    enum End: Hashable {
        /// With an exit code; 127 if the program doesn't exist.
        case exited(Int32)
        case signalled(Int32)
        /// By perfgate, after this many seconds.
        case tookTooLong(Double)
        /// By perfgate, after more than this many bytes.
        case wroteTooMuch(Int)

        /// How it ended, in words that follow the program's name.
        var words: String {
            switch self {
            case .exited(let code): "ended with code \(code)"
            case .signalled(let number): "was ended by signal \(number)"
            case .tookTooLong(let seconds) where seconds < 60:
                "took longer than \(Figure.count(Int(seconds), "second")) and was ended"
            case .tookTooLong(let seconds):
                "took longer than \(Figure.count(Int(seconds / 60), "minute")) and was ended"
            case .wroteTooMuch(let bytes): "wrote more than \(bytes >> 20) MB and was ended"
            }
        }

        /// Why a user's command failed, as a clause; `nil`: it didn't.
        var failure: String? { self == .exited(0) ? nil : "its command \(words)" }
    }

    struct Output {
        let end: End
        let output: [UInt8]
        let error: [UInt8]
    }

    /// The program, found through `PATH`, and its arguments.
    let arguments: [String]
    /// Environment variables added to perfgate's own.
    var variables: [String: String] = [:]
    /// The content of the descriptor `attachment`; `nil`: none.
    var attached: [UInt8]?
    /// Whether it gets no input, and all its output goes directly to standard error.
    var writesToErrors = false
    /// The timeout in seconds.
    var patience = Double.infinity
    /// The largest standard output in bytes.
    var mostOutput = Int.max
    /// The path of the descriptor that provides `attached`.
    static let attachment = "/dev/fd/3"

    init(_ arguments: [String]) { self.arguments = arguments }

    /// Runs the program with bytes on its standard input. Throws an `Interruption` if a signal ended it together with
    /// perfgate; callers that catch other errors must rethrow it.
    func run(input: [UInt8] = []) throws -> Output { try Self.turn.withLock { _ in try runAlone(input) } }

    /// Only one program runs at a time, because signals are forwarded to one.
    private static let turn = Mutex(())

    private func runAlone(_ input: [UInt8]) throws -> Output {
        // A program needn't read all its input.
        signal(SIGPIPE, SIG_IGN)
        var pipes: [Pipe] = []
        if !writesToErrors {
            pipes = try [Pipe(0, input), Pipe(1), Pipe(2)]
            if let attached { pipes.append(try Pipe(3, attached)) }
        }
        let signals = ForwardedSignals()
        defer { signals.restore() }
        defer { for index in pipes.indices { pipes[index].close() } }
        guard let process = spawn(pipes) else { return Output(end: .exited(127), output: [], error: []) }
        signals.forward(to: process)
        let end = wait(for: process, &pipes)
        try signals.check()
        func received(_ target: Int32) -> [UInt8] { pipes.first { $0.target == target }?.bytes ?? [] }
        return Output(end: end, output: received(1), error: received(2))
    }

    /// Starts the program in its own group; `nil` if it can't be started.
    private func spawn(_ pipes: [Pipe]) -> pid_t? {
        #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
        var attributes: posix_spawnattr_t?
        #else
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        for pipe in pipes { posix_spawn_file_actions_adddup2(&actions, pipe.theirs, pipe.target) }
        if writesToErrors {
            posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
            posix_spawn_file_actions_adddup2(&actions, 2, 1)
        }
        // Restores the signals that perfgate ignores.
        var ignored = sigset_t()
        sigemptyset(&ignored)
        sigaddset(&ignored, SIGPIPE)
        sigaddset(&ignored, SIGXFSZ)
        posix_spawnattr_setsigdefault(&attributes, &ignored)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP) | Int16(POSIX_SPAWN_SETSIGDEF))
        let environment = ProcessInfo.processInfo.environment.merging(variables) { $1 }
        var words = arguments.map { strdup($0) } + [nil]
        var settings = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in words + settings { free(text) } }
        var process: pid_t = 0
        return posix_spawnp(&process, arguments[0], &actions, &attributes, &words, &settings) == 0 ? process : nil
    }

    /// Moves input and output until the program has ended.
    private func wait(for process: pid_t, _ pipes: inout [Pipe]) -> End {
        for index in pipes.indices { pipes[index].closeTheirs() }
        let start = ProcessInfo.processInfo.systemUptime
        var status: Int32 = 0
        var reason: End?
        var ended = false
        // Takes the remaining output after the end; a grandchild may keep the pipes open forever.
        var isDrained = false
        // One buffer for all reads: a program may flush each line, and 100,000 buffers cost more than the lines.
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while !isDrained {
            let moved = Pipe.move(&pipes, by: &buffer, most: mostOutput, milliseconds: ended ? 0 : Self.pause)
            isDrained = ended && !moved
            let time = ProcessInfo.processInfo.systemUptime - start
            let wrote = pipes.first { $0.target == 1 }?.bytes.count ?? 0
            if reason == nil, !ended, time > patience || wrote > mostOutput {
                reason = time > patience ? .tookTooLong(patience) : .wroteTooMuch(mostOutput)
                kill(-process, SIGTERM)
            } else if reason != nil, !ended, time > patience + Self.grace || wrote > mostOutput {
                kill(-process, SIGKILL)
            }
            if !ended { ended = waitpid(process, &status, WNOHANG) != 0 }
        }
        let signal = status & 0x7F
        return reason ?? (signal == 0 ? .exited(status >> 8 & 0xFF) : .signalled(signal))
    }

    /// The pause between looks at a waiting process, in milliseconds.
    private static let pause: Int32 = 20
    /// The seconds a program has to end by itself after its timeout.
    private static let grace = 5.0

    /// Runs a user's command in a shell. `{logs}` in it is the folder that `PERFGATE_OUT` names. Its output goes to
    /// standard error, because standard output carries the result.
    /// - Parameter place: The working directory, and the file that the output is added to instead; `nil`: perfgate's own.
    static func runShell(
        _ command: String, _ variables: [String: String], patience: Double = .infinity,
        in place: (folder: String, output: String)? = nil
    ) throws -> End {
        let moving = #"cd -- "$1" && exec >>"$2" 2>&1 && exec /bin/sh -c "$3""#
        let words = place.map { [moving, "sh", $0.folder, FileAccess.absolute($0.output)] } ?? []
        let command = variables["PERFGATE_OUT"].map(command.measuring) ?? command
        var process = ChildProcess(["/bin/sh", "-c"] + words + [command])
        process.variables = variables
        process.writesToErrors = true
        process.patience = patience
        return try process.run().end
    }
}

extension String {
    /// A command in which `{logs}` is the folder for the logs, by its absolute path, or if that needs quotes the variable.
    fileprivate func measuring(_ logs: String) -> String {
        let isPlain = logs.utf8.allSatisfy { $0.isLetterOrDigit || "/._-+".utf8.contains($0) }
        if isPlain { return replacing("{logs}", with: logs) }
        return ["\"{logs}\"", "'{logs}'", "{logs}"].reduce(self) { $0.replacing($1, with: "\"$PERFGATE_OUT\"") }
    }
}

/// A pipe between perfgate and a program.
private struct Pipe {
    let target: Int32
    private let isFromProgram: Bool
    /// The program's end of the pipe.
    private(set) var theirs: Int32
    /// The bytes received or still to send.
    private(set) var bytes: [UInt8]
    private var ours: Int32
    private var sent = 0

    /// Makes a pipe for a descriptor of the program, with descriptors above those given to a program.
    init(_ target: Int32, _ bytes: [UInt8] = []) throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw FileError(.create, path: "a pipe", code: errno) }
        let high = ends.map { fcntl($0, F_DUPFD_CLOEXEC, 10) }
        for end in ends { LibC.close(end) }
        (self.target, self.bytes, isFromProgram) = (target, bytes, target == 1 || target == 2)
        (ours, theirs) = isFromProgram ? (high[0], high[1]) : (high[1], high[0])
        _ = fcntl(ours, F_SETFL, O_NONBLOCK)
    }

    /// Waits, for a limited time, until something can be moved, moves it, and returns whether there was anything.
    /// Bytes beyond the limit are dropped.
    static func move(_ pipes: inout [Pipe], by buffer: inout [UInt8], most: Int, milliseconds: Int32) -> Bool {
        let open = pipes.indices.filter { pipes[$0].ours >= 0 }
        var events = open.map {
            pollfd(fd: pipes[$0].ours, events: Int16(pipes[$0].isFromProgram ? POLLIN : POLLOUT), revents: 0)
        }
        poll(&events, nfds_t(events.count), milliseconds)
        for (event, index) in zip(events, open) where event.revents != 0 {
            if pipes[index].isFromProgram { pipes[index].receive(by: &buffer, most) } else { pipes[index].send() }
        }
        return events.contains { $0.revents != 0 }
    }

    /// Reads once: a program that writes faster than perfgate reads would keep a loop busy forever.
    private mutating func receive(by buffer: inout [UInt8], _ most: Int) {
        let count = read(ours, &buffer, buffer.count)
        if count > 0 {
            if bytes.count <= most { bytes += buffer[..<count] }
        } else if count == 0 || errno != EAGAIN && errno != EINTR {
            close()
        }
    }

    private mutating func send() {
        let count = bytes[sent...].withUnsafeBytes { write(ours, $0.baseAddress, $0.count) }
        if count > 0 { sent += count }
        if sent == bytes.count || count < 0 && errno != EAGAIN && errno != EINTR { close() }
    }

    /// Closes perfgate's copy of the program's end.
    mutating func closeTheirs() {
        if theirs >= 0 { LibC.close(theirs) }
        theirs = -1
    }

    mutating func close() {
        closeTheirs()
        if ours >= 0 { LibC.close(ours) }
        ours = -1
    }
}

/// A signal that ended a program and ends perfgate.
struct Interruption: Error {
    let signal: Int32

    /// Ends the process by the signal, as its sender expects.
    func end() -> Never {
        var own = sigset_t()
        sigemptyset(&own)
        sigaddset(&own, signal)
        pthread_sigmask(SIG_UNBLOCK, &own, nil)
        LibC.signal(signal, SIG_DFL)
        raise(signal)
        exit(128 + signal)
    }
}

/// The signals that are forwarded to a program while it runs. Held for longer, they are noted between programs, too.
struct ForwardedSignals {
    private static let numbers = [SIGINT, SIGTERM, SIGHUP]
    private let old: [(number: Int32, action: sigaction)]

    /// Handles the signals that the process doesn't ignore.
    init() {
        forwardedGroup = 0
        if forwardingDepth == 0 { forwardedSignal = 0 }
        forwardingDepth += 1
        old = Self.numbers.compactMap { number in
            var action = sigaction()
            sigaction(number, nil, &action)
            guard !Self.isIgnored(action) else { return nil }
            signal(number) { number in
                // A second signal kills at once.
                if forwardedGroup > 0 { kill(-forwardedGroup, forwardedSignal == 0 ? number : SIGKILL) }
                forwardedSignal = number
            }
            return (number, action)
        }
    }

    private static func isIgnored(_ action: sigaction) -> Bool {
        #if canImport(Darwin)
        let handler = action.__sigaction_u.__sa_handler
        #elseif canImport(Musl)
        let handler = action.__sa_handler.sa_handler
        #else
        let handler = action.__sigaction_handler.sa_handler
        #endif
        return unsafeBitCast(handler, to: Int.self) == 1
    }

    /// Forwards signals to a process's group from now on, including a signal that came already.
    func forward(to process: pid_t) {
        forwardedGroup = process
        if forwardedSignal != 0 { kill(-process, forwardedSignal) }
    }

    func check() throws { if forwardedSignal != 0 { throw Interruption(signal: forwardedSignal) } }

    func restore() {
        forwardedGroup = 0
        forwardingDepth -= 1
        for (number, action) in old {
            var action = action
            sigaction(number, &action, nil)
        }
    }
}

/// The state that signal handlers read and write: single words, used by one thread at a time.
private nonisolated(unsafe) var forwardedGroup: pid_t = 0
private nonisolated(unsafe) var forwardedSignal: Int32 = 0
private nonisolated(unsafe) var forwardingDepth = 0
