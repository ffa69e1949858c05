import ArgumentParser
import Foundation
import PerfgateBaselines
import PerfgateCompare
import PerfgateIngest
import PerfgateKit
import PerfgateModel
import PerfgateReport

/// `perfgate baseline update`: takes runs into the store, cell by cell.
struct BaselineUpdateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "update",
        abstract: "Takes runs into the baselines, cell by cell; what regressed is refused unless it is accepted.",
        discussion: """
            EXAMPLE
              perfgate baseline update logs/ --dry-run
              perfgate baseline update logs/ --page Search --metric ttil --accept 'new map on the page'

            Exit codes: 0 all was taken in, 2 some cells or environments were refused and \
            the rest was written, 65 bad data.
            """)

    @Argument(help: "The logs to take in: files, folders, patterns, or - for standard input.")
    var logs: [String]

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
        let baselines = try store.content()
        let measurements = Ingest(inputs.ingestOptions(configuration)).read(logs)
        let acceptance = accept.map { UpdatePlan.Acceptance(reason: $0, pages: Set(page), metrics: Set(metric)) }
        let plan = try UpdatePlan(
            measurements, reference: Reference(baselines), policy: configuration.policy, acceptance: acceptance,
            scoring: configuration.scoring, opensEnvironments: newEnvironment)
        if !dryRun { try write(plan, into: store, over: baselines, window: configuration.window) }
        tell(plan)
        if plan.status != .passed { throw ExitCode(Int32(plan.status.rawValue)) }
    }

    private func write(
        _ plan: UpdatePlan, into store: BaselineStore, over baselines: Baselines, window: WindowPolicy
    ) throws(CommandError) {
        let now = Timestamp(secondsSince1970: Int(Date().timeIntervalSince1970))
        for place in plan.places {
            let update = BaselineUpdate(
                runs: plan.measurements.runs, cells: plan.cells(at: place), at: now, tool: Perfgate.tool,
                accepting: plan.acceptedMetrics(at: place), reason: accept ?? "")
            do {
                try store.update(place, foundAt: baselines.entries[place]?.path) { file throws(BaselineError) in
                    try (file ?? BaselineFile(place)).taking(update, window: window)
                }
            } catch {
                throw CommandError(status: .badData, description: "\(error)")
            }
        }
    }

    private func tell(_ plan: UpdatePlan) {
        for fault in plan.faults {
            StandardStream.error.write(CleanText.line("\(fault.path): error: \(fault.message)") + "\n")
        }
        ConsoleReport.tell(plan.diagnostics)
        for result in plan.comparisons where result.candidate != nil {
            StandardStream.output.write(CleanText.line(line(result, plan)) + "\n")
        }
        let refused = plan.refused.count
        let taken = plan.measurements.cells.count - refused
        let verb = dryRun ? "would be" : taken == 1 ? "was" : "were"
        StandardStream.output.write("\(Figure.count(taken, "cell")) \(verb) taken in, \(refused) refused\n")
    }

    private func line(_ result: PerfgateCompare.ComparisonResult, _ plan: UpdatePlan) -> String {
        let action =
            plan.refused.contains(result.cell)
            ? "refused" : plan.accepted.contains(result.cell) ? "accepted" : "taken in"
        let old = result.baseline?.center.map { Figure.text($0) } ?? "none"
        let new = result.candidate?.center.map { Figure.text($0, result.metric.unit.symbol) } ?? "no sample"
        let change = result.numbers.map { " (\(Figure.signed($0.delta)))" } ?? ""
        return "\(action): \(result.page.name)  \(result.metric.id)  \(old) → \(new)\(change)"
    }
}
