import PerfgateModel
import PerfgateStats

/// The wording of a decision: one sentence with the numbers it rests on.
package struct Sentence: Sendable {
    /// The case that was decided.
    package let cell: CellCase
    /// The decision.
    package let decision: Decision

    /// Words a decision.
    package init(_ decision: Decision, on cell: CellCase) {
        self.cell = cell
        self.decision = decision
    }

    /// The sentence.
    package var text: String {
        switch decision.reason {
        case .pageAbsent: absent("No line of the page", "it was expected")
        case .environmentAbsent:
            absent(
                "No line of the environment \(cell.cell.environment) in a run that gates",
                "the configuration requires it")
        case .environmentSilent:
            absent(
                "No line that measures a page of the environment \(cell.cell.environment)",
                "a run line says that it would be")
        case .metricAbsent: "The page was measured, but \(cell.metric.id) was not, and it was expected."
        case .tooFewIterations(let measured, let expected):
            "Only \(Figure.count(measured, "iteration")) of the expected \(expected) measured it."
        case .tooLittle(let shortfall): shortfall.text
        case .framesStopped(let coverage): stopped(coverage)
        case .neverLoaded(let iterations):
            "It was visited in \(Figure.count(iterations, "iteration")), and no visit loaded it: each failed or was left."
        case .noEvents: "Measured, and nothing happened that would give a sample."
        case .limitBroken(let value, let limit): broken(limit, by: value)
        case .nothingToCompareWith: "There is no baseline to compare \(candidate) with."
        case .withinLimitOnly(let limit):
            "Within the limit of \(figure(limit.value)); the baseline has no samples to compare \(candidate) with."
        case .otherFormula:
            "The baseline holds values of another formula or counting, so it says nothing about \(candidate)."
        case .noTolerance: noTolerance
        default: compared
        }
    }

    private func stopped(_ coverage: FrameCoverage) -> String {
        let iteration = coverage.iteration.map { " in iteration \($0)" }
        let run = coverage.run.map { (iteration == nil ? " in run " : " of run ") + $0 }
        let place = (iteration ?? "") + (run ?? "")
        return coverage.share == 0
            ? "No frame ticks came with a scroll\(place): the recorder stopped."
            : "Frame ticks cover only \(wholePercent(coverage.share)) % of a scroll\(place): the recorder stopped."
    }

    private func absent(_ what: String, _ expected: String) -> String {
        decision.detail == .excused
            ? "\(what) was there; a partial run excuses that." : "\(what) was there, and \(expected)."
    }

    private func broken(_ limit: Limit, by value: Double) -> String {
        let subject = limit.subject == .any ? "The worst sample" : "The median"
        let side = cell.metric.better == .lower ? "above" : "below"
        return "\(subject), \(figure(value)), is \(side) the limit of \(figure(limit.value)) (\(samples))."
    }

    private var noTolerance: String {
        "It changed by \(change), and its tolerance is 0, so any change would count: give it a `min_change`."
    }

    private func figure(_ value: Double) -> String { Figure.text(value, cell.metric.unit.symbol) }

    private func wholePercent(_ share: Double) -> String { Figure.text((share * 100).rounded(.down)) }

    private var samples: String {
        "\(Figure.count(cell.candidate?.pooled.count ?? 0, "sample")) of \(Figure.count(cell.candidateRuns, "run"))"
    }

    private var candidate: String {
        let centre = cell.candidate?.pooled.centre(cell.metric.centre)
        return centre.map { "\(figure($0)) (\(samples))" } ?? "it"
    }
}

extension Sentence {
    /// The sentence of a decision that rests on a comparison: the change, what it means, and by which numbers.
    private var compared: String {
        guard let comparison = cell.comparison else { return "Not compared." }
        return "\(opening(comparison)): \(figures(comparison))."
    }

    private func opening(_ comparison: Comparison) -> String {
        let changed = "It changed by \(change)"
        let tolerance = "the tolerance of \(figure(comparison.margin))"
        return switch decision.reason {
        case .grossGap(let gap):
            "\(changed), and its best sample is \(figure(gap)) beyond the baseline's worst, over five times \(tolerance)"
        case .worse: "\(changed), worse by more than \(tolerance), and chance doesn't explain it"
        case .suspect: "\(changed), worse by more than \(tolerance) in one run, which a second run must confirm"
        case .notConfirmed: "\(changed), worse by more than \(tolerance), but the runs together say it is chance"
        case .cannotTell: "\(changed), worse by more than \(tolerance), but these few samples can't tell it from chance"
        case .chance: "\(changed), worse by more than \(tolerance), but chance explains it"
        case .better: "\(changed), better by more than \(tolerance), and chance doesn't explain it"
        default: unremarkable(comparison)
        }
    }

    private func unremarkable(_ comparison: Comparison) -> String {
        if comparison.delta == 0 { return "It didn't change" }
        let tolerance = "the tolerance of \(figure(comparison.margin))"
        return -comparison.worsening > comparison.margin
            ? "It changed by \(change), better by more than \(tolerance), but chance explains it"
            : "It changed by \(change), within \(tolerance)"
    }

    private var change: String {
        guard let comparison = cell.comparison else { return "nothing" }
        let change = Figure.signed(comparison.delta, cell.metric.unit.symbol)
        guard comparison.baselineCentre > 0 else { return change }
        return "\(change) (\(Figure.percentage(comparison.delta / comparison.baselineCentre)))"
    }

    private func figures(_ comparison: Comparison) -> String {
        let design = comparison.design
        let interval = comparison.estimate.interval.map {
            ", 95 % interval \(Figure.signed($0.lowerBound)) to \(Figure.signed($0.upperBound))"
        }
        // Of a change for the better, how likely chance makes it look so good; of any other, so bad.
        let p = comparison.worsening < 0 ? comparison.pImproved : comparison.pMargin
        return """
            shift \(Figure.signed(comparison.estimate.shift))\(interval ?? ""), \
            p \(Figure.probability(p)) against \
            \(Figure.probability(comparison.significance.failing)), \
            \(Figure.count(design.candidateSamples, "sample")) of \(Figure.count(design.candidateRuns, "run")) against \
            \(design.baselineSamples) of \(design.baselineRuns)\
            \(design.pairs > 0 ? ", in \(Figure.count(design.pairs, "pair")) measured in turn" : "")
            """
    }
}
