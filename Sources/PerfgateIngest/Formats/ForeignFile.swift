import PerfgateJSON
import PerfgateModel

/// The text of another tool's whole file: decompressed, in UTF-8, without a byte order mark.
struct ForeignFile: Sendable {
    /// The maximum text of a file: 64 MiB. Files of this kind are summaries of a test run.
    static let sizeLimit = 64 << 20

    let path: String
    let bytes: [UInt8]
    /// A name for its content: equal texts have equal names, whatever their compression or encoding.
    let identity: String

    init(path: String, bytes: [UInt8]) {
        (self.path, self.bytes) = (path, bytes)
        var hash = ContentHash()
        bytes.withUnsafeBytes { hash.feed($0) }
        identity = hash.text
    }

    /// A name for the content of several files, independent of their order.
    static func identity(ofFilesNamed identities: [String]) -> String {
        var hash = ContentHash()
        for identity in identities.sorted() { Array(identity.utf8).withUnsafeBytes { hash.feed($0) } }
        return hash.text
    }

    /// The folder of a path; empty if the path has none.
    static func folder(of path: String) -> String { path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "" }

    /// The keys near the top of a JSON text; `nil` for other texts.
    var outline: JSONOutline? { bytes.withUnsafeBytes { JSONOutline($0) } }

    /// Reads the file as a JSON document; refuses a document that would need too much memory.
    /// - Parameter raw: The key of values that stay text, as in `JSONDocument`.
    func readJSON<Value>(
        raw: String? = nil, _ body: (JSONNode) throws(JSONDocumentError) -> Value
    ) throws(IngestError) -> Value {
        guard !JSONValueCount.exceedsLimit(bytes) else { throw JSONValueCount.refusal }
        do throws(JSONDocumentError) { return try body(try JSONDocument(bytes, raw: raw).root) } catch {
            throw IngestError(error)
        }
    }

    /// Reads JSON documents, one per line; counts unreadable lines in the tally. `body` returns whether it is a record.
    func readJSONLines(
        _ tally: inout RecordTally, raw: String? = nil, _ body: (JSONNode) throws(JSONDocumentError) -> Bool
    ) throws(IngestError) {
        guard !JSONValueCount.exceedsLimit(bytes) else { throw JSONValueCount.refusal }
        for (index, line) in bytes.lines.enumerated() where line.contains(where: { ![0x20, 0x09, 0x0D].contains($0) }) {
            do throws(JSONDocumentError) {
                if try body(try JSONDocument(Array(line), raw: raw).root) { tally.countRead() }
            } catch {
                tally.fail(error, line: index + 1)
            }
        }
    }
}

extension [UInt8] {
    /// The lines of a text without their ends; the last one may be incomplete.
    var lines: some Sequence<ArraySlice<UInt8>> {
        sequence(state: Optional(self[...])) { rest in
            guard let text = rest else { return nil }
            let end = text.firstIndex(of: UInt8(ascii: "\n"))
            rest = end.map { text[($0 + 1)...] }
            let line = text[..<(end ?? text.endIndex)]
            return line.last == UInt8(ascii: "\r") ? line.dropLast() : line
        }
    }
}

/// The maximum number of values in a JSON text, from its brackets and commas, before a tree is allocated.
enum JSONValueCount {
    /// The maximum number of values in another tool's file; each needs some hundred bytes as a tree.
    static let limit = 1_000_000
    static let refusal = IngestError.refused(reason: "It holds more than \(limit) values. Export less of it at a time.")

    /// Whether a text exceeds that number; also for a text that isn't JSON.
    static func exceedsLimit(_ text: [UInt8], limit: Int = limit) -> Bool {
        guard text.count > limit, text.count(where: startsValue) > limit else { return false }
        var (count, isInString, isEscaped) = (0, false, false)
        for byte in text {
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = isInString
            } else if byte == UInt8(ascii: "\"") {
                isInString.toggle()
            } else if !isInString, startsValue(byte) {
                count += 1
                if count > limit { return true }
            }
        }
        return false
    }

    private static func startsValue(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ",") || byte == UInt8(ascii: "[") || byte == UInt8(ascii: "{")
    }
}

/// Why a record isn't used, as a clause: `it has no measurements`.
enum UnusedRecord: Error {
    /// It is valid, and holds no data for perfgate.
    case skipped(String)
    /// It can't be read; with the line if it isn't the record's first one.
    case failed(String, line: Int? = nil)
}

/// The tally of one file's records: each record that isn't used is counted.
struct RecordTally: Sendable, Hashable {
    struct Omission: Sendable, Hashable {
        /// The line, from 1; `nil` if the format has no lines.
        let line: Int?
        /// The reason, as a clause.
        let reason: String
        /// The part of the file that contains it, as in `ForeignRun.scope`; `nil`: the whole file.
        var scope: String?
    }

    let path: String
    /// The plural name of a record: `metrics`, `rows`.
    let noun: String
    /// The number of records that became samples or that prove a measurement.
    private(set) var read = 0
    /// The number of valid records without data for perfgate.
    private(set) var skipped: [Omission] = []
    /// The records that perfgate needs and couldn't read.
    private(set) var notUnderstood: [Omission] = []

    init(path: String, noun: String) { (self.path, self.noun) = (path, noun) }

    var total: Int { read + skipped.count + notUnderstood.count }

    mutating func countRead(_ count: Int = 1) { read += count }

    mutating func skip(line: Int? = nil, because reason: String) {
        skipped.append(Omission(line: line, reason: reason))
    }

    /// Counts an unreadable record; runs of other parts of the file than `scope` aren't affected.
    mutating func fail(line: Int? = nil, because reason: String, in scope: String? = nil) {
        notUnderstood.append(Omission(line: line, reason: reason, scope: scope))
    }

    /// Counts an unreadable record of a JSON text; in a text per line, with the line.
    mutating func fail(_ error: JSONDocumentError, line: Int? = nil) {
        fail(line: line ?? error.location.line, because: "\(error.path): \(error.problem)")
    }

    mutating func count(_ record: UnusedRecord, line: Int? = nil, in scope: String? = nil) {
        switch record {
        case .skipped(let reason): skip(line: line, because: reason)
        case .failed(let reason, let own): fail(line: own ?? line, because: reason, in: scope)
        }
    }

    /// Reads a record; `nil` if it can't be read, which is counted.
    @discardableResult
    mutating func attempt<Value>(_ body: (inout RecordTally) throws(JSONDocumentError) -> Value) -> Value? {
        do throws(JSONDocumentError) { return try body(&self) } catch {
            fail(error)
            return nil
        }
    }

    /// A note for each reason to skip records, and an error for each of the first unreadable records.
    var diagnostics: [Diagnostic] {
        let notes = Dictionary(grouping: skipped, by: \.reason).map { reason, omissions in
            Diagnostic(
                .skippedRecords, path: path, line: omissions.compactMap(\.line).min(),
                "\(omissions.count) of \(total) \(noun) left out: \(reason).")
        }
        let errors = notUnderstood.prefix(Self.errorLimit).map { omission in
            Diagnostic(
                .badRecord, path: path, line: omission.line, "One of the \(noun) can't be read: \(omission.reason).")
        }
        let rest = notUnderstood.count - errors.count
        guard rest > 0 else { return notes + errors }
        return notes + errors + [Diagnostic(.badRecord, path: path, "\(rest) more \(noun) can't be read.")]
    }

    private static let errorLimit = 20
}

extension [[String]: Int] {
    /// The number of a subject's next iteration, from 0; counts it, or several.
    mutating func next(_ subject: String..., count: Int = 1) -> Int {
        defer { self[subject, default: 0] += count }
        return self[subject, default: 0]
    }
}

/// The names of the tests in one file. Tests of one name are one page, whose iterations follow each other.
struct NamesOfTests {
    let path: String

    private var iterations: [[String]: Int] = [:]
    private var tests: [String: Int] = [:]

    init(path: String) { self.path = path }

    /// Adds a test, and returns the number of its first iteration, from 0.
    mutating func add(_ name: String, iterations count: Int) -> Int {
        tests[name, default: 0] += 1
        return iterations.next(name, count: count)
    }

    /// A warning for each name of several tests.
    var diagnostics: [Diagnostic] {
        tests.filter { $0.value > 1 }.sorted { $0.key.precedesInUTF8($1.key) }.map { name, count in
            Diagnostic(
                .repeatedTest, path: path,
                "\(count) tests are called '\(name.prefix(60))' and are judged as one page, in which one can hide another: "
                    + "give each a name of its own.")
        }
    }
}

extension JSONNode {
    var line: Int { value.location.line }

    /// The error of a negative value that only another run of something can replace.
    func belowZero(rerun what: String) -> JSONDocumentError {
        error(.rule("measured less than nothing; run the \(what) again"))
    }
}

/// Timestamps of other tools in the perfgate log's form: ISO 8601 in UTC, to the second.
enum UTCTime {
    private static let endOfYear9999 = 253_402_300_800.0

    /// The text of seconds since 1970, such as `2026-11-20T10:00:00Z`; `nil` outside the years 1970 to 9999.
    static func text(secondsSince1970 seconds: Double) -> String? {
        guard seconds >= 0, seconds < endOfYear9999 else { return nil }
        return Timestamp(secondsSince1970: Int(seconds)).text
    }

    /// The time of a text such as `2026-09-04T03:00:00.25+08:00` or `2020-10-11 03:59:00 +0000` in the log's form;
    /// a text without a zone is in UTC. `nil` if it isn't a time.
    static func text(of text: String) -> String? { seconds(of: text).flatMap { self.text(secondsSince1970: $0) } }

    /// The seconds since 1970 of a text; `nil` if it isn't a time.
    static func seconds(of text: String) -> Double? {
        let bytes = Array(text.utf8)
        guard bytes.count >= 19, "T ".utf8.contains(bytes[10]), let offset = offset(of: bytes[19...]) else {
            return nil
        }
        let utc = Array(bytes[..<10]) + "T".utf8 + bytes[11..<19] + "Z".utf8
        guard let local = Timestamp(String(decoding: utc, as: UTF8.self)), local.seconds >= 0 else { return nil }
        return Double(local.seconds) - offset
    }

    /// The offset of a zone ahead of UTC, in seconds; a fraction of a second may precede it.
    private static func offset(of bytes: ArraySlice<UInt8>) -> Double? {
        var rest = bytes
        if let first = rest.first, ".,".utf8.contains(first) { rest = rest.dropFirst().drop(while: \.isDigit) }
        rest = rest.drop { $0 == UInt8(ascii: " ") }
        guard let sign = rest.first, Array(rest) != Array("Z".utf8) else { return 0 }
        let digits = rest.dropFirst().filter { $0 != UInt8(ascii: ":") }
        guard "+-".utf8.contains(sign), digits.count == 4, digits.allSatisfy(\.isDigit),
            let zone = Int(String(decoding: digits, as: UTF8.self)), zone / 100 <= 14, zone % 100 < 60
        else { return nil }
        return Double(zone / 100 * 3_600 + zone % 100 * 60) * (sign == UInt8(ascii: "-") ? -1 : 1)
    }
}
