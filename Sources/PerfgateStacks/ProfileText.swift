import Foundation
import PagePerformance
import PerfgateIngest
import PerfgateModel

/// A line `# perfgate visits=8 ms_per_sample=1 …`, which says about a text of stacks what the stacks don't. Values are
/// percent-encoded where they contain a space or a percent sign.
struct ProfileHeader: Sendable, Hashable {
    static let mark = "# perfgate "
    /// The conditions that a header can carry.
    static let conditions = ["device", "os", "build", "max_fps", "app_version", "commit"]
    /// The page; `nil`: the name of the file's folder.
    var page: String?
    /// The number of visits, above 0; `nil`: the log beside the file says when the visits were.
    var visits: Int?
    var kind: PageInterval?
    /// What one sample, or one unit of the counts, stands for, in `unit`, above 0; `nil` if the samples carry their own.
    var msPerSample: Double?
    /// The number of samples, 1 or more, if the counts aren't numbers of samples; `nil`: they are.
    var samples: Int?
    var unit = StackUnit.milliseconds
    var apps: [String] = []
    var context = Context()

    init() {}

    /// Reads a comment; `nil` without the mark.
    init?(comment: String, line: Int) throws(IngestError) {
        guard comment.hasPrefix(Self.mark) else { return nil }
        for pair in comment.dropFirst(Self.mark.count).split(separator: " ") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let value = String(parts[1]).removingPercentEncoding, !value.isEmpty else {
                throw .malformed(line: line, problem: "'\(pair.prefix(80))' isn't key=value")
            }
            try set(String(parts[0]), value, line)
        }
    }

    private mutating func set(_ key: String, _ text: String, _ line: Int) throws(IngestError) {
        func checked<Value>(
            _ value: Value?, _ what: String, _ isValid: (Value) -> Bool = { _ in true }
        ) throws(IngestError) -> Value {
            if let value, isValid(value) { return value }
            throw .malformed(line: line, problem: "\(key)=\(text.prefix(80)) isn't \(what)")
        }
        switch key {
        case "page": page = text
        case "visits": visits = try checked(Int(text), "a number from 1") { 1...1_000_000 ~= $0 }
        case "window":
            let names = PageInterval.allCases.map(\.rawValue).joined(separator: ", ")
            kind = try checked(PageInterval(rawValue: text), names)
        case "ms_per_sample":
            msPerSample = try checked(Double(text), "a number of ms above 0") { $0 > 0 && $0 <= 1e6 }
        case "samples": samples = try checked(Int(text), "a number from 1") { $0 > 0 }
        case "unit": unit = try checked(StackUnit(rawValue: text), "ms or Mcycles")
        case "thread": _ = try checked(text, "main: only the main thread's stacks are compared") { $0 == "main" }
        case "app": apps = text.split(separator: ",").map(String.init)
        case "max_fps":
            context[key] = .number(try checked(Double(text), "a rate in Hz above 0") { $0 > 0 && $0.isFinite })
        default:
            guard Self.conditions.contains(key) else {
                let usable = "use \(Self.keys.joined(separator: ", "))"
                let advice = Suggestion.advice(for: key, among: Self.keys, otherwise: usable)
                throw .malformed(line: line, problem: "the header has the unknown key '\(key.prefix(80))': \(advice)")
            }
            context[key] = .text(text)
        }
    }

    private static let keys =
        ["page", "visits", "window", "ms_per_sample", "samples", "unit", "thread", "app"] + conditions

    /// The header as a line, without its end.
    var line: String {
        let pairs: [(String, String?)] =
            [
                ("page", page), ("visits", visits.map(String.init)), ("window", kind?.rawValue),
                ("ms_per_sample", msPerSample.map { FieldValue.number($0).description }),
                ("samples", samples.map(String.init)), ("unit", unit == .milliseconds ? nil : unit.rawValue),
                ("thread", "main"), ("app", apps.isEmpty ? nil : apps.joined(separator: ",")),
            ] + Self.conditions.map { ($0, context.text($0)) }
        let told = pairs.compactMap { key, value in value.map { "\(key)=\(SignpostMessage.encoded($0))" } }
        return Self.mark + told.joined(separator: " ")
    }
}

/// The lines of a text of stacks, read chunk by chunk.
struct ProfileLines {
    /// The most bytes of a text: 1 GiB.
    static let sizeLimit = 1 << 30
    /// The most bytes of a line.
    private static let longest = 1 << 20

    /// Passes each line without its end to a closure, with its number from 1.
    static func read(
        _ path: String, _ body: (UnsafeRawBufferPointer, Int) throws(IngestError) -> Void
    ) throws(IngestError) {
        var stream = try ByteStream(path: path)
        var (rest, number, total) = ([UInt8](), 0, 0)
        var failure: IngestError?
        while failure == nil,
            try stream.next({ bytes in
                do throws(IngestError) {
                    total += bytes.count
                    guard total <= sizeLimit else { throw .tooLarge(limit: sizeLimit) }
                    try split(bytes, &rest, &number, body)
                } catch {
                    failure = error
                }
            })
        {}
        if let failure { throw failure }
        guard !rest.isEmpty else { return }
        try end(&rest, number + 1, body)
    }

    private static func split(
        _ bytes: UnsafeRawBufferPointer, _ rest: inout [UInt8], _ number: inout Int,
        _ body: (UnsafeRawBufferPointer, Int) throws(IngestError) -> Void
    ) throws(IngestError) {
        var bytes = bytes
        while let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
            number += 1
            let line = UnsafeRawBufferPointer(rebasing: bytes[..<end])
            bytes = UnsafeRawBufferPointer(rebasing: bytes[(end + 1)...])
            if rest.isEmpty {
                try body(trimmed(line), number)
            } else {
                rest += line
                try self.end(&rest, number, body)
            }
        }
        rest += bytes
        guard rest.count <= longest else { throw .malformed(line: number + 1, problem: "the line is over 1 MiB long") }
    }

    private static func end(
        _ rest: inout [UInt8], _ number: Int, _ body: (UnsafeRawBufferPointer, Int) throws(IngestError) -> Void
    ) throws(IngestError) {
        let line = rest
        rest = []
        try line.withUnsafeBufferPointer { bytes throws(IngestError) in
            try body(trimmed(UnsafeRawBufferPointer(bytes)), number)
        }
    }

    private static func trimmed(_ line: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        line.last == UInt8(ascii: "\r") ? UnsafeRawBufferPointer(rebasing: line.dropLast()) : line
    }
}

/// Reads and writes folded stacks, the text that FlameGraph's `stackcollapse` scripts make: a line `main;body;decode
/// 12` for each stack, outermost function first, with the number of its samples. A function of a known binary is
/// ``Shop`decode``. They have no times, so a file is one recording of one page, which its header describes.
struct FoldedReader {
    private var header: ProfileHeader?
    private var samples: [(stack: Int32, count: Double)] = []
    private var frames: FoldedFrames

    static func recognises(_ line: some StringProtocol) -> Bool {
        guard let space = line.lastIndex(of: " "), space > line.startIndex else { return false }
        let count = line[space...].dropFirst()
        return !count.isEmpty && Double(count).map { $0 >= 0 && $0.isFinite } ?? false
            && !(line.first?.isWhitespace ?? true)
    }

    /// Reads a file's stacks into a table; the page is the name of its folder if the header has none.
    static func read(_ path: String, folder: String, into table: StackTable) throws(IngestError) -> Recording {
        var reader = FoldedReader(frames: FoldedFrames(table: table))
        try ProfileLines.read(path) { line, number throws(IngestError) in try reader.take(line, number) }
        guard let header = reader.header, let visits = header.visits else { throw .refused(reason: Self.noHeader) }
        var recording = Recording(path: path)
        recording.whole = WholeRecording(page: header.page ?? folder, kind: header.kind, visits: visits)
        recording.context = header.context
        table.apps.formUnion(header.apps)
        let weight = header.msPerSample ?? 1
        recording.samples = reader.samples.map { Recording.Sample(weight: $0.count * weight, stack: $0.stack) }
        recording.unit = header.unit
        recording.sampleCount = header.samples.map(Double.init) ?? reader.samples.reduce(0) { $0 + $1.count }
        return recording
    }

    private static let noHeader = """
        Nothing says how many visits it holds. Put a line like '# perfgate page=Search visits=8 ms_per_sample=1' at its \
        start.
        """

    private mutating func take(_ line: UnsafeRawBufferPointer, _ number: Int) throws(IngestError) {
        guard let first = line.first else { return }
        if first == UInt8(ascii: "#") {
            let text = String(decoding: line, as: UTF8.self)
            guard text.hasPrefix(ProfileHeader.mark) else { return }
            guard header == nil else { throw .malformed(line: number, problem: "it is a second header") }
            header = try ProfileHeader(comment: text, line: number)
            guard header?.msPerSample != nil else {
                throw .malformed(line: number, problem: "the header has no ms_per_sample=, the time between samples")
            }
            return
        }
        guard let space = line.lastIndex(of: UInt8(ascii: " ")),
            let count = Double(String(decoding: line[(space + 1)...], as: UTF8.self)), count >= 0, count < 1e15
        else { throw .malformed(line: number, problem: "it doesn't end with a space and a number of samples") }
        guard count > 0 else { return }
        samples.append((try frames.stack(line[..<space]), count))
    }
}

/// The frames of stacks as text, ``main;Shop`body;Shop`decode``; a binary may be a path.
struct FoldedFrames {
    let table: StackTable
    /// The functions of frames that were seen, which are few; `nil` in it: counts as its caller.
    private var functions: [String: Int32?] = [:]

    init(table: StackTable) { self.table = table }

    /// The node of a stack; −1 for an empty one.
    mutating func stack(_ text: some Collection<UInt8>) throws(IngestError) -> Int32 {
        var path: [Int32] = []
        for part in text.split(separator: UInt8(ascii: ";")) {
            if let function = try function(String(decoding: part, as: UTF8.self)) { path.append(function) }
        }
        return try table.stack(path)
    }

    private mutating func function(_ text: String) throws(IngestError) -> Int32? {
        if let known = functions[text] { return known }
        var frame = StackTable.Frame(name: text)
        // Marks of stackcollapse: kernel, inlined, compiled at run time, and woken.
        if text.hasSuffix("_[k]") {
            functions[text] = .some(nil)
            return nil
        }
        if ["_[i]", "_[j]", "_[w]"].contains(where: text.hasSuffix) { frame.name = String(text.dropLast(4)) }
        if let tick = frame.name.firstIndex(of: "`"), tick > frame.name.startIndex {
            let path = String(frame.name[..<tick])
            let name = path.split(separator: "/").last.map(String.init) ?? path
            frame.binary = .init(name: name, path: name == path ? "" : path)
            frame.name = String(frame.name[tick...].dropFirst())
        }
        let function = try table.function(frame)
        functions[text] = .some(function)
        return function
    }
}
