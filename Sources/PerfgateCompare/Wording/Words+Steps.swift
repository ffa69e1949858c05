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
            "Skipped: there are enough samples for the next step. Their smallest possible p is \(chance(step.p)), and p "
                + "must be at most \(chance(step.alpha))."
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
        case .undecided: "\(theChange) isn't decided. \(tested(step))"
        case .notBetter: "\(theChange) is not better by more than the tolerance."
        case .better, .betterByChance: "\(theChange) is better by more than the tolerance. \(tested(step))"
        case .noObjection: "No step fails it."
        default: reason
        }
    }

    /// The measure of the centre: `mean` or `median`, for releases the quantile.
    var centre: String {
        let quantile = result.releases.flatMap { _ in MetricQuantile.parts(of: result.metric.id) }
        return quantile?.name ?? result.metric.centre.rawValue
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
        let sentence = "\(theChange) is worse by more than the tolerance. \(tested(step))"
        guard result.numbers?.sequence == nil else { return sentence }
        return "\(sentence) \(shares)Without any change, p₀ is \(chance(result.numbers?.pZero))."
    }

    private func tested(_ step: RuleStep) -> String {
        guard let p = step.p, let alpha = step.alpha else { return "" }
        if let sequence = result.numbers?.sequence {
            return "Pairs in turn, looked at one by one: \(evidence(sequence)), for "
                + "\(Figure.count(result.numbers?.comparisons ?? 0, "comparison"))."
        }
        let shifted = result.numbers?.commonShift.map {
            "All times of its runs shifted by \(Figure.percentage($0)); this shift is subtracted. "
        }
        let test =
            result.numbers?.decidedBy == .noise
            ? "Noise test, assuming no change" : "Rank test, assuming a change of \(allowance)"
        return
            "\(shifted ?? "")\(test): p = \(chance(p)), \(p <= alpha ? "≤" : ">") α = \(chance(alpha)). \(self.alpha)"
    }

    private var alpha: String {
        guard let numbers = result.numbers else { return "" }
        let least = "the smaller of 0.005 and 0.1 divided by \(Figure.count(numbers.comparisons, "comparison"))"
        let part = numbers.shareAlpha == nil ? ("", "") : ("0.8 of ", "; each test of slow samples has 0.1 of it")
        return "α, the most that p may be, is \(part.0)\(least)\(part.1)."
    }

    private var allowance: String {
        guard let numbers = result.numbers, let tolerance = result.tolerance else { return "the tolerance" }
        if numbers.marginShare == 0.5 { return "half the tolerance" }
        if numbers.marginShare == 1 { return "the tolerance" }
        return "\(figure(numbers.marginShare * tolerance)) (runs may differ by that)"
    }

    private var shares: String {
        (result.numbers?.shares ?? []).map { share in
            let alpha = result.numbers?.shareAlpha ?? 0
            let cut =
                switch share.cut {
                case .limit: "the limit"
                case .percentile: "the baseline's 99th percentile"
                case .double, .quadruple: "\(Figure.times(share.cut.factor ?? 1)) the usual"
                case .minChange: "the usual and five times the smallest change that matters"
                }
            let few = share.candidateOver < CellResult.Share.fewestOver ? ", too few to count" : ""
            return
                "\(share.candidateOver) of \(Figure.count(result.candidate?.count ?? 0, "sample")) are beyond \(cut), "
                + "\(figure(share.bound)), against \(share.baselineOver) of \(result.baseline?.count ?? 0): "
                + "p = \(chance(share.p)), \(share.p <= alpha ? "≤" : ">") α = \(chance(alpha))\(few). "
        }.joined()
    }
}

// The words of a comparison of two releases, with both names.
extension Words {
    func releaseSentence(_ step: RuleStep) -> String {
        switch step.found {
        case .noPage, .noMetric:
            if let count = step.value, count > 0 {
                let subject = step.found == .noPage ? "of the page" : "with \(base.metric)"
                return "\(events(Int(exactly: count.rounded()) ?? .max)) \(subject) came from \(new), and about "
                    + "\(Figure.text((step.bound ?? 0).rounded())) were expected."
            }
            let lack =
                step.found == .noPage ? "no events of the page" : "events of the page, but none with \(base.metric)"
            return "\(new) has \(lack), and it was expected."
        case .pageExcused: return "\(new) has no events of the page; a partial check excuses that."
        case .overLimit:
            return "\(base.name) of \(new), \(figure(step.value)), is \(result.metric.better.worseSide) the limit of "
                + "\(figure(step.bound)) (\(events(result.candidate?.count ?? 0)))."
        case .limitOnly: return "\(base.name) of \(new) is within the limit of \(figure(result.limit?.value))."
        case .noBaseline: return "\(old) has no events of it to compare \(new) with."
        case .fewDays:
            return "\(new) and \(old) share \(Figure.count(result.releases?.days ?? 0, "day")) of the "
                + "\(Figure.text(step.bound ?? 0)) that a comparison needs. \(exposure)"
        case .fewEvents:
            return "Too few events to judge it: they equal \(Figure.text((step.value ?? 0).rounded())) "
                + "independent ones; the least is \(Figure.text(step.bound ?? 0)). \(exposure)"
        case .noTolerance: return noTolerance
        case .worse: return releaseChange("worse by more than \(tolerance), and chance doesn't explain it")
        case .cannotTell:
            return releaseChange("worse by more than \(tolerance), but with these events it may be chance")
        case .worseWithAll: return releaseChange("worse by more than \(tolerance), but not relative to all other pages")
        case .better: return releaseChange("better by more than \(tolerance), and chance doesn't explain it")
        case .noObjection where result.rule.contains { $0.found == .betterByChance }:
            return releaseChange("better by more than \(tolerance), but chance explains it")
        default: return result.numbers == nil ? "It is 0 in both releases." : releaseChange("within \(tolerance)")
        }
    }

    func releaseText(of step: RuleStep) -> String {
        switch step.found {
        case .measured: "\(events(result.candidate?.count ?? 0)) of \(new)."
        case .noLimit: "There is no limit."
        case .withinLimit, .overLimit:
            "\(base.name) of all events of \(new), \(figure(step.value)), is compared with the limit of "
                + "\(figure(step.bound))\(result.limitOrigin.map { ", from \($0)" } ?? "")."
        case .comparable: exposure
        case .notWorse, .notBetter:
            "The change of \(change) is not \(step.found == .notWorse ? "worse" : "better") by more than \(tolerance)."
        case .worse, .cannotTell, .better, .betterByChance:
            "The change of \(change) exceeds \(tolerance). \(shift)Assuming a change of half the tolerance, "
                + "p = \(chance(step.p)), \((step.p ?? 1) < (step.alpha ?? 0) ? "<" : "≥") α = \(chance(step.alpha)), the "
                + "smaller of 0.005 and 0.1 divided by \(Figure.count(result.numbers?.comparisons ?? 0, "comparison"))."
        case .worseWithAll: "The change of \(change) exceeds \(tolerance). \(shift)That is within the tolerance."
        case .noObjection: "No step fails it."
        default: reason
        }
    }

    /// The data needed for a conclusive result, as a sentence; `nil` if a year of data wouldn't be enough.
    var needed: String? {
        result.releases?.needed.map { needed in
            "At this traffic \(Figure.count(needed.days, "such day")) with \(events(needed.events)) of \(new) suffice."
        }
    }

    private var new: String { result.releases?.candidate.release ?? "" }
    private var old: String { result.releases?.base.release ?? "" }

    private var base: (metric: String, name: String) {
        let parts = MetricQuantile.parts(of: result.metric.id)
        return (parts?.metric ?? result.metric.id, parts?.name ?? "It")
    }

    private func releaseChange(_ meaning: String) -> String {
        let isOfAllPages = result.subject == .allPages
        // For releases that overlap a few days, a distant day is no advice.
        let isNear = result.releases.map { ($0.needed?.days ?? .max) <= 2 * $0.days } ?? false
        let needed = result.verdict == .inconclusive && isNear ? needed.map { " \($0)" } : nil
        return "\(isOfAllPages ? "All pages together" : "It") changed by \(change) from \(old) to \(new), \(meaning): "
            + "\(releaseFigures). \(isOfAllPages ? "" : shift)\(exposure)\(needed ?? "")"
    }

    private var releaseFigures: String {
        guard let numbers = result.numbers else { return "not compared" }
        let interval = numbers.interval.map { "95 % interval \($0.map(signed).joined(separator: " to ")), " } ?? ""
        let p = (result.worsening ?? 0) < 0 ? numbers.pImprove : numbers.p
        return "\(interval)p \(chance(p)) against \(chance(numbers.alpha))"
    }

    /// Ends with a space; empty if the shift isn't beyond half the tolerance.
    private var shift: String {
        guard let all = result.releases?.allPages else { return "" }
        let isWorse = result.metric.better == .lower ? all > 0 : all < 0
        let center = result.baseline?.center ?? 0
        let raw = center > 0 ? (result.candidate?.center ?? 0) / center : 1
        let own = isWorse ? "; relative to that it changed by \(Figure.percentage(raw / (1 + all) - 1))" : ""
        return "All pages changed by \(Figure.percentage(all))\(own). "
    }

    private var exposure: String {
        guard let releases = result.releases, releases.days > 0
        else { return "No day has comparable events of both releases." }
        let (old, new) = (releases.base, releases.candidate)
        let isMeasured = new.isDesignEffectMeasured && old.isDesignEffectMeasured
        let overlap = Figure.text((releases.overlap * 100).rounded())
        return "\(events(new.events)) of \(new.release) against \(old.events) of \(old.release), on "
            + "\(Figure.count(releases.days, "day")) with events of both, \(overlap) % overlap, "
            + "design effect \(Figure.text(new.designEffect)) against \(Figure.text(old.designEffect))"
            + "\(isMeasured ? "" : " (assumed, without users)")."
    }

    private func events(_ count: Int) -> String { Figure.count(count, "event") }
}

extension Words {
    func figure(_ value: Double?) -> String { value.map { Figure.text($0, result.metric.unit.symbol) } ?? "–" }

    func signed(_ difference: Double) -> String { Figure.signed(difference, result.resolution) }

    func chance(_ value: Double?) -> String { value.map(Figure.probability) ?? "–" }

    /// A side's samples and runs: `10 samples of 1 run`.
    func count(_ side: CellResult.Side?) -> String {
        "\(Figure.count(side?.count ?? 0, "sample")) of \(Figure.count(side?.runs ?? 0, "run"))"
    }

    var tolerance: String { "the tolerance of \(figure(result.tolerance))" }

    /// Δ with its percentage: `+266.1 ms (+52.2 %)`.
    var change: String {
        guard let delta = result.numbers?.delta else { return "nothing" }
        let change = Figure.withUnit(signed(delta), result.metric.unit.symbol)
        guard result.subject != .allPages, let share = result.facts.readableShare(of: delta) else { return change }
        return "\(change) (\(Figure.percentage(share)))"
    }
}
