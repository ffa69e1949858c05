import PerfgateModel
import PerfgateStats

// The words of a comparison of two releases, with both names.
extension Words {
    func releaseSentence(_ step: RuleStep) -> String {
        switch step.found {
        case .noPage, .noMetric:
            if let events = step.value, events > 0 {
                let subject = step.found == .noPage ? "of the page" : "with \(base.metric)"
                return "\(Figure.count(Int(events), "event")) \(subject) came from \(new), and about "
                    + "\(Figure.text((step.bound ?? 0).rounded())) were expected."
            }
            return step.found == .noPage
                ? "\(new) has no events of the page, and it was expected."
                : "\(new) has events of the page, but none with \(base.metric), and it was expected."
        case .pageExcused: return "\(new) has no events of the page; a partial check excuses that."
        case .overLimit:
            let side = result.metric.better == .lower ? "above" : "below"
            return "\(base.name) of \(new), \(figure(step.value)), is \(side) the limit of \(figure(step.bound)) "
                + "(\(events(result.candidate?.count ?? 0)))."
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

    /// What a step checked and found.
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
            "At this traffic \(Figure.count(needed.days, "shared day")) with \(events(needed.events)) of \(new) suffice."
        }
    }

    private var new: String { result.releases?.candidate.release ?? "" }
    private var old: String { result.releases?.base.release ?? "" }

    /// The metric and its quantile.
    private var base: (metric: String, name: String) {
        let parts = MetricQuantile.parts(of: result.metric.id)
        return (parts?.metric ?? result.metric.id, parts.map { "p\($0.percent)" } ?? "It")
    }

    private func releaseChange(_ meaning: String) -> String {
        let isOfAllPages = result.subject == .allPages
        let needed = result.verdict == .inconclusive ? needed.map { " \($0)" } : nil
        return "\(isOfAllPages ? "All pages together" : "It") changed by \(change) from \(old) to \(new), \(meaning): "
            + "\(releaseFigures). \(isOfAllPages ? "" : shift)\(exposure)\(needed ?? "")"
    }

    private var releaseFigures: String {
        guard let numbers = result.numbers else { return "not compared" }
        let interval = numbers.interval.map { "95 % interval \($0.map(signed).joined(separator: " to ")), " } ?? ""
        let p = (result.worsening ?? 0) < 0 ? numbers.pImprove : numbers.p
        return "\(interval)p \(chance(p)) against \(chance(numbers.alpha))"
    }

    /// The shift of all pages as a sentence with a trailing space; empty if it isn't beyond half the tolerance.
    private var shift: String {
        guard let all = result.releases?.allPages else { return "" }
        let isWorse = result.metric.better == .lower ? all > 0 : all < 0
        let center = result.baseline?.center ?? 0
        let raw = center > 0 ? (result.candidate?.center ?? 0) / center : 1
        let own = isWorse ? "; relative to that it changed by \(Figure.percentage(raw / (1 + all) - 1))" : ""
        return "All pages changed by \(Figure.percentage(all))\(own). "
    }

    /// The use of both releases, as a sentence.
    private var exposure: String {
        guard let releases = result.releases, releases.days > 0 else {
            return "No day has comparable events of both releases."
        }
        let (old, new) = (releases.base, releases.candidate)
        let isMeasured = new.isDesignEffectMeasured && old.isDesignEffectMeasured
        return "\(events(new.events)) of \(new.release) against \(old.events) of \(old.release) on "
            + "\(Figure.count(releases.days, "shared day")), \(Figure.text((releases.overlap * 100).rounded())) % overlap, "
            + "design effect \(Figure.text(new.designEffect)) against \(Figure.text(old.designEffect))"
            + "\(isMeasured ? "" : " (assumed, without users)")."
    }

    private func events(_ count: Int) -> String { Figure.count(count, "event") }
}
