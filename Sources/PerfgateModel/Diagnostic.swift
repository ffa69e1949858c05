/// Something that a person should know about an input: a value, collected and repeated in every report.
package struct Diagnostic: Sendable, Hashable {
    /// How much it matters.
    package enum Severity: String, Sendable, Hashable, CaseIterable {
        /// Something is missing or wrong: what it concerns counts as bad data.
        case error
        /// Something is doubtful; the measurement stands.
        case warning
        /// Something worth knowing.
        case note
    }

    /// The stable code.
    package let code: DiagnosticCode
    /// How much it matters.
    package let severity: Severity
    /// The file it is about, as it was named; `nil` where it is about no file.
    package let path: String?
    /// The line in it, from 1; `nil` where it is about the whole file.
    package let line: Int?
    /// One sentence, without the location; its last clause says what to do where something can be done.
    package let message: String

    /// Makes a diagnostic; the severity is the code's own where none is given.
    package init(
        _ code: DiagnosticCode, severity: Severity? = nil, path: String? = nil, line: Int? = nil, _ message: String
    ) {
        self.code = code
        self.severity = severity ?? code.severity
        self.path = path
        self.line = line
        self.message = message
    }

    /// The location as compilers write it: `run.ndjson:17`; `nil` where there is none.
    package var location: String? {
        guard let path else { return nil }
        return line.map { "\(path):\($0)" } ?? path
    }
}

extension Diagnostic: Comparable {
    /// By path, line, code, then message.
    package static func < (lhs: Diagnostic, rhs: Diagnostic) -> Bool {
        if lhs.path != rhs.path { return (lhs.path ?? "").precedesInUTF8(rhs.path ?? "") }
        if lhs.line != rhs.line { return (lhs.line ?? 0) < (rhs.line ?? 0) }
        if lhs.code != rhs.code { return lhs.code.rawValue < rhs.code.rawValue }
        return lhs.message.precedesInUTF8(rhs.message)
    }
}

/// The stable codes of diagnostics. A code is never given a second meaning: PG110 to PG113, PG304 to PG306 and PG309
/// are no longer used.
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

    // What was measured, and how.
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

    // Comparing.
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

    // Confirming.
    case suspectNotMeasured = "PG401"
    case suspectWithoutTest = "PG402"
    case rerunFailed = "PG403"

    /// The severity that a code has unless a diagnostic says otherwise.
    package var severity: Diagnostic.Severity {
        switch self {
        case .badLine, .badRecord, .missingEnd, .wrongLineCount, .conflictingStream, .unreadableInput,
            .unsupportedVersion, .conflictingMetric:
            .error
        case .convertedCounting, .repeatedStream, .notMeasured, .skippedRecords, .skippedFiles, .decomposedName:
            .note
        default:
            .warning
        }
    }
}

/// An input, or a run in it, that could not be used.
package struct FaultyInput: Sendable, Hashable {
    /// What is wrong, which decides the exit code.
    package enum Fault: String, Sendable, Hashable, CaseIterable {
        /// It is not there, or holds no line: exit code 66.
        case notFound = "not_found"
        /// It was read and is wrong: exit code 65.
        case badData = "bad_data"
    }

    /// The path as it was named.
    package let path: String
    /// The run that is concerned; `nil` where it is the whole file.
    package let run: String?
    /// What is wrong.
    package let fault: Fault
    /// One sentence for a person.
    package let message: String

    /// Makes a faulty input of its parts.
    package init(path: String, run: String? = nil, fault: Fault, message: String) {
        self.path = path
        self.run = run
        self.fault = fault
        self.message = message
    }

    /// The path for people who don't know the machine: of an absolute path the last part.
    package var publicPath: String {
        path.hasPrefix("/") ? path.split(separator: "/").last.map(String.init) ?? path : path
    }
}

/// Diagnostics of one input after the other, of which only the first ones of a kind are kept for each: a file of nothing
/// but bad lines fills neither memory nor a screen.
package struct DiagnosticLog: Sendable {
    private struct Kind: Hashable {
        let code: DiagnosticCode
        let severity: Diagnostic.Severity
        let path: String?
    }

    /// How many of a kind are kept for each input.
    package static let mostOfAKind = 20

    private var counts: [Kind: Int] = [:]
    private var kept: [Diagnostic] = []
    /// The first that isn't kept, of each kind that has one.
    private var firstLeftOut: [Kind: Diagnostic] = [:]

    /// An empty log.
    package init() {}

    /// Adds a diagnostic.
    package mutating func append(_ diagnostic: Diagnostic) {
        let kind = Kind(code: diagnostic.code, severity: diagnostic.severity, path: diagnostic.path)
        counts[kind, default: 0] += 1
        switch counts[kind, default: 0] {
        case ...Self.mostOfAKind: kept.append(diagnostic)
        case Self.mostOfAKind + 1: firstLeftOut[kind] = diagnostic
        default: break
        }
    }

    /// What is kept, and for each kind that had more a last one that says how many; sorted.
    package var diagnostics: [Diagnostic] {
        let rest = firstLeftOut.map { kind, first in
            let more = counts[kind, default: 0] - Self.mostOfAKind
            return Diagnostic(
                first.code, severity: first.severity, path: first.path, line: first.line,
                "\(more) more like the \(Self.mostOfAKind) before, from this line on, are only counted.")
        }
        return (kept + rest).sorted()
    }
}
