import PerfgateModel
import PerfgateStats

/// The rule: its steps in their order, the first that decides decides.
///
/// > A metric has regressed when its change exceeds the tolerance and chance explains a change of more than half the
/// > tolerance less often than 0.1 in M, M being the number of comparisons in the run.
package enum VerdictRule {
    /// The steps in their order.
    package static let steps: [any RuleStep] = [
        MeasuredStep(), LimitStep(), BaselineStep(), GrossStep(), WorseStep(), BetterStep(),
    ]

    /// The decision on a case; passed where no step objects.
    package static func decide(_ cell: CellCase) -> Decision {
        for step in steps {
            if let decision = step.decide(cell) { return decision }
        }
        return Decision(.passed, because: .withinTolerance)
    }
}

/// One step of the rule.
package protocol RuleStep: Sendable {
    /// What the step decides, `nil` where it leaves the case to the next.
    func decide(_ cell: CellCase) -> Decision?
}

/// The third step: without comparable values there are limits only, and without a tolerance there is no verdict.
package struct BaselineStep: RuleStep {
    /// Decides `no_baseline`, or `inconclusive` where any change at all would count; `passed` where the baseline is a
    /// limit alone, which the step before found kept.
    package func decide(_ cell: CellCase) -> Decision? {
        guard let comparison = cell.comparison else { return nothingComparable(cell) }
        guard comparison.margin == 0, comparison.delta != 0 else { return nil }
        return Decision(.inconclusive, .noTolerance, because: .noTolerance)
    }

    private func nothingComparable(_ cell: CellCase) -> Decision {
        if let limit = limitAlone(cell) { return Decision(.passed, .limitOnly, because: .withinLimitOnly(limit)) }
        guard let entry = cell.entry, let measurement = cell.measurement, !entry.isComparable(with: measurement)
        else { return Decision(.noBaseline, because: .nothingToCompareWith) }
        return Decision(.noBaseline, .otherFormula, because: .otherFormula)
    }

    /// The limit in force where the baseline is nothing but a limit.
    private func limitAlone(_ cell: CellCase) -> Limit? {
        guard let entry = cell.entry, entry.isLimitOnly, entry.limit(of: cell.metric) != nil else { return nil }
        return cell.policy.limit?.value
    }
}

/// What was expected of a cell, and what was seen of its page: the material of the first step.
package struct Expectation: Sendable, Hashable {
    /// Whether the baseline or the configuration expects the cell.
    package var isExpected = false
    /// How many iterations the configuration asks for; `nil`: any number.
    package var iterations: Int?
    /// How much was measured on both sides, and how much had to be.
    package var amounts = MeasuredAmounts()
    /// Whether frame ticks must cover the scrolls; not where only change is asked about.
    package var asksCoverage = true
    /// Whether frame ticks were to be expected, so that a scroll without any is one whose frames stopped.
    package var needsTicks = false
    /// Whether any line of the page was there.
    package var isPageMeasured = true
    /// Whether what is there of the page began and did not end.
    package var isPageUnfinished = false
    /// Whether the candidate has a line of the environment, or the reference a gated cell.
    package var isEnvironmentKnown = true
    /// Whether a run says that it measures the environment, and nothing of it was measured.
    package var isEnvironmentSilent = false
    /// Whether a missing page is excused, because only a part of the pages was meant to run.
    package var isPartial = false

    /// Expects nothing.
    package init() {}
}

/// The first step: was it measured at all, often enough, and all the way?
///
/// Exempt are cells that nothing gates on, which are never missing, and pages that a partial run left out.
package struct MeasuredStep: RuleStep {
    /// The share of a scroll's duration that its ticks must cover.
    package static let leastCoverage = 0.8
    private static let initialLoad = "ttil"
    private static let loading: Set = ["ttfl", initialLoad]

    /// Decides `missing`, or `passed` where it was measured and nothing happened.
    package func decide(_ cell: CellCase) -> Decision? {
        guard let measurement = cell.measurement else { return absent(cell) }
        if cell.policy.isGated.value, let shortfall = shortfall(measurement, cell) { return shortfall }
        return cell.candidate == nil ? Decision(.passed, .noEvents, because: .noEvents) : nil
    }

    private func absent(_ cell: CellCase) -> Decision {
        if cell.expectation.isPageUnfinished {
            return Decision(.missing, .unfinished, because: .tooLittle(.unfinished))
        }
        if cell.expectation.isPageMeasured { return Decision(.missing, .noMetric, because: .metricAbsent) }
        let isKnown = cell.expectation.isEnvironmentKnown
        return Decision(
            .missing, cell.expectation.isPartial ? .excused : isKnown ? .noPage : .noEnvironment,
            because: isKnown
                ? .pageAbsent : cell.expectation.isEnvironmentSilent ? .environmentSilent : .environmentAbsent)
    }

    private func shortfall(_ measurement: CellMeasurement, _ cell: CellCase) -> Decision? {
        let measured = iterations(of: measurement)
        if let expected = cell.expectation.iterations, measured < expected {
            return Decision(.missing, .tooFew, because: .tooFewIterations(measured: measured, expected: expected))
        }
        if cell.expectation.asksCoverage, let coverage = Self.stop(of: measurement, cell.expectation) {
            return Decision(.missing, .framesStopped, because: .framesStopped(coverage))
        }
        if isNeverLoaded(cell) {
            let visited = measurement.iterations.values.reduce(0) { $0 + $1.count }
            return Decision(.missing, .notLoaded, because: .neverLoaded(iterations: visited))
        }
        guard cell.expectation.asksCoverage,
            let shortfall = cell.expectation.amounts.shortfall(measurement, cell.entry)
        else { return nil }
        return Decision(.missing, shortfall.detail, because: .tooLittle(shortfall))
    }

    /// Where the frames of a measurement stopped; `nil` where they didn't, or nothing tells.
    static func stop(of measurement: CellMeasurement, _ expectation: Expectation) -> FrameCoverage? {
        measurement.leastCoverage(needsTicks: expectation.needsTicks).flatMap { $0.share < leastCoverage ? $0 : nil }
    }

    /// Whether no visit loaded a page that must be seen to load: other metrics without a sample are good ones.
    private func isNeverLoaded(_ cell: CellCase) -> Bool {
        guard cell.candidate == nil, cell.expectation.isExpected, cell.metric.id == Self.initialLoad else {
            return false
        }
        return cell.entry.map { entry in entry.runs.contains { !$0.samples.isEmpty } } ?? true
    }

    /// The most iterations that one run has. A visit that failed or was left loads nothing, so that a run can't have
    /// loaded a page in more iterations than it has samples; in other metrics an iteration without any is a good one.
    private func iterations(of measurement: CellMeasurement) -> Int {
        guard Self.loading.contains(measurement.metric.id) else {
            return measurement.iterations.values.map(\.count).max() ?? 0
        }
        return measurement.runs.map { min($0.samples.count, measurement.iterations[$0.run]?.count ?? 0) }.max() ?? 0
    }
}

/// The second step: a limit holds from the first run on, without any baseline, and has no hidden slack.
package struct LimitStep: RuleStep {
    /// Decides `over_limit`.
    package func decide(_ cell: CellCase) -> Decision? {
        guard let limit = cell.policy.limit?.value, let value = judged(cell, by: limit.subject) else { return nil }
        let isBroken = cell.metric.better == .lower ? value > limit.value : value < limit.value
        return isBroken ? Decision(.overLimit, because: .limitBroken(value: value, limit: limit)) : nil
    }

    private func judged(_ cell: CellCase, by subject: Limit.Subject) -> Double? {
        guard let samples = cell.candidate?.pooled else { return nil }
        switch (subject, cell.metric.better) {
        case (.median, .lower): return samples.lowerMedian
        case (.median, .higher): return samples.upperMedian
        case (.any, .lower): return samples.values.last
        case (.any, .higher): return samples.values.first
        }
    }
}

/// The fourth step, for young baselines: where no sample of these sizes could ever fail by chance alone, a gap of more
/// than five tolerances between all old and all new samples does.
///
/// Not asked below 5 samples a side: with 3 it would be wrong in half of all runs of 500 comparisons.
package struct GrossStep: RuleStep {
    /// The fewest samples a side.
    package static let fewestSamples = 5
    /// The gap in tolerances.
    package static let tolerances = 5.0

    /// Decides `regressed`, whatever the confirmation says.
    package func decide(_ cell: CellCase) -> Decision? {
        guard let comparison = cell.comparison, comparison.pMin > comparison.significance.failing,
            comparison.design.baselineSamples >= Self.fewestSamples,
            comparison.design.candidateSamples >= Self.fewestSamples,
            comparison.gap > Self.tolerances * comparison.margin
        else { return nil }
        return Decision(.regressed, .gross, because: .grossGap(comparison.gap))
    }
}

/// The fifth step: the change exceeds the tolerance. Is it real?
package struct WorseStep: RuleStep {
    /// Decides `regressed`, `inconclusive` or `passed` for every change towards worse that exceeds the tolerance.
    package func decide(_ cell: CellCase) -> Decision? {
        guard let comparison = cell.comparison, comparison.worsening > comparison.margin else { return nil }
        let failing = comparison.significance.failing
        let isConfirming = cell.confirmation == .rerun
        if comparison.pMargin <= failing {
            return isConfirming && cell.candidateRuns < 2
                ? Decision(.inconclusive, .confirm, because: .suspect) : Decision(.regressed, because: .worse)
        }
        if isConfirming, cell.candidateRuns >= 2, comparison.pMin <= failing {
            return Decision(.passed, .notConfirmed, because: .notConfirmed)
        }
        if comparison.pZero <= Significance.suspecting || comparison.pMin > Significance.suspecting {
            return Decision(.inconclusive, .needMore, because: .cannotTell)
        }
        return Decision(.passed, because: .chance)
    }
}

/// The sixth step: the mirror of the fifth, for changes towards better.
package struct BetterStep: RuleStep {
    /// Decides `improved`.
    package func decide(_ cell: CellCase) -> Decision? {
        guard let comparison = cell.comparison, -comparison.worsening > comparison.margin,
            comparison.pImproved <= comparison.significance.failing
        else { return nil }
        return Decision(.improved, because: .better)
    }
}

extension Metric {
    /// What stands for the middle of its values: the mean of counts and rates, else the median.
    package var centre: Centre { unit.isCountOrRate ? .mean : .median }
}
