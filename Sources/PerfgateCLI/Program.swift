import ArgumentParser
import Foundation
import LibC
import PagePerformance
import PerfgateCompare
import PerfgateField
import PerfgateFiles
import PerfgateIngest
import PerfgateKit
import PerfgateModel
import PerfgateReport
import Synchronization

/// What all commands know of the program.
enum Program {
    static let version = "0.1.0"
    static let tool = "perfgate \(version)"
}

extension ExitCode { init(_ status: ExitStatus) { self.init(Int32(status.rawValue)) } }

extension ExitStatus {
    /// Ends the command with the status, unless it passed.
    func end() throws { if self != .passed { throw ExitCode(self) } }
}

/// An error that ends a command with a status, after its description for users.
protocol StatusError: Error, CustomStringConvertible { var status: ExitStatus { get } }

extension FieldGateError: StatusError { var status: ExitStatus { .noInput } }
extension FieldImportError: StatusError { var status: ExitStatus { isAbsent ? .noInput : .badData } }
extension FieldStoreError: StatusError { var status: ExitStatus { .badConfiguration } }
extension FieldTrendError: StatusError { var status: ExitStatus { .badConfiguration } }
extension FileError: StatusError { var status: ExitStatus { .cannotWrite } }
extension LogSinkError: StatusError { var status: ExitStatus { .cannotWrite } }
extension OutputConflict: StatusError { var status: ExitStatus { .usage } }
extension SQLError: StatusError { var status: ExitStatus { .badConfiguration } }
extension TemplateError: StatusError { var status: ExitStatus { .badConfiguration } }
extension TrendAbsence: StatusError { var status: ExitStatus { .noInput } }

extension FieldRollUpError: StatusError {
    var status: ExitStatus { if case .otherShape = self { .badConfiguration } else { .noInput } }
}

struct CommandError: StatusError {
    let status: ExitStatus
    let description: String

    init(_ status: ExitStatus, _ description: String) { (self.status, self.description) = (status, description) }

    /// Takes a text that may quote a name with line ends.
    init(_ status: ExitStatus, line text: String) { self.init(status, CleanText.line(text)) }

    /// The error of a command that can't use an input.
    init(_ fault: FaultyInput) { self.init(ExitStatus(fault.fault), line: "\(fault.path): \(fault.message)") }

    /// Does work; an error of a kind ends the command with this status, and others are passed on.
    @discardableResult
    static func ending<Result, Failure: Error>(
        with status: ExitStatus, on kind: Failure.Type, _ work: () throws -> Result
    ) throws -> Result {
        do {
            return try work()
        } catch let error as Failure {
            throw CommandError(status, "\(error)")
        }
    }
}

/// A command that only has subcommands; running it alone must not look like a passed check.
package protocol CommandGroup: ParsableCommand {}

extension CommandGroup {
    /// Throws, because there is nothing to run.
    package func run() throws {
        let first = Self.configuration.subcommands.first?.configuration.commandName ?? "--help"
        throw ValidationError("There is no subcommand. Give one, such as \(first).")
    }
}

enum StandardStream: Int32 {
    case output = 1
    case error = 2

    func write(_ text: String) { write(Array(text.utf8)) }

    /// Writes a line. It may contain names from logs, so it is cleaned: no CI server must take it for a command.
    func tell(_ line: String) { show(CleanText.logLine(line) + "\n") }

    /// Writes a text for people: on a terminal it is wrapped at its width, in a pipe it isn't.
    func show(_ text: String) { write(width.map { WrappedText(text, width: $0).text } ?? text) }

    /// The number of columns of the terminal; `nil` elsewhere.
    private var width: Int? {
        var size = winsize()
        guard isTerminal, ioctl(rawValue, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    /// Writes all bytes; on failure drops them and remembers the failure for the end of the command.
    func write(_ bytes: [UInt8]) { attempt(bytes) { _ in } }

    /// Writes all bytes of a long output; ends the process if its reader is gone, as other programs do.
    func stream(_ bytes: [UInt8]) { attempt(bytes) { if $0.code == EPIPE { Interruption(signal: SIGPIPE).end() } } }

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

/// A text whose lines are wrapped between words. A further line is indented like the first, and two columns more.
/// Commands stay whole, so they can be copied.
struct WrappedText {
    let text: String

    /// - Parameter width: The number of columns; below 40 nothing is wrapped.
    init(_ text: String, width: Int) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        self.text = width < 40 ? text : lines.map { Self.wrapped($0, at: width) }.joined(separator: "\n")
    }

    private static func wrapped(_ line: String, at width: Int) -> String {
        let indent = String(line.prefix { $0 == " " })
        let isCommand = SuggestedCommand.Verb.allCases.contains { line.dropFirst(indent.count).hasPrefix($0.rawValue) }
        guard columns(line) > width, !isCommand else { return line }
        var (lines, room) = ([indent], width - indent.count)
        for word in line.dropFirst(indent.count).split(separator: " ", omittingEmptySubsequences: false) {
            var isFirst = room == width - indent.count
            if columns(word) + (isFirst ? 0 : 1) > room, !isFirst {
                lines.append(indent + "  ")
                (room, isFirst) = (width - indent.count - 2, true)
            }
            lines[lines.count - 1] += isFirst ? word : " " + word
            room -= columns(word) + (isFirst ? 0 : 1)
        }
        return lines.joined(separator: "\n")
    }

    /// The visible columns: escape sequences for colours have none.
    private static func columns(_ text: some StringProtocol) -> Int {
        text.split(separator: "\u{1B}[", omittingEmptySubsequences: false).enumerated().reduce(0) { sum, part in
            sum + (part.offset == 0 ? part.element.count : part.element.drop { $0 != "m" }.count - 1)
        }
    }
}

/// A line on standard error about the work so far: replaced on a terminal and cut at its width, elsewhere a line each.
struct ProgressLine {
    let isQuiet: Bool
    private let isTerminal = StandardStream.error.isTerminal

    /// - Parameter bar: A drawing before the text, only on a terminal.
    func show(_ text: String, bar: String = "") {
        guard !isQuiet else { return }
        // Without the terminal's line wrap: only the last line of a wrapped text could be replaced.
        StandardStream.error.write(isTerminal ? "\r\u{1B}[K\u{1B}[?7l\(bar)\(text)\u{1B}[?7h" : "perfgate: \(text)\n")
    }

    /// A bar of a part of a whole.
    static func bar(_ part: Int, of whole: Int) -> String {
        let width = 24
        let filled = min(width, width * part / whole)
        return "[" + String(repeating: "#", count: filled) + String(repeating: ".", count: width - filled) + "] "
    }

    func clear() { if isTerminal, !isQuiet { StandardStream.error.write("\r\u{1B}[K") } }

    /// Says something that stays.
    func tell(_ text: String) {
        clear()
        StandardStream.error.tell("perfgate: \(text)")
    }
}

/// Shows the progress of reading: a bar on a terminal, elsewhere a line every ten seconds; nothing in the first second.
struct ReadingProgress {
    private let write: (String) -> Void
    private let isTerminal: Bool
    private let now: () -> Double
    private let start: Double
    private var last: Double?

    /// `now` is a monotonic clock in seconds; `write` writes a text unchanged.
    init(
        isTerminal: Bool = StandardStream.error.isTerminal,
        now: @escaping () -> Double = { ProcessInfo.processInfo.systemUptime },
        write: @escaping (String) -> Void = StandardStream.error.write
    ) {
        (self.isTerminal, self.now, self.write) = (isTerminal, now, write)
        start = now()
    }

    /// Does work that reports its progress; unless it is quiet.
    static func showing<Result>(unless isQuiet: Bool, _ work: (Ingest.Progress?) throws -> Result) rethrows -> Result {
        guard !isQuiet else { return try work(nil) }
        var progress = ReadingProgress()
        defer { progress.finish() }
        return try work { bytes, total in progress.advance(bytes, of: total) }
    }

    /// Reports the bytes read so far; `total` is `nil` if unknown.
    mutating func advance(_ bytes: Int, of total: Int?) {
        let time = now()
        guard time - start >= Self.silence, time - (last ?? start - Self.pause) >= pause else { return }
        guard isTerminal || time - start >= Self.pause else { return }
        last = time
        let text = Self.text(bytes, of: total)
        let bar = total.map { $0 > 0 ? ProgressLine.bar(bytes, of: $0) : "" } ?? ""
        write(isTerminal ? "\r\u{1B}[K\(bar)\(text)" : "perfgate: \(text)\n")
    }

    func finish() { if isTerminal, last != nil { write("\r\u{1B}[K") } }

    private static let silence = 1.0
    private static let pause = 10.0
    private static let frame = 0.1

    private var pause: Double { isTerminal ? Self.frame : Self.pause }

    private static func text(_ bytes: Int, of total: Int?) -> String {
        guard let total, total > 0 else { return "\(bytes / 1_000_000) MB read" }
        return "\(bytes / 1_000_000) of \(total / 1_000_000) MB read (\(min(100, 100 * bytes / total)) %)"
    }
}

/// The files of a command's outputs, opened before the work.
struct OutputFiles<Report> {
    private let files: [(file: OutputFile, bytes: (Report) throws -> [UInt8])]

    /// Checks that every output can be written and isn't an input of the call.
    init(of call: CallFiles, _ forms: [(path: String?, flag: String, bytes: (Report) throws -> [UInt8])]) throws {
        files = try forms.compactMap { path, flag, bytes in try path.map { (try call.output($0, for: flag), bytes) } }
    }

    func write(_ report: Report) throws {
        try OutputFile.write(files.map { file, bytes in (file, { try bytes(report) }) })
    }

    /// The stream of the text for people: standard output unless an output goes there.
    var textStream: StandardStream { files.contains { OutputFile.isStandardOutput($0.file.path) } ? .error : .output }
}

enum ConsoleReport {
    /// Writes diagnostics to standard error, one line each.
    static func tell(_ diagnostics: [Diagnostic]) {
        for diagnostic in diagnostics {
            let place = diagnostic.location.map { "\($0): " } ?? ""
            StandardStream.error.tell(
                "\(place)\(diagnostic.severity.rawValue): \(diagnostic.message) [\(diagnostic.code.rawValue)]")
        }
    }
}

extension Diagnostic { init(_ fault: FaultyInput) { self.init(.unreadableInput, path: fault.path, fault.message) } }
