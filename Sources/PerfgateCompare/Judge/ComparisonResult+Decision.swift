import PerfgateModel
import PerfgateStats

extension ComparisonResult {
    /// The finished result of a decision on a case, and of what the waivers say of it.
    init(_ decision: Decision, on cell: CellCase, waiver: WaiverAnswer? = nil) {
        self.init(
            page: cell.cell.page, metric: cell.metric, environment: cell.cell.environment,
            isGated: cell.policy.isGated.value, verdict: waiver?.holds == true ? .waived : decision.verdict,
            detail: decision.detail,
            reason: Sentence(decision, on: cell).text + (waiver.map { " \($0.remark)" } ?? ""),
            baseline: cell.entry.flatMap { Side($0.runs, of: cell.metric) },
            candidate: cell.measurement.flatMap { Side($0.runs, of: cell.metric) },
            numbers: cell.comparison.map(Numbers.init), tolerance: cell.comparison?.margin,
            toleranceTerms: ToleranceTerms(cell.policy), gateOrigin: cell.policy.isGated.origin.description,
            limit: cell.policy.limit?.value.settled, limitOrigin: cell.policy.limit?.origin.description,
            counting: cell.measurement?.counting ?? cell.entry?.counting ?? .exact,
            formula: cell.measurement?.formula ?? cell.entry?.formula ?? "1")
    }
}

extension ComparisonResult.Side {
    /// The samples of runs; `nil` where there are none, or one isn't finite.
    public init?(_ runs: [RunSamples], of metric: Metric) {
        let values = runs.flatMap(\.values)
        guard let sorted = try? SortedSamples(values) else { return nil }
        let isLong = values.count > Self.mostSamples
        self.init(
            count: values.count, runs: runs.count { !$0.samples.isEmpty },
            center: sorted.centre(metric.centre), samples: isLong ? nil : values,
            quantiles: isLong ? Self.quantileProbabilities.map { Self.quantile($0, of: sorted.values) } : nil,
            shares: runs.filter { !$0.samples.isEmpty }.map { RunShare(run: $0.run, count: $0.samples.count) })
    }

    /// The sample at a probability: the nearest rank, so that it is always a measured value.
    private static func quantile(_ probability: Double, of sorted: [Double]) -> Double {
        sorted[min(sorted.count - 1, Int(probability * Double(sorted.count)))]
    }
}

extension ComparisonResult.ToleranceTerms {
    init(_ policy: CellPolicy) {
        self.init(
            relative: policy.tolerance.value, relativeOrigin: policy.tolerance.origin.description,
            minChange: policy.minChange.value, minChangeOrigin: policy.minChange.origin.description)
    }
}

extension ComparisonResult.Numbers {
    init(_ comparison: Comparison) {
        self.init(
            delta: comparison.delta, shift: comparison.estimate.shift,
            interval: comparison.estimate.interval.map { [$0.lowerBound, $0.upperBound] }, p: comparison.pMargin,
            pImprove: comparison.pImproved, pZero: comparison.pZero, pMin: comparison.pMin,
            alpha: comparison.significance.failing, comparisons: comparison.significance.comparisons,
            marginShare: comparison.design.marginShare, pairs: comparison.design.pairs)
    }
}
