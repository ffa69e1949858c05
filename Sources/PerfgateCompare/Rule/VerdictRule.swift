import PerfgateModel
import PerfgateStats

/// The rule: its steps in their order, the first that decides decides.
///
/// > A metric has regressed when its change exceeds the tolerance and chance explains a change of more than half the
/// > tolerance less often than 0.1 in M, M being the number of comparisons in the run.
package enum VerdictRule {
    /// The steps in their order; each says what it found, and leaves the case to the next where that decides nothing.
    package static let steps: [@Sendable (CellCase) -> RuleStep] = [
        MeasuredStep.look, LimitStep.look, BaselineStep.look, GrossStep.look, WorseStep.look, BetterStep.look,
    ]

    /// The decision on a case with every step that was asked; passed where no step objects.
    package static func decide(_ cell: CellCase) -> Decision {
        var asked: [RuleStep] = []
        for look in steps {
            let step = look(cell)
            if step.found.isDeciding { return Decision(step, after: asked) }
            asked.append(step)
        }
        return Decision(RuleStep(.noObjection), after: asked)
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
package enum MeasuredStep {
    /// The share of a scroll's duration that its ticks must cover.
    package static let leastCoverage = 0.8
    private static let initialLoad = "ttil"
    private static let loading: Set = ["ttfl", initialLoad]

    /// Decides `missing`, or `passed` where it was measured and nothing happened.
    @Sendable static func look(at cell: CellCase) -> RuleStep {
        guard let measurement = cell.measurement else { return RuleStep(absence(cell.expectation)) }
        if cell.policy.isGated.value, let shortfall = shortfall(measurement, cell) { return shortfall }
        return RuleStep(cell.candidate == nil ? .noEvents : .measured)
    }

    private static func absence(_ expectation: Expectation) -> RuleStep.Finding {
        if expectation.isPageUnfinished { return .unfinished }
        if expectation.isPageMeasured { return .noMetric }
        return switch (expectation.isEnvironmentKnown, expectation.isPartial) {
        case (true, false): .noPage
        case (true, true): .pageExcused
        case (false, false): expectation.isEnvironmentSilent ? .environmentSilent : .noEnvironment
        case (false, true): .environmentExcused
        }
    }

    private static func shortfall(_ measurement: CellMeasurement, _ cell: CellCase) -> RuleStep? {
        let measured = iterations(of: measurement)
        if let expected = cell.expectation.iterations, measured < expected {
            return RuleStep(.tooFew, value: Double(measured), bound: Double(expected))
        }
        if cell.expectation.asksCoverage, let coverage = stop(of: measurement, cell.expectation) {
            return RuleStep(
                .framesStopped, value: coverage.share, bound: leastCoverage, run: coverage.run,
                iteration: coverage.iteration)
        }
        if isNeverLoaded(cell) {
            return RuleStep(.notLoaded, value: Double(measurement.iterations.values.reduce(0) { $0 + $1.count }))
        }
        guard cell.expectation.asksCoverage else { return nil }
        return cell.expectation.amounts.shortfall(measurement, cell.entry)
    }

    /// Where the frames of a measurement stopped; `nil` where they didn't, or nothing tells.
    static func stop(of measurement: CellMeasurement, _ expectation: Expectation) -> FrameCoverage? {
        measurement.leastCoverage(needsTicks: expectation.needsTicks).flatMap { $0.share < leastCoverage ? $0 : nil }
    }

    /// Whether no visit loaded a page that must be seen to load: other metrics without a sample are good ones.
    private static func isNeverLoaded(_ cell: CellCase) -> Bool {
        guard cell.candidate == nil, cell.expectation.isExpected, cell.metric.id == initialLoad else { return false }
        return cell.entry.map { entry in entry.runs.contains { !$0.samples.isEmpty } } ?? true
    }

    /// The most iterations that one run has. A visit that failed or was left loads nothing, so that a run can't have
    /// loaded a page in more iterations than it has samples; in other metrics an iteration without any is a good one.
    private static func iterations(of measurement: CellMeasurement) -> Int {
        guard loading.contains(measurement.metric.id) else {
            return measurement.iterations.values.map(\.count).max() ?? 0
        }
        return measurement.runs.map { min($0.samples.count, measurement.iterations[$0.run]?.count ?? 0) }.max() ?? 0
    }
}

/// The second step: a limit holds from the first run on, without any baseline, and has no hidden slack.
package enum LimitStep {
    /// Decides `over_limit`.
    @Sendable static func look(at cell: CellCase) -> RuleStep {
        guard let limit = cell.policy.limit?.value,
            let samples = cell.limitSamples.flatMap({ try? SortedSamples($0) }) ?? cell.candidate?.pooled,
            let (subject, value) = judged(samples, by: limit.subject, cell.metric.better)
        else { return RuleStep(.noLimit) }
        let isBroken = cell.metric.better == .lower ? value > limit.value : value < limit.value
        return RuleStep(isBroken ? .overLimit : .withinLimit, subject: subject, value: value, bound: limit.value)
    }

    /// The sample that stands for all. Of an even count the better one of the middle two does, so that a limit is broken
    /// where more than half of the samples break it.
    private static func judged(
        _ samples: SortedSamples, by subject: Limit.Subject, _ better: Better
    ) -> (RuleStep.Subject, Double)? {
        guard let lower = samples.lowerMedian, let upper = samples.upperMedian, let least = samples.values.first,
            let greatest = samples.values.last
        else { return nil }
        return switch (subject, better) {
        case (.median, .lower): (lower == upper ? .median : .lowerMedian, lower)
        case (.median, .higher): (lower == upper ? .median : .upperMedian, upper)
        case (.any, .lower): (.worstSample, greatest)
        case (.any, .higher): (.worstSample, least)
        }
    }
}

/// The third step: without comparable values there are limits only, and without a tolerance there is no verdict.
package enum BaselineStep {
    /// Decides `no_baseline`, or `inconclusive` where any change at all would count; `passed` where the baseline is a
    /// limit alone, which the step before found kept.
    @Sendable static func look(at cell: CellCase) -> RuleStep {
        guard let comparison = cell.comparison else { return RuleStep(nothingComparable(cell)) }
        guard comparison.margin == 0, comparison.delta != 0 else { return RuleStep(.comparable) }
        return RuleStep(.noTolerance, value: comparison.delta, bound: 0)
    }

    private static func nothingComparable(_ cell: CellCase) -> RuleStep.Finding {
        guard let entry = cell.entry, let measurement = cell.measurement else { return .noBaseline }
        if entry.isLimitOnly, entry.limit(of: cell.metric) != nil, cell.policy.limit != nil { return .limitOnly }
        return entry.isComparable(with: measurement) ? .noBaseline : .otherFormula
    }
}

/// The fourth step, for young baselines: where no sample of these sizes could ever fail by chance alone, a gap of more
/// than five tolerances between all old and all new samples does.
///
/// Not asked below 5 samples a side: with 3 it would be wrong in half of all runs of 500 comparisons.
package enum GrossStep {
    /// The fewest samples a side.
    package static let fewestSamples = 5
    /// The gap in tolerances.
    package static let tolerances = 5.0

    /// Decides `regressed`, whatever the confirmation says.
    @Sendable static func look(at cell: CellCase) -> RuleStep {
        guard let comparison = cell.comparison else { return RuleStep(.tooFewSamples) }
        let failing = comparison.significance.failing
        guard comparison.pMin > failing else { return RuleStep(.enoughSamples, p: comparison.pMin, alpha: failing) }
        let design = comparison.design
        guard min(design.baselineSamples, design.candidateSamples) >= fewestSamples else {
            return RuleStep(.tooFewSamples)
        }
        let bound = tolerances * comparison.margin
        return RuleStep(comparison.gap > bound ? .gross : .noGap, value: comparison.gap, bound: bound)
    }
}

/// The fifth step: the change exceeds the tolerance. Is it real?
package enum WorseStep {
    /// Decides `regressed`, `inconclusive` or `passed` for every change towards worse that exceeds the tolerance.
    @Sendable static func look(at cell: CellCase) -> RuleStep {
        guard let comparison = cell.comparison, comparison.worsening > comparison.margin else {
            return RuleStep(.notWorse, value: cell.comparison?.delta, bound: cell.comparison?.margin)
        }
        return RuleStep(
            finding(comparison, cell), value: comparison.delta, bound: comparison.margin, p: comparison.pMargin,
            alpha: comparison.significance.failing)
    }

    private static func finding(_ comparison: Comparison, _ cell: CellCase) -> RuleStep.Finding {
        let failing = comparison.significance.failing
        let isConfirming = cell.confirmation == .rerun
        if comparison.isBeyondChance { return isConfirming && cell.candidateRuns < 2 ? .suspect : .worse }
        if isConfirming, cell.candidateRuns >= 2, comparison.pMin <= failing { return .notConfirmed }
        return comparison.isSuspect || comparison.pMin > Significance.suspecting ? .cannotTell : .worseByChance
    }
}

/// The sixth step: the mirror of the fifth, for changes towards better.
package enum BetterStep {
    /// Decides `improved`.
    @Sendable static func look(at cell: CellCase) -> RuleStep {
        guard let comparison = cell.comparison, -comparison.worsening > comparison.margin else {
            return RuleStep(.notBetter, value: cell.comparison?.delta, bound: cell.comparison?.margin)
        }
        let failing = comparison.significance.failing
        return RuleStep(
            comparison.pImproved <= failing ? .better : .betterByChance, value: comparison.delta,
            bound: comparison.margin, p: comparison.pImproved, alpha: failing)
    }
}

extension Metric {
    /// What stands for the middle of its values: the mean of counts and rates, else the median.
    package var centre: Centre { unit.isCountOrRate ? .mean : .median }
}

/// How much was measured of a cell's page on both sides, and how much had to be: a part of the first step.
///
/// A run that stops early has fewer samples, and those it has are the good ones. So each of the candidate's runs is held
/// against what the reference's runs measured; runs of which that isn't known ask for nothing, and aren't asked.
package struct MeasuredAmounts: Sendable, Hashable {
    /// How much the candidate measured of the page, by run.
    package var candidate: [String: MeasuredCounts] = [:]
    /// How much the reference did, by run.
    package var reference: [String: MeasuredCounts] = [:]
    /// How much of it the candidate must reach.
    package var least = MeasuredShares()
    /// How many scrolls an iteration must have, whatever the reference had; `nil`: a share of the reference's.
    package var scrolls: Int?
    /// Whether a share of the reference's iterations is asked for; not where the configuration says how many.
    package var asksIterations = true
    /// Whether fewer iterations are excused, since only a part was meant to be measured or looked at.
    package var excusesIterations = false
    /// How many iterations runs say they have, by run; without runs that don't say it.
    package var declared: [String: Int] = [:]

    /// Knows of nothing.
    package init() {}

    /// What was measured too little of a cell; `nil` where nothing was.
    ///
    /// - Parameter entry: The reference's cell; `nil` where there is none.
    package func shortfall(_ measurement: CellMeasurement, _ entry: Reference.Entry?) -> RuleStep? {
        let runs = measurement.measuringRuns
        let counts = runs.compactMap { candidate[$0] }
        let known = (entry?.runs ?? []).compactMap { reference[$0.run] }
        if isUnfinished(measurement.metric, counts) { return RuleStep(.unfinished) }
        if let few = fewIterations(runs, known), !few.isExcused {
            return RuleStep(.fewIterations, value: Double(few.measured), bound: few.usual)
        }
        return fewScrolls(measurement.metric, runs, known) ?? nothing(measurement, entry)
    }

    /// Whether nothing but the run's own word, or that of the call, makes too few iterations enough.
    package func isExcused(_ measurement: CellMeasurement, _ entry: Reference.Entry?) -> Bool {
        let known = (entry?.runs ?? []).compactMap { reference[$0.run] }
        return fewIterations(measurement.measuringRuns, known)?.isExcused ?? false
    }

    /// Whether all of the kind that it is about began and went on.
    private func isUnfinished(_ metric: Metric, _ counts: [MeasuredCounts]) -> Bool {
        let all = counts.reduce(MeasuredCounts(), +)
        return switch MetricCatalog.definition(of: metric.id)?.subject {
        case .scrolls: all.scrolls == 0 && all.unfinished.scrolls > 0
        case .visits: all.visits.total == 0 && all.unfinished.visits > 0
        case .other, nil: false
        }
    }

    private func fewIterations(
        _ runs: Set<String>, _ known: [MeasuredCounts]
    ) -> (measured: Int, usual: Double, isExcused: Bool)? {
        let counts = runs.compactMap { candidate[$0] }
        guard asksIterations, counts.count == runs.count, !counts.isEmpty else { return nil }
        let usual = Self.median(known.map { Double($0.iterations) })
        let measured = counts.reduce(0) { $0 + $1.iterations }
        guard Double(measured) < min(least.iterations * usual, Double(least.enoughIterations)) else { return nil }
        let said = runs.compactMap { declared[$0] }
        let isDeclared = said.count == runs.count && measured > 0 && measured >= said.reduce(0, +)
        return (measured, usual, excusesIterations || isDeclared)
    }

    /// The first run, by its identifier, with too few scrolls an iteration. Where lines end the reference's scrolls,
    /// those that no line ended don't count.
    private func fewScrolls(_ metric: Metric, _ runs: Set<String>, _ known: [MeasuredCounts]) -> RuleStep? {
        guard MetricCatalog.definition(of: metric.id)?.subject == .scrolls else { return nil }
        let areEnded = 2 * known.count { $0.scrollMS > 0 } > known.count
        let usual = Self.median(known.map(\.scrollsPerIteration))
        let needed = scrolls.map(Double.init) ?? least.scrolls * usual
        for run in runs.sorted(by: { $0.precedesInUTF8($1) }) {
            guard let counts = candidate[run] else { continue }
            let own = areEnded && counts.scrollMS == 0 ? 0 : counts.scrollsPerIteration
            guard own < needed - 1e-9 else { continue }
            return RuleStep(
                .fewScrolls, value: own, bound: scrolls.map(Double.init) ?? usual, run: runs.count > 1 ? run : nil)
        }
        return nil
    }

    /// That no sample came where each of the reference's runs has some, or entries of lists that give some.
    private func nothing(_ measurement: CellMeasurement, _ entry: Reference.Entry?) -> RuleStep? {
        let isGood = MetricCatalog.definition(of: measurement.metric.id)?.isNoSampleGood ?? false
        guard let runs = entry?.runs, !isGood, least.samples > 0, measurement.runs.allSatisfy(\.samples.isEmpty),
            runs.contains(where: { reference[$0.run] != nil })
        else { return nil }
        let fewest = runs.map { run in
            max(run.samples.count, reference[run.run]?.entries[measurement.metric.id] ?? 0)
        }.min()
        return fewest.flatMap { $0 >= least.samples ? RuleStep(.noSamples, bound: Double($0)) : nil }
    }

    /// The middle value, of an even number the mean of both; 0 of none.
    private static func median(_ values: [Double]) -> Double {
        guard !values.isEmpty else { return 0 }
        let sorted = values.sorted()
        return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
    }
}

extension RuleStep {
    /// What was measured too little, in one sentence; `nil` where the step found something else.
    package var shortfall: String? {
        switch found {
        case .unfinished: "All that began of it went on: the app was killed, or nothing wrote that it ended."
        case .fewIterations: "Only \(text(value)) of the usual \(text(bound)) iterations measured its page."
        case .fewScrolls:
            "Only \(text(value)) of the usual \(text(bound)) scrolls an iteration ended\(run.map { " in run \($0)" } ?? "")."
        case .noSamples: "It gave no sample, and every run of the baseline has at least \(text(bound))."
        default: nil
        }
    }

    private func text(_ number: Double?) -> String { Figure.text(number ?? 0) }
}

/// How much of what the reference's runs measured a candidate must measure: the configuration's `measured`.
package struct MeasuredShares: Sendable, Hashable {
    /// The share of the usual scrolls an iteration, from 0 to 1.
    package var scrolls = 0.8
    /// The share of the usual iterations, from 0 to 1.
    package var iterations = 0.5
    /// How many iterations are enough, whatever is usual; at least 0.
    package var enoughIterations = 5
    /// How many samples each run of the reference must have so that none is too few; 0: that is never asked.
    package var samples = 5

    /// The shares where nothing is configured.
    package init() {}
}
