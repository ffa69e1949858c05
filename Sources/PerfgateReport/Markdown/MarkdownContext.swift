import PerfgateCompare
import PerfgateModel

/// What the Markdown frame is filled with.
struct MarkdownContext {
    /// The report.
    let report: GateReport
    /// What the caller decided.
    let options: MarkdownReport.Options
    /// How much of the report is shown.
    let stage: MarkdownStage
    private let pages: PageIndex
    private let hasOwners: Bool
    private let worse: [CellResult]
    private let blocks: [NextBlock]

    /// Prepares a report for a stage.
    init(report: GateReport, options: MarkdownReport.Options, stage: MarkdownStage) {
        self.report = report
        self.options = options
        self.stage = stage
        pages = PageIndex(report)
        hasOwners = report.pages.contains { $0.owner?.isEmpty == false }
        blocks = NextBlock.all(of: report)
        worse = report.comparisons.filter(\.isWorse)
    }

    /// The names and their values.
    var context: TemplateContext {
        [
            "id": .markup(options.safeID), "has_owners": .flag(hasOwners),
            "headline": .text(clipped(report.headline, to: Self.sentenceLength)),
            "notes": .list(stage < .verdict ? texts(report.notes) : []),
            "faults": .list(stage < .counts ? faults : []),
            "worse": .list(stage < .counts && !worse.isEmpty ? [worseRows] : []),
            "next": .list(stage < .counts ? blocks.prefix(1).map(next) : []),
            "more_next": .list(stage < .withoutDetails && blocks.count > 1 ? [moreNext] : []),
            "groups": .list(shownGroups.map(group)),
            "lists": .list(stage < .withoutDetails ? lists : []),
            "counts": .text(stage < .verdict ? counts : nil),
            "sides": .text(
                report.releases.map { clipped("\($0.base) → \($0.candidate)", to: Self.nameLength) }
                    ?? "baseline → candidate"),
            "link": .markup(stage < .verdict ? options.link.map(MarkdownEscape.destination) : nil),
        ]
    }

    /// How many rows stand above the fold.
    static let mostRows = 10
    /// How long a name in a table may be, in scalars; the full name stands in the other reports.
    static let nameLength = 120
    /// How long a lead may be, in scalars.
    static let leadLength = 320
    /// How long a sentence may be, in scalars.
    static let sentenceLength = 1_000

    private var worseRows: TemplateContext {
        let left = stage < .withoutDetails ? 0 : worse.count - Self.mostRows
        return [
            "rows": .list(worse.prefix(Self.mostRows).map { row($0, isLinked: true) }),
            "has_history": .flag(hasHistory(worse.prefix(Self.mostRows))),
            "more": .text(left > 0 ? "And \(left) more that got worse or broke a limit." : nil),
        ]
    }

    private func hasHistory(_ results: some Sequence<CellResult>) -> Bool {
        results.contains { MedianHistory($0) != nil }
    }

    private func row(_ result: CellResult, isLinked: Bool) -> TemplateContext {
        let text = ComparisonText(result)
        let isElsewhere = report.environments.count > 1
        return [
            "page": .text(clipped(result.page.name, to: Self.nameLength)),
            "environment": .text(isElsewhere ? clipped(result.environment.description, to: Self.nameLength) : nil),
            "metric": .text(clipped(result.metric.id, to: Self.nameLength)),
            "place": .markup(isLinked ? options.link(to: result).map(MarkdownEscape.destination) : nil),
            "owner": .text(pages.owner(of: result).map { clipped($0, to: Self.nameLength) }),
            "values": .text(clipped(text.values, to: Self.nameLength)),
            "change": .text(text.change),
            "limit": .text(clipped(text.judgedLimit, to: Self.nameLength)),
            "history": .text(MedianHistory(result)?.blocks),
            "leads": .list(
                pages.leads(ofRow: result).map { lead in
                    ["text": .text(clipped("\(PageIndex.lookAt) \(lead)", to: Self.leadLength))]
                }),
        ]
    }

    private var groups: [MarkdownGroup] {
        MarkdownGroup.all(of: report, alsoWorse: Array(worse.dropFirst(Self.mostRows)))
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
            "rows": .list(group.results.map { row($0, isLinked: !group.isPassing) }),
            "has_history": .flag(hasHistory(group.results)),
        ]
    }

    /// What is left out, counted; `nil` where nothing is.
    private var counts: String? {
        let left = stage == .whole ? [] : stage == .withoutPassing ? groups.filter(\.isPassing) : groups
        let above = stage >= .counts && !worse.isEmpty ? ["\(worse.count) worse"] : []
        let all = above + left.filter { !$0.isWorse }.map(\.count)
        return all.isEmpty ? nil : all.joined(separator: ", ")
    }

    private func texts(_ sentences: [String]) -> [TemplateContext] {
        sentences.map { ["text": .text(clipped($0, to: Self.sentenceLength))] }
    }

    private func clipped(_ text: String, to length: Int) -> String {
        MarkdownEscape.clipped(text, to: length)
    }
}

extension MarkdownContext {
    private var faults: [TemplateContext] {
        let all = ReportSentences(report: report).faults
        let left = all.count - Self.mostRows
        return texts(all.prefix(Self.mostRows) + (left > 0 ? ["\(left) more inputs."] : []))
    }

    /// What to do about the pages after the worst, which a reader unfolds.
    private var moreNext: TemplateContext {
        [
            "title": .markup("Next for \(Figure.count(blocks.count - 1, "more page"))"),
            "blocks": .list(blocks.dropFirst().map(next)), "left": .text(NextBlock.remainder(of: report)),
        ]
    }

    /// The commands in a fence that is longer than any row of backticks in their purposes.
    private func next(_ block: NextBlock) -> TemplateContext {
        let steps = block.steps.map { (purpose: oneLine($0.purpose), command: $0.command.text) }
        let longest = steps.map { longestFence($0.purpose) }.max() ?? 0
        return [
            "page": .text(block.page.map { clipped($0.name, to: Self.nameLength) }),
            "fence": .markup(String(repeating: "`", count: max(3, longest + 1))),
            "steps": .list(steps.map { ["purpose": .markup($0.purpose), "command": .markup($0.command)] }),
        ]
    }

    /// The text without a line's end, after which a comment in a shell would be a command.
    private func oneLine(_ text: String) -> String {
        CleanText.clean(text).split(whereSeparator: \.isNewline).joined(separator: " ")
    }

    private func longestFence(_ text: String) -> Int {
        text.unicodeScalars.split { $0 != "`" }.map(\.count).max() ?? 0
    }

    private var lists: [TemplateContext] {
        let sentences = ReportSentences(report: report)
        return [
            (report.releases == nil ? "Measured in" : "Traffic", sentences.environments),
            ("Diagnostics (\(report.diagnostics.count))", sentences.diagnostics),
        ].filter { !$1.isEmpty }.map { ["title": .markup($0), "items": .list(texts($1))] }
    }
}

/// The rows that a pull request's comment shows folded under one title.
struct MarkdownGroup {
    /// The title, without the count.
    let title: String
    /// The words after a count where the rows are left out: `11 unchanged`.
    let noun: String
    /// Whether it says only that all is well, and so goes first where room is short.
    let isPassing: Bool
    /// Whether it holds what got worse and has no place above the fold.
    let isWorse: Bool
    /// Whether it is shown unfolded.
    let isOpen: Bool
    /// The comparisons, worst first.
    let results: [CellResult]

    /// The groups of a report that hold anything; the worst of what got worse stands above them.
    static func all(of report: GateReport, alsoWorse: [CellResult]) -> [MarkdownGroup] {
        let gated = Dictionary(grouping: report.comparisons.filter(\.isGated), by: \.verdict)
        let groups = [
            MarkdownGroup("Also worse", "also worse", isWorse: true, alsoWorse),
            MarkdownGroup(
                "Worse than the pinned reference", "worse than the pinned reference", isOpen: true,
                report.pinned?.comparisons),
            MarkdownGroup("Not measured", "not measured", isOpen: true, gated[.missing]),
            MarkdownGroup("Can't tell", "that can't be told", gated[.inconclusive]),
            MarkdownGroup("Improved", "improved", isPassing: true, gated[.improved]),
            MarkdownGroup("Unchanged", "unchanged", isPassing: true, gated[.passed]),
            MarkdownGroup("New, without a baseline", "new", gated[.noBaseline]),
            MarkdownGroup("Waived", "waived", gated[.waived]),
            MarkdownGroup("Shown, not gated", "not gated", isPassing: true, report.comparisons.filter { !$0.isGated }),
        ]
        return groups.filter { !$0.results.isEmpty }
    }

    private init(
        _ title: String, _ noun: String, isPassing: Bool = false, isWorse: Bool = false, isOpen: Bool = false,
        _ results: [CellResult]?
    ) {
        self.title = title
        self.noun = noun
        self.isPassing = isPassing
        self.isWorse = isWorse
        self.isOpen = isOpen
        self.results = results ?? []
    }

    /// What is told in place of the rows.
    var count: String { "\(results.count) \(noun)" }
}
