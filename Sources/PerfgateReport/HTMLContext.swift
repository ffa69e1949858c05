import PerfgateCompare
import PerfgateModel

/// What the HTML frame is filled with.
struct HTMLContext {
    /// The report.
    let report: GateReport
    /// The style sheet that stands in the page; `nil` where it is a file beside it.
    let styleSheet: String?

    /// The names and their values.
    var context: TemplateContext {
        let sentences = ReportSentences(report: report)
        return [
            "style_sheet": .markup(styleSheet), "title": .text("perfgate: \(report.headline)"),
            "headline": .text(report.headline), "outcome": .markup(report.outcome.rawValue),
            "tool": .text(report.tool), "exit_code": .text(String(report.exitCode)),
            "notes": .list(report.notes.map { ["text": .text($0)] }),
            "faults": items(sentences.faults),
            "overview": .list(report.comparisons.isEmpty ? [] : [["rows": .list(report.comparisons.map(row))]]),
            "next": .list(report.next.isEmpty ? [] : [["steps": .list(report.next.map(step))]]),
            "pages": .list(pages),
            "environments": items(sentences.environments),
            "diagnostics": items(sentences.diagnostics),
        ]
    }

    private func items(_ sentences: [String]) -> TemplateValue {
        .list(sentences.isEmpty ? [] : [["items": .list(sentences.map { ["text": .text($0)] })]])
    }

    private func step(_ step: NextStep) -> TemplateContext {
        ["purpose": .text(step.purpose), "command": .text(step.command)]
    }

    private func row(_ result: ComparisonResult) -> TemplateContext {
        let text = ComparisonText(result)
        return [
            "class": .markup(HTMLComparison.styleClass(of: result)),
            "verdict": .text(text.verdict),
            "page": .text(result.page.name),
            "environment": .text(report.environments.count > 1 ? result.environment.description : nil),
            "metric": .text(result.metric.id), "anchor": .markup(HTMLAnchor.metric(result.metric.id, of: result.place)),
            "baseline": .text(text.baseline), "candidate": .text(text.candidate), "change": .text(text.change),
            "limit": .text(text.limit),
        ]
    }

    private var pages: [TemplateContext] {
        let byPlace = Dictionary(grouping: report.comparisons) {
            PageInEnvironment(page: $0.page, environment: $0.environment)
        }
        let summaries = PageIndex(report)
        return byPlace.sorted { $0.key < $1.key }.map { place, results in
            page(summaries[place] ?? PageSummary(place: place), results)
        }
    }

    private func page(_ summary: PageSummary, _ results: [ComparisonResult]) -> TemplateContext {
        [
            "anchor": .markup(HTMLAnchor.page(summary.place)), "page": .text(summary.place.page.name),
            "about": .text(about(summary)), "comparisons": .list(results.map { HTMLComparison($0).context }),
        ]
    }

    private func about(_ summary: PageSummary) -> String {
        let file = summary.file.map { file in summary.line.map { "\(file):\($0)" } ?? file }
        let owner = summary.owner.map { "owned by \($0)" }
        let seconds = summary.seconds > 0 ? "measured for \(ReportNumber.text(summary.seconds)) s" : nil
        let tests = summary.tests.isEmpty ? nil : "by " + summary.tests.joined(separator: ", ")
        return [summary.place.environment.description, file, owner, seconds, tests]
            .compactMap(\.self).joined(separator: " · ")
    }
}
