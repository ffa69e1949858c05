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
        abstract: "Adds runs to the baselines; metrics that regressed are refused unless you accept them.",
        discussion: """
            Runs are taken in one after the other in the order of their started_at, each judged by what those before it \
            left, and by the others of the call where the baselines hold nothing. Runs that are stored are skipped, so \
            that logs may be given again, and nothing changes where a log is unreadable, unless the configuration says \
            bad_run: exclude. --from-ci takes a folder, such as a server's artifacts of many nights, in which every run \
            has to say when it began.

            EXAMPLE
              perfgate baseline update logs/ --dry-run
              perfgate baseline update logs/ --page Search --metric ttil --accept 'new map'
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

    @Flag(help: "Show what would change, and change nothing.")
    var dryRun = false

    @Option(help: ArgumentHelp("Accept what regressed, for this reason.", valueName: "reason"))
    var accept: String?

    @Option(help: "Accept only this page; may be given several times.")
    var page: [String] = []

    @Option(help: "Accept only this metric; may be given several times.")
    var metric: [String] = []

    @Flag(help: "List every metric, not only the ten largest changes.")
    var details = false

    @Flag(help: "Allow new environments that expected_environments doesn't name.")
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

    /// Writes what was taken in, and gives what the store holds then; of a dry run what it would hold.
    private func stored(_ series: UpdateSeries) throws -> Baselines {
        guard !dryRun else { return series.baselines }
        try fitting(series.write)
        return try series.store.content()
    }

    /// Says what stays red although it was accepted.
    private func tellLimits(_ updates: [StoredUpdate], in series: UpdateSeries, _ text: UpdateText) throws {
        guard let acceptance = series.terms.acceptance else { return }
        for update in updates {
            let broken = try update.plan.brokenLimits(
                acceptance, policy: series.terms.policy, baselines: series.baselines, today: .today)
            for result in broken where !update.leftOut.contains(result.cell) { text.tellLimit(of: result) }
        }
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
        try findAccepted(in: collected)
        let updates = try fitting { try series.take(collected) }
        let baselines = try stored(series)
        let plans = updates.map { $0.plan.map { StoredUpdate($0, in: baselines) } }
        let text = UpdateText(isDryRun: dryRun, showsAll: details)
        if fromCi == nil, plans.count == 1, let plan = plans[0] {
            text.tell(plan)
        } else {
            text.tell(Array(zip(updates, plans)))
        }
        try tellLimits(plans.compactMap(\.self), in: series, text)
        return ExitStatus.mostUrgent(
            [updates.status(policy, series.terms.acceptance)] + plans.compactMap { $0?.status })
    }

    /// Refuses an `--accept` for a page or a metric that no run measured, with the nearest name.
    private func findAccepted(in collected: CollectedRuns) throws(CommandError) {
        let cells = collected.runs.flatMap(\.measurements.cells.keys)
        guard !cells.isEmpty else { return }
        try find(page, as: "page", among: Set(cells.map(\.page)).map(\.name)) { name in
            cells.contains { $0.page.isNamed(name) }
        }
        try find(metric, as: "metric", among: Array(Set(cells.map(\.metric)))) { id in
            cells.contains { $0.metric == id }
        }
    }

    private func find(
        _ words: [String], as kind: String, among names: [String], isThere: (String) -> Bool
    ) throws(CommandError) {
        guard let lost = words.first(where: { !isThere($0) }) else { return }
        let advice = Suggestion.nearest(to: lost, among: names.sorted()).map { "Did you mean '\($0)'?" }
        throw CommandError(
            status: .noInput,
            description: CleanText.line("No run measured the \(kind) '\(lost)': nothing was taken in. \(advice ?? "")"))
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
    /// Whether every cell is listed, not only the largest changes.
    let showsAll: Bool

    /// How many cells are told of a kind where not all are.
    private static let most = 10

    /// Says what became of an update: what stood out, the largest of the other changes, and how many there were.
    func tell(_ update: StoredUpdate) {
        Self.tell(update.plan.faults)
        ConsoleReport.tell(update.plan.diagnostics)
        let groups = update.groups
        for results in [groups.refused, groups.accepted, groups.provisional, groups.others] {
            tell(results, of: update)
        }
        write(counts([update]))
    }

    /// Says what became of every run of several, and of the cells that stood out.
    func tell(_ updates: [(run: RunUpdate, stored: StoredUpdate?)]) {
        for (run, stored) in updates {
            if let stored {
                Self.tell(stored.plan.faults)
                ConsoleReport.tell(stored.plan.diagnostics)
            }
            write("\(run.candidate.run.id) of \(run.candidate.start.text): \(outcome(of: run, stored))")
            guard let stored else { continue }
            let groups = stored.groups
            for results in [groups.refused, groups.accepted, groups.provisional] { tell(results, of: stored, "  ") }
        }
        let skipped = updates.count { $0.stored == nil }
        write(
            "\(Figure.count(updates.count, "run")), \(skipped) skipped: \(counts(updates.compactMap(\.stored)))")
    }

    /// Says that a cell that was accepted still fails, and where its limit stands.
    func tellLimit(of result: PerfgateCompare.CellResult) {
        let symbol = result.metric.unit.symbol
        let value = result.judgedValue.map { Figure.text($0, symbol) } ?? ""
        let limit = result.limitStep?.bound.map { Figure.text($0, symbol) } ?? ""
        write(
            "still fails: \(result.page.name)  \(result.metric.id)  \(value) breaks its limit of \(limit) "
                + "(\(result.limitOrigin ?? "")): a limit holds whatever is accepted, so change it there")
    }

    private func tell(_ results: [PerfgateCompare.CellResult], of update: StoredUpdate, _ indent: String = "") {
        for result in showsAll ? results[...] : results.prefix(Self.most) { write(indent + line(result, update)) }
        let more = results.count - Self.most
        if !showsAll, more > 0 { write("\(indent)… and \(more) more, which --details tells") }
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

    private func counts(_ updates: [StoredUpdate]) -> String {
        let taken = updates.reduce(0) { $0 + $1.takenCount }
        let leftOut = updates.reduce(0) { $0 + $1.leftOut.count }
        let refused = updates.reduce(0) { $0 + $1.plan.refused.count }
        let verb = isDryRun ? "would be" : taken == 1 ? "was" : "were"
        return "\(Figure.count(taken, "cell")) \(verb) taken in, \(refused) refused"
            + (leftOut == 0 ? "" : ", \(leftOut) left out: \(Self.whyLeftOut)")
    }

    private static let whyLeftOut = "newer runs fill the window, began an epoch or contradict it"

    private func outcome(of update: RunUpdate, _ stored: StoredUpdate?) -> String {
        switch update.outcome {
        case .planned(let plan) where plan.measurements.cells.isEmpty:
            plan.faults.isEmpty ? "nothing of it goes in, as said above" : "refused, as said above"
        case .planned: counts(stored.map { [$0] } ?? [])
        case .skipped(.stored(let others)):
            "skipped, it is stored already"
                + (others == 0 ? "" : ", but for \(Figure.count(others, "cell")) that --accept would take in")
        case .skipped(.tooOld): "skipped, \(Self.whyLeftOut)"
        case .skipped(.nothingMeasured): "skipped, no line of it measures anything"
        }
    }

    private func line(_ result: PerfgateCompare.CellResult, _ update: StoredUpdate) -> String {
        let plan = update.plan
        let isLeftOut = update.leftOut.contains(result.cell)
        let actions = [
            ("refused", plan.refused.contains(result.cell)), ("left out", isLeftOut),
            ("accepted", plan.accepted.contains(result.cell)), ("provisional", plan.provisional.contains(result.cell)),
        ]
        let action = actions.first(where: \.1)?.0 ?? "taken in"
        let old = result.baseline?.center.map { Figure.text($0) } ?? "none"
        let new = result.candidate?.center.map { Figure.text($0, result.metric.unit.symbol) } ?? "no sample"
        let change = result.numbers.map { " (\(Figure.signed($0.delta, result.resolution)))" } ?? ""
        let shortfall = plan.shortfalls[result.cell]?.shortfall.map { ": \($0)" }
        let stop = plan.stopped.contains(result.cell) ? ", because its frame ticks stopped" : ""
        let reason = isLeftOut ? ", because \(Self.whyLeftOut)" : shortfall ?? stop
        return "\(action): \(result.page.name)  \(result.metric.id)  \(old) → \(new)\(change)\(reason)"
    }
}
