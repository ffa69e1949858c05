import PerfgateCompare
import PerfgateModel
import PerfgateStats
import SeededRandom

/// Comparisons of a design, drawn from runs of unchanged code and judged by the gate's rule. The effect of chance on
/// counts doesn't follow from a standard deviation. Whole runs are drawn instead (a cluster bootstrap; A. C. Davison
/// and D. V. Hinkley, *Bootstrap Methods and their Application*, 1997, §3.8, where drawing again within runs makes them
/// differ too much): one run is the candidate; the baseline is drawn with replacement from the others, as many runs as
/// there are. A seed makes every number repeatable.
struct DrawnComparisons {
    /// One drawn comparison; larger values are worse.
    struct Draw {
        /// The baseline's samples, from as many runs as were measured.
        let baseline: SortedSamples
        /// The samples of one run, which isn't in the baseline.
        let candidate: SortedSamples
    }

    /// The smallest number of runs that shows how much runs differ.
    static let fewestRuns = 3
    static let count = 1_000
    /// The number of comparisons used to search a detectable rise, because each is judged several times.
    static let soughtIn = 100
    /// The fraction of them that must fail for a rise to count as detected.
    static let power = 0.9
    /// The largest rise that is tried, in the metric's unit.
    static let greatestRise = 1 << 14

    let design: Design, centre: Centre, significance: Significance
    /// The limit over which counts are compared as fractions; `nil`: none.
    let limit: Double?
    let draws: [Draw]

    init?(
        _ measured: MeasuredRuns, design: Design, centre: Centre, significance: Significance, limit: Double? = nil,
        seed: UInt64 = 1
    ) throws(StatsError) {
        guard measured.runs.count >= Self.fewestRuns else { return nil }
        (self.design, self.centre, self.significance, self.limit) = (design, centre, significance, limit)
        var generator = SeededGenerator(seed: seed)
        var draws: [Draw] = []
        for _ in 0..<Self.count { draws.append(try Self.draw(measured.runs, &generator)) }
        self.draws = draws
    }

    private static func draw(_ runs: [SortedSamples], _ generator: inout SeededGenerator) throws(StatsError) -> Draw {
        let chosen = Int.random(in: runs.indices, using: &generator)
        var baseline: [Double] = []
        for _ in runs.indices {
            let other = Int.random(in: 0..<(runs.count - 1), using: &generator)
            baseline += runs[other < chosen ? other : other + 1].values
        }
        return Draw(baseline: try SortedSamples(baseline), candidate: runs[chosen])
    }

    /// Whether the gate judges a comparison regressed if every sample of the candidate is worse by a rise. These are
    /// the fourth and fifth step of the rule with confirmation off. The fourth only applies if samples of these sizes
    /// can't fail by chance alone; those aren't drawn here.
    func isRegressed(_ draw: Draw, rise: Double = 0, tolerance: Tolerance) throws(StatsError) -> Bool {
        guard let median = draw.baseline.median, let before = draw.baseline.centre(centre),
            let unraised = draw.candidate.centre(centre)
        else { return false }
        let margin = tolerance.margin(median: median)
        // Most draws end here, before anything is sorted; the slack covers rounding.
        guard margin > 0, unraised + rise - before > 0.999 * margin else { return false }
        let candidate = try SortedSamples(draw.candidate.values.map { $0 + rise })
        guard let after = candidate.centre(centre), after - before > margin else { return false }
        let test = try MannWhitney(baseline: draw.baseline, candidate: candidate, shift: design.marginShare * margin)
        if test.probabilityOfGreater <= significance.failing { return true }
        guard significance.comparesShares else { return false }
        let stratum = PairedRuns.Stratum(baseline: draw.baseline, candidate: candidate)
        return ShareTest.all([stratum], baseline: draw.baseline, limit: limit, better: .lower)
            .contains { $0.isBeyondChance(significance.ofShare) }
    }

    /// Whether samples of these sizes can fail at all (p_min ≤ α_f).
    var canFail: Bool { design.smallestProbability <= significance.failing }

    /// The fraction of unchanged comparisons that fail, 0…1.
    func falseAlarms(tolerance: Tolerance) throws(StatsError) -> Double {
        Double(try failing(draws, tolerance).count) / Double(draws.count)
    }

    /// The smallest rise, in whole units of the metric, that nine of ten comparisons detect; `nil` if none does, or if
    /// samples of these sizes can't fail.
    func detectable(tolerance: Tolerance) throws(StatsError) -> Double? {
        guard canFail else { return nil }
        var (low, high) = (0, 1)
        while try !finds(high, tolerance) {
            (low, high) = (high, 2 * high)
            guard high <= Self.greatestRise else { return nil }
        }
        while high - low > 1 {
            let middle = (low + high) / 2
            if try finds(middle, tolerance) { high = middle } else { low = middle }
        }
        return Double(high)
    }

    /// The smallest multiple of `step` that, as the smallest change that matters, keeps the unchanged comparisons
    /// within their share of the gate's false alarms; `nil` if a hundred steps don't, or if samples of these sizes
    /// can't fail.
    func suggestedChange(relative: Double, step: Double) throws(StatsError) -> Double? {
        guard canFail, step > 0 else { return nil }
        var left = draws
        for steps in 1...100 {
            // A comparison that passed a tolerance is assumed to pass a larger one.
            left = try failing(left, Tolerance(relative: relative, absolute: Double(steps) * step))
            if Double(left.count) <= significance.ofComparison * Double(draws.count) { return Double(steps) * step }
        }
        return nil
    }

    private func failing(
        _ draws: some Sequence<Draw>, rise: Double = 0, _ tolerance: Tolerance
    ) throws(StatsError) -> [Draw] {
        var failing: [Draw] = []
        for draw in draws where try isRegressed(draw, rise: rise, tolerance: tolerance) { failing.append(draw) }
        return failing
    }

    private func finds(_ rise: Int, _ tolerance: Tolerance) throws(StatsError) -> Bool {
        let sought = draws.prefix(Self.soughtIn)
        return Double(try failing(sought, rise: Double(rise), tolerance).count) >= Self.power * Double(sought.count)
    }
}

/// A run judged against all others as a candidate. Nothing had changed, so each failing cell is a false alarm.
package struct HeldOutRun: Sendable, Hashable {
    package let run: String, failed: [Cell]

    /// Judges each run against the others, once and without limits, in their order; empty if no environment has two runs.
    static func all(of reference: Reference, policy: Policy) throws(StatsError) -> [HeldOutRun] {
        var failed: [String: [Cell]] = [:]
        let environments = reference.environments
        let gated = Judge(policy: policy).gatedCells(of: reference, in: environments)
        var strict = policy.withoutLimits
        strict.confirmation = .off
        let judged = reference.cells.filter { cell, entry in
            strict.cellPolicy(of: cell, entry).isGated.value && entry.runs.count { !$0.samples.isEmpty } > 1
        }
        let runs = Set(judged.values.flatMap { $0.runs.filter { !$0.samples.isEmpty }.map(\.run) })
        for run in runs {
            var others = Reference()
            var own: [Cell: CellMeasurement] = [:]
            for (cell, entry) in judged {
                others.cells[cell] = entry
                others.cells[cell]?.runs.removeAll { $0.run == run }
                guard let samples = entry.runs.first(where: { $0.run == run && !$0.samples.isEmpty }) else { continue }
                own[cell] = CellMeasurement(
                    metric: entry.metric, counting: entry.counting, formula: entry.formula, runs: [samples])
            }
            failed[run] = try Judge(policy: strict).regressions(of: own, with: others, comparisons: gated)
        }
        return failed.map { HeldOutRun(run: $0, failed: $1.sorted()) }.sorted { $0.run.precedesInUTF8($1.run) }
    }
}
