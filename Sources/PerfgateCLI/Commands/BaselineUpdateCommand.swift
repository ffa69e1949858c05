import ArgumentParser
import Foundation
import PerfgateBaselines
import PerfgateCompare
import PerfgateIngest
import PerfgateKit
import PerfgateModel

/// `perfgate baseline update`: takes runs into the store, cell by cell.
struct BaselineUpdateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "update",
        abstract: "Takes runs into the baselines, cell by cell; what regressed is refused unless it is accepted.",
        discussion: """
            Runs are taken in one after the other in the order of their started_at, each judged by what those before it \
            left, and by the others of the call where the baselines hold nothing. Runs that are stored are skipped, so \
            that logs may be given again, and nothing changes where a log is unreadable, unless the configuration says \
            bad_run: exclude. --from-ci takes a folder, such as a server's artifacts of many nights, in which every run \
            has to say when it began.

            EXAMPLE
              perfgate baseline update logs/ --dry-run
              perfgate baseline update logs/ --page Search --metric ttil --accept 'new map on the page'
              perfgate baseline update --from-ci artifacts/

            Exit codes: 0 all was taken in, 2 some cells or environments were refused and \
            the rest was written, 64 usage, 65 bad data, 66 no input, 73 can't write, 78 bad configuration or baseline.
            """)

    @Argument(help: "The logs to take in: files, folders, patterns, or - for standard input.")
    var logs: [String] = []

    @Option(
        help: ArgumentHelp("Take in all runs below this folder, one by one, oldest first.", valueName: "dir"))
    var fromCi: String?

    @OptionGroup(title: "Input") var inputs: InputOptions
    @OptionGroup(title: "Input") var folder: BaselineFolder

    @Flag(help: "Say what would change, and change nothing.")
    var dryRun = false

    @Option(help: "Take in what regressed, for this reason.")
    var accept: String?

    @Option(help: "Accept only this page; may be given several times.")
    var page: [String] = []

    @Option(help: "Accept only this metric; may be given several times.")
    var metric: [String] = []

    @Flag(help: "Let environments have baselines that the configuration's expected_environments doesn't name.")
    var newEnvironment = false

    func validate() throws {
        guard logs.isEmpty == (fromCi != nil) else {
            throw ValidationError("Give either logs or '--from-ci DIR': there has to be something to take in.")
        }
        if let accept, accept.allSatisfy(\.isWhitespace) {
            throw ValidationError("'--accept' is empty. Give the reason for which it is worth it.")
        }
        if accept == nil, !page.isEmpty || !metric.isEmpty {
            throw ValidationError("'--page' and '--metric' say what '--accept' takes in. Give '--accept REASON' too.")
        }
    }

    func run() throws {
        let configuration = try inputs.configuration()
        let store = folder.store(configuration)
        if !dryRun { try store.probe() }
        let terms = terms(configuration)
        var series = UpdateSeries(of: store, holding: try store.content(), by: terms)
        let measurements = Ingest(inputs.ingestOptions(configuration)).read(fromCi.map { [$0] } ?? logs)
        let collected = CollectedRuns(
            measurements, policy: configuration.policy, now: fromCi == nil ? terms.now : nil)
        let status = try take(collected, into: &series, configuration.policy)
        if status != .passed { throw ExitCode(status) }
    }

    private func terms(_ configuration: GateConfiguration) -> UpdateTerms {
        var policy = configuration.policy
        policy.isConditional = !inputs.where.isEmpty
        return UpdateTerms(
            policy: policy, window: configuration.window,
            acceptance: accept.map { UpdatePlan.Acceptance(reason: $0, pages: Set(page), metrics: Set(metric)) },
            scoring: configuration.scoring, opensEnvironments: newEnvironment,
            now: Timestamp(secondsSince1970: Int(Date().timeIntervalSince1970)), tool: Perfgate.tool)
    }

    private func take(
        _ collected: CollectedRuns, into series: inout UpdateSeries, _ policy: Policy
    ) throws -> ExitStatus {
        ConsoleReport.tell(collected.diagnostics)
        UpdateText.tell(collected.faults)
        guard collected.faults.isEmpty else {
            StandardStream.output.tell("Nothing was taken in.")
            return ExitStatus.mostUrgent(collected.faults.map { ExitStatus($0.fault) })
        }
        let updates = try fitting { try series.take(collected) }
        if !dryRun { try fitting(series.write) }
        let text = UpdateText(isDryRun: dryRun)
        if fromCi == nil, updates.count == 1, let plan = updates[0].plan { text.tell(plan) } else { text.tell(updates) }
        return updates.status(policy)
    }

    /// Does what fails where an update doesn't fit to what is stored.
    private func fitting<Result>(_ work: () throws -> Result) throws -> Result {
        do {
            return try work()
        } catch let error as BaselineError {
            throw CommandError(status: .badData, description: "\(error)")
        }
    }
}

/// What `perfgate baseline update` says of what it took in and what it refused.
struct UpdateText {
    /// Whether nothing is written.
    let isDryRun: Bool

    /// Says what became of every cell of an update.
    func tell(_ plan: UpdatePlan) {
        Self.tell(plan.faults)
        ConsoleReport.tell(plan.diagnostics)
        for result in plan.comparisons where result.candidate != nil {
            write(line(result, plan))
        }
        write(counts(taken: plan.measurements.cells.count - plan.refused.count, refused: plan.refused.count))
    }

    /// Says what became of every run of several, and of the cells that stood out.
    func tell(_ updates: [RunUpdate]) {
        for update in updates {
            if let plan = update.plan {
                Self.tell(plan.faults)
                ConsoleReport.tell(plan.diagnostics)
            }
            write("\(update.candidate.run.id) of \(update.candidate.start.text): \(outcome(of: update))")
            let plan = update.plan
            for result in plan?.comparisons ?? [] where result.candidate != nil && isNotable(result, plan) {
                write("  " + line(result, plan))
            }
        }
        let skipped = updates.count { $0.plan == nil }
        let total = counts(
            taken: updates.reduce(0) { $0 + $1.takenCount }, refused: updates.reduce(0) { $0 + $1.refusedCount })
        write("\(Figure.count(updates.count, "run")), \(skipped) skipped: \(total)")
    }

    /// Says which inputs can't be used.
    static func tell(_ faults: [FaultyInput]) {
        for fault in faults {
            StandardStream.error.tell("\(fault.path): error: \(fault.message)")
        }
    }

    private func write(_ line: String) {
        StandardStream.output.tell(line)
    }

    private func counts(taken: Int, refused: Int) -> String {
        let verb = isDryRun ? "would be" : taken == 1 ? "was" : "were"
        return "\(Figure.count(taken, "cell")) \(verb) taken in, \(refused) refused"
    }

    private func outcome(of update: RunUpdate) -> String {
        switch update.outcome {
        case .planned(let plan) where plan.measurements.cells.isEmpty:
            plan.faults.isEmpty ? "nothing of it goes in, as said above" : "refused, as said above"
        case .planned: counts(taken: update.takenCount, refused: update.refusedCount)
        case .skipped(.stored(let others)):
            "skipped, it is stored already"
                + (others == 0 ? "" : ", but for \(Figure.count(others, "cell")) that --accept would take in")
        case .skipped(.tooOld): "skipped, newer runs fill the window or began an epoch"
        case .skipped(.nothingMeasured): "skipped, no line of it measures anything"
        }
    }

    private func isNotable(_ result: PerfgateCompare.CellResult, _ plan: UpdatePlan?) -> Bool {
        guard let plan else { return false }
        return plan.refused.contains(result.cell) || plan.accepted.contains(result.cell)
            || plan.provisional.contains(result.cell)
    }

    private func line(_ result: PerfgateCompare.CellResult, _ plan: UpdatePlan?) -> String {
        let isRefused = plan?.refused.contains(result.cell) ?? false
        let isAccepted = plan?.accepted.contains(result.cell) ?? false
        let isProvisional = plan?.provisional.contains(result.cell) ?? false
        let action =
            isRefused ? "refused" : isAccepted ? "accepted" : isProvisional ? "provisional" : "taken in"
        let old = result.baseline?.center.map { Figure.text($0) } ?? "none"
        let new = result.candidate?.center.map { Figure.text($0, result.metric.unit.symbol) } ?? "no sample"
        let change = result.numbers.map { " (\(Figure.signed($0.delta, result.resolution)))" } ?? ""
        let shortfall = plan?.shortfalls[result.cell]?.shortfall.map { ": \($0)" }
        let stop = plan?.stopped.contains(result.cell) ?? false ? ", because its frame ticks stopped" : ""
        return "\(action): \(result.page.name)  \(result.metric.id)  \(old) → \(new)\(change)\(shortfall ?? stop)"
    }
}
