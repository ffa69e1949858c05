import Foundation
import PerfgateCompare
import PerfgateModel

// What `perfgate bisect` found, for a terminal or a CI log, and for a pull request.
extension BisectReport {
    private static let mostSuspects = 10

    /// A few lines with a final line feed. No line starts with anything that a name could inject into a CI log.
    package var text: String {
        let shown = outcome == .undecided ? suspects.prefix(Self.mostSuspects / 2) : []
        let lines = sentences + shown.map { "  \(Self.whole($0.probability))  \($0.commit.name)" } + [cost] + notes
        return lines.map { CleanText.logLine($0) + "\n" }.joined()
    }

    /// A picture of the probabilities of commits in the order of the range: `▁▁▂▇▁ …`, of at most 48 characters.
    package static func picture(of probabilities: [Double]) -> String {
        let (count, width) = (probabilities.count, min(48, probabilities.count))
        let most = max(probabilities.max() ?? 1, 1e-9)
        let marks = Array("▁▂▃▄▅▆▇█")
        return String(
            (0..<width).map { column in
                let part = probabilities[(column * count / width)..<((column + 1) * count / width)]
                return marks[min(marks.count - 1, Int((part.max() ?? 0) / most * Double(marks.count)))]
            })
    }

    package func markdown(_ options: MarkdownReport.Options = .init()) -> String {
        let said = sentences.map(MarkdownEscape.text)
        var lines = [options.marker, "### perfgate bisect", "", "**\(said.first ?? "")**"]
        let named = steps.flatMap { step in
            commits[(step.good + 1)...step.bad].map { ($0, Self.sure(step.probability)) }
        }
        let open = outcome == .undecided ? suspects.map { ($0.commit, Self.whole($0.probability)) } : []
        let rows = (named + open).map { commit, probability in
            let subject = MarkdownEscape.text(CleanText.line(commit.subject, most: 90))
            let name = address(of: commit).map { "[\(commit.short)](\(MarkdownEscape.destination($0)))" }
            let author = MarkdownEscape.text(CleanText.line(commit.author, most: 60))
            return "| \(name ?? "`\(commit.short)`") \(subject) | \(author) | \(probability) |"
        }
        for sentence in said.dropFirst() { lines += ["", sentence] }
        if !rows.isEmpty {
            lines += ["", "| commit | author | probability |", "|---|---|---|"]
            lines += rows.first(Self.mostSuspects) { "| … and \($0) more | | |" }
        }
        for note in [cost] + notes { lines += ["", MarkdownEscape.text(note)] }
        if let link = options.link { lines += ["", "[Report](\(MarkdownEscape.destination(link)))"] }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The cost and the place: `24 runs of 13 of 65 commits, in 96 minutes on iPhone15,2. 2 more didn't count.`
    fileprivate var cost: String {
        let (amount, unit) = minutes < 2 ? (60 * minutes, "second") : (minutes, "minute")
        let time = Figure.count(Int(amount.rounded()), unit)
        let place = environment.map { " on \(CleanText.line($0))" } ?? ""
        let more = skips > 0 ? " \(skips) more didn't count." : ""
        return "\(Figure.count(runs.count, "run")) of \(builds) of \(commits.count) commits, in \(time)\(place).\(more)"
    }

    /// The report as JSON, which `perfgate comment` reads.
    package func json() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return [UInt8](try encoder.encode(self)) + [UInt8(ascii: "\n")]
    }

    /// The report in a stored JSON file; `nil` if it holds something else.
    package init?(json bytes: [UInt8]) {
        // The type stands near the end; a large report of a check isn't decoded in vain.
        guard String(decoding: bytes.suffix(1 << 17), as: UTF8.self).contains("\"bisect\""),
            let report = try? JSONDecoder().decode(BisectReport.self, from: Data(bytes)), report.isPlausible
        else { return nil }
        self = report
    }
}

/// The same as an HTML page with one plot: the runs of each commit as dots, and the level before and after the step.
package struct HTMLBisect: Sendable {
    private let report: BisectReport
    private let templates: TemplateSet

    package init(_ report: BisectReport, templates: TemplateSet) { (self.report, self.templates) = (report, templates) }

    package var text: String {
        let sentences = report.sentences
        let outcome: Markup =
            report.outcome == .named ? "failed" : report.outcome == .undecided ? "inconclusive" : "passed"
        let rest = (sentences.dropFirst() + [report.cost] + report.notes).map { "<p>\($0)</p>\n" as Markup }
        let page: Markup = """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>perfgate bisect: \(report.subject)</title>
            <style>\(Markup(trusted: templates.styleSheet))</style>
            </head>
            <body>
            <main>
            <h1 class="\(outcome)">\(sentences.first ?? "")</h1>
            \(rest)<figure><figcaption>\(report.subject)\(report.unit.isEmpty ? "" : ", \(report.unit)"), by commit. A dot is a run; a line is the level\
            \(report.probabilities.isEmpty ? "." : "; a bar is the probability that a commit is the first bad one.")</figcaption>
            \(plot)
            </figure>
            <div class="scroll" tabindex="0" role="region" aria-label="Commits"><table>
            <thead><tr><th>Commit<th>Subject<th>Author<th>Runs<th>Mean<th>Probability<tbody>
            \(rows)</table></div>
            <p><small>\(report.tool)</small></p>
            </main>
            </body>
            </html>

            """
        return page.text
    }

    /// The measured commits, the named ones and the suspects.
    private var rows: [Markup] {
        let runs = Dictionary(grouping: report.runs, by: \.position)
        let suspects = Set(report.suspects.map(\.commit.hash))
        let named = Set(report.steps.flatMap { Array(($0.good + 1)...$0.bad) })
        return report.commits.enumerated().compactMap { position, commit in
            let own = runs[position] ?? []
            guard !own.isEmpty || named.contains(position) || suspects.contains(commit.hash) else { return nil }
            let mean = own.isEmpty ? "–" : Figure.text(own.reduce(0) { $0 + $1.value } / Double(own.count))
            let link: Markup? = report.address(of: commit).map { "<a href=\"\($0)\">\(commit.short)</a>" }
            let strong: Markup = named.contains(position) ? " class=\"worse\"" : ""
            return """
                <tr\(strong)><th>\(link ?? "<code>\(commit.short)</code>")<td><bdi>\(CleanText.line(commit.subject, most: 120))</bdi>\
                <td><bdi>\(CleanText.line(commit.author, most: 60))</bdi><td class="number">\(own.count)\
                <td class="number">\(mean)<td class="number">\(probability(at: position))

                """
        }
    }

    private func probability(at position: Int) -> String {
        if let step = report.steps.first(where: { $0.good < position && position <= $0.bad }) {
            return BisectReport.sure(step.probability)
        }
        guard report.probabilities.indices.contains(position - 1) else { return "–" }
        return "\(Figure.text((1_000 * report.probabilities[position - 1]).rounded() / 10)) %"
    }

    private var plot: Markup {
        let (top, bottom, height) = (16.0, 200.0, 240.0)
        let scale = SVGScale(showing: report.runs.map(\.value), from: bottom, to: top)
        let last = Double(max(1, report.commits.count - 1))
        func x(_ position: Int) -> Double { 6 + 90 * Double(position) / last }
        let most = max(report.probabilities.max() ?? 0, 1e-9)
        let bars = report.probabilities.enumerated().filter { $0.element > 1e-4 }.map { index, probability -> Markup in
            let (x, end) = (x(index + 1), height - (height - bottom - 8) * probability / most)
            return .line(x: (x, x), y: (height, end), "class=\"candidate\" stroke=\"currentColor\" stroke-width=\"3\"")
        }
        let steps = report.steps.map { step -> Markup in
            let place = (x(step.good) + x(step.bad)) / 2
            let style: Markup = "class=\"worse\" stroke=\"currentColor\" stroke-width=\"2\" stroke-dasharray=\"4 3\""
            let name = Markup.label(report.commits[step.bad].short, x: place, y: top - 4)
            return "\(Markup.line(x: (place, place), y: (top, height), style))\(name)"
        }
        let cuts = [0] + report.steps.map(\.bad).sorted() + [report.commits.count]
        let levels = zip(cuts, cuts.dropFirst()).map { start, end -> Markup in
            let values = report.runs.filter { start..<end ~= $0.position }.map(\.value)
            guard !values.isEmpty else { return "" }
            let y = scale.place(of: values.reduce(0, +) / Double(values.count))
            let style: Markup = "class=\"baseline\" stroke=\"currentColor\" stroke-width=\"2\" stroke-opacity=\"0.6\""
            return .line(x: (x(start), x(end - 1)), y: (y, y), style)
        }
        let dots = report.runs.map { run -> Markup in
            """
            <circle cx="\(length: x(run.position))%" cy="\(length: scale.place(of: run.value))" r="4" \
            class="baseline" fill="currentColor" fill-opacity="0.7"/>
            """
        }
        let ends = [0, report.commits.count - 1].map {
            Markup.label(report.commits[$0].short, x: x($0), y: height + 16)
        }
        return """
            <svg width="100%" height="264" role="img"><title>\(report.subject), \(report.runs.count) runs by commit</title>
            \(scale.grid(report.unit))\(levels)\(bars)\(steps)\(dots)\(ends)</svg>
            """
    }
}
