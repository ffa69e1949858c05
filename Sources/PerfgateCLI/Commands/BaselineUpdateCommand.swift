import ArgumentParser
import Foundation
import PerfgateBaselines
import PerfgateCompare
import PerfgateIngest
import PerfgateKit
import PerfgateModel

struct BaselineUpdateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "update",
        abstract: "Adds runs to the baselines; metrics that regressed are refused unless you accept them.",
        discussion: """
            Runs are added one by one, ordered by started_at. Each is judged against the baseline so far; where the \
            baselines hold nothing, against the other runs of the call. Stored runs are skipped, so logs can be given \
            again; if the newest is refused, each call ends with 2. --accept stores the same run with its regressions; \
            with --page or --metric only those cells, and --all-passed also what didn't regress elsewhere. If a log is \
            unreadable, nothing changes, unless the configuration says bad_run: exclude. --from-ci takes a folder, \
            such as a server's artifacts of many nights; every run in it needs a started_at.

            EXAMPLE
              perfgate baseline update logs/ --dry-run
              perfgate baseline update logs/ --page Search --metric ttil --accept 'new map'
              perfgate baseline update --from-ci artifacts/

            Exit codes: 0 everything was stored, 2 some cells or environments were refused and \
            the rest was written, 64 usage, 65 bad data, 66 no input, 73 can't write, 78 bad configuration or baseline.
            """)

    @Argument(help: "The logs to store: files, folders, patterns, or - for standard input.") var logs: [String] = []
    @Option(help: .taking("dir", "Store all runs below this folder, one by one, oldest first.")) var fromCi: String?
    @OptionGroup(title: "Input") var inputs: InputOptions
    @OptionGroup(title: "Input") var folder: BaselineFolder
    @Flag(help: "Show what would change, without changing it.") var dryRun = false
    @Option(help: .taking("reason", "Accept regressions, for this reason.")) var accept: String?
    @Option(help: .taking("name", "Accept and store only this page; may be given several times."))
    var page: [String] = []
    @Option(help: .taking("id", "Accept and store only this metric; may be given several times."))
    var metric: [String] = []
    @Flag(help: "With --page or --metric: also store what passed of other pages and metrics.") var allPassed = false
    @Flag(help: "Only some pages were meant to run: don't report pages without any line as missing.")
    var partial = false
    @Flag(help: "List every metric, not only the ten largest changes.") var details = false
    @Flag(help: "Allow new environments that expected_environments doesn't list.") var newEnvironment = false

    func validate() throws {
        let isNarrowed = !page.isEmpty || !metric.isEmpty
        try ValidationError.refuse([
            "Give either logs or '--from-ci DIR'.": logs.isEmpty == (fromCi == nil),
            "'--accept' is empty. Give a reason.": accept?.allSatisfy(\.isWhitespace) == true,
            "'--page' and '--metric' limit '--accept'. Give '--accept REASON' too.": accept == nil && isNarrowed,
            "'--all-passed' adds to '--page' and '--metric'. Give one of them, or leave it out.":
                allPassed && !isNarrowed,
        ])
    }

    func run() throws {
        let configuration = try inputs.file.load()
        let store = folder.store(configuration)
        if !dryRun { try store.probe() }
        let terms = terms(configuration)
        var series = UpdateSeries(of: store, holding: try store.content(), by: terms)
        let measurements = Ingest(inputs.ingestOptions(configuration)).read(fromCi.map { [$0] } ?? logs)
        // Calls of one second still have an order.
        let now = Timestamp(Date.now.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
        let collected = CollectedRuns(measurements, policy: configuration.policy, now: fromCi == nil ? now : nil)
        try take(collected, into: &series, configuration.policy).end()
    }

    private func terms(_ configuration: GateConfiguration) -> UpdateTerms {
        var policy = configuration.policy
        policy.conditions = inputs.where
        policy.isPartial = partial
        return UpdateTerms(
            policy: policy, window: configuration.window,
            acceptance: accept.map {
                UpdatePlan.Acceptance(reason: $0, pages: Set(page), metrics: Set(metric), storesOthers: allPassed)
            },
            scoring: configuration.scoring, opensEnvironments: newEnvironment,
            now: Timestamp(secondsSince1970: Int(Date().timeIntervalSince1970)), tool: Program.tool)
    }

    /// Reports cells that were accepted but still break a limit, which is a failure: every check would fail.
    private func limits(_ updates: [StoredUpdate], in series: UpdateSeries, _ text: UpdateText) throws -> ExitStatus {
        guard let acceptance = series.terms.acceptance else { return .passed }
        let terms = series.terms
        let broken = try updates.flatMap { update in
            try update.plan.brokenLimits(acceptance, policy: terms.policy, baselines: series.baselines, today: .today)
                .filter { !update.leftOut.contains($0.cell) }
        }
        for result in broken { text.tellLimit(of: result) }
        return broken.isEmpty ? .passed : .failed
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
        let updates = try CommandError.ending(with: .badData, on: BaselineError.self) { try series.take(collected) }
        if !dryRun { try CommandError.ending(with: .badData, on: BaselineError.self, series.write) }
        let baselines = dryRun ? series.baselines : try series.store.content()
        let plans = updates.map { $0.plan.map { StoredUpdate($0, in: baselines) } }
        let call = Invocation(options: inputs.repeated + folder.repeated, logs: logs)
        let text = UpdateText(isDryRun: dryRun, showsAll: details, call: call)
        if fromCi == nil, plans.count == 1, let plan = plans[0] {
            text.tell(plan, updates[0].review)
        } else {
            text.tell(Array(zip(updates, plans)))
        }
        let absent = updates.absent(besides: collected.measurements)
        text.tell(absent: absent)
        text.tellNext(plans.compactMap(\.self))
        let limits = try limits(plans.compactMap(\.self), in: series, text)
        let missing: ExitStatus = absent.isEmpty || policy.missing == .warn ? .passed : .failed
        return ExitStatus.mostUrgent(
            [limits, missing, updates.status(policy, series.terms.acceptance)] + plans.compactMap { $0?.status })
    }

    /// Rejects an `--accept` for a page or a metric that no run measured, and suggests the nearest name.
    private func findAccepted(in collected: CollectedRuns) throws(CommandError) {
        let cells = collected.runs.flatMap(\.measurements.cells.keys)
        guard !cells.isEmpty else { return }
        try find(page, as: "page", among: Set(cells.map(\.page.name))) { name in
            cells.contains { $0.page.isNamed(name) }
        }
        try find(metric, as: "metric", among: Set(cells.map(\.metric))) { id in cells.contains { $0.metric == id } }
        let acceptance = UpdatePlan.Acceptance(reason: "", pages: Set(page), metrics: Set(metric))
        guard !cells.contains(where: acceptance.covers) else { return }
        let names = "\(metric.joined(separator: ", ")) on \(page.joined(separator: ", "))"
        throw CommandError(.noInput, line: "No run measured \(names): nothing was stored.")
    }

    private func find(
        _ words: [String], as kind: String, among names: Set<String>, isThere: (String) -> Bool
    ) throws(CommandError) {
        guard let lost = words.first(where: { !isThere($0) }) else { return }
        let advice = Suggestion.nearest(to: lost, among: names.sorted()).map { "Did you mean '\($0)'?" }
        throw CommandError(.noInput, line: "No run measured the \(kind) '\(lost)': nothing was stored. \(advice ?? "")")
    }
}

struct BaselineImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Imports Xcode's performance baselines, with their tolerances, as limits.",
        discussion: """
            Xcode stores one average per test, without samples. Until `perfgate baseline update` has stored runs, \
            only its tolerance can be checked. Xcode identifies the device by its model code and doesn't record app, \
            system or build: give the values of your logs as flags, so that both have the same environment.

            EXAMPLE
              perfgate baseline import App.xcodeproj --app com.example.app --os 'iOS 17'
              perfgate baseline import App.xcodeproj --device 'iPhone 16' --dry-run

            Exit codes: 0 everything was imported, 64 usage, 65 bad data, 66 not found, 73 can't write, \
            78 bad configuration or baseline.
            """)

    @Argument(help: "A .xcbaseline folder, or a folder that contains some, such as a project.") var path: String
    @Option(help: .taking("uuid", "Import only this run destination, by its identifier in Info.plist."))
    var destination: String?
    @Flag(help: "Show what would change, without changing it.") var dryRun = false
    @OptionGroup(title: "Input") var inputs: InputOptions
    @OptionGroup(title: "Input") var folder: BaselineFolder

    func run() throws {
        let (configuration, store, baselines) = try folder.open(inputs.file)
        let found = try read(inputs.ingestOptions(configuration))
        ConsoleReport.tell(found.diagnostics)
        let limits = ImportedLimits(found.allowances, key: configuration.environmentKey)
        let refused = try limits.places.flatMap { place in
            try take(limits.metrics(at: place), at: place, of: baselines, into: store)
        }
        tell(limits, refused: Set(refused))
        if found.diagnostics.contains(where: { $0.severity == .error }) || !refused.isEmpty {
            throw ExitCode(ExitStatus.badData)
        }
    }

    private func read(_ options: IngestOptions) throws(CommandError) -> XcbaselineImport {
        do {
            return try XcbaselineImport(path: path, options: options, destination: destination)
        } catch {
            throw CommandError(ExitStatus(error.fault), "\(path): \(error)")
        }
    }

    /// Adds limits to one baseline; returns the cells whose limit has another unit than the stored metric.
    private func take(
        _ metrics: [String: BaselineMetric], at place: PageInEnvironment, of baselines: Baselines,
        into store: BaselineStore
    ) throws -> [Cell] {
        try CommandError.ending(with: .badData, on: BaselineError.self) {
            var taken: Set<String> = []
            if dryRun {
                taken = (baselines[place] ?? BaselineFile(place)).taken(of: metrics)
            } else {
                try store.update(place, foundAt: baselines.entries[place]?.path) { file throws(BaselineError) in
                    let file = file ?? BaselineFile(place)
                    taken = file.taken(of: metrics)
                    return file.limited(by: metrics)
                }
            }
            let refused = metrics.keys.filter { !taken.contains($0) }
            return refused.map { Cell(page: place.page, metric: $0, environment: place.environment) }
        }
    }

    private func tell(_ limits: ImportedLimits, refused: Set<Cell>) {
        for (cell, metric) in limits.cells {
            guard let limit = metric.limit else { continue }
            let unit = metric.definition.unit.symbol
            let average = limit.average.map { Figure.text($0, unit) } ?? "unknown"
            let action = refused.contains(cell) ? "refused, stored in another unit" : "imported"
            StandardStream.output.tell(
                "\(action): \(cell.page.name)  \(MetricCatalog.name(of: cell.metric))  average \(average), limit "
                    + "\(Figure.text(limit.value, unit))")
        }
        for environment in Set(limits.cells.map(\.cell.environment)).sorted() {
            StandardStream.output.tell("environment: \(environment)")
        }
        let verb = dryRun ? "would be" : "were"
        StandardStream.output.tell(
            "\(Figure.count(limits.cells.count - refused.count, "limit")) \(verb) imported, \(refused.count) refused")
    }
}

/// Xcode's limits as metrics of baselines. If two run destinations share an environment, the stricter limit applies.
struct ImportedLimits {
    /// The cells with their limits, sorted by page, metric and environment.
    let cells: [(cell: Cell, metric: BaselineMetric)]

    init(_ allowances: [XcbaselineImport.Allowance], key: EnvironmentKey) {
        var limits: [Cell: BaselineMetric] = [:]
        for allowance in allowances {
            let cell = Cell(
                page: allowance.page, metric: allowance.metric.id, environment: key.environment(of: allowance.context))
            let metric = BaselineMetric(
                BaselineMetric.Definition(unit: allowance.metric.unit, better: allowance.metric.better), samples: [:],
                limit: BaselineLimit(allowance.bound, average: allowance.average))
            limits[cell] = limits[cell].map { Self.stricter($0, metric) } ?? metric
        }
        cells = limits.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    var places: [PageInEnvironment] { Set(cells.map(\.cell.place)).sorted() }

    func metrics(at place: PageInEnvironment) -> [String: BaselineMetric] {
        let here = cells.filter { $0.cell.place == place }
        return Dictionary(here.map { ($0.cell.metric, $0.metric) }) { first, _ in first }
    }

    private static func stricter(_ first: BaselineMetric, _ second: BaselineMetric) -> BaselineMetric {
        guard let left = first.limit, let right = second.limit else { return first }
        let isFirst = first.definition.better == .lower ? left < right : right < left
        return isFirst ? first : second
    }
}
