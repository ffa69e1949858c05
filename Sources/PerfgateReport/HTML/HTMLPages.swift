import PerfgateCompare
import PerfgateModel

/// The pages of an HTML report with as many comparisons as fit, and the means to find them: contents and filters.
///
/// Space goes first to failed comparisons with their plots; then to a row for every other one; then to plots of
/// inconclusive ones; then to frames and phases; and last to plots of passed ones. Parts are rendered and then
/// measured, so nothing is estimated.
struct HTMLPages {
    private let report: GateReport
    private let index: PageIndex
    private let filters: HTMLFilters
    private let commits: [String: String]
    private let places: [Place]
    /// The open pages: the worst ones, or the only one.
    private let open: Set<PageInEnvironment>
    /// The finished comparisons in report order; `nil`: no room.
    private var cells: [HTMLRow?]
    private var traces: [PageInEnvironment: Markup] = [:]
    /// The heads of the pages and their links in the contents; a page without a head isn't shown.
    private var heads: [PageInEnvironment: (head: Markup, link: Markup)] = [:]

    /// A page in its environment, with the indices of its comparisons.
    private struct Place {
        let summary: PageSummary
        let indices: [Int]
        let worst: CellResult
    }

    /// The most bytes for plots and numbers of passed comparisons, so the page opens quickly.
    private static let mostOfPassed = 1_500_000
    /// The most comparisons with a history in every row.
    private static let mostHistories = 2_000
    /// The most pages with a line of their own; more are folded by outcome.
    static let mostLines = 12
    /// The most notable comparisons whose pages are open; the worst page always is.
    private static let mostOpen = 4

    /// The number of pages; a comparison of all pages together isn't a page.
    private static func count(_ places: some Collection<Place>) -> Int {
        max(1, places.count { !$0.worst.isOfAllPages })
    }

    /// Renders as much as fits into this many bytes.
    init(_ report: GateReport, room: Int) {
        self.report = report
        index = PageIndex(report)
        filters = HTMLFilters(report)
        commits = report.commits
        cells = Array(repeating: nil, count: report.comparisons.count)
        places = Self.places(of: report, index)
        open = Self.open(places, in: report)
        fill(room)
    }

    /// The pages, sorted by their worst comparison.
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
            let (head, link) = (head(place), link(place))
            guard left - head.count - link.count > room / 2 else { break }
            left -= head.count + link.count
            heads[place.summary.place] = (head, link)
        }
        let shown = results.indices.filter { heads[results[$0].place] != nil }
        let worse = shown.filter { results[$0].isRemarkable && HTMLCell.outcome(of: results[$0]) == .worse }
        let doubtful = shown.filter {
            results[$0].isRemarkable && HTMLCell.outcome(of: results[$0]) != .worse
        }
        let well = shown.filter { !results[$0].isRemarkable }
        func takeRow(_ number: Int) -> HTMLRow? {
            let row = cell(number).row(metric: filters.metrics[results[number].metric.id])
            return take(row.markup) == nil ? nil : row
        }
        for number in worse { cells[number] = takeRow(number) }
        for number in worse { widen(number, &left) }
        for number in doubtful + well {
            guard let row = takeRow(number) else { break }
            cells[number] = row
        }
        for number in doubtful { widen(number, &left) }
        for place in places where heads[place.summary.place] != nil {
            guard let trace = place.summary.trace, let markup = take(HTMLTrace(trace).markup) else { continue }
            traces[place.summary.place] = markup
        }
        left = min(left, Self.mostOfPassed)
        for number in well { widen(number, &left) }
    }

    private func cell(_ number: Int) -> HTMLCell {
        let result = report.comparisons[number]
        return HTMLCell(result, hasHistory: hasHistory(result), commits: commits)
    }

    /// With many comparisons, only failed ones show their history.
    private func hasHistory(_ result: CellResult) -> Bool {
        cells.count <= Self.mostHistories || HTMLCell.outcome(of: result) == .worse
    }

    /// Adds details to a row if there is room.
    private mutating func widen(_ number: Int, _ left: inout Int) {
        guard left > 0, let row = cells[number] else { return }
        let body = cell(number).body
        let more = body.count + row.frameCount
        // A plot that doesn't fit ends the search: the next ones are as long.
        guard more <= left else { return left = 0 }
        left -= more
        cells[number]?.body = body
    }
}

extension HTMLPages {
    var anchors: Set<String> { Set(cells.compactMap { $0?.anchor.text }) }

    /// The section of all pages; empty without pages.
    var markup: Markup {
        guard !places.isEmpty else { return Markup() }
        let shown = places.filter { heads[$0.summary.place] != nil }
        return """
            <section id="pages">
            <h2>Pages</h2>
            \(filters.markup)\(remainder)\(list(shown))</section>

            """
    }

    /// The number of comparisons without a row or a plot, and how to see them.
    private var remainder: Markup {
        let left = cells.count { $0 == nil }
        let unlisted: Markup? =
            left > 0
            ? "<p>\(Figure.count(left, "comparison")) \(left == 1 ? "is" : "are") only in the JSON report.</p>\n" : nil
        let bare = cells.indices.count { number in
            let result = report.comparisons[number]
            return cells[number] != nil && cells[number]?.body == nil
                && (result.baseline != nil || result.candidate != nil)
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
                <details class="pages"><summary><span class="\(outcome.color)">\(outcome.mark)</span>\
                \(Figure.count(Self.count(pages), more)): \(title)</summary>
                \(pages.map(page))</details>

                """
        }
        return "\(first.map(page))\(folds)"
    }

    private func page(_ place: Place) -> Markup {
        let shown = place.indices.filter { cells[$0] != nil }
        let first = shown.filter { report.comparisons[$0].isRemarkable }
        let rest = shown.filter { !report.comparisons[$0].isRemarkable }
        let others = rest.compactMap { cells[$0]?.markup }
        let well: Markup =
            !place.worst.isRemarkable || others.isEmpty
            ? Markup(others)
            : """
            <details class="well"><summary>\(Figure.count(others.count, "other comparison"))</summary>
            \(others)</details>

            """
        let summary = place.summary.place
        return "\(heads[summary]?.head)\(first.compactMap { cells[$0]?.markup })\(traces[summary])\(well)</details>\n"
    }

    /// The start of a page: name, counts, environment and source.
    private func head(_ place: Place) -> Markup {
        let summary = place.summary
        let anchor = HTMLAnchor.page(summary.place)
        let leads = summary.leads.map { "<p>\(PageIndex.lookAt) \($0)</p>\n" as Markup }
        return """
            <details class="page" id="\(anchor)"\(open.contains(summary.place) ? " open" : Markup())>
            <summary><h3><bdi>\(summary.place.page.name)</bdi></h3> \(counts(place))</summary>
            <span class="only" id="only-\(anchor)"></span><p class="about">\(about(summary))</p>
            \(leads)
            """
    }

    /// The page's line in the contents, with a link that hides the other pages.
    private func link(_ place: Place) -> Markup {
        let anchor = HTMLAnchor.page(place.summary.place)
        let environment: Markup? =
            report.environments.count > 1
            ? " <small><bdi>\(place.summary.place.environment.description)</bdi></small>" : nil
        return """
            <li><a href="#\(anchor)"><bdi>\(place.summary.place.page.name)</bdi></a>\(environment) \(counts(place))\
            <a class="pick" href="#only-\(anchor)">only this</a></li>

            """
    }

    /// The number of a page's comparisons by outcome.
    private func counts(_ place: Place) -> Markup { HTMLCell.counts(of: place.indices.map { report.comparisons[$0] }) }

    private func about(_ summary: PageSummary) -> String {
        let owner = summary.owner.map { "owned by \($0)" }
        let seconds = summary.seconds > 0 ? "measured for \(Figure.text(summary.seconds)) s" : nil
        let tests = summary.tests.isEmpty ? nil : "by " + summary.tests.joined(separator: ", ")
        return [summary.place.environment.description, summary.position, owner, seconds, tests]
            .compactMap(\.self).joined(separator: " · ")
    }

    /// The links to all pages, each with counts and a link that hides the others; empty for a single page.
    var contents: Markup {
        guard places.count > 1 else { return Markup() }
        let items = places.compactMap { heads[$0.summary.place]?.link }
        let count = Self.count(places)
        return """
            <nav aria-label="Pages">
            <details\(count <= Self.mostLines ? " open" : Markup())><summary>\(Figure.count(count, "page")), worst first</summary>
            <ul class="contents">
            \(items)</ul>
            <p><a class="pick" href="#pages">Show all pages</a></p></details></nav>

            """
    }
}
