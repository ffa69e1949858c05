import PerfgateStats

/// Another rule than the gate's own, asked on the same samples whether a cell got worse; lower is better.
public protocol Rival: Sendable {
    /// The rule in a few words, and who uses it.
    var title: String { get }

    /// Whether the rule fails the cell.
    func flags(_ sight: Sight) -> Bool
}

/// What a rule gets to see of one cell.
public struct Sight: Sendable {
    /// The baseline's samples by run, oldest first.
    public let baseline: [[Double]]
    /// The baseline's samples.
    public let pooled: SortedSamples
    /// The candidate's samples, of one run.
    public let candidate: [Double]

    /// Makes a sight of its parts; `pooled` holds the baseline's samples.
    public init(baseline: [[Double]], pooled: SortedSamples, candidate: [Double]) {
        self.baseline = baseline
        self.pooled = pooled
        self.candidate = candidate
    }

    /// The candidate's samples, ascending.
    var sortedCandidate: [Double] { candidate.sorted() }
}

extension [Double] {
    /// The arithmetic mean; 0 without values.
    var mean: Double { isEmpty ? 0 : reduce(0, +) / Double(count) }

    /// The standard deviation, with n − 1; 0 for fewer than two values.
    var deviation: Double {
        guard count > 1 else { return 0 }
        let mean = mean
        return (reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(count - 1)).squareRoot()
    }

    /// Of ascending values the middle one, or half way between the two; 0 without values.
    var middle: Double { isEmpty ? 0 : (self[(count - 1) / 2] + self[count / 2]) / 2 }
}
