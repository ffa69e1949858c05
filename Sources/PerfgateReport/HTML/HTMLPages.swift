import PerfgateCompare
import PerfgateModel

/// The pages of an HTML report with as many comparisons as fit, and filters by outcome and metric. Space goes first to
/// failed comparisons with their plots; then to a row for every other one; then to the details of inconclusive ones;
/// and last to frames and phases. Parts are rendered and then measured, so nothing is estimated.
struct HTMLPages {
    private let report: GateReport
    private let index: PageIndex
    private let filters: HTMLFilters
    private let runs: RunFacts
    private let drawn: Set<Cell>
    private let places: [Place]
    /// The open pages: the worst ones, or the only one.
    private let open: Set<PageInEnvironment>
    /// The notable comparisons with a row, by their number in the report.
    private var rows: [Int: HTMLRow] = [:]
    private var others: [Int: Markup] = [:]
    private var traces: [PageInEnvironment: Markup] = [:]
    /// The heads of the pages; a page without a head isn't shown.
    private var heads: [PageInEnvironment: Markup] = [:]

    /// A page in its environment, with the numbers of its comparisons: those of its findings first.
    private struct Place {
        let summary: PageSummary
        let indices: [Int]
        let worst: CellResult
    }

    /// The most comparisons with a history in every row.
    private static let mostHistories = 2_000
    /// The most pages with a line of their own; more are folded by outcome.
    static let mostLines = 12
    /// The most notable comparisons whose pages are open; the worst page always is.
    private static let mostOpen = 4

    /// The number of pages; a comparison of all pages together isn't a page.
    private static func count(_ all: some Collection<Place>) -> Int { max(1, all.count { !$0.worst.isOfAllPages }) }

    /// Renders as much as fits into this many bytes, without the plots of comparisons that stand elsewhere on the page.
    init(_ report: GateReport, drawn: Set<Cell> = [], room: Int) {
        (self.report, self.drawn) = (report, drawn)
        (index, filters, runs) = (PageIndex(report), HTMLFilters(report), report.facts)
        places = Self.places(of: report, index)
        open = Self.open(places, in: report)
        fill(room)
    }

    /// The pages, sorted by their worst comparison.
    private static func places(of report: GateReport, _ index: PageIndex) -> [Place] {
        let first = Set(report.findings.flatMap(\.parts).map(\.result.cell))
        let found = Set(first.map(\.place))
        let places = report.comparisons.indices.grouped { report.comparisons[$0].place }.map { all -> Place in
            let worst = report.comparisons[all[0]]
            let own =
                found.contains(worst.place) ? all.filter { first.contains(report.comparisons[$0].cell) } : []
            return Place(
                summary: index[worst] ?? PageSummary(place: worst.place),
                indices: own.isEmpty ? all : own + all.filter { !own.contains($0) }, worst: worst)
        }
        let others = places.filter { !$0.worst.isRemarkable }.sorted { $0.summary.place < $1.summary.place }
        return places.filter(\.worst.isRemarkable) + others
    }

    private static func open(_ places: [Place], in report: GateReport) -> Set<PageInEnvironment> {
        guard places.count > 1 else { return Set(places.map(\.summary.place)) }
        var count = 0
        let open = places.prefix(while: \.worst.isRemarkable).prefix { place in
            defer { count += place.indices.count { report.comparisons[$0].isRemarkable } }
            return count < mostOpen
        }
        return Set(open.map(\.summary.place))
    }

    private mutating func fill(_ room: Int) {
        var left = room
        let results = report.comparisons
        func take(_ markup: Markup) -> Markup? {
            guard markup.count <= left else { return nil }
            left -= markup.count
            return markup
        }
        // Failed pages come first, and half the space is kept for their content.
        for place in places {
            let head = head(place)
            let whole = head.count + 2 * fold(table([Markup()], of: place)).count
            guard left - whole > room / 2 else { break }
            left -= whole
            heads[place.summary.place] = head
        }
        let shown = results.indices.filter { heads[results[$0].place] != nil }
        let notable = shown.filter { results[$0].isRemarkable }
        let worse = notable.filter { HTMLCell.outcome(of: results[$0]) == .worse }
        let doubtful = notable.filter { HTMLCell.outcome(of: results[$0]) != .worse }
        func takeRow(_ number: Int) -> HTMLRow? {
            let row = cell(number).row(metric: filters.metrics[results[number].metric.id])
            return take(row.markup) == nil ? nil : row
        }
        for number in worse { rows[number] = takeRow(number) }
        for number in worse { widen(number, &left) }
        for number in doubtful { rows[number] = takeRow(number) }
        let linked = Set(report.pinned?.comparisons.map(\.cell) ?? [])
        for number in shown where !results[number].isRemarkable {
            let row = cell(number).tableRow(
                metric: filters.metrics[results[number].metric.id], isLinked: linked.contains(results[number].cell))
            guard let taken = take(row) else { break }
            others[number] = taken
        }
        for number in doubtful { widen(number, &left) }
        for place in places where heads[place.summary.place] != nil {
            guard let trace = place.summary.trace, let markup = take(HTMLTrace(trace).markup) else { continue }
            traces[place.summary.place] = markup
        }
    }

    private func cell(_ number: Int) -> HTMLCell {
        let result = report.comparisons[number]
        return HTMLCell(result, hasHistory: hasHistory(result), isDrawn: drawn.contains(result.cell), runs: runs)
    }

    /// With many comparisons, only failed ones show their history.
    private func hasHistory(_ result: CellResult) -> Bool {
        report.comparisons.count <= Self.mostHistories || HTMLCell.outcome(of: result) == .worse
    }

    private mutating func widen(_ number: Int, _ left: inout Int) {
        guard left > 0, var row = rows[number] else { return }
        let before = row.markup.count
        row.body = cell(number).body
        // A plot that doesn't fit ends the search: the next ones are as long.
        guard row.markup.count - before <= left else { return left = 0 }
        left -= row.markup.count - before
        rows[number] = row
    }

    var anchors: Set<String> {
        let linked = Set((report.pinned?.comparisons ?? []).map(\.cell))
        let others =
            linked.isEmpty ? [] : others.keys.map { report.comparisons[$0] }.filter { linked.contains($0.cell) }
        return Set(rows.values.map(\.anchor.text) + others.map(\.htmlAnchor))
    }

    var markup: Markup {
        guard !places.isEmpty else { return Markup() }
        let shown = places.filter { heads[$0.summary.place] != nil }
        let count = Self.count(places)
        return """
            <section id="pages">
            <h2>\(count == 1 ? "The page" : "\(count) pages, worst first")</h2>
            \(filters.markup)\(remainder)\(list(shown))</section>

            """
    }

    /// The number of comparisons without a row or a plot, and how to see them.
    private var remainder: Markup {
        let left = report.comparisons.count - rows.count - others.count
        let count = "\(Figure.count(left, "comparison")) \(left == 1 ? "is" : "are")"
        let unlisted: Markup? = left > 0 ? "<p>\(count) only in the JSON report.</p>\n" : nil
        let bare = rows.count { number, row in
            let result = report.comparisons[number]
            return row.body == nil && (result.baseline != nil || result.candidate != nil)
        }
        let untraced = places.count { place in
            let name = place.summary.place
            return heads[name] != nil && place.summary.trace != nil && traces[name] == nil
        }
        let missing = [
            bare > 0 ? "the plots of \(Figure.count(bare, "comparison"))" : nil,
            untraced > 0 ? "the frames and phases of \(Figure.count(untraced, "page"))" : nil,
        ].compactMap(\.self)
        guard !missing.isEmpty else { return unlisted ?? Markup() }
        return """
            \(unlisted)<p>This report has no room for \(missing.joined(separator: " and ")). \
            <code>perfgate report \(report.storedFile) --page PAGE --html FILE</code> writes them for one page.</p>

            """
    }

    /// The worst pages, and the others folded by outcome; all pages that are fine are one fold.
    private func list(_ shown: [Place]) -> Markup {
        guard Self.count(shown) > Self.mostLines else { return Markup(shown.map(page)) }
        let first = shown.prefix(while: \.worst.isRemarkable).prefix(Self.mostLines)
        let rest = shown.dropFirst(first.count)
        let folds = [HTMLCell.Outcome.worse, .unsure, .passed].compactMap { outcome -> Markup? in
            let pages = rest.filter { place in
                place.worst.isRemarkable ? HTMLCell.outcome(of: place.worst) == outcome : outcome == .passed
            }
            guard !pages.isEmpty else { return nil }
            let title = outcome == .passed ? "nothing notable" : outcome.title
            let more = first.isEmpty ? "page" : "more page"
            return """
                <details class="pages"><summary>\(Figure.count(Self.count(pages), more)): \
                <span class="\(outcome.color)">\(title)</span></summary>
                \(pages.map(page))</details>

                """
        }
        return "\(first.map(page))\(folds)"
    }

    private func page(_ place: Place) -> Markup {
        let notable = place.indices.compactMap { rows[$0]?.markup }
        func rest(isGated: Bool) -> Markup {
            let numbers = place.indices.filter { report.comparisons[$0].isGated == isGated }
            return table(numbers.compactMap { others[$0] }, of: place)
        }
        let summary = place.summary.place
        return """
            \(heads[summary])\(notable)\(rest(isGated: true))\(fold(rest(isGated: false)))\(traces[summary])</details>

            """
    }

    /// A table of comparisons that have a row in it; empty without any.
    private func table(_ rows: [Markup], of place: Place) -> Markup {
        guard !rows.isEmpty else { return Markup() }
        let heads = HTMLCell.columns.map { "<th>\($0)" as Markup }
        return """
            <div class="scroll" role="region" aria-label="Metrics of \(place.summary.place.page.name)" tabindex="0">\
            <table class="passed"><thead><tr>\(heads)<tbody>
            \(rows)</table></div>

            """
    }

    private func fold(_ table: Markup) -> Markup {
        table.isEmpty ? table : "<details><summary>Not gated</summary>\n\(table)</details>\n"
    }

    /// The start of a page: name, counts, environment, source, and the command that explains its finding.
    private func head(_ place: Place) -> Markup {
        let summary = place.summary
        let leads = summary.leads.map { "<p>\(PageIndex.lookAt) \($0)</p>\n" as Markup }
        let counts = HTMLCell.counts(of: place.indices.map { report.comparisons[$0] })
        let facts = [
            report.environments.count > 1 ? summary.place.environment.description : nil, summary.position,
            summary.owner.map { "owned by \($0)" },
            summary.seconds > 0 ? "measured for \(Figure.text(summary.seconds)) s" : nil,
            summary.tests.isEmpty ? nil : "by " + summary.tests.joined(separator: ", "),
        ].compactMap(\.self)
        let about: Markup? = facts.isEmpty ? nil : "<p class=\"about\">\(facts.joined(separator: " · "))</p>\n"
        let steps = report.next.filter { $0.page == summary.place.page && $0.command.verb == .explain }
        let why = steps.map { step -> Markup in
            "<p class=\"about\">\(step.purpose): <code>\(step.command.text)</code></p>\n"
        }
        return """
            <details class="page" id="\(HTMLAnchor.page(summary.place))"\(open.contains(summary.place) ? " open" : Markup())>
            <summary><h3><bdi>\(summary.place.page.name)</bdi></h3> <span class="counts">\(counts)</span></summary>
            \(about)\(why)\(leads)
            """
    }
}
