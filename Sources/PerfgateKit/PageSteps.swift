import PerfgateCompare
import PerfgateModel

/// What a reader can do about one page that fails: measure it again, see why, and let it stand with a reason.
struct PageSteps {
    /// The page.
    let page: Page
    /// Its comparisons that fail, worst first; not empty.
    let failures: [ComparisonResult]
    /// All its gated comparisons.
    let cells: [ComparisonResult]
    /// The tests that visit it; empty where the log doesn't say.
    let tests: Set<String>
    /// Whether the run was compared with stored baselines.
    let hasStore: Bool
    /// How commands name it.
    let argument: String
    /// What of the call its commands have to repeat.
    let call: CalledWith
    /// The pinned reference that it fails against; `nil`: the baselines.
    var pinned: String?

    /// How many metrics of the page are named before all of it is meant, or the rest is left to the rows.
    static let mostMetrics = 5

    /// The steps, in the order in which to try them.
    var steps: [NextStep] {
        if let pinned { return again + [explanation, renewal(of: pinned)].compactMap(\.self) }
        return again + [explanation, acceptance].compactMap(\.self) + waivers + removal
    }

    private var again: [NextStep] {
        let start = hasStore ? "perfgate check LOGS MORE-LOGS" : "perfgate compare BASE --with LOGS MORE-LOGS"
        let against = pinned.map { " --against \(CalledWith.word($0) ?? "NAME")" } ?? ""
        let judge = start + against + call.options
        guard let command = RepeatCommand(tests)?.text else {
            return [step("Measure it again, and judge the old and the new logs together", judge)]
        }
        return [step("Measure it again", command), step("Judge the old and the new logs together", judge)]
    }

    /// Why the worst metric fails whose name can stand in a command.
    private var explanation: NextStep? {
        guard let metric = metrics(of: failures).first else { return nil }
        let what = "perfgate explain \(argument) \(metric)"
        if let result = call.result { return step("See why, step by step", "\(what) --result \(result)") }
        return hasStore
            ? step("See why, step by step", "\(what) LOGS\(call.options)")
            : step("See why, step by step, in the report that --json writes", "\(what) --result RESULT")
    }

    /// A metric whose name can't stand in a command is accepted with all of its page.
    private var acceptance: NextStep? {
        let worse = failures.filter { $0.verdict == .regressed }
        guard hasStore, !worse.isEmpty else { return nil }
        let metrics = metrics(of: worse)
        let isNamed = metrics.count == Set(worse.map(\.metric.id)).count && metrics.count <= Self.mostMetrics
        let options = isNamed ? metrics.map { " --metric \($0)" }.joined() : ""
        let what = isNamed ? "the change" : "all that changed on the page"
        return step(
            "If \(what) is intended, take it into the baseline with its reason",
            "perfgate baseline update LOGS --page \(argument)\(options) --accept 'why it is worth it'\(call.options)")
    }

    /// A pinned reference never moves: another one takes its place.
    private func renewal(of pinned: String) -> NextStep? {
        guard hasStore else { return nil }
        return step(
            "If how far it went from \(pinned) is intended, pin what the baselines hold now, and compare with that",
            "perfgate baseline pin NAME\(call.options)")
    }

    /// A baseline doesn't move a limit, so that accepting would not help.
    private var waivers: [NextStep] {
        metrics(of: failures.filter { $0.verdict == .overLimit }).prefix(Self.mostMetrics).map { metric in
            step(
                "If it may stay over its limit for a while, waive it with a reason",
                "perfgate waive \(argument) \(metric) LOGS --until YYYY-MM-DD --reason 'why it may'\(call.options)")
        }
    }

    /// Only where nothing of the page was measured, and a baseline is why it was expected.
    private var removal: [NextStep] {
        let isGone = cells.allSatisfy { $0.verdict == .missing && $0.candidate == nil }
        guard hasStore, isGone, cells.contains(where: { $0.baseline != nil }) else { return [] }
        return [
            step("If the page is no more, take its baseline out", "perfgate baseline prune \(argument)\(call.options)")
        ]
    }

    /// The metrics' names that mean the same in a command, each once, in their order.
    private func metrics(of results: [ComparisonResult]) -> [String] {
        var seen: Set<String> = []
        return results.map(\.metric.id).filter { seen.insert($0).inserted }
            .map(ShellWord.init).filter(\.isPlain).map(\.quoted)
    }

    private func step(_ purpose: String, _ command: String) -> NextStep {
        NextStep(page: page, purpose: purpose, command: command)
    }
}
