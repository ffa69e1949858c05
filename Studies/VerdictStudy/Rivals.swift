import PerfgateCompare
import PerfgateModel
import PerfgateStats

/// A rule of another tool, applied to the same samples to decide whether a cell got worse; lower is better.
package protocol Rival: Sendable {
    /// The rule in a few words, and its user.
    var title: String { get }

    /// Whether the rule fails the cell.
    func flags(_ sight: Sight) -> Bool
}

/// The input of a rule for one cell.
package struct Sight: Sendable {
    /// The baseline's samples by run, oldest first.
    package let baseline: [[Double]]
    package let pooled: SortedSamples
    /// The candidate's samples, from one run.
    package let candidate: [Double]
}

extension [Double] {
    /// The standard deviation, with n − 1; 0 for fewer than two values.
    var deviation: Double {
        guard count > 1 else { return 0 }
        let mean = mean
        return (reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(count - 1)).squareRoot()
    }
}

/// More than 10 % above the baseline's median.
package struct FixedShare: Rival {
    package init() {}

    /// The rule in a few words.
    package var title: String { "fixed 10 % of the median" }

    /// Whether the candidate's median is more than a tenth above the baseline's.
    package func flags(_ sight: Sight) -> Bool {
        sight.candidate.median ?? 0 > 1.1 * (sight.pooled.median ?? 0)
    }
}

/// More than twice the previous run, like github-action-benchmark's threshold of 200 %.
package struct LastRatio: Rival {
    package init() {}

    /// The rule in a few words.
    package var title: String { "200 % of the last run (github-action-benchmark)" }

    /// Whether the mean is more than twice that of the baseline's newest run.
    package func flags(_ sight: Sight) -> Bool {
        sight.candidate.mean > 2 * (sight.baseline.last ?? []).mean
    }
}

/// Any of the percentiles 25, 50, 75 and 90 more than 5 % above the baseline's, like package-benchmark.
package struct Percentiles: Rival {
    package init() {}

    /// The rule in a few words.
    package var title: String { "+5 % on a percentile (package-benchmark)" }

    /// Whether a percentile has risen by more than 5 %.
    package func flags(_ sight: Sight) -> Bool {
        let (before, after) = (sight.pooled.values, sight.candidate.sorted())
        return [0.25, 0.5, 0.75, 0.9].contains { share in
            Self.percentile(share, of: after) > 1.05 * Self.percentile(share, of: before)
        }
    }

    /// The nearest rank of ascending values; 0 without values.
    static func percentile(_ share: Double, of values: [Double]) -> Double {
        guard !values.isEmpty else { return 0 }
        let rank = Int((share * Double(values.count)).rounded(.up))
        return values[min(max(rank, 1), values.count) - 1]
    }
}

/// A two-sided Mann–Whitney test at .05 per cell, and a median at least 5 % higher: benchstat's test with its readers'
/// usual threshold.
package struct PlainMannWhitney: Rival {
    package init() {}

    /// The rule in a few words.
    package var title: String { "Mann–Whitney at .05, at least 5 % (benchstat)" }

    /// Whether the test rejects, and the median has risen by 5 % or more.
    package func flags(_ sight: Sight) -> Bool {
        let (before, after) = (sight.pooled.median ?? 0, sight.candidate.median ?? 0)
        guard after > before, after >= 1.05 * before, let candidate = try? SortedSamples(sight.candidate),
            let test = try? MannWhitney(baseline: sight.pooled, candidate: candidate)
        else { return false }
        return 2 * test.probabilityOfGreater < 0.05
    }
}

/// Beyond the t prediction interval of the baseline's run means, like Bencher's t-test with an upper boundary of .99.
///
/// mean + t(.99, R − 1)·s·√(1 + 1/R), over R run means. It needs at least two runs.
package struct PredictionInterval: Rival {
    package init() {}

    /// The rule in a few words.
    package var title: String { "t prediction interval .99 (Bencher)" }

    /// Whether the mean is beyond the prediction from the baseline's run means.
    package func flags(_ sight: Sight) -> Bool {
        let means = sight.baseline.map(\.mean)
        guard means.count > 1 else { return false }
        let width = means.deviation * (1 + 1 / Double(means.count)).squareRoot()
        return sight.candidate.mean > means.mean + Self.quantile(freedom: means.count - 1) * width
    }

    /// t(.99) for 1 … 9 degrees of freedom (SciPy's `t.ppf`), and the value for 9 above that, which gives fewer
    /// alarms.
    private static func quantile(freedom: Int) -> Double {
        let known = [
            31.82051595, 6.96455673, 4.54070286, 3.74694739, 3.36493000, 3.14266840, 2.99795157, 2.89645945, 2.82143793,
        ]
        return known[min(freedom, known.count) - 1]
    }
}

/// A z-test of the candidate's mean with the baseline's spread, and a mean at least 5 % higher, like Reassure.
///
/// z = (mean_c − mean_b) / (s_b / √n_c), above 2.326, where Reassure's table of p-values falls below .02.
package struct SpreadTest: Rival {
    package init() {}

    /// The rule in a few words.
    package var title: String { "z-test on the baseline's spread, at least 5 % (Reassure)" }

    /// Whether the test rejects, and the mean has risen by 5 % or more.
    package func flags(_ sight: Sight) -> Bool {
        let (before, after) = (sight.pooled.values.mean, sight.candidate.mean)
        guard after > before, after >= 1.05 * before else { return false }
        let error = sight.pooled.values.deviation / Double(sight.candidate.count).squareRoot()
        return error == 0 || (after - before) / error > 2.326
    }
}

/// The gate's own rule, applied to one cell: the same code as in `perfgate check`.
struct RuleUnderStudy: Sendable {
    /// M, the number of comparisons in the run.
    let comparisons: Int

    /// Whether counts are compared by shares too.
    var comparesShares = true

    /// The policy, without limits.
    var policy = Policy().withoutLimits

    /// The rule's decision.
    ///
    /// - Parameter isPaired: Whether the runs of both sides were measured in turn, in order.
    func decide(
        _ cell: CellModel, baseline: [[Double]], candidate: [[Double]], confirmation: Policy.Confirmation = .off,
        isPaired: Bool = false, turns: PairNoise? = nil
    ) throws(StatsError) -> Decision {
        try decide(
            cell.metric, baseline: baseline, candidate: candidate, confirmation: confirmation,
            isPaired: isPaired, turns: turns)
    }

    /// The rule's decision for any metric.
    func decide(
        _ metric: Metric, baseline: [[Double]], candidate: [[Double]], confirmation: Policy.Confirmation = .off,
        isPaired: Bool = false, turns: PairNoise? = nil
    ) throws(StatsError) -> Decision {
        let (before, after) = (Self.runs(baseline, "b"), Self.runs(candidate, "c"))
        return try decide(
            metric, at: Cell(page: Page("Simulated"), metric: metric.id, environment: Environment([])),
            entry: Reference.Entry(metric: metric, runs: before),
            measurement: CellMeasurement(metric: metric, runs: after), confirmation: confirmation,
            pairing: isPaired ? Self.pairing(before, after) : Pairing(), turns: turns)
    }

    /// The rule's decision on measurements.
    func decide(
        _ metric: Metric, at place: Cell, entry: Reference.Entry, measurement: CellMeasurement,
        confirmation: Policy.Confirmation, pairing: Pairing = Pairing(), noise: RunNoise? = nil,
        turns: PairNoise? = nil
    ) throws(StatsError) -> Decision {
        VerdictRule.decide(
            try prepared(
                metric, at: place, entry: entry, measurement: measurement, confirmation: confirmation, pairing: pairing,
                noise: noise, turns: turns))
    }

    /// The case for the rule.
    func prepared(
        _ metric: Metric, at place: Cell, entry: Reference.Entry, measurement: CellMeasurement,
        confirmation: Policy.Confirmation = .rerun, pairing: Pairing = Pairing(), noise: RunNoise? = nil,
        turns: PairNoise? = nil
    ) throws(StatsError) -> CellCase {
        try CellCase(
            cell: place, metric: metric,
            policy: policy.cellPolicy(page: place.page, metric: metric, environment: place.environment),
            confirmation: confirmation, expectation: Expectation(), measurement: measurement, entry: entry,
            comparisons: comparisons, comparesShares: comparesShares, pairing: pairing,
            reruns: Reruns(inOrder: measurement.runs.map(\.run)), noise: noise, turns: turns)
    }

    /// Whether a cell's change exceeds its tolerance at all.
    func exceedsTolerance(
        _ cell: CellModel, baseline: SortedSamples, candidate: SortedSamples
    ) throws(StatsError) -> Bool {
        let metric = cell.metric
        let tolerance = try Tolerance(
            relative: CellPolicy.standardTolerance, absolute: MetricCatalog.definition(for: metric).minChange(at: nil))
        guard let before = baseline.centre(metric.centre), let median = baseline.median,
            let after = candidate.centre(metric.centre)
        else { return false }
        return after - before > tolerance.margin(median: median)
    }

    private static func runs(_ values: [[Double]], _ prefix: String) -> [RunSamples] {
        values.enumerated().map { index, values in
            RunSamples(run: "\(prefix)\(index)", samples: values.map { Sample($0) })
        }
    }

    private static func pairing(_ before: [RunSamples], _ after: [RunSamples]) -> Pairing {
        func names(_ runs: [RunSamples]) -> [String: String] {
            runs.enumerated().reduce(into: [:]) { $0[$1.element.run] = "\($1.offset)" }
        }
        return Pairing(candidate: names(after), reference: names(before))
    }
}
