import PerfgateCompare
import PerfgateModel

/// The traffic of an app's releases and the scores of their pages, for the HTML report of a field check.
struct HTMLTraffic {
    private let environment: Environment
    private let traffic: ReleaseTraffic

    /// Takes an environment; `nil` if test runs were compared.
    init?(_ summary: EnvironmentSummary) {
        guard let traffic = summary.releases else { return nil }
        environment = summary.environment
        self.traffic = traffic
    }

    static let mostPages = 600

    var markup: Markup {
        """
        <section>
        <h2>Traffic: <bdi>\(environment.description)</bdi></h2>
        <p>\(Figure.text((traffic.overlap * 100).rounded())) % of the traffic overlaps.</p>
        \(days)\(strata)\(scores)\(hangs)</section>

        """
    }

    private func table(_ title: String, _ names: [String], _ rows: [Markup]) -> HTMLTable {
        HTMLTable(title, of: environment.description, names, rows)
    }

    private static func numbers(_ texts: [String]) -> [Markup] { texts.map { "<td class=\"number\">\($0)</td>" } }

    private var days: Markup {
        let rows = traffic.days.map { day -> Markup in
            func weight(_ sum: Int) -> String { Figure.text((Double(sum) / ReleaseTraffic.fullWeight).rounded()) }
            let overlap = "\(Figure.text((ReleaseTraffic.overlap([day]) * 100).rounded())) %"
            let numbers = [
                String(day.events.base), weight(day.weights.base), String(day.events.candidate),
                weight(day.weights.candidate), overlap,
            ]
            return "<tr><th scope=\"row\">\(day.day)</th>\(Self.numbers(numbers))</tr>\n"
        }
        let names = [
            "Day", "Events of \(traffic.base)", "weighted", "Events of \(traffic.candidate)", "weighted", "Overlap",
        ]
        return table("Events by day", names, rows).folded
    }

    private var strata: Markup {
        guard !traffic.strata.isEmpty else { return Markup() }
        func share(_ count: Int, of all: Int) -> String {
            all > 0 ? "\(count) (\(Figure.text((Double(count) / Double(all) * 1_000).rounded() / 10)) %)" : "0"
        }
        let rows = traffic.strata.map { part -> Markup in
            let numbers = [
                share(part.events.base, of: traffic.events.base),
                share(part.events.candidate, of: traffic.events.candidate),
            ]
            let name = "\(part.name): \(part.value.isEmpty ? "unknown" : part.value)"
            return "<tr><th scope=\"row\"><bdi>\(name)</bdi></th>\(Self.numbers(numbers))</tr>\n"
        }
        let names = ["Part", "Events of \(traffic.base)", "Events of \(traffic.candidate)"]
        return table("Events by part of the users", names, rows).folded
    }

    private var scores: Markup {
        guard let scores = traffic.scores.first else { return Markup() }
        let tried = traffic.scores.dropFirst().first
        let others = Dictionary((tried?.pages ?? []).map { ($0.page, $0) }) { first, _ in first }
        let rows = scores.pages.prefix(Self.mostPages).map { page -> Markup in
            let own = [String(page.visits), score(page.base), score(page.candidate), change(page.base, page.candidate)]
            let other = tried == nil ? [] : [score(others[page.page]?.base), score(others[page.page]?.candidate)]
            return "<tr><th scope=\"row\"><bdi>\(page.page.name)</bdi></th>\(Self.numbers(own + other))</tr>\n"
        }
        let more = tried.map { ["\(traffic.base) by \($0.formula)", "\(traffic.candidate) by \($0.formula)"] } ?? []
        let left = scores.pages.count - rows.count
        let title = "Page performance score, formula \(scores.formula)" + (tried.map { ", beside \($0.formula)" } ?? "")
        return table(title, ["Page", "Visits", traffic.base, traffic.candidate, "Change"] + more, rows).folded(
            note: left > 0 ? "\(Figure.count(left, "page")) with fewer visits are only in the JSON report." : nil)
    }

    private var hangs: Markup {
        guard let hangs = traffic.hangs, !hangs.stacks.isEmpty else { return Markup() }
        let rows = hangs.stacks.map { stack -> Markup in
            let texts = HangTexts(stack)
            let numbers = Self.numbers(texts.hangs + texts.milliseconds)
            return
                "<tr><th scope=\"row\"><bdi>\(texts.page)</bdi></th><td><bdi>\(texts.calls)</bdi></td>\(numbers)</tr>\n"
        }
        let names = ["Page", "Calls, innermost first", "Hangs in \(traffic.base)", "in \(traffic.candidate)"]
        let times = ["ms in \(traffic.base)", "in \(traffic.candidate)"]
        return table(HangTexts.title, names + times, rows).folded(
            note: hangs.left > 0 ? "\(Figure.count(hangs.left, "stack")) with less time aren't listed." : nil)
    }

    private func score(_ score: Double?) -> String { score.map { Figure.text(($0 * 10).rounded() / 10) } ?? "–" }

    private func change(_ base: Double?, _ candidate: Double?) -> String {
        guard let base, let candidate else { return "–" }
        return Figure.signed(candidate - base, Figure.Resolution(of: [100]))
    }
}

/// A stack of reported hangs in words, the same in each report.
struct HangTexts {
    static let title = "Hangs that devices reported, per 1,000 visits"

    let page: String
    /// Innermost first.
    let calls: String
    /// The number and the time in ms, each of the older and the newer release.
    let hangs, milliseconds: [String]

    init(_ stack: ReleaseTraffic.Hangs.Stack) {
        page = stack.page.map { CleanText.line($0.name, most: 60) } ?? "The whole app"
        calls = stack.frames.map { CleanText.line($0, most: 100) }.joined(separator: " ← ")
        let amounts = [stack.base, stack.candidate]
        hangs = amounts.map { $0.map { Figure.text($0.hangs) } ?? "–" }
        milliseconds = amounts.map { $0.map { Figure.text($0.milliseconds) } ?? "–" }
    }

    private var values: String {
        "\(hangs.joined(separator: " → ")) hangs, \(milliseconds.joined(separator: " → ")) ms"
    }

    /// The listed stacks of all apps.
    static func all(of report: GateReport) -> [(title: String, values: String)] {
        report.environments.flatMap { summary in
            let app = CleanText.line(summary.environment.fields.first?.text ?? "", most: 60)
            let place = report.environments.count > 1 ? "\(app), " : ""
            return (summary.releases?.hangs?.stacks ?? []).map(HangTexts.init).map { texts in
                ("\(place)\(texts.page): \(texts.calls)", texts.values)
            }
        }
    }
}

/// A table that scrolls horizontally if it is too wide.
struct HTMLTable {
    private let title: String
    private let subject: String
    private let names: [String]
    private let rows: [Markup]

    /// Makes a table with a caption; `names` are the column heads, each row is a `<tr>`.
    init(_ title: String, of subject: String, _ names: [String], _ rows: [Markup]) {
        (self.title, self.subject, self.names, self.rows) = (title, subject, names, rows)
    }

    var markup: Markup {
        let heads = names.map { "<th scope=\"col\">\($0)</th>" as Markup }
        return """
            <div class="scroll" role="region" aria-label="\(title) of \(subject)" tabindex="0"><table>
            <thead><tr>\(heads)</tr></thead>
            <tbody>
            \(rows)</tbody></table></div>

            """
    }

    /// The table folded below its title.
    var folded: Markup { folded() }

    /// The same with a sentence below the table.
    func folded(note: String? = nil) -> Markup {
        let note: Markup? = note.map { "<p>\($0)</p>" }
        return "<details><summary>\(title)</summary>\n\(markup)\(note)</details>\n"
    }
}
