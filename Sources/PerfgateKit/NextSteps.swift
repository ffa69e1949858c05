import PerfgateCompare
import PerfgateModel

/// What a reader can do next, as commands that are safe to paste: for each page that fails, worst first.
struct NextSteps {
    /// The comparisons, worst first.
    let comparisons: [ComparisonResult]
    /// The inputs that could not be used.
    let faults: [FaultyInput]
    /// What is known of the pages.
    var pages: [PageSummary] = []
    /// Which verdicts fail beside those that always do.
    var failing = FailingKinds()
    /// Whether the run was compared with stored baselines, not with other logs.
    var hasStore = true
    /// What of the call commands have to repeat.
    var call = CalledWith()
    /// What fails against a pinned reference; `nil` where nothing does.
    var pinned: PinnedFindings?
    /// How commands name a page.
    let pageArgument: @Sendable (Page) -> String

    /// For how many pages steps are told; the rows name the others.
    static let mostPages = 10

    /// The steps, page by page, in the order in which to try them.
    var steps: [NextStep] {
        let failures = comparisons.filter { $0.isGated && $0.verdict != .noBaseline && fails($0) }
        let drifted = pinned?.comparisons ?? []
        guard !failures.isEmpty || !drifted.isEmpty else { return missingBase }
        let told = Set(failures.map(\.page))
        return steps(of: failures, most: Self.mostPages)
            + steps(
                of: drifted.filter { !told.contains($0.page) }, most: max(0, Self.mostPages - told.count),
                against: pinned?.name)
    }

    private func steps(of failures: [ComparisonResult], most: Int, against pinned: String? = nil) -> [NextStep] {
        let results = Dictionary(grouping: failures, by: \.page)
        var seen: Set<Page> = []
        let worst = failures.map(\.page).filter { seen.insert($0).inserted }.prefix(most)
        let cells = Dictionary(grouping: comparisons.filter(\.isGated), by: \.page)
        let tests = Dictionary(grouping: pages, by: \.place.page).mapValues { Set($0.flatMap(\.tests)) }
        return worst.flatMap { page in
            PageSteps(
                page: page, failures: results[page] ?? [], cells: cells[page] ?? [], tests: tests[page] ?? [],
                hasStore: hasStore, argument: pageArgument(page), call: call, pinned: pinned
            ).steps
        }
    }

    private func fails(_ result: ComparisonResult) -> Bool {
        ExitStatus(of: result, failing: failing) != .passed
    }

    private var missingBase: [NextStep] {
        guard faults.isEmpty, comparisons.contains(where: { $0.verdict == .noBaseline }) else { return [] }
        return [
            hasStore
                ? NextStep(
                    purpose: "Store a baseline from runs of the main branch",
                    command: "perfgate baseline update LOGS\(call.options)")
                : NextStep(
                    purpose: "Measure what the base lacks there too, and give its logs as well",
                    command: "perfgate compare BASE BASE-MORE --with CANDIDATE\(call.options)")
        ]
    }
}
