import Foundation
import LibC
import PerfgateFiles
import PerfgateModel
import Synchronization

/// Standard output and standard error.
enum StandardStream: Int32 {
    case output = 1
    case error = 2

    /// Writes a text as it is.
    func write(_ text: String) {
        write(Array(text.utf8))
    }

    /// Writes a line. Names that logs hold may be in it: it is cleaned, so that no CI server takes it for a command.
    func tell(_ line: String) {
        write(CleanText.logLine(line) + "\n")
    }

    /// Writes all bytes; what can't be written is dropped, and remembered for the end of the command.
    func write(_ bytes: [UInt8]) {
        attempt(bytes) { _ in }
    }

    /// Writes all bytes of what may go on for long: the process ends with its reader, as others do.
    func stream(_ bytes: [UInt8]) {
        attempt(bytes) { if $0.code == EPIPE { Interruption(signal: SIGPIPE).end() } }
    }

    private func attempt(_ bytes: [UInt8], _ fail: (FileError) -> Void) {
        do throws(FileError) {
            try FileAccess.write(bytes, to: rawValue, path: "-")
        } catch {
            fail(error)
            if self == .output, error.code != EPIPE { Self.firstFailure.withLock { $0 = $0 ?? error } }
        }
    }

    /// Why standard output couldn't take what was written; `nil`: it could, or its reader had seen enough.
    static var failure: FileError? { firstFailure.withLock { $0 } }

    private static let firstFailure = Mutex<FileError?>(nil)

    /// Whether a person watches.
    var isTerminal: Bool { isatty(rawValue) == 1 }
}

/// Tells a person who waits how far reading is: a bar on a terminal, a line every ten seconds elsewhere, nothing in the
/// first second.
struct ReadingProgress {
    /// Takes a text as it is to be written.
    private let write: (String) -> Void
    private let isTerminal: Bool
    private let now: () -> Double
    private let start: Double
    private var last: Double?

    /// Begins now.
    ///
    /// - Parameters:
    ///   - isTerminal: Whether a person watches.
    ///   - now: A clock in seconds that only goes forward.
    ///   - write: Takes the text as it is to be written.
    init(
        isTerminal: Bool = StandardStream.error.isTerminal, now: @escaping () -> Double = Self.uptime,
        write: @escaping (String) -> Void = StandardStream.error.write
    ) {
        self.isTerminal = isTerminal
        self.now = now
        self.write = write
        start = now()
    }

    /// Says that so many bytes of so many were read; `total` is `nil` where nobody knows.
    mutating func advance(_ bytes: Int, of total: Int?) {
        let time = now()
        guard time - start >= Self.silence, time - (last ?? start - Self.pause) >= pause else { return }
        guard isTerminal || time - start >= Self.pause else { return }
        last = time
        let text = Self.text(bytes, of: total)
        write(isTerminal ? "\r\u{1B}[K\(Self.bar(bytes, of: total))\(text)" : "perfgate: \(text)\n")
    }

    /// Takes the bar away.
    func finish() {
        if isTerminal, last != nil { write("\r\u{1B}[K") }
    }

    private static let silence = 1.0
    private static let pause = 10.0
    private static let frame = 0.1
    private static let width = 24

    private var pause: Double { isTerminal ? Self.frame : Self.pause }

    private static func text(_ bytes: Int, of total: Int?) -> String {
        guard let total, total > 0 else { return "\(bytes / 1_000_000) MB read" }
        return "\(bytes / 1_000_000) of \(total / 1_000_000) MB read (\(min(100, 100 * bytes / total)) %)"
    }

    private static func bar(_ bytes: Int, of total: Int?) -> String {
        guard let total, total > 0 else { return "" }
        let filled = min(width, width * bytes / total)
        return "[" + String(repeating: "#", count: filled) + String(repeating: ".", count: width - filled) + "] "
    }

    private static func uptime() -> Double { ProcessInfo.processInfo.systemUptime }
}
