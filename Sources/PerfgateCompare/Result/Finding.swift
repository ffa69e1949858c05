import PerfgateModel

/// Comparisons in everyday words: a change, its consequences on the page, and the pages with the same change.
package struct Finding: Sendable, Hashable {
    package struct Part: Sendable, Hashable {
        /// The comparison that names the finding: dropped frames or initial load if the page has them, else the worst.
        package let result: CellResult
        /// The other comparisons of the page that changed with it, worst first.
        package let consequences: [CellResult]

        fileprivate init(_ results: [CellResult]) {
            let known = [Metric(.droppedFrames).id, Metric(.ttil).id]
            let first = results.firstIndex { known.contains(Finding.base(of: $0.metric)) } ?? 0
            result = results[first]
            consequences = results.indices.filter { $0 != first }.map { results[$0] }
        }
    }

    /// One part per page, worst first; not empty.
    package let parts: [Part]

    package var result: CellResult { parts[0].result }

    package var count: Int { parts.reduce(0) { $0 + 1 + $1.consequences.count } }

    /// Groups comparisons, ordered by the worst of each group. Those of one page and environment form a finding if they
    /// have the same outcome for its frames (drops, drop events, hitches, hangs), its initial load (`ttfl`, `ttil`),
    /// several quantiles of one metric, or all metrics that weren't measured or have no baseline. Pages share a finding
    /// if the same metric has the same verdict and the relative changes differ by less than half.
    package static func all(of results: some Collection<CellResult>) -> [Finding] {
        joined(results.grouped(by: Topic.init).map(Part.init))
    }

    private static func joined(_ parts: [Part]) -> [Finding] {
        let alike = Dictionary(grouping: parts.indices) { Change(parts[$0]) }
        var taken: Set<Int> = []
        return parts.indices.compactMap { first in
            guard taken.insert(first).inserted else { return nil }
            let others = (alike[Change(parts[first])] ?? []).filter {
                !taken.contains($0) && isAlike(parts[first].result, parts[$0].result)
            }
            taken.formUnion(others)
            return Finding(parts: [parts[first]] + others.map { parts[$0] })
        }
    }

    /// Whether changes are about equal: times as ratios, counts and rates as differences, because most start at 0.
    private static func isAlike(_ one: CellResult, _ other: CellResult) -> Bool {
        guard one.subject.page != nil, other.subject.page != nil else { return false }
        guard !isAbsent(one) else { return true }
        guard let first = amount(of: one), let second = amount(of: other) else { return false }
        let (small, great) = (min(abs(first), abs(second)), max(abs(first), abs(second)))
        return first.sign == second.sign && small >= great / 1.5
    }

    private static func amount(of result: CellResult) -> Double? {
        result.metric.isTime ? result.relativeChange : result.numbers?.delta ?? result.judgedValue
    }

    private struct Topic: Hashable {
        let place: PageInEnvironment, verdict: Verdict, detail: VerdictDetail?, thing: String

        init(_ result: CellResult) {
            place = result.place
            // A change and a broken limit belong to the same finding.
            verdict = result.verdict == .overLimit ? .regressed : result.verdict
            detail = Finding.reason(of: result)
            thing = Finding.isAbsent(result) ? "" : Self.thing(of: result.metric)
        }

        private static func thing(of metric: Metric) -> String {
            let id = Finding.base(of: metric)
            let isAboutFrames = MetricCatalog.definition(of: id)?.isAboutFrames ?? false
            if isAboutFrames || id == Metric.mainThreadHang.id { return "frames" }
            return id == Metric(.ttfl).id || id == Metric(.ttil).id ? "load" : id
        }
    }

    private struct Change: Hashable {
        let environment: Environment, verdict: Verdict, detail: VerdictDetail?, metric: String

        init(_ part: Part) {
            environment = part.result.environment
            verdict = part.result.verdict
            detail = Finding.reason(of: part.result)
            let isLost = detail != .noMetric && verdict == .missing
            let isOfPage = Finding.isAbsent(part.result) && (isLost || !part.consequences.isEmpty)
            metric = isOfPage ? "" : part.result.metric.id
        }
    }

    /// Why something is absent or inconclusive: comparisons with different reasons are different findings.
    private static func reason(of result: CellResult) -> VerdictDetail? {
        isAbsent(result) || result.verdict == .inconclusive ? result.detail : nil
    }

    private static func isAbsent(_ result: CellResult) -> Bool {
        result.verdict == .missing || result.verdict == .noBaseline
    }

    private static func base(of metric: Metric) -> String { MetricQuantile.parts(of: metric.id)?.metric ?? metric.id }
}

extension Finding {
    /// `Search: time to initial load 43 % longer (568 → 810 ms)`: no full stop, names of the log cut at 60 characters.
    package var title: String {
        let pages = pageNames
        if result.subject == .allPages, result.numbers != nil { return titleOfAllPages }
        switch result.verdict {
        case .missing: return missing(pages)
        case .noBaseline where result.detail == .otherFormula:
            return "\(pages): the baseline has another formula or counting"
        case .noBaseline: return "\(pages): no baseline for \(metrics)"
        case .overLimit: return overLimit(pages)
        case .inconclusive: return "\(pages): \(doubtful(change)), \(doubt)"
        case .waived where result.baseline?.center == nil:
            return "\(pages): \(metricName)\(judged.map { " of \($0)" } ?? "")"
        case .regressed where result.detail == .drifted:
            return "\(pages): \(metricName) drifted in steps that each passed"
        case .regressed where inRuns != nil: return "\(pages): \(metricName) \(inRuns ?? "")"
        case .regressed where isOfDrops: return "\(pages) \(drops) at one instant\(before)"
        case .regressed where slowShare != nil: return "\(pages): \(slowShare ?? "")"
        case .regressed, .improved, .passed, .waived: return "\(pages): \(metricName) \(change)"
        }
    }

    /// The finding and the metric's identifier: `Search: time to initial load 43 % longer (568 → 810 ms) [ttil]`.
    package var titleWithIdentifier: String {
        !isLost && (!Self.isAbsent(result) || count == parts.count) ? title + identifier : title
    }

    /// The page and the metric: `Search: time to initial load [ttil]`; the title if there is no amount to say.
    package var subject: String { hasAmount ? "\(pageNames): \(metricName)\(identifier)" : titleWithIdentifier }

    package var hasAmount: Bool {
        result.subject.page != nil && result.candidate?.center != nil && !isLost
            && (result.numbers != nil || result.isOverLimit || result.releases != nil && result.baseline?.center != nil)
    }

    private var identifier: String { metricName == result.metric.id ? "" : " [\(Self.clipped(result.metric.id))]" }

    /// The finding without the values behind a percentage, for short lines: `Search: time to initial load 43 % longer`.
    package var shortTitle: String {
        switch result.verdict {
        case .inconclusive where result.subject != .allPages: "\(pageNames): \(doubtful(amount ?? change))"
        case .regressed
        where !isOfDrops && slowShare == nil && inRuns == nil && result.detail != .drifted
            && result.subject != .allPages:
            "\(pageNames): \(metricName) \(amount.map { parts.count > 1 ? "up to \($0)" : $0 } ?? change)"
        default: title
        }
    }

    /// Whether pages as a whole weren't measured, so their metrics say nothing more.
    package var isLost: Bool { result.verdict == .missing && result.detail != .noMetric }

    package var metricName: String { result.metricName }
    package var results: [CellResult] { parts.flatMap { [$0.result] + $0.consequences } }
    package var byPage: [Finding] { parts.map { Finding(parts: [$0]) } }

    private func doubtful(_ change: String) -> String { slowShare ?? "\(metricName) \(inRuns ?? multiple ?? change)" }

    private var titleOfAllPages: String {
        if let inRuns { return "All pages: \(inRuns)" }
        let subject = result.isOfAllPages ? "All pages are \(amount ?? "worse")" : "All pages: \(metricName) \(change)"
        return result.verdict == .inconclusive ? "\(subject), \(doubt)" : subject
    }

    private func missing(_ pages: String) -> String {
        switch result.detail {
        case .noEnvironment: "\(result.environment) was not measured"
        case .crashed: "Head's runs failed more than base's"
        case .notLoaded: "\(pages): no visit loaded the page"
        case .slowDisplay: "\(pages): the display showed far fewer frames per second than usual"
        case .unfinished: "\(pages): no scroll or visit ended"
        case .framesStopped: "\(pages): frames were recorded for too small a part of the scrolls"
        case .tooFew: "\(pages): too little was measured"
        case .noMetric: "\(pages): \(metrics) not measured"
        default: parts.count == 1 ? "\(pages) was not measured" : "\(pages) were not measured"
        }
    }

    private func overLimit(_ pages: String) -> String {
        let isSame = Set(parts.map(\.result.limit?.value)).count == 1
        let value = isSame ? result.limit.map { text($0.value) } : nil
        let limit = value.map { ", the limit is \($0)" } ?? ""
        if isOfDrops { return "\(pages) \(drops) at one instant\(limit)" }
        guard parts.count == 1, let judged
        else { return "\(pages): \(metricName) beyond the limit\(value.map { " of \($0)" } ?? "")" }
        return "\(pages): \(metricName) \(judged)\(limit)"
    }

    /// The metrics of the page with the most metrics: `time to initial load and 2 more metrics`.
    private var metrics: String {
        let more = parts.map(\.consequences.count).max() ?? 0
        return more == 0 ? metricName : "\(metricName) and \(Figure.count(more, "more metric"))"
    }

    /// `worse in 2 of 4 runs`, if the runs by themselves decided, and not their common numbers.
    package var inRuns: String? {
        guard parts.allSatisfy(\.result.facts.isInRuns), let step = result.rule.last, let own = step.value,
            let all = step.bound
        else { return nil }
        let others = CellResult.Facts.isEnough(own, of: all) ? "" : ", other metrics in others"
        return "worse in \(parts.count > 1 ? "up to " : "")\(Figure.text(own)) of \(Figure.text(all)) runs\(others)"
    }

    private var isOfDrops: Bool { result.metric.id == Metric(.droppedFrames).id }

    /// `drops 3 frames`; for several pages `drop up to 3 frames`.
    private var drops: String {
        let most = parts.compactMap(\.result.judgedValue).max().map(text) ?? "frames"
        return parts.count == 1 ? "drops \(most)" : "drop up to \(most)"
    }

    private var before: String {
        parts.count == 1 ? result.baseline?.center.map { ", \(Figure.text($0)) before" } ?? "" : ""
    }

    /// `2 of 5 loads took more than 4 times the usual time to initial load (395 ms)`; `nil` if another test decided.
    package var slowShare: String? {
        let shares = parts.compactMap(\.result.slowShare)
        let most = zip(shares, parts).max { $0.0.candidateOver < $1.0.candidateOver }
        guard shares.count == parts.count, let most else { return nil }
        let samples = Figure.count(most.1.result.candidate?.count ?? 0, result.metric.sampleNoun)
        let count = "\(most.0.candidateOver) of \(samples)"
        let factor = shares.contains { $0.cut.factor == nil } ? nil : shares.compactMap(\.cut.factor).min()
        let slow = factor.map { factor in
            let usual = parts.count == 1 ? " (\(text(shares[0].bound / factor)))" : ""
            return "\(Figure.times(factor)) the usual \(metricName)\(usual)"
        }
        let bound = "\(text(most.0.bound)) of \(metricName)\(before)"
        return "\(parts.count == 1 ? "" : "up to ")\(count) took more than \(slow ?? bound)"
    }

    /// `about 3 × as long in 4 of 5 loads`, so doubt says how much there is to doubt; `nil` without such samples.
    package var multiple: String? {
        let usual = result.baseline?.center ?? 0
        guard parts.count == 1, result.metric.isTime, result.releases == nil, usual > 0,
            usual >= result.toleranceTerms?.minChange ?? 0, let samples = result.candidate?.samples
        else { return nil }
        let slow = samples.filter { $0 >= Self.slowFactor * usual }
        guard let factor = slow.median.map({ $0 / usual }), factor < 1e6 else { return nil }
        let times = Figure.text(factor < 3 ? (factor * 10).rounded() / 10 : factor.rounded())
        let count = "\(slow.count) of \(Figure.count(samples.count, result.metric.sampleNoun))"
        return "about \(times) × as long\(samples.count > 1 ? " in \(count)" : "")"
    }

    /// The multiple of the usual time from which a sample is far beyond it.
    private static let slowFactor = 1.5

    /// Why it is inconclusive: the change may be chance, or there isn't enough data.
    package var doubt: String {
        switch result.detail {
        case .unitSlip: return "possibly a wrong unit"
        case .noTolerance: return "with a tolerance of 0"
        default:
            if let open = Words(result).open { return open }
            if [.told, .doubled].contains(result.rule.last?.found) { return "too few measurements to fail" }
            let isChange = (result.worsening.map(abs) ?? 0) > (result.tolerance ?? 0)
            return isChange ? "which may be chance" : "too few measurements to tell"
        }
    }

    /// `Search`, `Search and Home`, or `Search, Home and 4 more pages`.
    package var pageNames: String { Self.names(of: parts.map(\.result.page)) }

    package static func names(of pages: [Page]) -> String {
        if pages.count > 1, pages.contains(CellResult.Subject.everyPage) { return "all pages" }
        let names = pages.prefix(2).map { clipped($0.name) }
        guard pages.count > 2 else { return names.joined(separator: " and ") }
        return names.joined(separator: ", ") + " and \(Figure.count(pages.count - 2, "more page"))"
    }

    private var change: String {
        if parts.count > 1, let amount { return "up to \(amount)" }
        let place = parts.count > 1 ? " on \(Self.clipped(result.page.name))" : ""
        guard let old = result.baseline?.center, let new = result.candidate?.center else { return "changed" }
        let values = "\(Figure.text(old)) → \(text(new))"
        return amount.map { "\($0) (\(values))" } ?? "went \(values)\(place)"
    }

    /// `43 % longer`, the largest of the pages; `nil` if a baseline is 0, and from threefold on: the values say more.
    private var amount: String? {
        let shares = parts.compactMap(\.result.relativeChange)
        guard shares.count == parts.count, let share = shares.max(by: { abs($0) < abs($1) }), share < 2
        else { return nil }
        // From a tenth on, decimals don't help the reader.
        let rounded = abs(share) < 0.1 ? abs(share) : (abs(share) * 100).rounded() / 100
        let percent = Figure.percentage(rounded).drop { $0 == "+" }
        return "\(percent) \(Self.direction(of: result, isMore: share > 0))"
    }

    private static func direction(of result: CellResult, isMore: Bool) -> String {
        if result.isOfAllPages { return isMore ? "slower" : "faster" }
        if result.metric.isTime { return isMore ? "longer" : "shorter" }
        return isMore ? "higher" : "lower"
    }

    private var judged: String? { result.judgedValue.map(text) }

    private func text(_ value: Double) -> String { Figure.text(value, result.metric.unit.symbol) }

    private static func clipped(_ name: String) -> String { name.count > 60 ? name.prefix(60) + "…" : name }
}

extension CellResult.Facts {
    fileprivate var slowShare: CellResult.Share? {
        guard numbers?.decidedBy == .share else { return nil }
        // Of cuts with equal probabilities, the larger one says more.
        return numbers?.shares.filter { CellResult.Share.Cut.slow.contains($0.cut) }.reversed().min { $0.p < $1.p }
    }

    /// The metric in words: `time to initial load`; its identifier if unknown.
    package var metricName: String { isOfAllPages ? "times of all pages" : MetricCatalog.definition(for: metric).title }

    package var metricNameWithIdentifier: String {
        isOfAllPages ? "\(metricName) [\(metric.id)]" : MetricCatalog.name(of: metric.id)
    }
}
