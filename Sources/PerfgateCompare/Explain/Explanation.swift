import PerfgateModel
import PerfgateStats

/// Why a comparison got its verdict, step by step, and what would change it.
///
/// It only uses the finished result, so a stored report gives the same explanation as its logs.
package struct Explanation: Sendable, Hashable {
    /// The result that is explained.
    package let result: CellResult
    /// The rule steps that were run, in order, the deciding one last; empty if the result has none.
    package let steps: [ExplainedStep]
    /// What would change the verdict, as sentences, the nearest first.
    package let outlook: [String]

    /// Explains a result.
    package init(_ result: CellResult) {
        self.result = result
        steps = ExplainedStep.all(of: result)
        outlook = WhatWouldChange(result).sentences
    }
}

/// One rule step on one comparison, in words.
package struct ExplainedStep: Sendable, Hashable {
    /// The number of the rule step, from 1.
    package let number: Int
    package let isDeciding: Bool
    /// What it checked and found, with numbers; sentences.
    package let text: String

    package static func all(of result: CellResult) -> [ExplainedStep] {
        let text = result.releases == nil ? RuleWords(result).text : ReleaseWords(result).text
        return result.rule.enumerated().map { index, step in
            ExplainedStep(number: step.found.step.number, isDeciding: index == result.rule.count - 1, text: text(step))
        }
    }

    /// The title of the step: `2 goes on`, `5 decides`.
    package var title: String { "\(number) \(isDeciding ? "decides" : "goes on")" }
}

/// The numbers of a result, worded for an explanation.
struct ExplainedNumbers {
    private let result: CellResult

    init(_ result: CellResult) {
        self.result = result
    }

    func figure(_ value: Double) -> String { Figure.text(value, result.metric.unit.symbol) }

    /// A side's samples and runs: `10 samples of 1 run`.
    func count(_ side: CellResult.Side?) -> String {
        "\(Figure.count(side?.count ?? 0, "sample")) of \(Figure.count(side?.runs ?? 0, "run"))"
    }

    /// The measure of the centre: `mean` or `median`, for releases the quantile.
    var centre: String {
        let quantile = result.releases.flatMap { _ in MetricQuantile.parts(of: result.metric.id) }
        return quantile.map { "p\($0.percent)" } ?? result.metric.centre.rawValue
    }

    /// Δ: `The change of +266.1 ms (+52.2 %)`.
    var change: String {
        guard let delta = result.numbers?.delta else { return "The change" }
        let share = result.baseline?.center.flatMap { $0 > 0 ? " (\(Figure.percentage(delta / $0)))" : nil } ?? ""
        return "The change of \(Figure.signed(delta, result.resolution, result.metric.unit.symbol))\(share)"
    }

    /// m and its source, as a sentence.
    var tolerance: String {
        guard let tolerance = result.tolerance else { return "" }
        guard let terms = result.toleranceTerms else { return "The tolerance is \(figure(tolerance))." }
        let share = "\(Figure.text(terms.relative * 100)) % of the baseline's median (\(terms.relativeOrigin))"
        let least = "\(figure(terms.minChange)) (\(terms.minChangeOrigin))"
        return "The tolerance is \(figure(tolerance)), the larger of \(share) and \(least)."
    }

    /// α and its source, as a sentence.
    var alpha: String {
        guard let numbers = result.numbers else { return "" }
        guard numbers.shareAlpha == nil else {
            return "α is .8, and .1 for each share, of the smaller of 0.005 and 0.1 divided by "
                + "\(Figure.count(numbers.comparisons, "comparison"))."
        }
        return "α is the smaller of 0.005 and 0.1 divided by \(Figure.count(numbers.comparisons, "comparison"))."
    }
}

/// The rule steps in words, for the steps without their own sentence.
private struct RuleWords {
    private let result: CellResult
    private let words: ExplainedNumbers

    init(_ result: CellResult) {
        self.result = result
        words = ExplainedNumbers(result)
    }

    /// What a step checked and found; the verdict's sentence, if that says everything.
    func text(of step: RuleStep) -> String {
        if result.isOfAllPages, step.found != .comparable { return result.reason }
        return switch step.found {
        case .measured: "\(words.count(result.candidate)) were measured."
        case .noPage, .pageExcused, .noEnvironment, .environmentExcused, .environmentSilent, .noMetric, .unfinished,
            .tooFew, .fewIterations, .fewerThanDeclared, .fewScrolls, .fewVisits, .fewFrames, .slowDisplay, .noSamples,
            .framesStopped,
            .notLoaded, .noEvents, .noBaseline, .limitOnly, .otherFormula, .noTolerance, .fewEvents, .fewDays:
            result.reason
        case .worseWithAll: withAll(step)
        case .noLimit: "There is no limit."
        case .withinLimit, .overLimit: limit(step)
        case .comparable: comparable
        case .enoughSamples:
            "Skipped: samples of these sizes can fail in the next step: p_min = \(chance(step.p)) ≤ α = "
                + "\(chance(step.alpha))."
        case .tooFewSamples:
            "Skipped below \(GrossStep.fewestSamples) samples per side: there are \(result.baseline?.count ?? 0) and "
                + "\(result.candidate?.count ?? 0)."
        case .noGap, .gross: gap(step)
        case .doubled:
            "There are too few samples to fail by a gap: \(result.candidate?.count ?? 0). The best of them, "
                + "\(step.value.map(words.figure) ?? "–"), is beyond \(step.bound.map(words.figure) ?? "–"), the larger "
                + "of twice the baseline's \(words.centre) and the tolerance."
        case .notWorse: "\(words.change) is not worse by more than the tolerance."
        case .worse, .suspect, .notConfirmed, .cannotTell, .told, .withinNoise, .worseByChance:
            result.numbers?.decidedBy == .share && result.metric.isTime
                ? "\(result.reason) \(shares)\(words.alpha)" : tested(change: step)
        case .notBetter: "\(words.change) is not better by more than the tolerance."
        case .better, .betterByChance: "\(words.change) is better by more than the tolerance. \(tested(step))"
        case .noObjection: "No step fails it."
        }
    }

    private func limit(_ step: RuleStep) -> String {
        guard let value = step.value, let bound = step.bound else { return "There is a limit." }
        let origin = result.limitOrigin.map { ", from \($0)" } ?? ""
        let side = value < bound ? "below" : value > bound ? "above" : "at"
        let distance = value == bound ? "" : "\(words.figure(abs(value - bound))) "
        let isTime = result.candidate?.limitSamples != nil
        let judged = (isTime ? "as long as " : "") + words.figure(value) + (isTime ? Sentence.atHighestRate : "")
        let run = step.run.map { " of run \($0)" } ?? ""
        return "The \(step.subject?.words ?? "value")\(run), \(judged), is \(distance)\(side) the limit of "
            + "\(words.figure(bound))\(origin)."
    }

    private var comparable: String {
        let counting = result.counting == .exact ? "" : ", frames counted as \(result.counting.rawValue)"
        let pairs = result.numbers?.pairs ?? 0
        let turns = pairs > 0 ? ", in \(Figure.count(pairs, "pair")) measured in turn" : ""
        return "\(words.count(result.baseline)) to compare with\(turns), formula \(result.formula)\(counting). "
            + words.tolerance
    }

    private func gap(_ step: RuleStep) -> String {
        guard let gap = step.value, let bound = step.bound else { return "" }
        let place = gap > 0 ? "\(words.figure(gap)) beyond" : "not beyond"
        return "The best sample is \(place) the baseline's worst; a gross regression is more than "
            + "\(words.figure(bound)) beyond it."
    }

    private func withAll(_ step: RuleStep) -> String {
        let own = step.value.map(words.figure) ?? "–"
        return
            "\(words.change) exceeds the tolerance; relative to the other times of its runs, \(own) doesn't."
    }

    private func tested(change step: RuleStep) -> String {
        "\(words.change) is worse by more than the tolerance. \(tested(step)) \(shares)Without any change, p₀ is "
            + "\(chance(result.numbers?.pZero))."
    }

    private func tested(_ step: RuleStep) -> String {
        guard let p = step.p, let alpha = step.alpha else { return "" }
        let test = result.numbers?.decidedBy
        let bound = "p = \(chance(p)), \(p <= alpha ? "≤" : ">") α = \(chance(alpha)). \(words.alpha)"
        if test == .noise {
            return "\(shifted)Noise test, assuming no change: \(bound)"
        }
        return "\(shifted)Rank test, assuming a change of \(allowance): \(bound)"
    }

    /// The change that the test assumes.
    private var allowance: String {
        guard let numbers = result.numbers, let tolerance = result.tolerance else { return "the tolerance" }
        if numbers.marginShare == 0.5 { return "half the tolerance" }
        if numbers.marginShare == 1 { return "the tolerance" }
        return "\(words.figure(numbers.marginShare * tolerance)) (runs may differ by that)"
    }

    /// The shift that was subtracted before the test, as a sentence.
    private var shifted: String {
        guard let shift = result.numbers?.commonShift else { return "" }
        return "All times of its runs shifted by \(Figure.percentage(shift)); this shift is subtracted. "
    }

    /// The number of samples beyond each cut, one sentence each.
    private var shares: String {
        (result.numbers?.shares ?? []).map { share in
            let alpha = result.numbers?.shareAlpha ?? 0
            let cut =
                switch share.cut {
                case .limit: "the limit"
                case .percentile: "the baseline's 99th percentile"
                case .double, .quadruple: "\(Figure.times(share.cut.factor ?? 1)) the usual"
                }
            let few = share.candidateOver < CellResult.Share.fewestOver ? ", too few to count" : ""
            let samples = Figure.count(result.candidate?.count ?? 0, "sample")
            return "\(share.candidateOver) of \(samples) are beyond \(cut), \(words.figure(share.bound)), against "
                + "\(share.baselineOver) of \(result.baseline?.count ?? 0): p = \(chance(share.p)), "
                + "\(share.p <= alpha ? "≤" : ">") α = \(chance(alpha))\(few). "
        }.joined()
    }

    private func chance(_ value: Double?) -> String { value.map(Figure.probability) ?? "–" }
}
