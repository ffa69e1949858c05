import PerfgateJSON
import PerfgateModel

/// The text of a whole file of another tool: decompressed, in UTF-8, without a byte order mark.
struct ForeignFile: Sendable {
    /// How many bytes of text a file may hold: 64 MiB. Files of this kind are summaries of a test run.
    static let sizeLimit = 64 << 20

    /// The path as it was named.
    let path: String
    /// The text.
    let bytes: [UInt8]
    /// A name for its content: equal text gives equal names, however it was compressed or encoded.
    let identity: String

    init(path: String, bytes: [UInt8]) {
        self.path = path
        self.bytes = bytes
        var hash = ContentHash()
        bytes.withUnsafeBytes { hash.feed($0) }
        identity = hash.text
    }

    /// A name for what several files hold together, in whatever order they come.
    static func identity(ofFilesNamed identities: [String]) -> String {
        var hash = ContentHash()
        for identity in identities.sorted() { Array(identity.utf8).withUnsafeBytes { hash.feed($0) } }
        return hash.text
    }

    /// Reads the file as a JSON document; one that would take too much memory is refused.
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

    /// Reads the file as JSON documents, one a line; what can't be read goes into the tally, with its line.
    ///
    /// - Parameter body: Reads one, and says whether it is a record.
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

    /// The keys near the top of a JSON text; `nil` where it is none.
    var outline: JSONOutline? { bytes.withUnsafeBytes { JSONOutline($0) } }
}

/// How many values a JSON text can hold, told by its brackets and commas, before memory is spent on a tree of it.
enum JSONValueCount {
    /// How many values a file of another tool may have: their tree takes some hundred bytes each.
    static let limit = 1_000_000

    /// Whether a text has more values than that; also for one that is no JSON.
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

/// What became of the records of one file: nothing is left out without being counted.
struct RecordTally: Sendable, Hashable {
    /// A record that wasn't read.
    struct Omission: Sendable, Hashable {
        /// Where it stands: the line, from 1; `nil` where the format has none.
        let line: Int?
        /// Why, as a clause: `it has no measurements`.
        let reason: String
        /// The part of the file that it is in, as `ForeignRun.scope` names it; `nil`: all of the file.
        var scope: String?
    }

    /// The file, as it was named.
    let path: String
    /// What one record is, in the plural: `metrics`, `rows`.
    let noun: String
    /// How many records became samples, or say that something was measured.
    private(set) var read = 0
    /// The records that are sound and hold nothing for perfgate.
    private(set) var skipped: [Omission] = []
    /// The records that should have been read and couldn't be.
    private(set) var notUnderstood: [Omission] = []

    init(path: String, noun: String) {
        self.path = path
        self.noun = noun
    }

    /// How many records the file holds.
    var total: Int { read + skipped.count + notUnderstood.count }

    /// Counts a record that was read.
    mutating func countRead(_ count: Int = 1) { read += count }

    /// Counts a record that holds nothing for perfgate.
    mutating func skip(line: Int? = nil, because reason: String) {
        skipped.append(Omission(line: line, reason: reason))
    }

    /// Counts a record that couldn't be read.
    ///
    /// - Parameter scope: The part of the file that it is in; the runs of other parts are none the worse.
    mutating func fail(line: Int? = nil, because reason: String, in scope: String? = nil) {
        notUnderstood.append(Omission(line: line, reason: reason, scope: scope))
    }

    /// A note for each reason of skipping, and an error for each of the first records that couldn't be read.
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

    /// How many records that can't be read are told one by one.
    private static let errorLimit = 20
}

extension RecordTally {
    /// Counts a record that isn't what it should be.
    mutating func fail(_ error: JSONDocumentError) {
        fail(line: error.location.line, because: "\(error.path): \(error.problem)")
    }
}

extension JSONNode {
    /// The line on which the value stands, from 1.
    var line: Int { value.location.line }

    /// The value as a list of numbers.
    func doubles() throws(JSONDocumentError) -> [Double] {
        var values: [Double] = []
        for element in try elements() { values.append(try element.double()) }
        return values
    }
}
