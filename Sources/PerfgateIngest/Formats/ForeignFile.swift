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

    /// Reads the file as a JSON document; refuses a document that would need too much memory.
    func readJSON<Value>(
        _ body: (JSONNode) throws(JSONDocumentError) -> Value
    ) throws(IngestError) -> Value {
        try checkValueCount()
        do throws(JSONDocumentError) {
            return try body(try JSONDocument(bytes).root)
        } catch {
            throw IngestError(error)
        }
    }

    /// Reads JSON documents, one per line; counts unreadable lines in the tally. `body` returns whether it is a record.
    func readJSONLines(
        _ tally: inout RecordTally, _ body: (JSONNode) throws(JSONDocumentError) -> Bool
    ) throws(IngestError) {
        try checkValueCount()
        var number = 0
        for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            number += 1
            guard line.contains(where: { ![0x20, 0x09, 0x0D].contains($0) }) else { continue }
            do throws(JSONDocumentError) {
                if try body(try JSONDocument(Array(line)).root) { tally.countRead() }
            } catch {
                tally.fail(line: number, because: "\(error.path): \(error.problem)")
            }
        }
    }

    private func checkValueCount() throws(IngestError) {
        guard JSONValueCount.exceedsLimit(bytes) else { return }
        throw .refused(reason: "It holds more than \(JSONValueCount.limit) values. Export less of it at a time.")
    }

    /// The keys near the top of a JSON text; `nil` for other texts.
    var outline: JSONOutline? { bytes.withUnsafeBytes { JSONOutline($0) } }
}

/// The maximum number of values in a JSON text, from its brackets and commas, before a tree is allocated.
enum JSONValueCount {
    /// The maximum number of values in another tool's file; each needs some hundred bytes as a tree.
    static let limit = 1_000_000

    /// Whether a text exceeds that number; also for a text that isn't JSON.
    static func exceedsLimit(_ text: [UInt8], limit: Int = limit) -> Bool {
        var count = 0
        var isInString = false
        var isEscaped = false
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

/// The tally of one file's records: each record that isn't used is counted.
struct RecordTally: Sendable, Hashable {
    struct Omission: Sendable, Hashable {
        /// The line, from 1; `nil` if the format has no lines.
        let line: Int?
        /// The reason, as a clause: `it has no measurements`.
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

    /// A note for each reason to skip records, and an error for each of the first unreadable records.
    var diagnostics: [Diagnostic] {
        let reasons = Dictionary(grouping: skipped, by: \.reason)
        let notes = reasons.map { reason, omissions in
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

extension RecordTally {
    mutating func fail(_ error: JSONDocumentError) {
        fail(line: error.location.line, because: "\(error.path): \(error.problem)")
    }
}

extension JSONNode {
    var line: Int { value.location.line }
}
