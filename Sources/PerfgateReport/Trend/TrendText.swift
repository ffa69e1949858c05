import PerfgateCompare
import PerfgateJSON
import PerfgateModel

/// The trends as a few lines for a terminal or a CI log: lasting changes first, then temporary ones.
package struct TrendText: Sendable {
    private let report: TrendReport

    package init(_ report: TrendReport) { self.report = report }

    /// The most findings, and the most changes per finding.
    private static let most = 12

    /// The text with a final line feed. No line starts with anything that a name could inject into a CI log.
    package var text: String {
        (report.notes + report.groups.flatMap(lines)).map { CleanText.logLine($0) + "\n" }.joined()
    }

    private func lines(of group: TrendGroup) -> [String] {
        let words = TrendWords(group)
        var lines = ["\(words.name): \(words.extent)", "  \(words.verdict)"]
        for finding in group.findings.suffix(Self.most) {
            lines.append("  \(words.span(of: finding))\(words.origin(of: finding)):")
            lines += finding.changes.prefix(Self.most).map { "    \(words.sentence(of: $0))" }
            if let search = words.search(for: finding) { lines.append("    Find the commit: \(search)") }
            let more = finding.changes.count - Self.most
            if more > 0 { lines.append("    … and \(more) more") }
        }
        if !group.passing.isEmpty { lines.append("  Ended within five \(words.noun)s:") }
        for finding in group.passing.suffix(Self.most) {
            let changes = finding.changes.map(words.sentence).listed(most: 1)
            lines.append("    \(words.span(of: finding)): \(changes)")
        }
        return lines
    }
}

extension TrendGroup {
    /// The run at a place; `nil` on an axis of days, and if there is none.
    func run(at place: Int) -> TrendRun? {
        guard case .runs(let runs) = axis, runs.indices.contains(place - 1) else { return nil }
        return runs[place - 1]
    }

    /// The day of a place; `nil` for a run without a start.
    func day(of place: Int) -> String? {
        let number = axis.isOfDays ? place : run(at: place)?.start?.day
        return number.map { CalendarDay(number: $0).text }
    }
}

/// The words about the graphs of a group, the same in every form.
struct TrendWords {
    let group: TrendGroup
    private let graphs: [DriftFinding.Change: TrendGraph]

    init(_ group: TrendGroup) {
        self.group = group
        graphs = group.graphs.reduce(into: [:]) { graphs, graph in
            for change in graph.series.changes + graph.series.passing { graphs[change] = graph }
        }
    }

    func graph(of change: DriftFinding.Change) -> TrendGraph? { graphs[change] }

    private func symbol(of change: DriftFinding.Change) -> String {
        CleanText.line(graphs[change]?.level.unit.symbol ?? "", most: 20)
    }

    var noun: String { group.axis.isOfDays ? "day" : "run" }

    var name: String {
        let name = CleanText.line(group.environment.description)
        return group.environment.fields.allSatisfy { $0.value == nil } ? "unknown app" : name
    }

    /// The extent of the data: `84 days (2026-01-01 … 2026-03-25), 45 graphs of 5 pages`.
    var extent: String {
        let places = group.axis.places
        let pages = Set(group.graphs.map(\.page)).count
        return "\(Figure.count(places.count, noun)) (\(span(from: places.lowerBound, to: places.upperBound))), "
            + "\(Figure.count(group.graphs.count, "graph")) of " + Figure.count(pages, "page")
    }

    /// The number of changes of level, or why it is unknown.
    var verdict: String {
        guard group.hasEnoughData else {
            return "\(Figure.count(group.length, noun)) can't show drift: it takes \(TrendGroup.fewest)"
        }
        let (failing, worse) = (group.findings.count(where: \.isFailing), group.findings.count(where: \.isWorse))
        let told = [
            (failing, "worse"), (worse - failing, "worse, not gated"), (group.findings.count - worse, "better"),
        ].filter { $0.0 > 0 }
        guard !told.isEmpty else { return "No drift; the last four \(noun)s can't show it yet" }
        return "Drift: " + told.map { "\(Figure.count($0.0, "finding")) for the \($0.1)" }.joined(separator: ", ")
    }

    /// A day, or a run with its day.
    func label(of place: Int) -> String {
        let day = group.day(of: place)
        guard let run = group.run(at: place) else { return day ?? "" }
        return CleanText.line(run.id, most: 60) + (day.map { ", \($0)" } ?? "")
    }

    func span(of finding: DriftFinding) -> String { span(from: finding.first, to: finding.last) }

    func span(from first: Int, to last: Int) -> String {
        first == last ? label(of: first) : "\(label(of: first)) … \(label(of: last))"
    }

    /// The possible origin: the release that spread, or the commits between two runs.
    func origin(of finding: DriftFinding) -> String {
        guard case .runs(let runs) = group.axis else {
            return finding.release.map { ", as release \(CleanText.line($0, most: 60)) spread" }
                ?? ", when no release spread"
        }
        let sides = Self.sides(of: finding)
        guard sides.allSatisfy(runs.indices.contains) else { return "" }
        let commits = sides.compactMap { runs[$0].commit }.filter(CommitHash.isValid).map { $0.prefix(12) }
        let versions = sides.compactMap { runs[$0].version.map { CleanText.line($0, most: 40) } }
        let told = [
            commits.count == 2 ? "commits \(commits[0])..\(commits[1])" : nil,
            versions.count == 2 && versions[0] != versions[1] ? "versions \(versions[0]) → \(versions[1])" : nil,
        ].compactMap(\.self)
        return told.isEmpty ? ", after \(label(of: finding.first - 1))" : ", \(told.joined(separator: ", "))"
    }

    /// The runs before and after a finding's changes, from 0.
    private static func sides(of finding: DriftFinding) -> [Int] { [finding.first - 2, finding.last - 1] }

    /// The command that searches a finding's commits for its first gated change for the worse; `nil` without them.
    func search(for finding: DriftFinding) -> String? {
        guard case .runs(let runs) = group.axis, let worst = finding.changes.first(where: { $0.isWorse && $0.isGated })
        else { return nil }
        let commits = Self.sides(of: finding).filter(runs.indices.contains).compactMap { runs[$0].commit }
        guard commits.count == 2 else { return nil }
        let isTime = graphs[worst]?.level.unit == .milliseconds && worst.before > 0
        let change = isTime ? worst.after / worst.before - 1 : nil
        return SuggestedCommand(
            bisecting: commits[0], commits[1], page: worst.page.name, metric: worst.metric, change: change)?.text
    }

    /// The metric in words: `time to initial load, p75`; an unknown one by its identifier.
    func title(of change: DriftFinding.Change) -> String {
        CleanText.line(MetricCatalog.definition(of: change.metric)?.title ?? change.metric, most: 80)
    }

    /// The change: `Search: time to initial load, p75 [ttil@p75] 498 → 533 ms (+7.1 %), worse`.
    func sentence(of change: DriftFinding.Change) -> String {
        let metric = CleanText.line(MetricCatalog.name(of: change.metric), most: 80)
        return "\(CleanText.line(change.page.name, most: 80)): \(metric) \(level(of: change))"
    }

    /// The change of level: `498 → 533 ms (+7.1 %), worse`.
    func level(of change: DriftFinding.Change) -> String {
        let share = change.before > 0 ? " (\(amount(of: change)))" : ""
        return "\(Figure.text(change.before)) → \(Figure.text(change.after, symbol(of: change)))\(share), "
            + (change.isWorse ? "worse" : "better") + (change.isGated ? "" : " (not gated)")
    }

    /// The levels without decimals that no reader needs: `1026 → 1307 ms`.
    func levels(of change: DriftFinding.Change) -> String {
        "\(Figure.text(Self.short(change.before, beside: change.after))) → "
            + Figure.text(Self.short(change.after, beside: change.before), symbol(of: change))
    }

    /// The change: `+27 %`, or in the unit, see below.
    func amount(of change: DriftFinding.Change) -> String {
        Self.amount(change.before, change.after, symbol(of: change), graphs[change]?.series.smallest ?? 0)
    }

    /// The difference in percent; in the unit if the old level is below the smallest change that matters, or the new one
    /// ten times as large.
    static func amount(_ before: Double, _ after: Double, _ symbol: String, _ smallest: Double) -> String {
        let share = after / before - 1
        guard before > 0, before >= smallest, abs(share) < 9.995 else {
            return Figure.signed(short(after - before), Figure.Resolution(of: [before, after]), symbol)
        }
        return Figure.percentage(abs(share) < 0.1 ? share : (share * 100).rounded() / 100)
    }

    /// From 100 on, a whole number; beside such a number from 10 on.
    static func short(_ value: Double, beside other: Double = 0) -> Double {
        abs(value) < (abs(other) < 100 ? 100 : 10) ? value : value.rounded()
    }
}

/// The trends as JSON: the findings first, then every value of every graph.
package struct JSONTrend: Sendable {
    private let report: TrendReport

    package init(_ report: TrendReport) { self.report = report }

    /// The text with a final line feed.
    package func bytes() -> [UInt8] {
        let root: JSONTree = [
            "schema": 1, "tool": .string(report.tool), "notes": .strings(report.notes),
            "groups": .list(report.groups.map(Self.tree)),
        ]
        return root.bytes()
    }

    private static func tree(_ group: TrendGroup) -> JSONTree {
        let words = TrendWords(group)
        let environment = group.environment.fields.compactMap { field in
            field.value == nil ? nil : (field.name, JSONTree.string(field.text))
        }
        let runs: [JSONTree]? =
            if case .runs(let runs) = group.axis {
                runs.map { run -> JSONTree in
                    .line([
                        "id": .string(run.id), "started_at": (run.start?.text).map(JSONTree.string),
                        "commit": run.commit.map(JSONTree.string), "app_version": run.version.map(JSONTree.string),
                    ])
                }
            } else {
                nil
            }
        return [
            "environment": .line(.object(environment)), "verdict": .string(words.verdict),
            "drift": .list(group.findings.map { tree($0, words) }),
            "passing": .list(group.passing.map { tree($0, words) }), "runs": runs.map(JSONTree.list),
            "graphs": .list(group.graphs.map { tree($0, words) }),
        ]
    }

    private static func tree(_ finding: DriftFinding, _ words: TrendWords) -> JSONTree {
        let changes = finding.changes.map { change -> JSONTree in
            .line([
                "page": .string(change.page.name), "metric": .string(change.metric), "worse": .bool(change.isWorse),
                "gated": .bool(change.isGated), "text": .string(words.sentence(of: change)),
            ])
        }
        return [
            "when": .string(words.span(of: finding)), "release": finding.release.map(JSONTree.string),
            "bisect": words.search(for: finding).map(JSONTree.string), "changes": .list(changes),
        ]
    }

    private static func tree(_ graph: TrendGraph, _ words: TrendWords) -> JSONTree {
        let lines = graph.lines.map { line -> JSONTree in
            ["name": .string(line.name), "values": tree(line.values, words)]
        }
        return [
            "page": .string(graph.page.name), "metric": .string(graph.metric.id),
            "unit": .string(graph.metric.unit.symbol), "center": .string(graph.centerName),
            "values": tree(graph.values, words), "lines": lines.isEmpty ? nil : .list(lines),
        ]
    }

    private static func tree(_ values: [TrendGraph.Value], _ words: TrendWords) -> JSONTree {
        let entries = values.map { value -> JSONTree in
            let level = value.level == value.center ? nil : rounded(value.level)
            return .line([
                "at": .string(words.label(of: value.place)), "count": .integer(value.count),
                "center": rounded(value.center), "p75": level, "p90": value.high.map(rounded),
            ])
        }
        return .list(entries)
    }

    /// Rounds to thousandths, like roll-ups.
    private static func rounded(_ value: Double) -> JSONTree {
        .number(abs(value) < 1e12 ? (value * 1_000).rounded() / 1_000 : value)
    }
}
