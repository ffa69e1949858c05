import PerfgateCompare
import PerfgateModel
import PerfgateStats

/// What runs without any change in the code say of a gate: its noise, its sight, and its false alarms.
package struct Calibration: Sendable {
    /// The cells with samples, by page, metric, then environment.
    package let cells: [CellCalibration]
    /// Each run judged by the others, in the order of their identifiers.
    package let trials: [HeldOutRun]

    /// Calibrates by runs between which nothing was changed: logs of one build, or a baseline's own.
    package init(_ reference: Reference, policy: Policy) throws(StatsError) {
        let gated = Judge(policy: policy).gatedCells(of: reference, in: reference.environments)
        let noises = try Judge(policy: policy).noise(of: reference)
        var cells: [CellCalibration] = []
        for (cell, entry) in reference.cells.sorted(by: { $0.key < $1.key }) {
            let significance = Significance(
                comparisons: gated[cell.environment] ?? 1, comparesShares: entry.metric.unit.isCount)
            let calibrated = try CellCalibration(
                cell, entry, policy: policy.cellPolicy(of: cell, entry), significance: significance,
                noise: entry.metric.isTime ? noises[cell.environment] : nil)
            if let calibrated { cells.append(calibrated) }
        }
        self.cells = cells
        trials = try HeldOutRun.all(of: reference, policy: policy)
    }

    /// How many gated cells a run without any change fails on average, at least 0: times by their noise, counts by
    /// comparisons that were drawn from the runs.
    package var expectedFalseAlarms: Double {
        cells.reduce(0) { $0 + ($1.isGated ? $1.falseAlarms ?? 0 : 0) }
    }

    /// The gated cells that can't gate a change.
    package var blind: [CellCalibration] { cells.filter { $0.isGated && $0.obstacle != nil } }

    /// The gated cells whose runs differ too much.
    package var unstable: [CellCalibration] { cells.filter { $0.isGated && $0.isUnstable } }
}

/// What runs without any change say of one cell: how noisy it is, and what a gate can see in it.
package struct CellCalibration: Sendable, Hashable {
    /// Why a cell can't gate a change.
    package enum Obstacle: Sendable, Hashable {
        /// Samples of these sizes can't fail by the rule, however far apart they are (p_min > α_f): limits, and gross
        /// changes, still can. So many samples in one run would do; `nil` where no thousand does.
        case tooFewSamples(needed: Int?)
        /// The smallest detectable change is more than a doubling, or none of any size was found.
        case tooNoisy
    }

    /// The page, the metric and the environment.
    package let cell: Cell
    /// The metric with its unit and direction.
    package let metric: Metric
    /// Whether it can fail a run.
    package let isGated: Bool
    /// The sizes that a verdict would have: all runs as the baseline, one of the usual size as the candidate.
    package let design: Design
    /// The mean of counts and rates, else the median, in the metric's unit.
    package let center: Double
    /// The standard deviation within runs, 0 or more: as a share for times, else in the metric's unit; `nil` where no
    /// run has two samples.
    package let withinRuns: Double?
    /// The standard deviation between runs, likewise, 0 or more: of times beyond what the medians of so few samples differ
    /// by of themselves, of counts and rates that of the means; `nil` with fewer than 3 runs.
    package let betweenRuns: Double?
    /// Whether runs differ so much that more of them won't sharpen the gate: times only.
    package let isUnstable: Bool
    /// The tolerance in force, in the metric's unit.
    package let tolerance: Double
    /// The smallest rise that is found in nine of ten runs, as a share; `nil` for counts, rates and times around 0, and
    /// where nothing could be found.
    package let detectable: Double?
    /// The same for gated counts, rates and times around 0, in whole units of the metric: so much more in every sample.
    /// `nil` for others, with fewer than 3 runs, and where nothing could be found.
    package let detectableRise: Double?
    /// How often a run without any change fails the cell, 0…1: of counts in steps of a thousandth. `nil` where it can't be
    /// computed.
    package let falseAlarms: Double?
    /// The relative tolerance, a whole percent, at which the cell keeps to its part of the gate's false alarms; `nil`
    /// where it can't be computed.
    package let suggestion: Double?
    /// The same for what has a detectable rise, as the smallest change that matters, in the metric's unit; the relative
    /// tolerance stays. `nil` where it can't be computed.
    package let suggestedChange: Double?
    /// Why it can't gate a change; `nil` where it can.
    package let obstacle: Obstacle?
}

extension CellCalibration {
    /// Calibrates a cell by its runs; `nil` without samples.
    init?(
        _ cell: Cell, _ entry: Reference.Entry, policy: CellPolicy, significance: Significance, noise known: RunNoise?
    ) throws(StatsError) {
        let measured: MeasuredRuns
        if let known {
            measured = try known.unshifted(entry)
        } else {
            measured = try MeasuredRuns(entry.runs.map(\.values))
        }
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
        let spread = isCount ? Spread(measured) : Spread(withinRuns: noise.withinRun, betweenRuns: noise.betweenRuns)
        (withinRuns, betweenRuns) = (spread.withinRuns, spread.betweenRuns)
        isUnstable = !isCount && noise.isUnstable
        let common = known?.noise(of: cell, entry)
        let change =
            isCount || entry.metric.better == .higher
            ? nil
            : DetectableChange(
                noise: noise, allowed: common?.settledBetweenRuns, young: common?.young, margin: self.tolerance,
                median: median, significance: significance)
        let drawn =
            change == nil && isGated && entry.metric.better == .lower
            ? try DrawnComparisons(
                measured, design: design, centre: metric.centre, significance: significance, limit: policy.shareBound)
            : nil
        detectable = change?.relative(design)
        detectableRise = try drawn?.detectable(tolerance: tolerance)
        let drawnAlarms = try drawn?.falseAlarms(tolerance: tolerance)
        falseAlarms = change?.falseAlarmChance(design) ?? drawnAlarms
        suggestion =
            change == nil
            ? nil
            : SuggestedTolerance(
                noise: noise, known: common, median: median, significance: significance
            ).relative(for: design)
        suggestedChange = try drawn?.suggestedChange(
            relative: tolerance.relative, step: Self.step(of: metric, at: cell.environment.maxFPS))
        let isHidden = drawn != nil && detectableRise == nil
        obstacle = Self.obstacle(
            design, significance, canFail: change?.canFail(design), isTooNoisy: isHidden || (detectable ?? 0) > 1)
    }

    /// In which steps a tolerance in the metric's unit is sought.
    private static func step(of metric: Metric, at maxFPS: Double?) -> Double {
        let least = MetricCatalog.definition(for: metric).minChange(at: maxFPS)
        return least > 0 ? least : 1
    }

    /// All runs on one side, and one of the usual size on the other.
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
            return .tooFewSamples(
                needed: design.candidateSamplesNeeded(toReach: significance.failing, upTo: 1_000))
        }
        return isTooNoisy ? .tooNoisy : nil
    }
}

/// How much the values of a cell vary within runs, and its runs among each other.
struct Spread {
    /// The standard deviation within runs, pooled over them; `nil` where no run has two samples.
    let withinRuns: Double?
    /// The standard deviation of the runs' centres; `nil` with fewer than 3 runs.
    let betweenRuns: Double?

    /// A spread that is already known.
    init(withinRuns: Double?, betweenRuns: Double?) {
        self.withinRuns = withinRuns
        self.betweenRuns = betweenRuns
    }

    /// The spread of counts and rates, in their unit, around runs' means.
    init(_ measured: MeasuredRuns) {
        let degrees = measured.pooled.count - measured.runs.count
        let squares = measured.runs.reduce(0) { $0 + Self.squares($1.values) }
        withinRuns = degrees > 0 ? (squares / Double(degrees)).squareRoot() : nil
        let means = measured.runs.compactMap(\.mean)
        betweenRuns = means.count < 3 ? nil : (Self.squares(means) / Double(means.count - 1)).squareRoot()
    }

    private static func squares(_ values: [Double]) -> Double {
        let mean = values.reduce(0, +) / Double(values.count)
        return values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    }
}

/// The tolerance at which a time keeps to its part of the gate's false alarms.
///
/// The gate allows 0.1 false alarms a run, which is α_f = 0.1 / M of each comparison. The test alone keeps to that only
/// within a run; what runs differ by has to find room in the tolerance.
struct SuggestedTolerance {
    /// The noise of the time.
    let noise: Noise
    /// What other times tell of its noise; `nil` where nothing does.
    var known: Comparison.KnownNoise?
    /// The median, in its unit.
    let median: Double
    /// The level of one comparison.
    let significance: Significance

    /// The tolerances that are suggested, in percent: below the least a change matters to nobody, and beyond the most
    /// a gate sees next to nothing.
    static let percents = 3...100

    /// The least of these, as a share, with which a run of the design fails without any change no more often than its
    /// part; `nil` where none does, or where no samples of these sizes could fail.
    func relative(for design: Design) -> Double? {
        // A tolerance outlives a young baseline: it has to do for the settled one too.
        let designs = Set([design, design.settled])
        return Self.percents.first { percent in
            guard
                let change = DetectableChange(
                    noise: noise, allowed: known?.settledBetweenRuns, young: known?.young,
                    margin: Double(percent) / 100 * median, median: median, significance: significance)
            else { return false }
            let chances = designs.filter(change.canFail).compactMap(change.falseAlarmChance)
            return !chances.isEmpty && chances.allSatisfy { $0 <= significance.failing }
        }.map { Double($0) / 100 }
    }
}
