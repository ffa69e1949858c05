import PerfgateCompare
import PerfgateModel
import PerfgateTemplates

/// The trends as an HTML page without external requests: the findings as cards, then a table of pages and metrics, then
/// the graphs of the page that the reader opens. Its script sorts, filters and zooms; everything else works without it.
package struct HTMLTrend: Sendable {
    private let report: TrendReport
    private let templates: TemplateSet
    /// The resolution, by the number of values.
    var size: TrendSize

    package init(_ report: TrendReport, templates: TemplateSet) {
        (self.report, self.templates) = (report, templates)
        let values = report.groups.reduce(0) { sum, group in
            sum + group.graphs.reduce(0) { $0 + max(3, $1.lines.count + 1) } * group.axis.places.count
        }
        size = TrendSize(values: values)
    }

    package var text: String {
        let groups = report.groups.enumerated().map { number, group in
            HTMLTrendGroup(TrendFrame(group, number: number, step: size.step), size, isOnly: report.groups.count == 1)
        }
        let cards = groups.flatMap(\.cards).sorted { $0.rank > $1.rank }
        let headline = headline(of: cards)
        var room = size.staticBytes
        let context: TemplateContext = [
            "style_sheet": .markup(templates.styleSheet), "title": .text("perfgate: \(headline.text)"),
            "script": .markup(String(decoding: BuiltInTemplates.trendScript, as: UTF8.self)),
            "script_hash": .markup(BuiltInTemplates.trendScriptHash), "headline": .text(headline.text),
            "dated_headline": .markup(Markup(dated: headline.text).text), "outcome": .markup(headline.outcome),
            "facts": .text(facts), "dated_facts": .markup(Markup(dated: facts).text),
            "notes": .list(report.notes.map { ["text": .text($0)] }),
            "changes": .list(cards.isEmpty ? [] : [changes(cards, groups)]),
            "groups": .list(groups.map { $0.context(&room) }),
            "data": .markup("\(size.width)\n\(groups.map(\.data).joined())"),
        ]
        return templates.render(.trend, context)
    }

    private var facts: String {
        let (words, count) = (TrendWords(report.groups[0]), report.groups.count)
        return (count == 1 ? "\(words.name) · \(words.extent)" : Figure.count(count, "environment"))
            + " · \(report.tool)"
    }

    /// The worst thing in one sentence, and its outcome.
    private func headline(of cards: [TrendCard]) -> (text: String, outcome: String) {
        guard let worst = cards.first else {
            guard report.hasEnoughData else { return (TrendWords(report.groups[0]).verdict, "inconclusive") }
            return ("No lasting change", "passed")
        }
        let alike = cards.filter { $0.status == worst.status }
        let pages = alike.flatMap { $0.changes.filter { TrendCard.Status($0) == worst.status } }.map(\.page).unique
        let names = CleanText.line(Finding.names(of: pages))
        let change = "\(worst.words.title(of: worst.main)) \(worst.words.amount(of: worst.main))"
        let amount =
            pages.count == 1 ? "\(names): \(change)" : "\(names) got \(worst.status == .better ? "better" : "worse")"
        let said = alike.count == 1 ? "\(amount) \(worst.since)" : amount
        switch worst.status {
        case .worse: return (said, "failed")
        case .notGated: return ("\(said) (not gated)", "inconclusive")
        case .better: return (said, "passed")
        }
    }

    private static let mostCards = 12

    private func changes(_ cards: [TrendCard], _ groups: [HTMLTrendGroup]) -> TemplateContext {
        let more = cards.dropFirst(Self.mostCards).map { card -> Markup in
            "<li>\(card.link([card.main])) \(card.level(of: card.main)), \(card.since)</li>\n"
        }
        let shown = Markup(cards.prefix(Self.mostCards).map(\.markup)).text
        return [
            "cards": .markup(shown), "has_worse": .flag(shown.contains("\"mark worse\"")),
            "has_better": .flag(shown.contains("\"mark good\"")),
            "has_other": .flag(shown.contains("\"mark worse other\"") || shown.contains("\"mark good other\"")),
            "has_gap": .flag(shown.contains("class=\"gap\"")), "more": .markup(Markup(more).text),
            "more_count": .text(more.isEmpty ? nil : Figure.count(more.count, "more finding")),
            "of_days": .flag(report.groups.allSatisfy(\.axis.isOfDays)),
            "has_releases": .flag(groups.contains { !$0.frame.releases.isEmpty }),
        ]
    }
}

/// A finding as a card: what changed, by how much, since when and with which commits or release.
struct TrendCard {
    enum Status: Int {
        case better, notGated, worse

        init(_ change: DriftFinding.Change) { self = change.isWorse ? change.isGated ? .worse : .notGated : .better }

        var color: Markup { self == .worse ? "worse" : self == .better ? "good" : "unsure" }
    }

    let finding: DriftFinding
    let words: TrendWords
    let frame: TrendFrame
    /// The environment, if there are several.
    let environment: String?
    /// The changes, the gated ones for the worse first, then the greatest; after the first one other pages.
    let changes: [DriftFinding.Change]

    init(_ finding: DriftFinding, _ words: TrendWords, _ frame: TrendFrame, environment: String?) {
        (self.finding, self.words, self.frame, self.environment) = (finding, words, frame, environment)
        let ranked = [Status.worse, .notGated, .better].flatMap { status in
            finding.changes.filter { Status($0) == status }
        }
        let isElsewhere = { (change: DriftFinding.Change) in change.page != ranked[0].page && Status(change) == .worse }
        changes = ranked.prefix(1) + ranked.filter(isElsewhere) + ranked.dropFirst().filter { !isElsewhere($0) }
    }

    var main: DriftFinding.Change { changes[0] }

    var status: Status { Status(main) }

    /// Gated ones for the worse first, then the greatest.
    var rank: (Int, Double) { (status.rawValue, abs(main.logarithm)) }

    /// The day if it is known: the name of a run says nothing in a title.
    var since: String { "since \(frame.group.day(of: finding.first) ?? words.label(of: finding.first))" }

    func link(_ changes: [DriftFinding.Change]) -> Markup {
        let names = changes.map { words.title(of: $0) }.joined(separator: ", ")
        let metric = words.graph(of: changes[0])?.metric.id ?? changes[0].metric
        return "<a href=\"#\(frame.anchor(changes[0].page, metric))\"><bdi>\(changes[0].page.name)</bdi></a>: \(names)"
    }

    func level(of change: DriftFinding.Change) -> Markup {
        "<span class=\"\(Status(change).color)\">\(words.level(of: change))</span>"
    }

    /// The most other changes that are open, and all that are listed.
    private static let (mostOpen, mostFolded) = (5, 40)

    var markup: Markup {
        let place: Markup? = environment.map { "<p class=\"about\"><bdi>\($0)</bdi></p>\n" }
        let next: Markup? = next.map { "<p class=\"about\">\($0.purpose):</p>\n<pre>\($0.commands)</pre>\n" }
        let verdict = status == .worse ? "▲ worse" : status == .better ? "▼ better" : "▲ worse, not gated"
        return """
            <article class="card \(status.color)-cell">
            <h3><span class="verdict \(status.color)">\(verdict)</span> \(link([main]))</h3>
            \(place)<p class="change">\(words.levels(of: main)) \
            <strong class="\(status.color)">\(words.amount(of: main))</strong></p>
            <p>Since \(words.span(of: finding))\(words.origin(of: finding))</p>
            \(plot)\(next)\(others)</article>

            """
    }

    /// What to do: search the commits, or compare the release that spread with the one before it.
    private var next: (purpose: String, commands: String)? {
        if let search = words.search(for: finding) {
            return ("Find the commit, with a COMMAND for one run such as './measure.sh {logs}'", search)
        }
        let week = main.first - 7
        let base = frame.group.adoption.releases.max { $0.shares[week] ?? 0 < $1.shares[week] ?? 0 }?.name
        guard status == .worse, let release = finding.release, let base, base != release else { return nil }
        let pair = SuggestedCommand(.fieldRollUp, [.blank("EVENTS"), .option(.pair, "\(base):\(release)")])
        let check = SuggestedCommand(.fieldCheck, [.option(.base, base), .option(.candidate, release)])
        return ("Compare both releases' users on the same days", "\(pair.text)\n\(check.text)")
    }

    private var plot: Markup {
        guard let graph = words.graph(of: main) else { return Markup() }
        let levels = graph.series.changes.flatMap { [$0.before, $0.after] }
        let svg = SVGTrend(
            frame, showing: graph.values.map(\.level) + levels, unit: graph.level.unit.symbol, height: 150, top: 24)
        let marks = graph.series.changes.map { svg.mark($0, isMain: $0 == main) }
        return svg.markup(
            "\(marks)\(svg.curve(frame.numbers(graph.values) { $0.level }, kind: 0))\(svg.levels(of: graph.series.changes))",
            title: words.sentence(of: main), dated: main)
    }

    /// The other changes at the same place; metrics with the same curve share a line.
    private var others: Markup {
        let groups = changes.dropFirst().grouped { [$0.page, $0.first, $0.before, $0.after] as [AnyHashable] }
        let items = groups.prefix(Self.mostFolded).map { group -> Markup in
            "<li>\(link(group)) \(level(of: group[0]))</li>\n"
        }
        let folded = Markup(items.dropFirst(Self.mostOpen))
        let more = Figure.count(groups.count - Self.mostOpen, "more change")
        let rest: Markup = "<details><summary>\(more)</summary><ul>\n\(folded)</ul></details>\n"
        guard !groups.isEmpty else { return Markup() }
        let open = Markup(items.prefix(Self.mostOpen))
        return "<p class=\"about\">Also changed then:</p>\n<ul>\n\(open)</ul>\n\(folded.isEmpty ? nil : rest)"
    }
}
