/// A notable fact about an input, repeated in every report.
package struct Diagnostic: Sendable, Hashable, Comparable {
    package enum Severity: String, Sendable, Hashable, CaseIterable {
        /// Something is missing or wrong: the affected data counts as bad.
        case error
        /// Something is doubtful; the measurement remains valid.
        case warning
        case note
    }

    package var code: DiagnosticCode, severity: Severity
    /// The file as it was given; `nil` without a file.
    package var path: String?
    /// The line in it, from 1; `nil` for the whole file.
    package var line: Int?
    /// One sentence, without the location; its last clause is a remedy if there is one.
    package var message: String

    package init(
        _ code: DiagnosticCode, severity: Severity? = nil, path: String? = nil, line: Int? = nil, _ message: String
    ) {
        self.code = code
        self.severity = severity ?? code.severity
        (self.path, self.line, self.message) = (path, line, message)
    }

    /// The location in compiler format: `run.ndjson:17`; `nil` if there is none.
    package var location: String? { path.map(place) }

    /// The location without facts about the machine: only the last component of an absolute path.
    package var publicLocation: String? { path.map(\.publicPath).map(place) }

    private func place(in path: String) -> String { line.map { "\(path):\($0)" } ?? path }

    package static func < (lhs: Diagnostic, rhs: Diagnostic) -> Bool {
        if lhs.path != rhs.path { return (lhs.path ?? "").precedesInUTF8(rhs.path ?? "") }
        if lhs.line != rhs.line { return (lhs.line ?? 0) < (rhs.line ?? 0) }
        if lhs.code != rhs.code { return lhs.code.rawValue < rhs.code.rawValue }
        return lhs.message.precedesInUTF8(rhs.message)
    }
}

/// The stable codes of diagnostics. Codes aren't reused: PG110 to PG113, PG304 to PG306 and PG309 are retired.
package enum DiagnosticCode: String, Sendable, Hashable, CaseIterable {
    // Records and streams of an input.
    case badLine = "PG101"
    case badRecord = "PG102"
    case unknownType = "PG103"
    case cutLastLine = "PG104"
    case duplicateKey = "PG105"
    case missingEnd = "PG106"
    case wrongLineCount = "PG107"
    case conflictingStream = "PG108"
    case repeatedStream = "PG109"
    case unreadableInput = "PG114"
    case unsupportedVersion = "PG115"
    case nothingSelected = "PG116"
    case skippedRecords = "PG117"
    case skippedFiles = "PG118"

    // Measurements and conditions.
    case pageWithoutName = "PG201"
    case skippedPairs = "PG202"
    case assumedScrolls = "PG203"
    case conflictingSources = "PG204"
    case unknownField = "PG205"
    case convertedCounting = "PG206"
    case conflictingMetric = "PG207"
    case notMeasured = "PG208"
    case unmatchedRule = "PG209"
    case valueNotFinite = "PG210"
    case openScroll = "PG211"
    case absentShard = "PG212"
    case decomposedName = "PG213"
    case numberAsText = "PG214"
    case misspeltKey = "PG215"
    case impossibleTime = "PG216"
    case smallerRun = "PG217"
    case forgivenRun = "PG218"
    case repeatedTest = "PG219"
    case inactiveVisits = "PG220"
    case largeRollUp = "PG221"

    // Comparison.
    case noEnvironmentBaseline = "PG301"
    case knownRun = "PG302"
    case otherFormula = "PG303"
    case excludedRun = "PG307"
    case unusedSetting = "PG308"
    case expiredWaiver = "PG310"
    case unusedWaiver = "PG311"
    case contradictoryWaivers = "PG312"
    case unfitRun = "PG313"
    case newEnvironment = "PG314"
    case noBaselineFolder = "PG315"
    case unmatchedViews = "PG316"
    case unitSlip = "PG318"
    case nothingCompared = "PG319"
    case heldRuns = "PG320"
    case baselineDrift = "PG321"
    case lostRuns = "PG322"
    case silentEnvironment = "PG323"
    case unpairedRuns = "PG324"
    case measuredInPart = "PG325"
    case simulatedFrames = "PG326"
    case undatedRuns = "PG327"

    // Confirmation.
    case suspectNotMeasured = "PG401"
    case suspectWithoutTest = "PG402"
    case rerunFailed = "PG403"

    /// Whether it names something left out, excused, unused or held back: the first thing to know about a result.
    package var isAboutOmission: Bool {
        switch self {
        case .skippedFiles, .absentShard, .forgivenRun, .repeatedTest, .inactiveVisits, .knownRun, .excludedRun,
            .unusedSetting, .unfitRun, .silentEnvironment, .unpairedRuns, .measuredInPart, .simulatedFrames, .heldRuns,
            .baselineDrift, .lostRuns:
            true
        default: false
        }
    }

    package var severity: Diagnostic.Severity {
        switch self {
        case .badLine, .badRecord, .missingEnd, .wrongLineCount, .conflictingStream, .unreadableInput,
            .unsupportedVersion, .conflictingMetric:
            .error
        case .convertedCounting, .repeatedStream, .notMeasured, .skippedRecords, .skippedFiles, .decomposedName,
            .silentEnvironment:
            .note
        default: .warning
        }
    }
}

/// An input, or a run in it, that could not be used.
package struct FaultyInput: Sendable, Hashable {
    package enum Fault: String, Sendable, Hashable, CaseIterable {
        /// It doesn't exist or has no lines: exit code 66.
        case notFound = "not_found"
        /// It was read and is wrong: exit code 65.
        case badData = "bad_data"
    }

    package var path: String
    /// The affected run; `nil` for the whole file.
    package var run: String?
    package var fault: Fault
    /// One sentence for people.
    package var message: String

    package init(path: String, run: String? = nil, fault: Fault, message: String) {
        (self.path, self.run, self.fault, self.message) = (path, run, fault, message)
    }

    package var publicPath: String { path.publicPath }
}

extension String {
    /// The path without facts about the machine: only the last component of an absolute path.
    fileprivate var publicPath: String { hasPrefix("/") ? split(separator: "/").last.map(String.init) ?? self : self }
}

/// Collects diagnostics: sums up equal ones, and keeps only the first ones of each kind per input, so a file of bad
/// lines fills neither memory nor screen.
package struct DiagnosticLog: Sendable {
    private struct Kept {
        let first: Diagnostic
        /// The number of equal ones on other lines.
        var more = 0
        var lastLine: Int?

        var summary: Diagnostic {
            guard more > 0 else { return first }
            let last = lastLine.map { more == 1 ? " on line \($0)" : ", the last on line \($0)" } ?? ""
            return Diagnostic(
                first.code, severity: first.severity, path: first.path, line: first.line,
                "\(first.message) The same \(more) more time\(more == 1 ? "" : "s")\(last).")
        }
    }

    /// The number of different ones kept per kind and input.
    package static let mostOfAKind = 20

    private var kept: [Kept] = []
    /// The places in `kept`, by diagnostics without lines.
    private var places: [Diagnostic: Int] = [:]
    /// The number of different ones of a kind: a diagnostic without line and message.
    private var counts: [Diagnostic: Int] = [:]
    private var firstLeftOut: [Diagnostic: Diagnostic] = [:]

    package init() {}

    package mutating func append(_ diagnostic: Diagnostic) {
        var unplaced = diagnostic
        unplaced.line = nil
        if let place = places[unplaced] {
            kept[place].more += 1
            kept[place].lastLine = diagnostic.line
            return
        }
        var kind = unplaced
        kind.message = ""
        counts[kind, default: 0] += 1
        if counts[kind, default: 0] <= Self.mostOfAKind {
            places[unplaced] = kept.count
            kept.append(Kept(first: diagnostic))
        } else if firstLeftOut[kind] == nil {
            firstLeftOut[kind] = diagnostic
        }
    }

    /// The kept diagnostics, plus one per kind with the number of dropped ones; sorted.
    package var diagnostics: [Diagnostic] {
        let rest = firstLeftOut.map { kind, first in
            Diagnostic(
                first.code, severity: first.severity, path: first.path, line: first.line,
                "\(counts[kind, default: 0] - Self.mostOfAKind) more like the \(Self.mostOfAKind) before, from this line on, aren't listed."
            )
        }
        return (kept.map(\.summary) + rest).sorted()
    }
}
