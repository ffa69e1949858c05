import ArgumentParser
import Foundation
import PerfgateBaselines
import PerfgateCompare
import PerfgateIngest
import PerfgateKit
import PerfgateModel

/// `perfgate baseline update`: adds runs to the store, cell by cell.
struct BaselineUpdateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "update",
        abstract: "Adds runs to the baselines; metrics that regressed are refused unless you accept them.",
        discussion: """
            Runs are added one by one, ordered by started_at. Each is judged against the baseline so far; where the \
            baselines hold nothing, against the other runs of the call. Stored runs are skipped, so logs can be \
            given again. If a log is unreadable nothing changes, unless the configuration says bad_run: exclude. \
            --from-ci takes a folder, such as a server's artifacts of many nights; every run in it needs a \
            started_at.

            EXAMPLE
              perfgate baseline update logs/ --dry-run
              perfgate baseline update logs/ --page Search --metric ttil --accept 'new map'
              perfgate baseline update --from-ci artifacts/

            Exit codes: 0 everything was stored, 2 some cells or environments were refused and \
            the rest was written, 64 usage, 65 bad data, 66 no input, 73 can't write, 78 bad configuration or baseline.
            """)

    @Argument(help: "The logs to store: files, folders, patterns, or - for standard input.")
    var logs: [String] = []

    @Option(
        help: ArgumentHelp("Store all runs below this folder, one by one, oldest first.", valueName: "dir"))
    var fromCi: String?

    @OptionGroup(title: "Input") var inputs: InputOptions
    @OptionGroup(title: "Input") var folder: BaselineFolder

    @Flag(help: "Show what would change, without changing it.")
    var dryRun = false

    @Option(help: ArgumentHelp("Accept regressions, for this reason.", valueName: "reason"))
    var accept: String?

    @Option(help: "Accept only this page; may be given several times.")
    var page: [String] = []

    @Option(help: "Accept only this metric; may be given several times.")
    var metric: [String] = []

    @Flag(help: "List every metric, not only the ten largest changes.")
    var details = false

    @Flag(help: "Allow new environments that expected_environments doesn't list.")
    var newEnvironment = false

    func validate() throws {
        guard logs.isEmpty == (fromCi != nil) else {
            throw ValidationError("Give either logs or '--from-ci DIR'.")
        }
        if let accept, accept.allSatisfy(\.isWhitespace) {
            throw ValidationError("'--accept' is empty. Give a reason.")
        }
        if accept == nil, !page.isEmpty || !metric.isEmpty {
            throw ValidationError("'--page' and '--metric' limit '--accept'. Give '--accept REASON' too.")
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

    /// Writes the new content and returns it; in a dry run, only returns it.
    private func stored(_ series: UpdateSeries) throws -> Baselines {
        guard !dryRun else { return series.baselines }
        try fitting(series.write)
        return try series.store.content()
    }

    /// Reports cells that were accepted but still break a limit.
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
            StandardStream.output.tell("Nothing was stored.")
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

    /// Rejects an `--accept` for a page or a metric that no run measured, and suggests the nearest name.
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
            description: CleanText.line("No run measured the \(kind) '\(lost)': nothing was stored. \(advice ?? "")"))
    }

    /// Does the work; converts errors about content that contradicts the stored baselines.
    private func fitting<Result>(_ work: () throws -> Result) throws -> Result {
        do {
            return try work()
        } catch let error as BaselineError {
            throw CommandError(status: .badData, description: "\(error)")
        }
    }
}

/// The texts of `perfgate baseline update` about what it stored and refused.
struct UpdateText {
    /// Whether this is a dry run.
    let isDryRun: Bool
    /// Whether every cell is listed, instead of only the largest changes.
    let showsAll: Bool

    /// The most cells listed per kind, unless all are listed.
    private static let most = 10

    /// Reports the result of an update: notable cells, the largest other changes, and their number.
    func tell(_ update: StoredUpdate) {
        Self.tell(update.plan.faults)
        ConsoleReport.tell(update.plan.diagnostics)
        let groups = update.groups
        for results in [groups.refused, groups.accepted, groups.provisional, groups.others] {
            tell(results, of: update)
        }
        write(counts([update]))
    }

    /// Reports the result of each of several runs, and the notable cells.
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

    /// Reports that an accepted cell still fails, and where its limit is set.
    func tellLimit(of result: PerfgateCompare.CellResult) {
        let symbol = result.metric.unit.symbol
        let value = result.judgedValue.map { Figure.text($0, symbol) } ?? ""
        let limit = result.limitStep?.bound.map { Figure.text($0, symbol) } ?? ""
        write(
            "still fails: \(result.page.name)  \(result.metric.id)  \(value) breaks its limit of \(limit) "
                + "(\(result.limitOrigin ?? "")): accepting doesn't lift a limit, so change it there")
    }

    private func tell(_ results: [PerfgateCompare.CellResult], of update: StoredUpdate, _ indent: String = "") {
        for result in showsAll ? results[...] : results.prefix(Self.most) { write(indent + line(result, update)) }
        let more = results.count - Self.most
        if !showsAll, more > 0 { write("\(indent)… and \(more) more; --details lists them") }
    }

    /// Reports which inputs can't be used.
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
        return "\(Figure.count(taken, "cell")) \(verb) stored, \(refused) refused"
            + (leftOut == 0 ? "" : ", \(leftOut) left out: \(Self.whyLeftOut)")
    }

    private static let whyLeftOut = "newer runs fill the window, began an epoch or contradict it"

    private func outcome(of update: RunUpdate, _ stored: StoredUpdate?) -> String {
        switch update.outcome {
        case .planned(let plan) where plan.measurements.cells.isEmpty:
            plan.faults.isEmpty ? "nothing of it is stored, see above" : "refused, see above"
        case .planned: counts(stored.map { [$0] } ?? [])
        case .skipped(.stored(let others)):
            "skipped: already stored"
                + (others == 0 ? "" : ", except for \(Figure.count(others, "cell")) that --accept would store")
        case .skipped(.tooOld): "skipped, \(Self.whyLeftOut)"
        case .skipped(.nothingMeasured): "skipped: it contains no measurements"
        }
    }

    private func line(_ result: PerfgateCompare.CellResult, _ update: StoredUpdate) -> String {
        let plan = update.plan
        let isLeftOut = update.leftOut.contains(result.cell)
        let actions = [
            ("refused", plan.refused.contains(result.cell)), ("left out", isLeftOut),
            ("accepted", plan.accepted.contains(result.cell)), ("provisional", plan.provisional.contains(result.cell)),
        ]
        let action = actions.first(where: \.1)?.0 ?? "stored"
        let old = result.baseline?.center.map { Figure.text($0) } ?? "none"
        let new = result.candidate?.center.map { Figure.text($0, result.metric.unit.symbol) } ?? "no sample"
        let change = result.numbers.map { " (\(Figure.signed($0.delta, result.resolution)))" } ?? ""
        let shortfall = plan.shortfalls[result.cell]?.shortfall.map { ": \($0)" }
        let stop = plan.stopped.contains(result.cell) ? ", because its frame ticks stopped" : ""
        let reason = isLeftOut ? ", because \(Self.whyLeftOut)" : shortfall ?? stop
        return "\(action): \(result.page.name)  \(result.metric.id)  \(old) → \(new)\(change)\(reason)"
    }
}
