import PerfgateCompare
import PerfgateModel

/// The trends as an HTML page: one file without scripts and without external requests, with a section per page of the
/// app and a graph per metric.
package struct HTMLTrend: Sendable {
    private let report: TrendReport
    private let templates: TemplateSet
    private let size: TrendSize

    /// Makes a renderer for a finished report.
    package init(_ report: TrendReport, templates: TemplateSet) {
        self.init(report, templates: templates, size: TrendSize(report))
    }

    /// Makes a renderer with a given resolution.
    init(_ report: TrendReport, templates: TemplateSet, size: TrendSize) {
        (self.report, self.templates, self.size) = (report, templates, size)
    }

    package var text: String { templates.render(.trend, context) }

    private var context: TemplateContext {
        let worse = report.groups.reduce(0) { $0 + $1.findings.count(where: \.isFailing) }
        let headline =
            worse > 0
            ? "Drift for the worse: \(Figure.count(worse, "finding"))"
            : report.hasEnoughData ? "No drift for the worse" : "Too few data to detect drift"
        return [
            "style_sheet": .markup(templates.styleSheet), "title": .text("perfgate: \(headline)"),
            "headline": .text(headline),
            "outcome": .markup(worse > 0 ? "failed" : report.hasEnoughData ? "passed" : "inconclusive"),
            "tool": .text(report.tool), "notes": .list(report.notes.map { ["text": .text($0)] }),
            "legend": .text(legend),
            "groups": .list(
                report.groups.enumerated().map { HTMLTrendGroup($1, number: $0, size).context }),
        ]
    }

    private var legend: String {
        let hasLines = report.groups.contains { $0.graphs.contains { !$0.lines.isEmpty } }
        let isOfDays = report.groups.allSatisfy(\.axis.isOfDays)
        let axis =
            isOfDays
            ? "The horizontal axis shows days (UTC)."
            : "The horizontal axis shows runs, ordered by their start, at equal distances."
        let center =
            isOfDays
            ? "the p50 of a day's events, or the mean of counts"
            : "the median of a run's samples, or the mean of counts and rates"
        let lines =
            hasLines
            ? "There is one line per group of users, showing \(center)."
            : "The line shows \(center); the dashed line is the p90\(isOfDays ? "" : " of ten samples or more")."
        let marks =
            isOfDays
            ? "A mark is a lasting change of the p75 of all events, a bar is a change that ended within five days; the strip "
                + "below shows the share of each release."
            : "A mark is a lasting change, a bar is a change that ended within five runs."
        let rows =
            "To keep this page small, a row of numbers combines several places: their medians, and the number of "
            + "all."
        return ([axis, lines, marks] + (size.listed > 1 ? [rows] : [])).joined(separator: " ")
    }
}

/// The resolution of graphs and tables, so a page with all of an app's metrics opens quickly.
struct TrendSize {
    /// The number of places drawn as one point.
    let drawn: Int
    /// The number of places per table row.
    let listed: Int

    /// One place, or as many weeks as necessary.
    private static let steps = [1, 7, 28, 91, 364]
    /// The most points of all lines, about 4 bytes each, and the most rows of all tables, about 45 bytes each.
    private static let mostPoints = 1_000_000
    private static let mostRows = 60_000

    /// Chooses the resolution for a report.
    init(_ report: TrendReport) {
        var (points, rows) = (0, 0)
        for group in report.groups {
            let places = group.axis.places.count
            for graph in group.graphs {
                points += places * max(2, graph.lines.count)
                rows += places * max(1, graph.lines.count)
            }
        }
        self.init(points: points, rows: rows)
    }

    /// Chooses the resolution for a total number of points and rows.
    init(points: Int, rows: Int) {
        drawn = Self.steps.first { points / $0 <= Self.mostPoints } ?? 364
        listed = Self.steps.first { rows / $0 <= Self.mostRows } ?? 364
    }
}

/// The part of a page for one app or environment.
private struct HTMLTrendGroup {
    private let group: TrendGroup
    private let words: TrendWords
    private let frame: SVGTrendFrame
    private let size: TrendSize
    private let origins: [DriftFinding.Change: String]

    init(_ group: TrendGroup, number: Int, _ size: TrendSize) {
        (self.group, self.size) = (group, size)
        let words = TrendWords(group)
        self.words = words
        frame = SVGTrendFrame(group, id: "frame-\(number)", step: size.drawn)
        origins = group.findings.reduce(into: [:]) { origins, finding in
            for change in finding.changes { origins[change] = words.origin(of: finding) }
        }
    }

    private static let mostChanges = 40

    var context: TemplateContext {
        let pages = group.graphs.chunked(by: \.page)
        return [
            "name": .text(words.name), "extent": .text(words.extent), "verdict": .text(words.verdict),
            "frame": .markup(frame.definition),
            "adoption": .list(frame.adoption.map { [["plot": .markup($0), "rows": .list(releases)]] } ?? []),
            "runs": .list(runs.isEmpty ? [] : [["rows": .list(runs)]]),
            "findings": .list(group.findings.map(finding)),
            "passing": .list(group.passing.isEmpty ? [] : [["items": .list(group.passing.map(finding))]]),
            "lines": .list(lines),
            "contents": .list(
                pages.count > 1 ? [["count": .text(String(pages.count)), "items": .list(pages.map(link))]] : []),
            "pages": .list(pages.map(page)),
        ]
    }

    private var releases: [TemplateContext] {
        group.adoption.releases.map { release in
            [
                "release": .text(release.name), "first": .text(CalendarDay(number: release.first).text),
                "share": .text("\(Int(((release.shares[release.peak] ?? 0) * 100).rounded())) %"),
                "peak": .text(CalendarDay(number: release.peak).text),
            ]
        }
    }

    private var runs: [TemplateContext] {
        guard case .runs(let runs) = group.axis else { return [] }
        return runs.map { run in
            [
                "run": .text(run.id), "start": .text(run.start?.text ?? "–"), "commit": .text(run.commit ?? "–"),
                "version": .text(run.version ?? "–"),
            ]
        }
    }

    /// The groups of users as lines.
    private var lines: [TemplateContext] {
        let longest = group.graphs.max { $0.lines.count < $1.lines.count }?.lines ?? []
        return longest.enumerated().map { index, line in
            let sample = SVGElement(
                "svg", ["viewBox": "0 0 48 12", "width": "48", "height": "12", "aria-hidden": "true"],
                title: line.name,
                [
                    SVGElement(
                        "path",
                        [
                            "d": "M0 6h48", "class": "line\(index)", "stroke": "currentColor", "stroke-width": "3",
                            "stroke-dasharray": SVGTrend.dashes[index % SVGTrend.dashes.count],
                        ])
                ])
            return ["sample": .markup(sample.markup), "name": .text(line.name)]
        }
    }

    private func finding(_ finding: DriftFinding) -> TemplateContext {
        let origin = origins[finding.changes[0]] ?? ""
        let more = finding.changes.count - Self.mostChanges
        return [
            "heading": .text(words.span(of: finding) + origin),
            "changes": .list(
                finding.changes.prefix(Self.mostChanges).map { change in
                    [
                        "class": .markup(change.isWorse ? "worse" : "good"), "anchor": .markup(anchor(change.page)),
                        "text": .text(words.sentence(of: change)),
                    ]
                }),
            "more": .text(more > 0 ? "… and \(more) more" : nil),
            "search": .text(words.search(for: finding)),
        ]
    }

    private func link(_ graphs: [TrendGraph]) -> TemplateContext {
        let changes = graphs.flatMap(\.series.changes)
        let worse = changes.count { $0.isWorse }
        let said = [(worse, "worse"), (changes.count - worse, "better")].filter { $0.0 > 0 }
        return [
            "anchor": .markup(anchor(graphs[0].page)), "page": .text(graphs[0].page.name),
            "class": .markup(worse > 0 ? "worse" : "good"),
            "verdict": .text(said.isEmpty ? nil : said.map { "\($0.0) \($0.1)" }.joined(separator: ", ")),
        ]
    }

    private func page(_ graphs: [TrendGraph]) -> TemplateContext {
        [
            "anchor": .markup(anchor(graphs[0].page)), "page": .text(graphs[0].page.name),
            "graphs": .markup(graphs.map(figure).joined()),
        ]
    }

    private func anchor(_ page: Page) -> String {
        HTMLAnchor.page(PageInEnvironment(page: page, environment: group.environment))
    }

    // MARK: A graph

    /// A graph with its name, its changes in words, and a table of its numbers.
    private func figure(_ graph: TrendGraph) -> String {
        let id = HTMLEscape.text(CleanText.line(graph.metric.id))
        let title = MetricCatalog.definition(of: graph.metric.id).map { HTMLEscape.text($0.title) }
        let name = title.map { "<b>\($0)</b> <code>\(id)</code>" } ?? "<b><bdi>\(id)</bdi></b>"
        let unit = graph.metric.unit.symbol.isEmpty ? "" : ", \(HTMLEscape.text(graph.metric.unit.symbol))"
        let changes = (graph.series.changes + graph.series.passing).map { change in
            "<p class=\(change.isWorse ? "worse" : "good")>\(HTMLEscape.text(sentence(change)))</p>\n"
        }
        let table = "<table>\n\(head(graph))\(rows(graph))</table>"
        // A table with lines is wider than a phone.
        let region =
            graph.lines.isEmpty
            ? table : "<div class=scroll tabindex=0 role=region aria-label=\"Numbers of \(title ?? id)\">\(table)</div>"
        return "<figure><figcaption>\(name)\(unit)</figcaption>\n"
            + SVGTrend(graph, in: frame, title: self.title(graph)).markup + "\n" + changes.joined()
            + "<details><summary>Numbers of \(title ?? id)</summary>\(region)</details></figure>\n"
    }

    private func title(_ graph: TrendGraph) -> String {
        let (first, last) = (graph.values[0], graph.values[graph.values.count - 1])
        return
            "\(MetricCatalog.definition(for: graph.metric).title) of \(graph.page.name), \(graph.centerName) from \(Figure.text(first.center)) to "
            + Figure.text(last.center, graph.metric.unit.symbol)
    }

    private func sentence(_ change: DriftFinding.Change) -> String {
        "\(words.span(from: change.first, to: change.last))\(origins[change] ?? ", passed"): \(words.level(of: change))"
    }

    /// HTML allows omitting the end tags of cells and rows.
    private func head(_ graph: TrendGraph) -> String {
        let place = size.listed > 1 ? "From" : group.axis.isOfDays ? "Day" : "Run"
        let count = group.axis.isOfDays ? "Events" : "Samples"
        let hasHigh = graph.values.contains { $0.high != nil }
        let center = HTMLEscape.text(graph.centerName)
        let names =
            graph.lines.isEmpty
            ? [place, center] + (hasHigh ? ["p90"] : []) + [count]
            : [place]
                + graph.lines.map { "\(HTMLEscape.text(CleanText.line($0.name))) \(center)\(hasHigh ? " / p90" : "")" }
        return "<thead><tr>" + names.map { "<th>\($0)" }.joined() + "<tbody>\n"
    }

    private func rows(_ graph: TrendGraph) -> String {
        let hasHigh = graph.values.contains { $0.high != nil }
        guard !graph.lines.isEmpty else {
            return listed(graph.values).map { values in
                let high = hasHigh ? "<td>\(Self.middle(values.compactMap(\.high)))" : ""
                return "<tr><th>\(place(values[0].place))<td>\(Self.middle(values.map(\.center)))\(high)"
                    + "<td>\(values.reduce(0) { $0 + $1.count })\n"
            }.joined()
        }
        let parts = graph.lines.map { line in
            Dictionary(grouping: line.values) { row(of: $0.place) }
        }
        return listed(graph.values).map { values in
            let cells = parts.map { part -> String in
                guard let own = part[row(of: values[0].place)] else { return "<td>–" }
                return "<td>\(Self.middle(own.map(\.center)))"
                    + (hasHigh ? " / \(Self.middle(own.compactMap(\.high)))" : "")
            }
            return "<tr><th>\(place(values[0].place))\(cells.joined())\n"
        }.joined()
    }

    private func row(of place: Int) -> Int { (place - group.axis.places.lowerBound) / size.listed }

    private func listed(_ values: [TrendGraph.Value]) -> [[TrendGraph.Value]] {
        size.listed == 1 ? values.map { [$0] } : values.chunked { row(of: $0.place) }
    }

    private func place(_ place: Int) -> String { HTMLEscape.text(words.label(of: place)) }

    private static func middle(_ values: [Double]) -> String { values.isEmpty ? "–" : Figure.text(values.middle) }
}
