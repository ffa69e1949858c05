import PerfgateModel
import PerfgateStats

/// Which runs of candidate and reference were measured in turn, as their logs say it by the same `pair`.
public struct Pairing: Sendable, Hashable {
    /// The candidate's pairs by the identifier of the run; a run that belongs to none is absent.
    public var candidate: [String: String]
    /// The reference's, likewise.
    public var reference: [String: String]

    /// Makes a pairing of its parts.
    public init(candidate: [String: String] = [:], reference: [String: String] = [:]) {
        self.candidate = candidate
        self.reference = reference
    }

    /// The pairs that runs say they belong to.
    public static func pairs(of runs: [Run]) -> [String: String] {
        runs.reduce(into: [:]) { pairs, run in pairs[run.id] = run.pair }
    }

    /// The samples of a cell pair by pair; `nil` where they are not to be compared so.
    ///
    /// Every run with a sample, of either side, needs a partner. One without would have to be left out, and perfgate
    /// leaves no measurement out: then all samples are compared together, which is never wrong, only less sharp.
    func paired(candidate: [RunSamples], reference: [RunSamples]) throws(StatsError) -> PairedRuns? {
        guard let ours = Self.grouped(candidate, by: self.candidate),
            let theirs = Self.grouped(reference, by: self.reference), !ours.isEmpty, ours.keys == theirs.keys
        else { return nil }
        let names = ours.keys.sorted { $0.precedesInUTF8($1) }
        return try PairedRuns(
            names.map { PairedRuns.Pair(baseline: theirs[$0] ?? [], candidate: ours[$0] ?? []) })
    }

    /// The values by pair, run by run; `nil` where a run with samples belongs to none.
    private static func grouped(_ runs: [RunSamples], by pairs: [String: String]) -> [String: [[Double]]]? {
        var grouped: [String: [[Double]]] = [:]
        for run in runs where !run.samples.isEmpty {
            guard let pair = pairs[run.run] else { return nil }
            grouped[pair, default: []].append(run.values)
        }
        return grouped
    }
}
