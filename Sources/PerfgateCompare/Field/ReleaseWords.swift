import PerfgateModel
import PerfgateStats

/// The result of a comparison of releases in words, with both names and the underlying numbers. It only uses the
/// finished result.
struct ReleaseWords {
    private let result: CellResult
    private let releases: ReleaseNumbers

    /// Takes a result; results of test runs have no words here.
    init(_ result: CellResult) {
        self.result = result
        releases =
            result.releases
            ?? ReleaseNumbers(base: .none, candidate: .none, days: 0, overlap: 0)
    }

    var sentence: String {
        guard let step = result.rule.last else { return "" }
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
            return "\(new) and \(old) share \(Figure.count(releases.days, "day")) of the "
                + "\(Figure.text(step.bound ?? 0)) that a comparison needs. \(exposure)"
        case .fewEvents:
            return "Too few events to judge it: they equal \(Figure.text((step.value ?? 0).rounded())) "
                + "independent ones; the least is \(Figure.text(step.bound ?? 0)). \(exposure)"
        case .noTolerance:
            return "It changed by \(change), and its tolerance is 0, so any change would count: give it a `min_change`."
        case .worse: return compared("worse by more than \(tolerance), and chance doesn't explain it")
        case .cannotTell: return compared("worse by more than \(tolerance), but with these events it may be chance")
        case .worseWithAll: return compared("worse by more than \(tolerance), but not relative to all other pages")
        case .better: return compared("better by more than \(tolerance), and chance doesn't explain it")
        case .noObjection where result.rule.contains { $0.found == .betterByChance }:
            return compared("better by more than \(tolerance), but chance explains it")
        default: return result.numbers == nil ? "It is 0 in both releases." : compared("within \(tolerance)")
        }
    }

    /// What a step checked and found.
    func text(of step: RuleStep) -> String {
        switch step.found {
        case .measured: "\(events(result.candidate?.count ?? 0)) of \(new)."
        case .noLimit: "There is no limit."
        case .withinLimit, .overLimit:
            "\(base.name) of all events of \(new), \(figure(step.value)), is compared with the limit of "
                + "\(figure(step.bound))\(result.limitOrigin.map { ", from \($0)" } ?? "")."
        case .comparable: exposure
        case .notWorse: "The change of \(change) is not worse by more than \(tolerance)."
        case .worse, .cannotTell, .better, .betterByChance:
            "The change of \(change) exceeds \(tolerance). \(shift)Assuming a change of half the tolerance, "
                + "p = \(chance(step.p)), \(isBelow(step) ? "<" : "≥") α = \(chance(step.alpha)), the smaller of "
                + "0.005 and 0.1 divided by \(Figure.count(result.numbers?.comparisons ?? 0, "comparison"))."
        case .worseWithAll: "The change of \(change) exceeds \(tolerance). \(shift)That is within the tolerance."
        case .notBetter: "The change of \(change) is not better by more than \(tolerance)."
        case .noObjection: "No step fails it."
        default: result.reason
        }
    }

    /// The data needed for a conclusive result, as a sentence; `nil` if a year of data wouldn't be enough.
    var needed: String? {
        releases.needed.map { needed in
            "At this traffic \(Figure.count(needed.days, "shared day")) with \(events(needed.events)) of \(new) suffice."
        }
    }
}

extension ReleaseWords {
    private var new: String { releases.candidate.release }
    private var old: String { releases.base.release }

    /// The metric and its quantile.
    private var base: (metric: String, name: String) {
        let parts = MetricQuantile.parts(of: result.metric.id)
        return (parts?.metric ?? result.metric.id, parts.map { "p\($0.percent)" } ?? "It")
    }

    private var isOfAllPages: Bool { result.page == ReleaseJudge.everyPage }

    private func compared(_ meaning: String) -> String {
        let subject = isOfAllPages ? "All pages together" : "It"
        let needed = result.verdict == .inconclusive ? needed.map { " \($0)" } : nil
        return "\(subject) changed by \(change) from \(old) to \(new), \(meaning): \(figures). "
            + "\(isOfAllPages ? "" : shift)\(exposure)\(needed ?? "")"
    }

    private var figures: String {
        guard let numbers = result.numbers else { return "not compared" }
        let interval = numbers.interval.map { "95 % interval \($0.map(signed).joined(separator: " to ")), " } ?? ""
        let worsening = result.worsening ?? 0
        let p = worsening < 0 ? numbers.pImprove : numbers.p
        return "\(interval)p \(chance(p)) against \(chance(numbers.alpha))"
    }

    /// The shift of all pages as a sentence with a trailing space; empty if it isn't beyond half the tolerance.
    private var shift: String {
        guard let all = releases.allPages else { return "" }
        let isWorse = result.metric.better == .lower ? all > 0 : all < 0
        let center = result.baseline?.center ?? 0
        let raw = center > 0 ? (result.candidate?.center ?? 0) / center : 1
        let own = isWorse ? "; relative to that it changed by \(Figure.percentage(raw / (1 + all) - 1))" : ""
        return "All pages changed by \(Figure.percentage(all))\(own). "
    }

    /// The use of both releases, as a sentence.
    private var exposure: String {
        guard releases.days > 0 else { return "No day has comparable events of both releases." }
        let (old, new) = (releases.base, releases.candidate)
        let assumed =
            new.isDesignEffectMeasured && old.isDesignEffectMeasured ? "" : " (assumed, without users)"
        return "\(events(new.events)) of \(new.release) against \(old.events) of \(old.release) on "
            + "\(Figure.count(releases.days, "shared day")), \(Figure.text((releases.overlap * 100).rounded())) % overlap, "
            + "design effect \(Figure.text(new.designEffect)) against \(Figure.text(old.designEffect))\(assumed)."
    }

    private var tolerance: String { "the tolerance of \(figure(result.tolerance))" }

    private var change: String {
        guard let delta = result.numbers?.delta else { return "nothing" }
        let change = Figure.withUnit(signed(delta), result.metric.unit.symbol)
        guard !isOfAllPages, let center = result.baseline?.center, center > 0 else { return change }
        return "\(change) (\(Figure.percentage(delta / center)))"
    }

    private func events(_ count: Int) -> String { Figure.count(count, "event") }
    private func signed(_ difference: Double) -> String { Figure.signed(difference, result.resolution) }
    private func chance(_ value: Double?) -> String { value.map(Figure.probability) ?? "–" }
    private func isBelow(_ step: RuleStep) -> Bool { (step.p ?? 1) < (step.alpha ?? 0) }
    private func figure(_ value: Double?) -> String { value.map { Figure.text($0, result.metric.unit.symbol) } ?? "–" }
}

extension ReleaseNumbers.Side {
    fileprivate static let none = Self(
        release: "", events: 0, effectiveEvents: 0, designEffect: 1, isDesignEffectMeasured: false)
}
