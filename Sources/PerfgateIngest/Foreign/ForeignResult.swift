import PerfgateModel

/// What files of another tool say.
struct ForeignResult: Sendable {
    /// The runs, in any order.
    var runs: [ForeignRun] = []
    /// What became of the records, a file each.
    var tallies: [RecordTally] = []
    /// What a person should know beside what the tallies tell.
    var diagnostics: [Diagnostic] = []
    /// The files that are sound and give no measurement; they have neither a run nor a tally.
    var faultyInputs: [FaultyInput] = []

    /// Adds what other files say.
    mutating func add(_ other: ForeignResult) {
        runs += other.runs
        tallies += other.tallies
        diagnostics += other.diagnostics
        faultyInputs += other.faultyInputs
    }
}
