import Foundation
import LibC
import PerfgateFiles
import PerfgateModel
import Synchronization

/// Standard output and standard error.
enum StandardStream: Int32 {
    case output = 1
    case error = 2

    func write(_ text: String) { write(Array(text.utf8)) }

    /// Writes a line. It may contain names from logs, so it is cleaned: no CI server must take it for a command.
    func tell(_ line: String) { write(CleanText.logLine(line) + "\n") }

    /// Writes all bytes; on failure drops them and remembers the failure for the end of the command.
    func write(_ bytes: [UInt8]) { attempt(bytes) { _ in } }

    /// Writes all bytes of a long output; ends the process if its reader is gone, as other programs do.
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

    /// Why standard output couldn't be written; `nil` if it could, or if its reader closed it.
    static var failure: FileError? { firstFailure.withLock { $0 } }

    private static let firstFailure = Mutex<FileError?>(nil)

    var isTerminal: Bool { isatty(rawValue) == 1 }
}

/// A line on standard error about the work so far: replaced on a terminal and cut at its width, elsewhere a line each.
struct ProgressLine {
    let isQuiet: Bool
    private let isTerminal = StandardStream.error.isTerminal

    init(isQuiet: Bool) { self.isQuiet = isQuiet }

    /// - Parameter bar: A drawing before the text, only on a terminal.
    func show(_ text: String, bar: String = "") {
        guard !isQuiet else { return }
        // Without the terminal's line wrap: only the last line of a wrapped text could be replaced.
        StandardStream.error.write(isTerminal ? "\r\u{1B}[K\u{1B}[?7l\(bar)\(text)\u{1B}[?7h" : "perfgate: \(text)\n")
    }

    func clear() { if isTerminal, !isQuiet { StandardStream.error.write("\r\u{1B}[K") } }

    /// Says something that stays.
    func tell(_ text: String) {
        clear()
        StandardStream.error.tell("perfgate: \(text)")
    }
}

/// Shows the progress of reading: a bar on a terminal, elsewhere a line every ten seconds; nothing in the first
/// second.
struct ReadingProgress {
    private let write: (String) -> Void
    private let isTerminal: Bool
    private let now: () -> Double
    private let start: Double
    private var last: Double?

    /// Starts now.
    ///
    /// - Parameters:
    ///   - isTerminal: Whether the output is a terminal.
    ///   - now: A monotonic clock in seconds.
    ///   - write: Writes a text unchanged.
    init(
        isTerminal: Bool = StandardStream.error.isTerminal, now: @escaping () -> Double = Self.uptime,
        write: @escaping (String) -> Void = StandardStream.error.write
    ) {
        (self.isTerminal, self.now, self.write) = (isTerminal, now, write)
        start = now()
    }

    /// Reports the bytes read so far; `total` is `nil` if unknown.
    mutating func advance(_ bytes: Int, of total: Int?) {
        let time = now()
        guard time - start >= Self.silence, time - (last ?? start - Self.pause) >= pause else { return }
        guard isTerminal || time - start >= Self.pause else { return }
        last = time
        let text = Self.text(bytes, of: total)
        write(isTerminal ? "\r\u{1B}[K\(Self.bar(bytes, of: total))\(text)" : "perfgate: \(text)\n")
    }

    /// Removes the bar.
    func finish() { if isTerminal, last != nil { write("\r\u{1B}[K") } }

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
