import PerfgateModel
import PerfgateStats

/// The words of a decision: one sentence with its numbers.
package struct Sentence: Sendable {
    /// The decided case.
    package let cell: CellCase
    package let decision: Decision

    package init(_ decision: Decision, on cell: CellCase) {
        self.cell = cell
        self.decision = decision
    }

    package var text: String {
        let step = decision.deciding
        if step.found.step == .worse, let (slow, share) = WorseStep.slowShare(of: cell), slow == step {
            return ofShare(share, step)
        }
        return switch step.found {
        case .noPage: "\(noPage), and it was expected."
        case .noEnvironment: "\(noEnvironment), and the configuration requires it."
        case .pageExcused: "\(noPage); a partial run excuses that."
        case .environmentExcused: "\(noEnvironment); a partial run excuses that."
        case .environmentSilent:
            "A run line declares the environment \(cell.cell.environment), but no line measures a "
                + "page in it."
        case .unfinished, .fewIterations, .fewerThanDeclared, .fewScrolls, .fewVisits, .fewFrames, .slowDisplay,
            .noSamples:
            step.shortfall ?? ""
        case .noMetric: "The page was measured, but \(cell.metric.id) was not, and it was expected."
        case .tooFew:
            "Only \(iterations(step)) of the expected \(Figure.text(step.bound ?? 0))\(run(step, " of")) measured it."
        case .framesStopped: stopped(step)
        case .notLoaded:
            "It was visited in \(iterations(step))\(run(step, " of")), and no visit loaded it."
        case .noEvents: "Measured, but nothing happened that gives a sample."
        case .overLimit: broken(step)
        case .noBaseline where cell.metric.isQuantile:
            "A percentile of users has no samples to compare: only a limit judges it."
        case .limitOnly where cell.metric.isQuantile:
            "Within the limit of \(figure(cell.policy.limit?.value.value)); a percentile of users has no samples to compare."
        case .noBaseline: "There is no baseline to compare \(candidate) with."
        case .limitOnly:
            "Within the limit of \(figure(cell.policy.limit?.value.value)); the baseline has no samples to compare "
                + "\(candidate) with."
        case .otherFormula:
            "The baseline's values have another formula, counting or unit, so they aren't comparable with \(candidate)."
        case .noTolerance:
            "It changed by \(change), and its tolerance is 0, so any change would count: give it a `min_change`."
        case .gross:
            compared(
                "and its best sample is \(figure(step.value)) beyond the baseline's worst, over five times \(tolerance)"
            )
        case .doubled: compared("and every sample is beyond \(figure(step.bound)), but there are too few to fail")
        case .worse: compared("worse by more than \(tolerance), and chance doesn't explain it")
        case .suspect: compared(suspected)
        case .notConfirmed: compared("worse by more than \(tolerance), but all runs together show that it is chance")
        case .cannotTell: compared("worse by more than \(tolerance), but with so few samples it may be chance")
        case .told: compared("worse in too many samples to be usual, but in too few to fail")
        case .withinNoise: compared("worse by more than \(tolerance), but within the noise of runs")
        case .worseByChance: compared("worse by more than \(tolerance), but chance explains it")
        case .better: compared("better by more than \(tolerance), and chance doesn't explain it")
        case .noObjection where decision.steps.contains { $0.found == .betterByChance }:
            compared("better by more than \(tolerance), but chance explains it")
        case .worseWithAll:
            compared("worse by more than \(tolerance), but not relative to the other times of its runs")
        case .noObjection where isBeyond(\.ownWorsening) && cell.candidateRuns > 0:
            compared("worse by more than \(tolerance) relative to the other times of its runs, but not as measured")
        case .noObjection where cell.comparison.map({ -$0.worsening > $0.margin }) == true:
            compared("better by more than \(tolerance), but not relative to the other times of its runs")
        case .measured, .noLimit, .withinLimit, .comparable, .enoughSamples, .tooFewSamples, .noGap, .notWorse,
            .notBetter, .betterByChance, .noObjection, .fewEvents, .fewDays:
            compared("within \(tolerance)")
        }
    }

    /// The unit of a judged duration.
    static let atHighestRate = " at the display's highest rate"

    private var noPage: String { "There was no line of the page" }

    private var noEnvironment: String {
        "No gating run has a line of the environment \(cell.cell.environment)"
    }

    private var suspected: String {
        guard cell.candidateRuns > 1, let run = cell.suspectRuns.first else {
            return "worse by more than \(tolerance) in one run, which a second run must confirm"
        }
        return "worse by more than \(tolerance), and no rerun confirms it, because "
            + cell.obstacle(to: run)
    }

    private func run(_ step: RuleStep, _ word: String) -> String { step.run.map { "\(word) run \($0)" } ?? "" }

    private func iterations(_ step: RuleStep) -> String {
        Figure.withUnit(Figure.text(step.value ?? 0), "iterations")
    }

    private func stopped(_ step: RuleStep) -> String {
        let iteration = step.iteration.map { " in iteration \($0)" }
        let run = step.run.map { (iteration == nil ? " in run " : " of run ") + $0 }
        let place = (iteration ?? "") + (run ?? "")
        let share = step.value ?? 0
        return share == 0
            ? "No frame ticks came with a scroll\(place): the recorder stopped."
            : "Frame ticks cover only \(wholePercent(share)) % of a scroll\(place): the recorder stopped."
    }

    private func broken(_ step: RuleStep) -> String {
        let subject = step.subject?.words ?? "value"
        let side = cell.metric.better == .lower ? "above" : "below"
        let isTime = cell.limitSamples != nil
        let value = (isTime ? "as long as " : "") + figure(step.value) + (isTime ? Self.atHighestRate : "")
        let limit =
            "The \(subject)\(run(step, " of")), \(value), is \(side) the limit of \(figure(step.bound)) (\(samples))."
        return limit + (changeBeside.map { " \($0)" } ?? "")
    }

    /// The change of a cell that breaks its limit: lifting the limit must not hide it.
    private var changeBeside: String? {
        guard let comparison = cell.comparison, comparison.margin > 0 else { return nil }
        let failing: Set<RuleStep.Found> = [.gross, .worse, .suspect]
        let change = [GrossStep.look(at: cell), WorseStep.look(at: cell)].first { failing.contains($0.found) }
        return change.map { Sentence(Decision($0), on: cell).text }
    }

    private func figure(_ value: Double?) -> String { value.map { Figure.text($0, cell.metric.unit.symbol) } ?? "–" }

    private func wholePercent(_ share: Double) -> String { Figure.text((share * 100).rounded(.down)) }

    private var samples: String {
        "\(Figure.count(cell.candidate?.pooled.count ?? 0, "sample")) of \(Figure.count(cell.candidateRuns, "run"))"
    }

    private var candidate: String {
        let centre = cell.candidate?.pooled.centre(cell.metric.centre)
        return centre.map { "\(figure($0)) (\(samples))" } ?? "it"
    }
}

extension Metric {
    /// What gives a sample, in the singular.
    var sampleNoun: String {
        [Metric(.ttil), Metric(.ttfl), Metric(.alt), Metric(.rclt)].contains(self) ? "load" : "sample"
    }
}

extension Sentence {
    /// The sentence of a decision from a comparison: the change, its meaning and the numbers.
    private func compared(_ meaning: String) -> String {
        guard let comparison = cell.comparison else { return "Not compared." }
        let isChanged = signed(comparison.delta) != "0"
        return "\(isChanged ? "It changed by \(change), \(meaning)" : "It didn't change"): \(figures(comparison))."
    }

    private func isBeyond(_ change: KeyPath<Comparison, Double>) -> Bool {
        cell.comparison.map { $0[keyPath: change] > $0.margin } ?? false
    }

    private var tolerance: String { "the tolerance of \(figure(cell.comparison?.margin))" }

    private var change: String {
        guard let comparison = cell.comparison else { return "nothing" }
        let change = Figure.withUnit(signed(comparison.delta), cell.metric.unit.symbol)
        guard comparison.baselineCentre > 0 else { return change }
        return "\(change) (\(Figure.percentage(comparison.delta / comparison.baselineCentre)))"
    }

    private func signed(_ difference: Double) -> String {
        let centres = [cell.comparison?.baselineCentre, cell.comparison?.candidateCentre]
        return Figure.signed(difference, Figure.Resolution(of: centres, tolerance: cell.comparison?.margin))
    }

    private func figures(_ comparison: Comparison) -> String {
        let design = comparison.design
        let interval = comparison.estimate.interval.map {
            ", 95 % interval \(signed($0.lowerBound)) to \(signed($0.upperBound))"
        }
        // For a change for the better the p-value of an improvement, otherwise of a worsening.
        let p = comparison.worsening < 0 ? comparison.pImproved : comparison.pMargin
        return """
            shift \(signed(comparison.estimate.shift))\(interval ?? ""), \
            \(allTimes)\
            p \(Figure.probability(p)) against \
            \(Figure.probability(comparison.significance.failing)), \
            \(share(comparison).map { "\($0), " } ?? "")\
            \(Figure.count(design.candidateSamples, "sample")) of \(Figure.count(design.candidateRuns, "run")) against \
            \(design.baselineSamples) of \(design.baselineRuns)\
            \(design.pairs > 0 ? ", in \(Figure.count(design.pairs, "pair")) measured in turn" : "")
            """
    }

    /// The common shift of its runs, if it was subtracted.
    private var allTimes: String {
        guard let shift = CellResult.Numbers.commonShift(cell.takenShifts) else { return "" }
        return "all times of \(cell.candidateRuns == 1 ? "the run" : "the runs") \(Figure.percentage(shift)), "
    }

    /// The sentence of a share of slow samples: `3 of 5 loads took more than 4 times the usual 512 ms`.
    private func ofShare(_ share: SlowShare, _ step: RuleStep) -> String {
        guard let comparison = cell.comparison else { return "Not compared." }
        let (test, design) = (share.all, comparison.design)
        let factor = test.cut.factor ?? 1
        let again = share.again.map { ", \($0.candidateOver) of them in reruns" } ?? ""
        let meaning =
            switch step.found {
            case .worse: "and chance doesn't explain it"
            case .suspect: suspectedShare
            case .told: "which is too unusual to pass over, and too few to fail"
            case .notConfirmed: "but all runs together show that it is chance"
            default: "which may be chance"
            }
        return """
            \(test.candidateOver) of \(Figure.count(design.candidateSamples, cell.metric.sampleNoun)) took more than \
            \(Figure.times(factor)) the usual \(figure(test.bound / factor))\(again), \(meaning): \
            \(test.baselineOver) of \(design.baselineSamples) did before, p \(Figure.probability(test.p)) against \
            \(Figure.probability(comparison.significance.ofShare)). The \(cell.metric.centre.rawValue) changed by \
            \(change).
            """
    }

    private var suspectedShare: String {
        guard cell.candidateRuns > 1, let run = cell.suspectRuns.first else { return "which a second run must confirm" }
        return "and no rerun confirms it, because " + cell.obstacle(to: run)
    }

    /// The share that shows more than the ranks, if there is one: the samples over its cut on both sides.
    private func share(_ comparison: Comparison) -> String? {
        guard comparison.worsening > comparison.margin, comparison.pMargin > comparison.significance.failing,
            let share = comparison.shares.min(by: { $0.p < $1.p }), share.p <= Significance.suspecting
        else { return nil }
        let design = comparison.design
        return """
            \(share.candidateOver) of \(design.candidateSamples) beyond \(figure(share.bound)) against \
            \(share.baselineOver) of \(design.baselineSamples), p \(Figure.probability(share.p)) against \
            \(Figure.probability(comparison.significance.ofShare))
            """
    }
}
