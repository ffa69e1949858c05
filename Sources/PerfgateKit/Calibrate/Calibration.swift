import PerfgateCompare
import PerfgateModel
import PerfgateStats
import SeededRandom

/// A gate's noise, sensitivity and false alarms, measured with runs of unchanged code.
package struct Calibration: Sendable {
    /// The cells with samples, sorted by page, metric and environment.
    package let cells: [CellCalibration]
    /// Each run judged against the others, sorted by identifier.
    package let trials: [HeldOutRun]

    /// Calibrates with runs of unchanged code: logs of one build, or the runs of a baseline.
    package init(_ reference: Reference, policy: Policy) throws(StatsError) {
        let gated = Judge(policy: policy).gatedCells(of: reference, in: reference.environments)
        let noises = try Judge(policy: policy).noise(of: reference)
        var cells: [CellCalibration] = []
        for (cell, entry) in reference.cells.sorted(by: { $0.key < $1.key }) {
            let significance = Significance(
                comparisons: gated[cell.environment] ?? 1,
                comparesShares: entry.metric.unit.isCount || noises[cell.environment]?.testsShares(of: cell) ?? false)
            let calibrated = try CellCalibration(
                cell, entry, policy: policy.cellPolicy(of: cell, entry), significance: significance,
                noise: entry.metric.isTime ? noises[cell.environment] : nil)
            if let calibrated { cells.append(calibrated) }
        }
        self.cells = cells
        trials = try HeldOutRun.all(of: reference, policy: policy)
    }

    /// How many gated cells an unchanged run fails, at least 0: times by their noise, counts by drawn comparisons.
    package var expectedFalseAlarms: Double { cells.reduce(0) { $0 + ($1.isGated ? $1.falseAlarms ?? 0 : 0) } }

    package var blind: [CellCalibration] { cells.filter { $0.isGated && $0.obstacle != nil } }

    package var unstable: [CellCalibration] { cells.filter { $0.isGated && $0.isUnstable } }
}

/// A cell's noise, and the changes that a gate can detect in it.
package struct CellCalibration: Sendable, Hashable {
    package enum Obstacle: Sendable, Hashable {
        /// Samples of these sizes can't fail the rule, however far apart they are (p_min > α_f); limits and gross
        /// changes can. `needed` is the number of samples per run that would suffice; `nil` if a thousand don't.
        case tooFewSamples(needed: Int?)
        /// The smallest detectable change is more than a doubling, or none was found.
        case tooNoisy
    }

    package let cell: Cell, metric: Metric, isGated: Bool
    /// The sample sizes of a verdict: all runs as the baseline, one run of the usual size as the candidate.
    package let design: Design
    /// The mean of counts and rates, else the median, in the metric's unit.
    package let center: Double
    /// The standard deviation within runs: of times a fraction, else in the metric's unit; `nil` if none has 2 samples.
    package let withinRuns: Double?
    /// The standard deviation between runs in the same unit, 0 or more: for times the part beyond the sampling error of
    /// the runs' medians, for counts and rates the deviation of the means; `nil` with fewer than 3 runs.
    package let betweenRuns: Double?
    /// Whether runs differ so much that more runs won't make the gate more sensitive; only for times.
    package let isUnstable: Bool
    /// The current tolerance, in the metric's unit.
    package let tolerance: Double
    /// The smallest rise, as a fraction, found in nine of ten runs; `nil` if none, for counts, rates and times near 0.
    package let detectable: Double?
    /// The same of gated counts, rates and times near 0, in whole units; `nil` of others, below 3 runs, and if none.
    package let detectableRise: Double?
    /// The probability that an unchanged run fails the cell, 0…1; for counts in thousandths. `nil` if not computable.
    package let falseAlarms: Double?
    /// A whole percent that keeps the cell within its share of the gate's false alarms; `nil` if it can't be computed.
    package let suggestion: Double?
    /// The same for cells with `detectableRise`: a `min_change` beside the unchanged tolerance; `nil`: not computable.
    package let suggestedChange: Double?
    package let obstacle: Obstacle?

    init?(
        _ cell: Cell, _ entry: Reference.Entry, policy: CellPolicy, significance: Significance, noise known: RunNoise?
    ) throws(StatsError) {
        let measured = if let known { try known.unshifted(entry) } else { try MeasuredRuns(entry.runs.map(\.values)) }
        let isCount = entry.metric.unit.isCountOrRate
        guard let center = measured.pooled.centre(entry.metric.centre), let median = measured.pooled.median
        else { return nil }
        self.cell = cell
        metric = entry.metric
        isGated = policy.isGated.value
        self.center = center
        design = Self.design(of: measured)
        let tolerance = try Tolerance(relative: policy.tolerance.value, absolute: policy.minChange.value)
        self.tolerance = tolerance.margin(median: median)
        let noise = Noise(measured)
        (withinRuns, betweenRuns) = isCount ? Self.deviations(of: measured) : (noise.withinRun, noise.betweenRuns)
        isUnstable = !isCount && noise.isUnstable
        let common = known?.noise(of: cell, entry)
        func detectableChange(margin: Double) -> DetectableChange? {
            DetectableChange(
                noise: noise, allowed: common?.allowedBetweenRuns, young: common?.young, margin: margin,
                median: median, significance: significance)
        }
        let change = isCount || metric.better == .higher ? nil : detectableChange(margin: self.tolerance)
        let drawn =
            change == nil && isGated && metric.better == .lower
            ? try DrawnComparisons(
                measured, design: design, centre: metric.centre, significance: significance, limit: policy.shareBound)
            : nil
        detectable = change?.relative(design)
        detectableRise = try drawn?.detectable(tolerance: tolerance)
        let drawnAlarms = try drawn?.falseAlarms(tolerance: tolerance)
        falseAlarms = change?.falseAlarmChance(design) ?? drawnAlarms
        suggestion =
            change == nil ? nil : Self.tolerance(for: design, significance) { detectableChange(margin: $0 * median) }
        let least = MetricCatalog.definition(for: metric).minChange(at: cell.environment.maxFPS)
        suggestedChange = try drawn?.suggestedChange(relative: tolerance.relative, step: least > 0 ? least : 1)
        let isHidden = drawn != nil && detectableRise == nil
        obstacle = Self.obstacle(
            design, significance, canFail: change?.canFail(design), isTooNoisy: isHidden || (detectable ?? 0) > 1)
    }

    /// The smallest tolerance, as a fraction, with which an unchanged run of the design fails at most its share of
    /// false alarms; `nil` if none does, or if samples of these sizes can't fail. The gate allows 0.1 false alarms per
    /// run, which is α_f = 0.1 / M per comparison. The test alone ensures that only within a run; the tolerance must
    /// absorb the differences between runs.
    private static func tolerance(
        for design: Design, _ significance: Significance, _ change: (_ tolerance: Double) -> DetectableChange?
    ) -> Double? {
        // A tolerance outlives a young baseline, so it must also suit the settled one.
        let designs = Set([design, design.settled])
        // Smaller changes matter to no user, and with larger ones a gate detects almost nothing.
        return (3...100).lazy.map { Double($0) / 100 }.first { tolerance in
            guard let change = change(tolerance) else { return false }
            let chances = designs.filter(change.canFail).compactMap(change.falseAlarmChance)
            return !chances.isEmpty && chances.allSatisfy { $0 <= significance.ofComparison }
        }
    }

    /// `withinRuns` and `betweenRuns` of counts and rates: around the means of runs, and of these means.
    private static func deviations(of measured: MeasuredRuns) -> (withinRuns: Double?, betweenRuns: Double?) {
        func squares(_ values: [Double]) -> Double {
            let mean = values.reduce(0, +) / Double(values.count)
            return values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
        }
        let degrees = measured.pooled.count - measured.runs.count
        let within = measured.runs.reduce(0) { $0 + squares($1.values) }
        let means = measured.runs.compactMap(\.mean)
        return (
            degrees > 0 ? (within / Double(degrees)).squareRoot() : nil,
            means.count < 3 ? nil : (squares(means) / Double(means.count - 1)).squareRoot()
        )
    }

    private static func design(of measured: MeasuredRuns) -> Design {
        let sizes = measured.runs.map(\.count).sorted()
        return Design(
            baselineSamples: measured.pooled.count, baselineRuns: measured.runs.count,
            candidateSamples: sizes[(sizes.count - 1) / 2], candidateRuns: 1)
    }

    private static func obstacle(
        _ design: Design, _ significance: Significance, canFail: Bool?, isTooNoisy: Bool
    ) -> Obstacle? {
        if !(canFail ?? (design.smallestProbability <= significance.failing)) {
            return .tooFewSamples(needed: design.candidateSamplesNeeded(toReach: significance.failing, upTo: 1_000))
        }
        return isTooNoisy ? .tooNoisy : nil
    }
}

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

    /// The smallest rise, in whole units, that nine of ten comparisons detect; `nil` without one, or if none can fail.
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

    /// The smallest multiple of `step` that, as the smallest change that matters, keeps unchanged comparisons within
    /// their share of false alarms; `nil` if a hundred steps don't, or if samples of these sizes can't fail.
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
