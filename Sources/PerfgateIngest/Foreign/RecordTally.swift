import PerfgateModel

/// What became of the records of one file: nothing is left out without being counted.
struct RecordTally: Sendable, Hashable {
    /// A record that wasn't read.
    struct Omission: Sendable, Hashable {
        /// Where it stands: the line, from 1; `nil` where the format has none.
        let line: Int?
        /// Why, as a clause: `it has no measurements`.
        let reason: String
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
    mutating func fail(line: Int? = nil, because reason: String) {
        notUnderstood.append(Omission(line: line, reason: reason))
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
