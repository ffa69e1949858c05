import PerfgateStats
import SeededRandom

/// Comparisons of a design, drawn from runs between which nothing was changed and judged by the gate's rule.
///
/// What chance does to counts follows from no standard deviation. So runs are drawn as a whole (a bootstrap of clusters;
/// A. C. Davison and D. V. Hinkley, *Bootstrap Methods and their Application*, 1997, §3.8, where drawing within them once
/// more makes runs differ by too much): one is the candidate, and the baseline as many of the others as there are runs,
/// with replacement. A seed repeats every number.
struct DrawnComparisons {
    /// One drawn comparison; greater is worse.
    struct Draw {
        /// The baseline's samples, of as many runs as were measured.
        let baseline: SortedSamples
        /// The samples of one run, which is none of the baseline's.
        let candidate: SortedSamples
    }

    /// The fewest runs that tell how much runs differ.
    static let fewestRuns = 3
    /// How many comparisons are drawn.
    static let count = 1_000
    /// How many of them a detectable rise is sought in: each is judged several times.
    static let soughtIn = 100
    /// The share of them that a rise must fail in to be found.
    static let power = 0.9
    /// The greatest rise that is sought, in the metric's unit.
    static let greatestRise = 1 << 14

    /// The sizes of each comparison.
    let design: Design
    /// What stands for the middle of a side.
    let centre: Centre
    /// The level of one comparison.
    let significance: Significance
    /// The comparisons, in the order in which they were drawn.
    let draws: [Draw]

    /// Draws comparisons of the runs; `nil` with fewer than three of them.
    init?(
        _ measured: MeasuredRuns, design: Design, centre: Centre, significance: Significance, seed: UInt64 = 1
    ) throws(StatsError) {
        guard measured.runs.count >= Self.fewestRuns else { return nil }
        self.design = design
        self.centre = centre
        self.significance = significance
        var generator = SeededGenerator(seed: seed)
        var draws: [Draw] = []
        for _ in 0..<Self.count {
            draws.append(try Self.draw(measured.runs, &generator))
        }
        self.draws = draws
    }

    private static func draw(
        _ runs: [SortedSamples], _ generator: inout SeededGenerator
    ) throws(StatsError) -> Draw {
        let chosen = Int.random(in: runs.indices, using: &generator)
        var baseline: [Double] = []
        for _ in runs.indices {
            let other = Int.random(in: 0..<(runs.count - 1), using: &generator)
            baseline += runs[other < chosen ? other : other + 1].values
        }
        return Draw(baseline: try SortedSamples(baseline), candidate: runs[chosen])
    }
}
