import PerfgateCompare
import PerfgateModel

/// An explanation as lines for a terminal: the samples, the rule steps, and what would change the verdict.
package struct ExplanationText: Sendable {
    private let explanation: Explanation
    private let report: GateReport

    package init(_ explanation: Explanation, in report: GateReport) {
        (self.explanation, self.report) = (explanation, report)
    }

    /// The text with a final line feed. No line is a command to a CI log.
    package var text: String {
        [title, samples, steps, outlook].filter { !$0.isEmpty }.joined(separator: [""]).map(CleanText.indented).joined()
    }

    private var result: CellResult { explanation.result }

    private var title: [String] {
        let detail = result.detail.map { ", \($0.rawValue)" } ?? ""
        let page = CleanText.line(result.page.name, most: 200)
        let metric = CleanText.line(result.metricNameWithIdentifier, most: 200)
        let gate = result.isGated ? "" : ", not gated"
        return [
            "\(page)  \(metric): \(result.verdict.word) (\(result.verdict.rawValue)\(detail)\(gate))",
            "  in \(result.environment)", owner, "  \(result.reason)", pinned,
        ].compactMap(\.self) + PageIndex(report).leads(of: result).map { "  \($0)" }
    }

    /// A failure against a pinned reference, independent of the baselines.
    private var pinned: String? {
        guard let findings = report.pinned, let found = findings.comparisons.first(where: { $0.cell == result.cell })
        else { return nil }
        let name = CleanText.line(findings.name, most: 80)
        return "  Against \(name) it is \(found.verdict.word), which fails the run: \(found.reason)"
    }

    private var owner: String? {
        guard let page = report.pages.first(where: { $0.place == result.place }) else { return nil }
        let parts = [page.owner.map { "owned by \($0)" }, page.position].compactMap(\.self)
        return parts.isEmpty ? nil : "  \(parts.joined(separator: ", "))"
    }

    private var steps: [String] {
        guard !explanation.steps.isEmpty else {
            return ["This report contains no rule steps. Write it again with `perfgate check --json`."]
        }
        return ["Rule steps (the first that decides wins)"] + explanation.steps.map { "  \($0.title): \($0.text)" }
    }

    private var outlook: [String] {
        explanation.outlook.isEmpty ? [] : ["What would change the verdict"] + explanation.outlook.map { "  \($0)" }
    }

    private var samples: [String] {
        let unit = result.metric.unit.symbol
        let sides = side("baseline", result.baseline, baselineRun) + side("candidate", result.candidate, run)
        guard result.releases == nil else { return sides.isEmpty ? [] : releases(unit) }
        return sides.isEmpty ? [] : ["Samples\(unit.isEmpty ? "" : " in \(unit)"), run by run"] + sides
    }

    private func releases(_ unit: String) -> [String] {
        guard let releases = result.releases else { return [] }
        let sides = [(releases.base, result.baseline), (releases.candidate, result.candidate)]
        return ["Weighted quantiles\(unit.isEmpty ? "" : " in \(unit)"), and events day by day"]
            + sides.flatMap { release, side -> [String] in
                let quantiles = zip(ReleaseNumbers.Side.percentages, release.quantiles)
                    .map { "p\($0) \(Figure.text($1))" }.joined(separator: ", ")
                let days = (side?.shares ?? []).map { "\(CleanText.line($0.run, most: 80)) \($0.count)" }
                return [
                    "  \(CleanText.line(release.release, most: 80)): \(Figure.count(release.events, "event")), equal to "
                        + "\(Figure.text(release.effectiveEvents.rounded()))\(quantiles.isEmpty ? "" : ", \(quantiles)")",
                    days.isEmpty ? nil : "    \(days.joined(separator: ", "))",
                ].compactMap(\.self)
            }
    }

    private func side(_ name: String, _ side: CellResult.Side?, _ about: (String) -> String) -> [String] {
        guard let side else { return ["  \(name): none"] }
        let center = side.center.map { ", \(result.metric.centre.rawValue) \(Figure.text($0))" } ?? ""
        let samples = Figure.count(side.count, "sample")
        let runs = Figure.count(side.runs, "run")
        return ["  \(name): \(samples) of \(runs)\(center)"] + values(side, about).map { "    \($0)" }
    }

    private func values(_ side: CellResult.Side, _ about: (String) -> String) -> [String] {
        guard let samples = side.samples else { return [side.quantileText] }
        guard side.shares.reduce(0, { $0 + min($1.count, samples.count) }) == samples.count else {
            return samples.isEmpty ? [] : [list(samples[...])]
        }
        var rest = samples[...]
        let lines = side.shares.map { share in
            defer { rest = rest.dropFirst(share.count) }
            let text = "\(CleanText.line(share.run, most: 80))\(about(share.run)): \(list(rest.prefix(share.count)))"
            return (pair: share.pair.flatMap { Int($0) } ?? 0, text: text)
        }
        // Runs of pairs are in the order of their identifiers, where 10 is before 2.
        return lines.sorted { $0.pair < $1.pair }.map(\.text)
    }

    private func list(_ values: ArraySlice<Double>) -> String { values.map { Figure.text($0) }.joined(separator: ", ") }

    private func baselineRun(_ id: String) -> String {
        let runs = report.environments.first { $0.environment == result.environment }?.baselineRuns
        let run = runs?.first { $0.id == id }
        return about(run?.startedAt, run?.commit)
    }

    private func run(_ id: String) -> String {
        let run = report.runs.first { $0.id == id }
        return about(run?.startedAt, run?.commit)
    }

    private func about(_ start: String?, _ commit: String?) -> String {
        let known = [start, commit].compactMap(\.self)
        return known.isEmpty ? "" : " (\(known.joined(separator: ", ")))"
    }
}

extension CleanText {
    /// The line for a CI log, after its leading spaces, with a line feed.
    static func indented(_ line: String) -> String {
        let indent = line.prefix { $0 == " " }
        return "\(indent)\(logLine(String(line.dropFirst(indent.count))))\n"
    }
}
