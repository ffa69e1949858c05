import PerfgateCompare

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
    let results: [ComparisonResult]

    /// The groups of a report that hold anything; the worst of what got worse stands above them.
    static func all(of report: GateReport, alsoWorse: [ComparisonResult]) -> [MarkdownGroup] {
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
        _ results: [ComparisonResult]?
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
