import PerfgateCompare
import PerfgateModel

struct MarkdownContext {
    let report: GateReport
    let options: MarkdownReport.Options
    var stage: MarkdownStage
    private let pages: PageIndex
    /// The measured or missing failures, and their findings.
    private let worse: [CellResult]
    private let findings: [Finding]

    init(report: GateReport, options: MarkdownReport.Options, stage: MarkdownStage) {
        (self.report, self.options, self.stage) = (report, options, stage)
        pages = PageIndex(report)
        worse = report.comparisons.filter { $0.isWorse || $0.isGated && $0.verdict == .missing }
        findings = Finding.all(of: worse)
    }

    var context: TemplateContext {
        [
            "id": .markup(options.safeID), "headline": .text(clipped(report.title, to: Self.sentenceLength)),
            "notes": .list(stage < .verdict ? texts(report.notes) : []), "faults": .list(stage < .counts ? faults : []),
            "worse": .list(stage < .counts && !worse.isEmpty ? [worseRows] : []),
            "next": .list(stage < .counts ? next : []), "groups": .list(shownGroups.map(group)),
            "lists": .list(stage < .withoutDetails ? lists : []), "counts": .text(stage < .verdict ? counts : nil),
            "sides": .text(
                report.releases.map { clipped("\($0.base) → \($0.candidate)", to: Self.nameLength) }
                    ?? "baseline → candidate"),
            "link": .markup(stage < .verdict ? options.link.map(MarkdownEscape.destination) : nil),
        ]
    }

    /// A lower bound of the stage's text length, from its rows: column marks and one word per column.
    var leastBytes: Int { shownGroups.reduce(0) { $0 + $1.results.count } * 30 }

    /// The most rows above the fold.
    static let mostRows = 10
    /// The longest name in a table, in scalars; the other reports have the full name.
    static let nameLength = 120
    /// The longest lead, in scalars.
    static let leadLength = 320
    /// The longest sentence, in scalars.
    static let sentenceLength = 1_000

    private var worseRows: TemplateContext {
        let shown = findings.prefix(Self.mostRows)
        let left = stage < .withoutDetails ? 0 : findings.count - shown.count
        return [
            "rows": .list(shown.map { row($0.result, isLinked: true, of: $0) }),
            "more": .text(left > 0 ? "And \(Figure.count(left, "more finding"))." : nil),
        ]
    }

    /// A comparison; as a finding's row it names all pages and the consequences.
    private func row(_ result: CellResult, isLinked: Bool, of finding: Finding? = nil) -> TemplateContext {
        let text = ComparisonText(result)
        // The numbers of a joined row are those of its first page.
        let isJoined = (finding?.parts.count ?? 1) > 1
        let place = isJoined ? "\(clipped(result.page.name, to: Self.nameLength / 3)): " : ""
        let isElsewhere = report.environments.count > 1
        let leads = finding.map { pages.leads(of: $0) } ?? pages.leads(ofRow: result)
        return [
            "verdict": .text(unbroken(result.verdict == .overLimit ? ComparisonText.worse : text.verdict)),
            "page": .text(clipped(finding?.pageNames ?? result.page.name, to: 2 * Self.nameLength)),
            "environment": .text(isElsewhere ? clipped(result.environment.description, to: Self.nameLength) : nil),
            "metric": .text(clipped(result.metricName, to: Self.nameLength)), "others": .text(finding.flatMap(others)),
            "place": .markup(isLinked ? options.link(to: result).map(MarkdownEscape.destination) : nil),
            "owner": .text(pages.owner(of: result).map { clipped("owned by \($0)", to: Self.nameLength) }),
            "values": .text(
                clipped(place, to: Self.nameLength)
                    + (finding ?? Finding.all(of: [result])[0]).amounts.map(unbroken).joined(separator: ", ")),
            "history": .text(MedianHistory(result)?.blocks),
            "leads": .list(
                leads.prefix(PageSummary.mostLeads + 1).map { ["text": .text(clipped($0, to: Self.leadLength))] }),
        ]
    }

    /// The number of a finding's consequences, which the table below has.
    private func others(_ finding: Finding) -> String? {
        let count = finding.isLost ? 0 : finding.parts[0].consequences.count
        return count > 0 ? "and \(Figure.count(count, "more metric"))" : nil
    }

    /// A text whose words stay on one line.
    private func unbroken(_ text: String) -> String { text.replacing(" ", with: "\u{A0}") }

    /// The first table covers all failures if each of its comparisons has a row.
    private var groups: [MarkdownGroup] {
        MarkdownGroup.all(of: report, worse: findings.count == worse.count && worse.count <= Self.mostRows ? [] : worse)
    }

    private var shownGroups: [MarkdownGroup] {
        switch stage {
        case .whole: groups
        case .withoutPassing: groups.filter { !$0.isPassing }
        case .withoutDetails, .counts, .verdict: []
        }
    }

    private func group(_ group: MarkdownGroup) -> TemplateContext {
        [
            "title": .markup("\(group.title) (\(group.results.count))"), "is_open": .flag(group.isOpen),
            "rows": .list(group.byPage.map { row($0, isLinked: !group.isPassing) }),
        ]
    }

    private var counts: String? {
        let left = stage == .whole ? [] : stage == .withoutPassing ? groups.filter(\.isPassing) : groups
        let above = stage >= .counts && !worse.isEmpty ? ["\(worse.count) worse or not measured"] : []
        let all = above + left.filter { !$0.isWorse }.map(\.count)
        return all.isEmpty ? nil : all.joined(separator: ", ")
    }

    private func texts(_ sentences: [String]) -> [TemplateContext] {
        sentences.map { ["text": .text(clipped($0, to: Self.sentenceLength))] }
    }

    private func clipped(_ text: String, to length: Int) -> String { MarkdownEscape.clipped(text, to: length) }

    private var faults: [TemplateContext] {
        texts(ReportSentences(report: report, isPublic: true).faults.first(Self.mostRows) { "\($0) more inputs." })
    }

    /// The commands for the worst page in one fence, longer than any run of backticks in their purposes; first how to
    /// fetch the logs. Empty without commands.
    private var next: [TemplateContext] {
        let blocks = NextBlock.all(of: report)
        let page = blocks.first { $0.pages.count <= 1 }?.pages.first
        let own = blocks.filter { block in page.map { block.pages.isEmpty || block.pages.contains($0) } ?? true }
        guard !own.isEmpty else { return [] }
        let fetch = options.download.map { [("Fetch the logs of this job", $0)] } ?? []
        let accept =
            page.flatMap { options.acceptances[$0.name] }.map { [("Or accept it with this comment", $0)] } ?? []
        let steps = fetch + own.flatMap(\.steps).map { (oneLine($0.purpose), $0.command.text) } + accept
        let longest = steps.map { longestFence($0.0) }.max() ?? 0
        let others = NextBlock.pagesLeft(of: report, beside: Set(page.map { [$0] } ?? own.flatMap(\.pages)))
        return [
            [
                "fence": .markup(String(repeating: "`", count: max(3, longest + 1))),
                "steps": .list(
                    steps.enumerated().map { index, step in
                        let isRepeated = index > 0 && steps[index - 1].0 == step.0
                        return ["purpose": .markup(isRepeated ? nil : step.0), "command": .markup(step.1)]
                    }),
                "left": .text(others > 0 ? "The same commands apply to \(Figure.count(others, "more page"))." : nil),
            ]
        ]
    }

    /// The text without line ends, because a shell would execute the line after a comment.
    private func oneLine(_ text: String) -> String {
        CleanText.clean(text).split(whereSeparator: \.isNewline).joined(separator: " ")
    }

    private func longestFence(_ text: String) -> Int { text.unicodeScalars.split { $0 != "`" }.map(\.count).max() ?? 0 }

    private var lists: [TemplateContext] {
        let sentences = ReportSentences(report: report, isPublic: true)
        let hangs = HangTexts.all(of: report).map { "\($0.title): \($0.values)" }
        return [
            (HangTexts.title, hangs), (report.releases == nil ? "Measured in" : "Traffic", sentences.environments),
            ("Diagnostics (\(report.diagnostics.count))", sentences.diagnostics),
        ].filter { !$1.isEmpty }.map { ["title": .markup($0), "items": .list(texts($1))] }
    }
}

/// Rows of a pull request comment that are folded under one title.
struct MarkdownGroup {
    let title: String
    /// The noun after the count if the rows are left out: `11 unchanged`.
    let noun: String
    /// Whether it only says that all is well, so it is dropped first.
    let isPassing: Bool
    /// Whether it contains failures that have no room above the fold.
    let isWorse: Bool
    let isOpen: Bool
    /// The comparisons, worst first.
    let results: [CellResult]

    /// The non-empty groups of a report. `worse` are the failures that the table above doesn't show completely.
    static func all(of report: GateReport, worse: [CellResult]) -> [MarkdownGroup] {
        let gated = Dictionary(grouping: report.comparisons.filter(\.isGated), by: \.verdict)
        let pinned = report.pinned?.comparisons ?? []
        let passed = Dictionary(grouping: gated[.passed] ?? []) { $0.detail == .withinNoise }
        let groups = [
            MarkdownGroup("Everything worse or not measured", "worse or not measured", isWorse: true, worse),
            MarkdownGroup(
                "Worse than the pinned reference", "worse than the pinned reference",
                isOpen: pinned.count <= MarkdownContext.mostRows && worse.isEmpty, pinned),
            MarkdownGroup("Can't tell", "can't tell", gated[.inconclusive]),
            MarkdownGroup("Improved", "improved", isPassing: true, gated[.improved]),
            MarkdownGroup("Within the noise of runs", "within the noise of runs", isPassing: true, passed[true]),
            MarkdownGroup("Unchanged", "unchanged", isPassing: true, passed[false]),
            MarkdownGroup("New, without a baseline", "new", gated[.noBaseline]),
            MarkdownGroup("Waived", "waived", gated[.waived]),
            MarkdownGroup(
                "Informational, not gated", "not gated", isPassing: true, report.comparisons.filter { !$0.isGated }),
        ]
        return groups.filter { !$0.results.isEmpty }
    }

    private init(
        _ title: String, _ noun: String, isPassing: Bool = false, isWorse: Bool = false, isOpen: Bool = false,
        _ results: [CellResult]?
    ) {
        (self.title, self.noun, self.isPassing, self.isWorse) = (title, noun, isPassing, isWorse)
        (self.isOpen, self.results) = (isOpen, results ?? [])
    }

    /// The comparisons by page, the page with the worst one first.
    var byPage: [CellResult] { results.grouped(by: \.page).flatMap(\.self) }

    var count: String { "\(results.count) \(noun)" }
}
