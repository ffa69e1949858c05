import PerfgateCompare
import PerfgateModel

/// The pages of an HTML report with their comparisons, as much of them as there is room for, and the ways to find one: the
/// contents and the filters.
///
/// Room goes to the comparisons that failed first, with their plots; then to a row for every other one; then to the plots
/// of those that can't be told; then to frames and phases; and last to the plots of those that passed. Parts are rendered
/// and then counted, so that nothing is estimated.
struct HTMLPages {
    private let report: GateReport
    private let index: PageIndex
    private let metrics: [String: Int]
    private let commits: [String: String]
    private let places: [Place]
    /// The finished comparisons, in the report's order; `nil`: there was no room.
    private var cells: [Markup?]
    private var traces: [PageInEnvironment: Markup] = [:]

    /// A page in its environment with the places of its comparisons in the report.
    private struct Place {
        let summary: PageSummary
        let indices: [Int]
        let worst: CellResult
    }

    /// How many bytes go to plots and numbers of what passed, so that a page for a quick look opens quickly.
    private static let mostOfPassed = 1_500_000
    /// Up to how many comparisons every row shows its history.
    private static let mostHistories = 2_000
    /// How many metrics have a filter.
    static let mostMetrics = 40

    /// Renders what fits into so many bytes.
    init(_ report: GateReport, room: Int) {
        self.report = report
        index = PageIndex(report)
        let ids = Set(report.comparisons.map(\.metric.id)).sorted { $0.precedesInUTF8($1) }
        metrics = Dictionary(uniqueKeysWithValues: ids.prefix(Self.mostMetrics).enumerated().map { ($1, $0) })
        commits = report.commits
        cells = Array(repeating: nil, count: report.comparisons.count)
        places = Self.places(of: report, index)
        fill(room - places.reduce(0) { $0 + 900 + 2 * $1.summary.place.page.name.utf8.count })
    }

    /// The pages, the one with the worst comparison first.
    private static func places(of report: GateReport, _ index: PageIndex) -> [Place] {
        var order: [PageInEnvironment] = []
        var groups: [PageInEnvironment: [Int]] = [:]
        for (number, result) in report.comparisons.enumerated() {
            if groups[result.place] == nil { order.append(result.place) }
            groups[result.place, default: []].append(number)
        }
        let places = order.map { place -> Place in
            let indices = groups[place] ?? []
            let summary = index[place] ?? PageSummary(place: place)
            return Place(summary: summary, indices: indices, worst: report.comparisons[indices[0]])
        }
        let isOpen: (Place) -> Bool = { $0.worst.isRemarkable }
        let others = places.filter { !isOpen($0) }.sorted { $0.summary.place < $1.summary.place }
        return places.filter(isOpen) + others
    }

    private mutating func fill(_ room: Int) {
        var left = room
        let results = report.comparisons
        func take(_ markup: Markup) -> Markup? {
            guard markup.count <= left else { return nil }
            left -= markup.count
            return markup
        }
        let worse = results.indices.filter { results[$0].isRemarkable && HTMLCell.outcome(of: results[$0]) == .worse }
        let doubtful = results.indices.filter {
            results[$0].isRemarkable && HTMLCell.outcome(of: results[$0]) != .worse
        }
        let well = results.indices.filter { !results[$0].isRemarkable }
        for number in worse { cells[number] = take(row(number)) }
        for number in worse { widen(number, &left) }
        for number in doubtful + well {
            guard let row = take(row(number)) else { break }
            cells[number] = row
        }
        for number in doubtful { widen(number, &left) }
        for place in places {
            guard let trace = place.summary.trace, let markup = take(HTMLTrace(trace).markup) else { continue }
            traces[place.summary.place] = markup
        }
        left = min(left, Self.mostOfPassed)
        for number in well { widen(number, &left) }
    }

    private func row(_ number: Int) -> Markup {
        let result = report.comparisons[number]
        return HTMLCell(result, hasHistory: hasHistory(result)).markup(metric: metrics[result.metric.id], body: nil)
    }

    /// Of many comparisons only those that fail show how they went from run to run.
    private func hasHistory(_ result: CellResult) -> Bool {
        cells.count <= Self.mostHistories || HTMLCell.outcome(of: result) == .worse
    }

    /// Lets a row unfold, where there is room for what is below it.
    private mutating func widen(_ number: Int, _ left: inout Int) {
        guard left > 0, let row = cells[number] else { return }
        let result = report.comparisons[number]
        let cell = HTMLCell(result, hasHistory: hasHistory(result), commits: commits)
        let whole = cell.markup(metric: metrics[result.metric.id], body: cell.body())
        // A plot that doesn't fit ends the search: the next ones are as long.
        guard whole.count - row.count <= left else { return left = 0 }
        left -= whole.count - row.count
        cells[number] = whole
    }
}

extension HTMLPages {
    /// The section of all pages; empty without any.
    var markup: Markup {
        guard !places.isEmpty else { return Markup() }
        let left = cells.count { $0 == nil }
        let note: Markup? =
            left > 0
            ? "<p>\(Figure.count(left, "comparison")) \(left == 1 ? "stands" : "stand") in the JSON report alone.</p>\n"
            : nil
        return """
            <section id="pages">
            <h2>Pages</h2>
            \(filters)\(note)\(places.map(page))</section>

            """
    }

    private func page(_ place: Place) -> Markup {
        let summary = place.summary
        let anchor = HTMLAnchor.page(summary.place)
        let isOpen = place.worst.isRemarkable
        let shown = place.indices.filter { cells[$0] != nil }
        let first = shown.filter { report.comparisons[$0].isRemarkable }
        let rest = shown.filter { !report.comparisons[$0].isRemarkable }
        let leads = summary.leads.map { "<p>\(PageIndex.lookAt) \($0)</p>\n" as Markup }
        let others = rest.compactMap { cells[$0] }
        let well: Markup =
            !isOpen || others.isEmpty
            ? Markup(others)
            : """
            <details class="well"><summary>\(Figure.count(others.count, "other comparison"))</summary>
            \(others)</details>

            """
        return """
            <details class="page" id="\(anchor)"\(isOpen ? " open" : Markup())>
            <summary><h3><bdi>\(summary.place.page.name)</bdi></h3> \(counts(place))</summary>
            <span class="only" id="only-\(anchor)"></span><p class="about">\(about(summary))</p>
            \(leads)\(first.compactMap { cells[$0] })\(traces[summary.place])\(well)</details>

            """
    }

    /// How many comparisons of a page came to what.
    private func counts(_ place: Place) -> Markup {
        let all = place.indices.map { (HTMLCell.outcome(of: report.comparisons[$0]), 1) }
        let outcomes = Dictionary(all, uniquingKeysWith: +)
        let parts = HTMLCell.Outcome.allCases.compactMap { outcome -> Markup? in
            guard let count = outcomes[outcome] else { return nil }
            return "<span class=\"\(outcome.color)\">\(outcome.mark)\(count)</span>"
        }
        return Markup(parts.flatMap { [$0, " "] as [Markup] })
    }

    private func about(_ summary: PageSummary) -> String {
        let owner = summary.owner.map { "owned by \($0)" }
        let seconds = summary.seconds > 0 ? "measured for \(Figure.text(summary.seconds)) s" : nil
        let tests = summary.tests.isEmpty ? nil : "by " + summary.tests.joined(separator: ", ")
        return [summary.place.environment.description, summary.position, owner, seconds, tests]
            .compactMap(\.self).joined(separator: " · ")
    }

    /// The links to all pages, each with its counts and a link that hides the others; empty for a single page.
    var contents: Markup {
        guard places.count > 1 else { return Markup() }
        let isElsewhere = report.environments.count > 1
        let items = places.map { place -> Markup in
            let anchor = HTMLAnchor.page(place.summary.place)
            let environment: Markup? =
                isElsewhere ? " <small><bdi>\(place.summary.place.environment.description)</bdi></small>" : nil
            return """
                <li><a href="#\(anchor)"><bdi>\(place.summary.place.page.name)</bdi></a>\(environment) \(counts(place))\
                <a class="pick" href="#only-\(anchor)">only this</a></li>

                """
        }
        return """
            <nav aria-label="Pages">
            <details\(places.count <= 12 ? " open" : Markup())><summary>\(places.count) pages, the worst first</summary>
            <ul class="contents">
            \(items)</ul>
            <p><a class="pick" href="#pages">Show all pages</a></p></details></nav>

            """
    }

    /// Radio buttons that hide rows by outcome and by metric, without a script; a browser that can't do that shows all rows.
    private var filters: Markup {
        let outcomes = Dictionary(report.comparisons.map { (HTMLCell.outcome(of: $0), 1) }, uniquingKeysWith: +)
        guard report.comparisons.count > 3 else { return Markup() }
        func radio(_ group: Markup, _ id: Markup, _ text: String, isOn: Bool = false) -> Markup {
            let state: Markup = isOn ? " checked" : Markup()
            return "<label><input type=\"radio\" name=\"\(group)\" id=\"\(id)\"\(state)> \(text)</label>\n"
        }
        let shown = HTMLCell.Outcome.allCases.compactMap { outcome in
            outcomes[outcome].map { radio("outcome", "show-\(outcome.style)", "\(outcome.title) (\($0))") }
        }
        let titles = Dictionary(report.comparisons.map { ($0.metric.id, $0.metricName) }) { first, _ in first }
        let byMetric = metrics.sorted { $0.value < $1.value }.map { id, number in
            radio("metric", "show-m\(number)", titles[id] == id ? id : "\(titles[id] ?? id) (\(id))")
        }
        return """
            <form class="filters">
            <fieldset><legend>Outcome</legend>
            \(radio("outcome", "show-all", "all (\(report.comparisons.count))", isOn: true))\(shown)</fieldset>
            <details><summary>Metric</summary>
            <fieldset><legend>Metric</legend>
            \(radio("metric", "show-metrics", "all", isOn: true))\(byMetric)</fieldset></details>
            </form>

            """
    }

    /// The rules by which the filters hide rows, to stand behind the style sheet.
    static func filterRules(for report: GateReport) -> String {
        let count = min(Set(report.comparisons.map(\.metric.id)).count, mostMetrics)
        let styles = HTMLCell.Outcome.allCases.map(\.style.text) + (0..<count).map { "m\($0)" }
        return styles.map { style in
            "main:has(#show-\(style):checked) :is(.cell:not(.\(style)), .page:not(:has(.\(style)))) { display: none; }\n"
        }.joined()
    }
}

extension HTMLCell.Outcome {
    /// The sign before a count.
    fileprivate var mark: String {
        switch self {
        case .worse: "▲ "
        case .unsure: "? "
        case .improved: "▼ "
        case .passed: "✓ "
        case .shown: "· "
        }
    }
}

/// The frames of a page's worst iteration, and the phases of its slowest visit.
struct HTMLTrace {
    private let trace: PageTrace

    /// Makes the part of a trace.
    init(_ trace: PageTrace) {
        self.trace = trace
    }

    /// Both, as far as they were kept.
    var markup: Markup { "\(frames)\(visit)" }

    private var frames: Markup {
        guard let frames = trace.frames else { return Markup() }
        let plot = SVGFrameTimeline(frames).map { plot -> Markup in
            "<figure>\(Markup(trusted: plot.markup))<figcaption>\(plot.summary + Self.legend)</figcaption></figure>\n"
        }
        let left = frames.scrollCount - frames.scrolls.count
        let names = ["Scroll", "Duration", "Drop events", "Worst drop", "Dropped frames", "Longest frame"]
        let table =
            frames.scrolls.isEmpty
            ? nil
            : HTMLTable("Scroll by scroll", of: "the worst iteration", names, frames.scrolls.map(row)).folded(
                note: left > 0 ? "\(left) milder scroll\(left == 1 ? " is" : "s are") left out." : nil)
        let scrolls = Figure.count(frames.scrollCount, "scroll")
        return """
            <h4>Frames of the worst iteration</h4>
            <p>\(Self.place(frames.run, frames.part, frames.iteration)), \(scrolls).</p>
            \(plot)\(table)
            """
    }

    private var visit: Markup {
        guard let visit = trace.visit, let plot = SVGPhases(visit) else { return Markup() }
        let duration = visit.durationMS.map { ", which lasted \(Figure.text($0 / 1_000, "s"))" } ?? ""
        let phases = visit.phases.map { phase -> Markup in
            let title = MetricCatalog.definition(of: phase.metric)?.title
            let name = title.map { "\($0) (\(phase.metric))" } ?? phase.metric
            return "<dt>\(name)</dt><dd>\(Figure.text(phase.milliseconds, "ms"))</dd>\n"
        }
        return """
            <h4>Phases of the slowest visit</h4>
            <p>\(Self.place(visit.run, visit.part, visit.iteration))\(duration).</p>
            <figure>\(Markup(trusted: plot.markup))</figure>
            <details><summary>The phases in numbers</summary>
            <dl>
            \(phases)</dl></details>

            """
    }

    private static let legend =
        " A bar is the longest frame of its stretch of time, the dashed line the budget of a frame, a triangle a frame that"
        + " came late."

    private static func place(_ run: String, _ part: String?, _ iteration: Int) -> String {
        "Run \(CleanText.line(run, most: 120))\(part.map { ", \(CleanText.line($0, most: 120))" } ?? ""), "
            + "iteration \(iteration)"
    }

    private func row(_ scroll: ScrollTrace) -> Markup {
        let longest = scroll.timeline?.buckets.compactMap { $0?.longestMS }.max()
        let numbers = [
            scroll.durationMS.map { Figure.text($0 / 1_000, "s") } ?? "–", String(scroll.dropEvents),
            String(scroll.worstDrop), String(scroll.droppedFrames), longest.map { Figure.text($0, "ms") } ?? "–",
        ].map { "<td class=\"number\">\($0)</td>" as Markup }
        return "<tr><th scope=\"row\">\(scroll.number)</th>\(numbers)</tr>\n"
    }
}
