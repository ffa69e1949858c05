import PerfgateCompare
import PerfgateModel

/// A comparison's part of the HTML report: the sentence, the plot, the samples and the rule's numbers.
struct HTMLComparison {
    private let result: CellResult
    private let text: ComparisonText

    /// Makes the part of a comparison.
    init(_ result: CellResult) {
        self.result = result
        text = ComparisonText(result)
    }

    /// The names and their values.
    var context: TemplateContext {
        let title = MetricCatalog.definition(for: result.metric).title
        let sides =
            result.releases == nil
            ? [side("baseline", result.baseline), side("candidate", result.candidate)].compactMap(\.self) : []
        let rule: TemplateContext = ["steps": .list(steps), "numbers": .list(numbers)]
        return [
            "anchor": .markup(HTMLAnchor.metric(result.metric.id, of: result.place)), "metric": .text(result.metric.id),
            "meaning": .text(title == result.metric.id ? nil : title),
            "class": .markup(Self.styleClass(of: result)), "verdict": .text(text.verdict),
            "reason": .text(result.reason),
            "plot": .markup(
                SVGReleasePlot(result)?.markup ?? (result.releases == nil ? SVGStripPlot(result)?.markup : nil)),
            "samples": .list(sides.isEmpty ? [] : [["unit": .text(valuesTitle), "sides": .list(sides)]]),
            "releases": .list(releases.isEmpty ? [] : [["unit": .text(releasesTitle), "sides": .list(releases)]]),
            "rule": .list(numbers.isEmpty && steps.isEmpty ? [] : [rule]),
        ]
    }

    private var releasesTitle: String {
        let unit = result.metric.unit.symbol
        return unit.isEmpty ? "Weighted quantiles" : "Weighted quantiles in \(unit)"
    }

    /// Both releases with their events and quantiles; empty for test runs, and where nothing is shared.
    private var releases: [TemplateContext] {
        guard let releases = result.releases, releases.days > 0 else { return [] }
        let own = [(releases.base, result.baseline), (releases.candidate, result.candidate)]
        return own.map { release, side in
            let effect = Figure.text(release.designEffect) + (release.isDesignEffectMeasured ? "" : " (assumed)")
            func quantile(_ percent: Int) -> TemplateValue {
                let index = ReleaseNumbers.Side.percentages.firstIndex(of: percent) ?? 0
                return .text(index < release.quantiles.count ? Figure.text(release.quantiles[index]) : "–")
            }
            return [
                "release": .text(release.release), "events": .text(String(release.events)),
                "days": .text(side.map { days(of: $0) } ?? ""),
                "effective": .text(Figure.text(release.effectiveEvents.rounded())),
                "effect": .text(effect), "p50": quantile(50), "p75": quantile(75), "p90": quantile(90),
                "p99": quantile(99),
            ]
        }
    }

    private func days(of side: CellResult.Side) -> String {
        side.shares.map { "\($0.run): \($0.count)" }.joined(separator: ", ")
    }

    /// The row that stands for the part where there is no room for it.
    var row: TemplateContext {
        [
            "anchor": .markup(HTMLAnchor.metric(result.metric.id, of: result.place)), "metric": .text(result.metric.id),
            "class": .markup(Self.styleClass(of: result)), "verdict": .text(text.verdict),
            "values": .text(text.values), "change": .text(text.change),
        ]
    }

    /// The class that colours a verdict; its word says the same.
    static func styleClass(of result: CellResult) -> String {
        switch result.verdict {
        case .regressed, .overLimit, .missing: "worse"
        case .inconclusive, .noBaseline, .waived: "unsure"
        case .improved, .passed: "good"
        }
    }

    private var valuesTitle: String {
        let unit = result.metric.unit.symbol
        return unit.isEmpty ? "Samples" : "Samples in \(unit)"
    }

    private func side(_ name: String, _ side: CellResult.Side?) -> TemplateContext? {
        guard let side else { return nil }
        return [
            "side": .text(name), "count": .text(String(side.count)), "runs": .text(String(side.runs)),
            "center": .text(side.center.map(text.number) ?? "–"), "values": .text(values(side)),
        ]
    }

    private func values(_ side: CellResult.Side) -> String {
        side.samples?.map { Figure.text($0) }.joined(separator: ", ") ?? side.quantileText
    }

    private var steps: [TemplateContext] {
        ExplainedStep.all(of: result).map { ["title": .text($0.title), "text": .text($0.text)] }
    }

    private var numbers: [TemplateContext] {
        let rows = comparisonNumbers + boundNumbers
        return rows.map { ["name": .text($0), "value": .text($1)] }
    }

    private var comparisonNumbers: [(String, String)] {
        guard let numbers = result.numbers else { return [] }
        let chance = Figure.probability
        let difference = result.releases == nil ? "Difference of the centres" : "Difference of the quantiles"
        let change = [(difference, Figure.withUnit(text.change, result.metric.unit.symbol))]
        let chances = [
            ("Chance of this if worse by \(Figure.text(numbers.marginShare)) of the tolerance", chance(numbers.p)),
            ("The same towards better", chance(numbers.pImprove)),
            ("Chance of this without a change", chance(numbers.pZero)),
        ]
        let level = (
            "The chance below which a change counts",
            "\(chance(numbers.alpha)), for \(Figure.count(numbers.comparisons, "comparison"))"
        )
        if let releases = result.releases { return change + releaseNumbers(releases, numbers) + chances + [level] }
        let all = [
            numbers.commonShift.map { ("Shift of all times of the runs, taken out", Figure.percentage($0)) },
            numbers.decidedBy.map { ("Decided by", $0.rawValue) },
        ].compactMap(\.self)
        return change + [("Shift (Hodges–Lehmann)", text.shift ?? "–")] + all + chances
            + [("The least chance that these sizes can give", chance(numbers.pMin)), level]
    }

    private func releaseNumbers(
        _ releases: ReleaseNumbers, _ numbers: CellResult.Numbers
    ) -> [(String, String)] {
        func percent(_ share: Double) -> String { "\(Figure.text(share * 100)) %" }
        return [
            numbers.interval.map { ("95 % interval of the difference", $0.map(text.signed).joined(separator: " to ")) },
            ("Shared days and overlapping traffic", "\(releases.days), \(percent(releases.overlap))"),
            releases.daySpread.map { ("What days do to one release", "±\(percent($0))") },
            releases.allPages.map { ("Shift of all pages", Figure.percentage($0)) },
        ].compactMap(\.self)
    }

    private var boundNumbers: [(String, String)] {
        let limit = result.limitOrigin.map { "\(text.limit), from \($0)" } ?? text.limit
        return [
            result.tolerance.map { ("Tolerance", text.number($0)) },
            result.limit.map { _ in ("Limit", limit) },
            result.detail.map { ("Detail", "\(result.verdict.rawValue) (\($0.rawValue))") },
            result.counting == .exact ? nil : ("Frames counted", result.counting.rawValue),
        ].compactMap(\.self)
    }
}

/// What a page's part shows beside its comparisons: the frames of the worst iteration, and the slowest visit.
struct HTMLTrace {
    private let trace: PageTrace

    /// Makes the part of a trace.
    init(_ trace: PageTrace) {
        self.trace = trace
    }

    /// The frames; `nil` without any.
    var frames: TemplateContext? {
        guard let frames = trace.frames else { return nil }
        let plot = SVGFrameTimeline(frames)
        let rows = frames.scrolls.map(row)
        return [
            "origin": .text(origin(of: frames)), "plot": .markup(plot?.markup),
            "legend": .text(plot.map { $0.summary + Self.legend }),
            "scrolls": .list(rows.isEmpty ? [] : [["rows": .list(rows), "left": .text(left(of: frames))]]),
        ]
    }

    /// The visit; `nil` without phases.
    var visit: TemplateContext? {
        guard let visit = trace.visit, let plot = SVGPhases(visit) else { return nil }
        let duration = visit.durationMS.map { ", which lasted \(Figure.text($0 / 1_000, "s"))" } ?? ""
        let phases = visit.phases.map { phase -> TemplateContext in
            let title = MetricCatalog.definition(of: phase.metric)?.title
            return [
                "name": .text(title.map { "\(phase.metric), \($0)" } ?? phase.metric),
                "value": .text(Figure.text(phase.milliseconds, "ms")),
            ]
        }
        let place = Self.place(visit.run, visit.part, visit.iteration)
        return [
            "origin": .text("\(place)\(duration)."), "plot": .markup(plot.markup), "phases": .list(phases),
        ]
    }

    private static let legend =
        " A bar is the longest frame of its stretch of time, the dashed line the budget of a frame, a triangle a frame that"
        + " came late."

    private func origin(of frames: FrameTrace) -> String {
        let scrolls = Figure.count(frames.scrollCount, "scroll")
        return "\(Self.place(frames.run, frames.part, frames.iteration)), \(scrolls)."
    }

    private static func place(_ run: String, _ part: String?, _ iteration: Int) -> String {
        "Run \(CleanText.line(run, most: 120))\(part.map { ", \(CleanText.line($0, most: 120))" } ?? ""), "
            + "iteration \(iteration)"
    }

    private func left(of frames: FrameTrace) -> String? {
        let left = frames.scrollCount - frames.scrolls.count
        return left > 0 ? "\(left) milder scroll\(left == 1 ? " is" : "s are") left out." : nil
    }

    private func row(_ scroll: ScrollTrace) -> TemplateContext {
        let longest = scroll.timeline?.buckets.compactMap { $0?.longestMS }.max()
        return [
            "scroll": .text(String(scroll.number)),
            "duration": .text(scroll.durationMS.map { Figure.text($0 / 1_000, "s") } ?? "–"),
            "events": .text(String(scroll.dropEvents)), "worst": .text(String(scroll.worstDrop)),
            "frames": .text(String(scroll.droppedFrames)),
            "longest": .text(longest.map { Figure.text($0, "ms") } ?? "–"),
        ]
    }
}

/// The names by which places in the HTML report are linked: functions of what stands there, and of nothing else.
enum HTMLAnchor {
    /// The anchor of a page in an environment, such as `search-5d1c09a3b2f4`.
    static func page(_ place: PageInEnvironment) -> String {
        // No name holds the separator's byte, so that no two places spell the same.
        let parts = [place.page.name] + place.environment.fields.flatMap { [$0.name, $0.text] }
        return slug(place.page.name) + "-" + hash(parts)
    }

    /// The anchor of a metric of a page.
    static func metric(_ metric: String, of place: PageInEnvironment) -> String {
        let slug = slug(metric)
        return page(place) + "-" + (slug == metric ? slug : slug + "-" + hash([metric]))
    }

    /// Lower-case ASCII letters, digits, `_` and `-`, at most 40; `page` where nothing is left.
    private static func slug(_ name: String) -> String {
        let plain = name.unicodeScalars.prefix(40).map { scalar in
            let isPlain =
                scalar.isASCII && (scalar.properties.isAlphabetic || "0123456789_".unicodeScalars.contains(scalar))
            return isPlain ? Character(scalar).lowercased() : "-"
        }
        let words = plain.joined().split(separator: "-")
        return words.isEmpty ? "page" : words.joined(separator: "-")
    }

    /// 48 bits of FNV-1a (G. Fowler, L. C. Noll, K.-P. Vo) in hexadecimal digits.
    private static func hash(_ parts: [String]) -> String {
        let prime: UInt64 = 0x100_0000_01B3
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for part in parts {
            for byte in part.utf8 { hash = (hash ^ UInt64(byte)) &* prime }
            hash = (hash ^ 0xFF) &* prime
        }
        let digits = String(hash >> 16, radix: 16)
        return String(repeating: "0", count: 12 - digits.utf8.count) + digits
    }
}
