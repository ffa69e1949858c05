import PerfgateModel
import PerfgateStats

// What each step of the rule checked and found.
extension Words {
    /// A step in words; the comparison's sentence, if that says everything.
    func text(of step: RuleStep) -> String {
        if result.releases != nil { return releaseText(of: step) }
        if result.isOfAllPages, step.found != .comparable { return reason }
        return switch step.found {
        case .measured: "\(count(result.candidate)) were measured."
        case .worseWithAll:
            "\(theChange) exceeds the tolerance; relative to the other times of its runs, \(figure(step.value)) doesn't."
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
                + "\(figure(step.value)), is beyond \(figure(step.bound)), the larger of twice the baseline's \(centre) and "
                + "the tolerance."
        case .notWorse: "\(theChange) is not worse by more than the tolerance."
        case .worse, .suspect, .notConfirmed, .cannotTell, .told, .withinNoise, .worseByChance:
            result.numbers?.decidedBy == .share && result.metric.isTime
                ? "\(reason) \(shares)\(alpha)" : tested(change: step)
        case .notBetter: "\(theChange) is not better by more than the tolerance."
        case .better, .betterByChance: "\(theChange) is better by more than the tolerance. \(tested(step))"
        case .noObjection: "No step fails it."
        default: reason
        }
    }

    /// The measure of the centre: `mean` or `median`, for releases the quantile.
    var centre: String {
        let quantile = result.releases.flatMap { _ in MetricQuantile.parts(of: result.metric.id) }
        return quantile.map { "p\($0.percent)" } ?? result.metric.centre.rawValue
    }

    private var theChange: String { result.numbers == nil ? "The change" : "The change of \(change)" }

    private func limit(_ step: RuleStep) -> String {
        guard let value = step.value, let bound = step.bound else { return "There is a limit." }
        let origin = result.limitOrigin.map { ", from \($0)" } ?? ""
        let side = value < bound ? "below" : value > bound ? "above" : "at"
        let distance = value == bound ? "" : "\(figure(abs(value - bound))) "
        let run = step.run.map { " of run \($0)" } ?? ""
        return "The \(step.subject?.words ?? "value")\(run), \(duration(value)), is \(distance)\(side) the limit of "
            + "\(figure(bound))\(origin)."
    }

    private var comparable: String {
        let counting = result.counting == .exact ? "" : ", frames counted as \(result.counting.rawValue)"
        let pairs = result.numbers?.pairs ?? 0
        let turns = pairs > 0 ? ", in \(Figure.count(pairs, "pair")) measured in turn" : ""
        return "\(count(result.baseline)) to compare with\(turns), formula \(result.formula)\(counting). "
            + toleranceTerms
    }

    /// m and its source, as a sentence.
    private var toleranceTerms: String {
        guard let tolerance = result.tolerance else { return "" }
        guard let terms = result.toleranceTerms else { return "The tolerance is \(figure(tolerance))." }
        let share = "\(Figure.text(terms.relative * 100)) % of the baseline's median (\(terms.relativeOrigin))"
        return "The tolerance is \(figure(tolerance)), the larger of \(share) and \(figure(terms.minChange)) "
            + "(\(terms.minChangeOrigin))."
    }

    private func gap(_ step: RuleStep) -> String {
        guard let gap = step.value, let bound = step.bound else { return "" }
        return "The best sample is \(gap > 0 ? "\(figure(gap)) beyond" : "not beyond") the baseline's worst; a gross "
            + "regression is more than \(figure(bound)) beyond it."
    }

    private func tested(change step: RuleStep) -> String {
        "\(theChange) is worse by more than the tolerance. \(tested(step)) \(shares)Without any change, p₀ is "
            + "\(chance(result.numbers?.pZero))."
    }

    private func tested(_ step: RuleStep) -> String {
        guard let p = step.p, let alpha = step.alpha else { return "" }
        let shifted = result.numbers?.commonShift.map {
            "All times of its runs shifted by \(Figure.percentage($0)); this shift is subtracted. "
        }
        let test =
            result.numbers?.decidedBy == .noise
            ? "Noise test, assuming no change" : "Rank test, assuming a change of \(allowance)"
        return
            "\(shifted ?? "")\(test): p = \(chance(p)), \(p <= alpha ? "≤" : ">") α = \(chance(alpha)). \(self.alpha)"
    }

    /// α and its source, as a sentence.
    private var alpha: String {
        guard let numbers = result.numbers else { return "" }
        let share = numbers.shareAlpha == nil ? "" : ".8, and .1 for each share, of "
        return "α is \(share)the smaller of 0.005 and 0.1 divided by "
            + "\(Figure.count(numbers.comparisons, "comparison"))."
    }

    /// The change that the test assumes.
    private var allowance: String {
        guard let numbers = result.numbers, let tolerance = result.tolerance else { return "the tolerance" }
        if numbers.marginShare == 0.5 { return "half the tolerance" }
        if numbers.marginShare == 1 { return "the tolerance" }
        return "\(figure(numbers.marginShare * tolerance)) (runs may differ by that)"
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
            return
                "\(share.candidateOver) of \(Figure.count(result.candidate?.count ?? 0, "sample")) are beyond \(cut), "
                + "\(figure(share.bound)), against \(share.baselineOver) of \(result.baseline?.count ?? 0): "
                + "p = \(chance(share.p)), \(share.p <= alpha ? "≤" : ">") α = \(chance(alpha))\(few). "
        }.joined()
    }
}
