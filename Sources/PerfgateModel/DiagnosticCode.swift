/// The stable codes of diagnostics. A code is never given a second meaning: PG110 to PG113, PG304 to PG306 and PG309
/// are no longer used.
public enum DiagnosticCode: String, Sendable, Hashable, CaseIterable {
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

    // Confirming.
    case suspectNotMeasured = "PG401"
    case suspectWithoutTest = "PG402"

    /// The severity that a code has unless a diagnostic says otherwise.
    public var severity: Diagnostic.Severity {
        switch self {
        case .badLine, .badRecord, .missingEnd, .wrongLineCount, .conflictingStream, .unreadableInput,
            .unsupportedVersion, .conflictingMetric:
            .error
        case .convertedCounting, .repeatedStream, .notMeasured, .skippedRecords:
            .note
        default:
            .warning
        }
    }
}
