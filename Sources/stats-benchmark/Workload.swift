import VerdictStudy
import PerfgateStats
import SeededRandom

/// Pairs of samples to compare: 10 runs of 5 against 3 runs of 5, the sizes of a settled baseline and a confirmed run.
struct Workload {
    /// What the samples look like, which decides how many of them are equal.
    enum Kind: String, CaseIterable {
        /// Times with all their digits: hardly any two are equal.
        case times = "times, full digits"
        /// Times rounded to a tenth of a millisecond: a few are equal.
        case rounded = "times, in 0.1 ms"
        /// Dropped frames: most are equal.
        case counts = "dropped frames"
    }

    /// One pair.
    struct Pair {
        /// The baseline's samples by run.
        let baseline: [[Double]]
        /// The candidate's samples by run.
        let candidate: [[Double]]
    }

    /// What the samples look like.
    let kind: Kind
    /// The pairs.
    let pairs: [Pair]

    /// As many pairs as asked for, the same for the same seed.
    init(_ kind: Kind, pairs: Int, seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        self.kind = kind
        self.pairs = (0..<pairs).map { _ in
            Pair(
                baseline: (0..<10).map { _ in Self.run(kind, &generator) },
                candidate: (0..<3).map { _ in Self.run(kind, &generator) })
        }
    }

    /// What a comparison of these samples goes by.
    func terms() throws(StatsError) -> Comparison.Terms {
        Comparison.Terms(
            tolerance: try Tolerance(relative: 0.1, absolute: kind == .counts ? 0.5 : 16),
            centre: kind == .counts ? .mean : .median, better: .lower,
            significance: Significance(comparisons: pairs.count))
    }

    private static func run(_ kind: Kind, _ generator: inout SeededGenerator) -> [Double] {
        let drift = 1 + 0.03 * generator.normal()
        return (0..<5).map { _ in
            switch kind {
            case .times: 500 * drift * (1 + 0.07 * generator.normal())
            case .rounded: (5_000 * drift * (1 + 0.07 * generator.normal())).rounded() / 10
            case .counts: Double(generator.negativeBinomial(mean: 0.8 * drift, shape: 1))
            }
        }
    }
}
