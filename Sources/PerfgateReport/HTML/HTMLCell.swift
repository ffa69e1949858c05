import PerfgateCompare
import PerfgateModel

/// A comparison in the HTML report: its row, and for a notable one details with sentence, plot, samples and rule.
struct HTMLCell {
    private let result: CellResult
    private let text: ComparisonText
    private let hasHistory, isDrawn: Bool
    private let runs: RunFacts

    /// - Parameter isDrawn: Whether its plot stands elsewhere on the page.
    init(_ result: CellResult, hasHistory: Bool = true, isDrawn: Bool = false, runs: RunFacts = [:]) {
        (self.result, self.hasHistory, self.isDrawn, self.runs) = (result, hasHistory, isDrawn, runs)
        text = ComparisonText(result)
    }

    /// The comparison's row, without details; `metric` is the number of its filter class.
    func row(metric: Int?) -> HTMLRow {
        let limit: Markup? = result.limit.map { _ in "<span class=\"limit\">limit \(text.judgedLimit)</span>" }
        return HTMLRow(
            style: style(metric), anchor: anchor,
            row: """
                \(Self.verdict(of: result)) <span class="metric">\(result.metricName)\(result.identifier)</span> \
                <span class="number">\(text.values)</span> <span class="number">\(text.share)</span> \(limit)\(history)
                """,
            isOpen: result.isRemarkable && result.verdict != .noBaseline)
    }

    /// The row of a table for a comparison that passed or isn't gated, with an anchor if a finding links to it. HTML
    /// allows omitting the end tags.
    func tableRow(metric: Int?, isLinked: Bool) -> Markup {
        let verdict: Markup = " \(Self.verdict(of: result))"
        return """
            <tr class="\(style(metric))"\(isLinked ? " id=\"\(anchor)\"" : Markup())><th>\(result.metricName)\(result.identifier)\
            \(result.verdict == .passed ? nil : verdict)<td>\(text.values)\
            <td>\(text.share)<td>\(result.limit == nil ? "" : text.judgedLimit)<td>\(history)

            """
    }

    static let columns = ["Metric", "Baseline → candidate", "Change", "Limit", "History"]

    private var anchor: Markup { Markup(trusted: result.htmlAnchor) }

    private func style(_ metric: Int?) -> Markup {
        "cell \(Self.outcome(of: result).style)\(metric.map { " m\($0)" as Markup })"
    }

    private var history: Markup? { (hasHistory ? MedianHistory(result) : nil).map { SVGSparkline($0).markup } }

    var body: Markup { "<p>\(result.reason)</p>\n\(calls)\(isDrawn ? Markup() : plot)\(samples)\(releases)\(rule)" }

    /// Which function takes longer, with the tree of calls.
    private var calls: Markup? { result.why.map { "<p>\($0.lead)</p>\n\(CallPicture($0)?.markup)" } }

    var plot: Markup {
        let releases = SVGReleasePlot(result).map { ($0.markup, $0.legend) }
        let runs = result.releases == nil ? SVGRunPlot(result, runs: runs).map { ($0.markup, $0.legend) } : nil
        guard let (plot, legend) = releases ?? runs else { return Markup() }
        return "<figure>\(plot)<figcaption>\(legend)</figcaption></figure>\n"
    }

    private var samples: Markup {
        guard result.releases == nil else { return Markup() }
        let sides = [("baseline", result.baseline), ("candidate", result.candidate)].compactMap {
            name, side -> Markup? in
            guard let side else { return nil }
            let values = side.samples?.map { Figure.text($0) }.joined(separator: ", ") ?? side.quantileText
            let numbers = [String(side.count), String(side.runs), side.center.map(text.number) ?? "–"]
            return "<tr><th scope=\"row\">\(name)</th>\(Markup.numbers(numbers))<td>\(values)</td></tr>\n"
        }
        let names = ["Side", "n", "Runs", result.metric.centre.rawValue, "Samples\(inUnit)"]
        return sides.isEmpty ? Markup() : .table("Samples", of: result.metric.id, names, sides)
    }

    /// The unit for a title: ` in ms`; empty for a pure number.
    private var inUnit: String { result.metric.unit.symbol.isEmpty ? "" : " in \(result.metric.unit.symbol)" }

    /// Both releases with events and quantiles; empty for test runs, and if nothing is shared.
    private var releases: Markup {
        guard let releases = result.releases, releases.days > 0 else { return Markup() }
        let percentages = ReleaseNumbers.Side.percentages
        let rows = [(releases.base, result.baseline), (releases.candidate, result.candidate)].map { release, side in
            let effect = Figure.text(release.designEffect) + (release.isDesignEffectMeasured ? "" : " (assumed)")
            let quantiles = percentages.indices.map { index in
                index < release.quantiles.count ? Figure.text(release.quantiles[index]) : "–"
            }
            let events = [String(release.events), Figure.text(release.effectiveEvents.rounded()), effect]
            let days = side.map { $0.shares.map { "\($0.run): \($0.count)" }.joined(separator: ", ") } ?? ""
            return """
                <tr><th scope="row"><bdi>\(release.release)</bdi></th>\(Markup.numbers(events + quantiles))\
                <td>\(days)</td></tr>

                """ as Markup
        }
        let names =
            ["Release", "Events", "Effective events", "Design effect"] + percentages.map { "p\($0)" }
            + ["Events by day"]
        return .table(
            "Both releases in numbers", of: result.metric.id, names, rows, note: "Weighted quantiles\(inUnit).")
    }

    private var rule: Markup {
        let steps = ExplainedStep.all(of: result).map { "<dt>Step \($0.title)</dt><dd>\($0.text)</dd>\n" as Markup }
        let numbers = (comparisonNumbers + boundNumbers).map { "<dt>\($0)</dt><dd>\($1)</dd>\n" as Markup }
        guard !steps.isEmpty || !numbers.isEmpty else { return Markup() }
        return "<details><summary>Rule and numbers</summary>\n<dl>\n\(steps)\(numbers)</dl></details>\n"
    }

    private var comparisonNumbers: [(String, String)] {
        guard let numbers = result.numbers else { return [] }
        let chance = Figure.probability
        let difference = "Difference of the \(result.releases == nil ? "centres" : "quantiles")"
        let change = [(difference, Figure.withUnit(text.change, result.metric.unit.symbol))]
        let assumed = "assuming a change of \(Figure.text(numbers.marginShare)) of the tolerance"
        let chances = [
            ("p-value for worse, \(assumed)", chance(numbers.p)),
            ("p-value for better, \(assumed)", chance(numbers.pImprove)),
            ("p-value for worse, assuming no change", chance(numbers.pZero)),
        ]
        let comparisons = Figure.count(numbers.comparisons, "comparison")
        let level = ("Significance level", "\(chance(numbers.alpha)), for \(comparisons)")
        if let releases = result.releases { return change + releaseNumbers(releases, numbers) + chances + [level] }
        let all = [
            numbers.commonShift.map { ("Common shift of the runs, removed", Figure.percentage($0)) },
            numbers.decidedBy.map { ("Decided by", $0.rawValue) },
        ].compactMap(\.self)
        let shift = [("Shift (Hodges–Lehmann)", text.shift ?? "–")]
        if let sequence = numbers.sequence {
            return change + shift + all + [("Evidence for worse", Words(result).evidence(sequence))]
        }
        return change + shift + all + chances
            + [("Smallest possible p-value at these sample sizes", chance(numbers.pMin)), level]
    }

    private func releaseNumbers(_ releases: ReleaseNumbers, _ numbers: CellResult.Numbers) -> [(String, String)] {
        func percent(_ share: Double) -> String { "\(Figure.text(share * 100)) %" }
        return [
            numbers.interval.map { ("95 % interval of the difference", $0.map(text.signed).joined(separator: " to ")) },
            ("Shared days and overlapping traffic", "\(releases.days), \(percent(releases.overlap))"),
            releases.daySpread.map { ("Variation of one release between days", "±\(percent($0))") },
            releases.allPages.map { ("Shift of all pages", Figure.percentage($0)) },
        ].compactMap(\.self)
    }

    private var boundNumbers: [(String, String)] {
        let limit = result.limitOrigin.map { "\(text.limit), from \($0)" } ?? text.limit
        return [
            result.tolerance.map { ("Tolerance", text.number($0)) }, result.limit.map { _ in ("Limit", limit) },
            result.detail.map { ("Detail", "\(result.verdict.rawValue) (\($0.rawValue))") },
            result.counting == .exact ? nil : ("Frames counted", result.counting.rawValue),
        ].compactMap(\.self)
    }

    /// The groups for filtering and colouring comparisons.
    enum Outcome: String, CaseIterable {
        case worse, unsure, improved, passed, shown

        /// The class for filtering a row.
        var style: Markup { "\(rawValue)-cell" }

        /// The class for colouring the verdict; its word has the same meaning.
        var color: Markup {
            switch self {
            case .worse: "verdict worse"
            case .unsure: "verdict unsure"
            case .improved, .passed: "verdict good"
            case .shown: "verdict"
            }
        }

        var title: String {
            switch self {
            case .worse: "worse or not measured"
            case .unsure: "can't tell or waived"
            case .improved: "improved"
            case .passed: "passed"
            case .shown: "not gated"
            }
        }
    }

    /// The number of comparisons by verdict, in words: `3 worse, 6 passed, 9 not gated`.
    static func counts(of results: [CellResult]) -> Markup {
        func word(_ result: CellResult) -> String { result.isGated ? result.verdict.label : Outcome.shown.title }
        let words = results.sorted { $0.isGated == $1.isGated ? $0.verdict.rank < $1.verdict.rank : $0.isGated }
            .chunked(by: word).map { chunk -> Markup in
                "<span class=\"\(outcome(of: chunk[0]).color)\">\(chunk.count) \(word(chunk[0]))</span>"
            }
        return Markup(words.enumerated().map { $0 == 0 ? $1 : ", \($1)" })
    }

    static func verdict(of result: CellResult) -> Markup {
        "<span class=\"\(outcome(of: result).color)\">\(ComparisonText(result).verdict)</span>"
    }

    static func outcome(of result: CellResult) -> Outcome {
        guard result.isGated else { return .shown }
        return switch result.verdict {
        case .regressed, .overLimit, .missing: .worse
        case .inconclusive, .noBaseline, .waived: .unsure
        case .improved: .improved
        case .passed: .passed
        }
    }
}

extension CellResult.Facts {
    /// Whether the reader should look at it: it can fail the run and didn't simply pass.
    var isRemarkable: Bool { isGated && verdict != .passed && verdict != .improved }

    /// The metric's identifier after its name; `nil` if it is the name.
    var identifier: Markup? { metricName == metric.id ? nil : " <code>\(metric.id)</code>" }
}

/// A comparison's row in the HTML report, with its details if there is room; open if notable and comparable.
struct HTMLRow {
    fileprivate let style: Markup
    let anchor: Markup
    fileprivate let row: Markup
    fileprivate let isOpen: Bool
    /// The details; `nil` if there is no room.
    var body: Markup?

    var markup: Markup {
        guard let body else { return "<div class=\"\(style)\" id=\"\(anchor)\">\(row)</div>\n" }
        return """
            <details class="\(style)"\(isOpen ? " open" : Markup())><summary>\(row)</summary>
            <div class="body" id="\(anchor)">
            \(body)</div></details>

            """
    }
}
