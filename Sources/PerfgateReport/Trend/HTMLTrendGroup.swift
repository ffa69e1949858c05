import PerfgateCompare
import PerfgateModel

/// The resolution of a page of trends, by which it stays below 3 MB.
struct TrendSize {
    /// The number of days or runs in a column of a drawing.
    let step: Int
    /// The number of characters for a value in the data of the script.
    let width: Int
    /// The room for the graphs of pages that are drawn without the script, in bytes.
    let staticBytes = 130_000

    /// One place, or as many weeks as necessary.
    private static let steps = [1, 7, 28, 91, 364]
    /// The most values, and those with which each has two characters.
    private static let (mostValues, mostWide) = (1_400_000, 150_000)
    /// The number of characters for digits of the data.
    private static let base = 90

    init(values: Int) {
        step = Self.steps.first { values / $0 <= Self.mostValues } ?? 364
        width = values / step <= Self.mostWide ? 2 : 1
    }

    /// The largest index of a value on its axis; the smallest is 0.
    var levels: Int { width == 1 ? Self.base - 1 : Self.base * Self.base - 1 }

    /// Indices in characters from `%` to `~`, with `!` for `<`; a blank is no value. Only one if all are equal.
    func text(_ indices: [Int?]) -> String {
        let shown = Set(indices).count == 1 ? Array(indices.prefix(1)) : indices
        let bytes = shown.flatMap { index in
            [width == 2 ? index.map { $0 / Self.base } : -1, index.map { $0 % Self.base }].filter { $0 != -1 }
        }.map { digit in digit.map { $0 == 23 ? UInt8(ascii: "!") : UInt8(ascii: "%") + UInt8($0) } ?? UInt8(ascii: " ")
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// A page's metric with its curves; several metrics if their values are equal.
private struct TrendFigure {
    var graphs: [TrendGraph]
    /// The curves, the judged one first.
    let curves: [(name: String, kind: Int, numbers: [Double?])]

    init(_ graph: TrendGraph, _ frame: TrendFrame) {
        graphs = [graph]
        // A share is the mean of the events' values.
        let quantile = MetricQuantile.parts(of: graph.level.id).flatMap { $0.percent == nil ? nil : $0.name }
        let all = (quantile ?? graph.centerName, 0, frame.numbers(graph.values) { $0.level })
        let center = (graph.centerName, 1, frame.numbers(graph.values) { quantile == nil ? nil : $0.center })
        let high = ("p90", 2, frame.numbers(graph.values) { $0.high })
        let lines = graph.lines.enumerated().map { index, line in
            (CleanText.line(line.name), 3 + index % 6, frame.numbers(line.values) { $0.level })
        }
        curves =
            lines.isEmpty
            ? [all, center, high].filter { $0.2.contains { $0 != nil } } : [("all, \(all.0)", 0, all.2)] + lines
    }

    var main: TrendGraph { graphs[0] }
    var values: [Double] { curves.flatMap { $0.numbers.compactMap(\.self) } }
    var ids: [String] { graphs.map { CleanText.line($0.metric.id) } }
    var title: String? { MetricCatalog.definition(of: main.metric.id)?.title }

    /// The figures of a page; equal curves are one.
    static func all(_ graphs: [TrendGraph], _ frame: TrendFrame) -> [TrendFigure] {
        graphs.reduce(into: []) { figures, graph in
            let twin = figures.firstIndex { figure in
                figure.main.values == graph.values && figure.main.metric.unit == graph.metric.unit
                    && figure.main.metric.better == graph.metric.better && figure.main.lines == graph.lines
            }
            if let twin { figures[twin].graphs.append(graph) } else { figures.append(TrendFigure(graph, frame)) }
        }
    }
}

/// The part of a page for one app or environment: the table of its pages and gated metrics, and each page's own graphs.
struct HTMLTrendGroup {
    let frame: TrendFrame
    let cards: [TrendCard]
    private let words: TrendWords
    private let size: TrendSize
    private let isOnly: Bool
    private let pages: [(page: Page, figures: [TrendFigure])]

    init(_ frame: TrendFrame, _ size: TrendSize, isOnly: Bool) {
        (self.frame, self.size, self.isOnly) = (frame, size, isOnly)
        let words = TrendWords(frame.group)
        self.words = words
        cards = frame.group.findings.map { TrendCard($0, words, frame, environment: isOnly ? nil : words.name) }
        pages = frame.group.graphs.chunked(by: \.page).map { ($0[0].page, TrendFigure.all($0, frame)) }
    }

    /// - Parameter room: The bytes left for graphs that are drawn without the script.
    func context(_ room: inout Int) -> TemplateContext {
        var sections: [Markup] = []
        for page in pages {
            let section = section(page)
            guard room >= section.count || pages.count == 1 else { break }
            room -= section.count
            sections.append(section)
        }
        return [
            "name": .text(isOnly ? "All pages" : words.name),
            "about": .text(isOnly ? nil : "\(words.extent). \(words.verdict)."),
            "frame": .markup(frame.definition.text),
            "passing": .list(passing.isEmpty ? [] : [["items": .list(passing)]]),
            "table": .markup(table(linked: sections.count).text), "noun": .text(words.noun),
            "week": .text(frame.number > 0 ? nil : String(min(7, max(1, frame.group.length / 2)))),
            "pages": .markup(Markup(sections).text), "runs": .list(runs.isEmpty ? [] : [["rows": .list(runs)]]),
        ]
    }

    private var passing: [TemplateContext] {
        frame.group.passing.map { finding in
            let more = finding.changes.count > 1 ? " and \(finding.changes.count - 1) more" : ""
            return ["text": .text("\(words.span(of: finding)): \(words.sentence(of: finding.changes[0]))\(more)")]
        }
    }

    private var runs: [TemplateContext] {
        guard case .runs(let runs) = frame.group.axis else { return [] }
        return runs.map { run in
            [
                "run": .text(run.id), "start": .text(run.start?.text ?? "–"), "commit": .text(run.commit ?? "–"),
                "version": .text(run.version ?? "–"),
            ]
        }
    }

    /// The identifiers of the gated metrics, or of all if none is; metrics that are equal on every page share a column.
    private var columns: [[String]] {
        let gated = frame.group.graphs.filter(\.isGated)
        let ids = (gated.isEmpty ? frame.group.graphs : gated).map(\.metric.id).unique
        let places = pages.map { page in
            let all = page.figures.enumerated().flatMap { place, figure in figure.graphs.map { ($0.metric.id, place) } }
            return Dictionary(all) { first, _ in first }
        }
        return ids.grouped { id in places.map { $0[id] } }
    }

    /// HTML allows omitting the end tags of cells and rows.
    private func table(linked: Int) -> Markup {
        let columns = columns
        let heads = columns.map { ids -> Markup in
            let level = frame.group.graphs.first { $0.metric.id == ids[0] }?.level.id ?? ids[0]
            let title = MetricCatalog.definition(of: level).map { "\($0.title) " } ?? ""
            return "<th scope=\"col\">\(title)<code>\(ids.joined(separator: ", "))</code>"
        }
        let rows = pages.enumerated().map { index, page -> Markup in
            let graphs = Dictionary(page.figures.flatMap(\.graphs).map { ($0.metric.id, $0) }) { first, _ in first }
            let name: Markup = "<bdi>\(page.page.name)</bdi>"
            let link: Markup = index < linked ? "<a href=\"#\(frame.anchor(page.page))\">\(name)</a>" : name
            return "<tr><th scope=\"row\">\(link)\(columns.map { graphs[$0[0]].map(cell) ?? "<td>–" })\n"
        }
        return """
            <div class="scroll" role="region" aria-label="Pages of \(words.name)" tabindex="0"><table class="sparks">
            <thead><tr><th scope="col">Page\(heads)<tbody>
            \(rows)</table></div>

            """
    }

    private func cell(_ graph: TrendGraph) -> Markup {
        let (first, last) = graph.series.ends
        let unit = CleanText.line(graph.level.unit.symbol, most: 12)
        let amount = first == last ? "±0" : TrendWords.amount(first, last, "", graph.series.smallest)
        let worst = graph.series.changes.map(TrendCard.Status.init).max { $0.rawValue < $1.rawValue }
        let style: Markup = worst.map { " class=\"\($0.color)\"" } ?? ""
        let sign = graph.metric.better == .lower ? 1.0 : -1
        let now = TrendWords.short(graph.values[graph.values.count - 1].level)
        return """
            <td\(style) data-c="\(length: sign * graph.series.growth)">\(spark(graph))\(Figure.text(now, unit)) <b>\(amount)</b>
            """
    }

    private var mostPoints: Int { size.width > 1 ? 45 : 24 }

    /// The judged curve in 88 × 20 pixels; variations below the smallest change that matters look flat.
    private func spark(_ graph: TrendGraph) -> Markup {
        let numbers = frame.numbers(graph.values) { $0.level }
        let width = (numbers.count + mostPoints - 1) / mostPoints
        let points = stride(from: 0, to: numbers.count, by: width).map { start -> Double? in
            numbers[start..<min(start + width, numbers.count)].compactMap(\.self).median
        }
        let known = points.compactMap(\.self)
        let (least, greatest) = (known.min() ?? 0, known.max() ?? 0)
        let middle = least / 2 + greatest / 2
        let reach = max(greatest / 2 - least / 2, abs(middle) / 10, graph.series.smallest)
        let heights = points.map { $0.map { reach > 0 ? 8 + Int((8 * (($0 - middle) / reach)).rounded()) : 8 } }
        let path = SVGTrend.path(heights, dx: max(1, 88 / max(1, points.count - 1)), levels: 18)
        return "<svg width=88 height=20 fill=none stroke=currentColor><path d=\"\(path)\"/></svg>"
    }

    private func section(_ page: (page: Page, figures: [TrendFigure])) -> Markup {
        """
        <section class="own\(pages.count == 1 ? " open" : "")" id="\(frame.anchor(page.page))">
        <h3><bdi>\(page.page.name)</bdi></h3>
        \(page.figures.map(figure))\
        <svg class="axis" width="100%" height="\(Int(frame.axisHeight))" role="img"><title>dates and releases</title>\
        \(frame.axis(y: 0))</svg>
        </section>

        """
    }

    private func figure(_ figure: TrendFigure) -> Markup {
        let unit = figure.main.metric.unit.symbol
        let svg = SVGTrend(frame, showing: figure.values, unit: unit, height: 90)
        let names = figure.ids.map { id -> Markup in "<code id=\"\(frame.anchor(figure.main.page, id))\">\(id)</code>" }
        let title: Markup = figure.title.map { "<b>\($0)</b> " } ?? ""
        let key = figure.curves.map { curve -> Markup in
            let last = curve.numbers.last { $0 != nil }.flatMap(\.self)
            return """
                 <span><svg width="28" height="10" fill="none" stroke="currentColor"><path class="k\(curve.kind)" \
                d="M0 5h28"/></svg>\(curve.name) \(last.map { Figure.text(TrendWords.short($0), unit) } ?? "–")</span>
                """
        }
        let inner =
            figure.main.series.changes.map { svg.mark($0) } + figure.curves.map { svg.curve($0.numbers, kind: $0.kind) }
        return """
            <figure><figcaption>\(title)\(names.dropFirst().reduce(names[0]) { "\($0), \($1)" })\(key)</figcaption>
            \(svg.markup(Markup(inner), title: figure.title ?? figure.ids[0]))</figure>

            """
    }

    /// Lines of percent-encoded fields, each beginning with a word: the group's columns and releases, its metrics
    /// (identifier, title, unit), and for each page its figures. A figure has an axis (lower and upper end, steps
    /// between ticks), the numbers of its metrics, its changes (column, 1 for the worse), and on the next lines its curves
    /// (kind, name, indices on the axis in characters).
    var data: String {
        func line(_ fields: [String]) -> String { fields.map(TrendFrame.encoded).joined(separator: "\t") + "\n" }
        var metrics: [[String]] = []
        let figures = pages.map { page in
            let lines = page.figures.map { figure in
                let own = figure.graphs.map { graph -> String in
                    let title = MetricCatalog.definition(of: graph.metric.id)?.title ?? ""
                    let unit = CleanText.line(figure.main.metric.unit.symbol, most: 12)
                    let metric = ["metric", CleanText.line(graph.metric.id), title, unit]
                    if !metrics.contains(metric) { metrics.append(metric) }
                    return String(metrics.firstIndex(of: metric) ?? 0)
                }
                let scale = SVGTrend.scale(showing: figure.values, from: 0, to: Double(size.levels))
                let axis = ["\(scale.lower)", "\(scale.upper)", "\(max(1, scale.ticks.count - 1))"]
                let changes = figure.main.series.changes.map { "\(frame.column(of: $0.first)).\($0.isWorse ? 1 : 0)" }
                return line(["figure"] + axis + [own.joined(separator: ".")] + changes)
                    + figure.curves.map { curve in
                        let indices = curve.numbers.map { $0.map { Int(scale.place(of: $0).rounded()) } }
                        return "\(curve.kind)\t\(TrendFrame.encoded(curve.name))\t\(size.text(indices))\n"
                    }.joined()
            }
            return line(["page", page.page.name]) + lines.joined()
        }
        let releases = frame.releases.map { ["release", $0.name] + $0.shares.map { "\(Int(($0 * 100).rounded()))" } }
        let labels = ["group"] + (0..<frame.columns).map(frame.label)
        return (([labels] + releases + metrics).map(line) + figures).joined()
    }

}
