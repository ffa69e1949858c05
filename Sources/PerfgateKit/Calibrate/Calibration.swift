import PerfgateCompare
import PerfgateModel
import PerfgateStats

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

    /// The expected number of gated cells that an unchanged run fails, at least 0: for times from their noise, for
    /// counts from comparisons drawn from the runs.
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
    /// The standard deviation within runs, 0 or more: for times as a fraction, else in the metric's unit; `nil` if no
    /// run has two samples.
    package let withinRuns: Double?
    /// The standard deviation between runs in the same unit, 0 or more: for times the part beyond the sampling error of
    /// the runs' medians, for counts and rates the deviation of the means; `nil` with fewer than 3 runs.
    package let betweenRuns: Double?
    /// Whether runs differ so much that more runs won't make the gate more sensitive; only for times.
    package let isUnstable: Bool
    /// The current tolerance, in the metric's unit.
    package let tolerance: Double
    /// The smallest increase, as a fraction, that is detected in nine of ten runs; `nil` for counts, rates and times
    /// around 0, and if none was found.
    package let detectable: Double?
    /// The same for gated counts, rates and times around 0: an increase of every sample, in whole units of the metric.
    /// `nil` for others, with fewer than 3 runs, and if none was found.
    package let detectableRise: Double?
    /// The probability that an unchanged run fails the cell, 0…1; for counts in thousandths. `nil` if not computable.
    package let falseAlarms: Double?
    /// A whole percent that keeps the cell within its share of the gate's false alarms; `nil` if it can't be computed.
    package let suggestion: Double?
    /// The same for cells with `detectableRise`, as the smallest change that matters, in the metric's unit, with an
    /// unchanged relative tolerance. `nil` if it can't be computed.
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

    /// The standard deviations of counts and rates in their unit: within runs around their means, `nil` if no run has
    /// two samples, and of the means, `nil` with fewer than 3 runs.
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
