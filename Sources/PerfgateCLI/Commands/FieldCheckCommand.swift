import ArgumentParser
import PerfgateCompare
import PerfgateField
import PerfgateFiles
import PerfgateKit
import PerfgateModel
import PerfgateStacks

struct FieldCheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Compares two releases by their users' measurements, and fails if a page got worse.",
        discussion: """
            Roll up the pair with --pair first. It makes both releases comparable: it weights each event so that \
            devices, systems, networks and low-power mode have the same shares in both. Instead of releases, the \
            sides may be two values of a tag, to which an experiment assigns users by chance.

            EXAMPLE
              perfgate field rollup events/ --pair 7.117:7.129
              perfgate field check --base 7.117 --candidate 7.129 --html release.html
              perfgate field check --base checkout=old --candidate checkout=new

            Exit codes: 0 passed, 2 something got worse or has no events any more, 3 inconclusive and 5 nothing to \
            compare with if the policy makes them fail, 64 usage, 66 no such pair, some of its days lack events, or \
            --hangs holds no payload, 73 can't write, 78 bad configuration, store or template.
            """)

    @Option(help: .taking("release", "The release to compare with.")) var base: String
    @Option(help: .taking("release", "The release to judge.")) var candidate: String
    @Option(help: .taking("version", "The release whose users an experiment's arms are; default: all."))
    var release: String?
    @Option(
        help: .taking("base:candidate", "The planned shares of an experiment's arms, such as 90:10; default: equal."))
    var split: String?
    @Option(
        help: .taking(
            "number", "How often an experiment is checked while it runs: the error rate is of all checks together."))
    var looks = 1
    @OptionGroup(title: "Input") var folder: FieldFolder
    @OptionGroup(title: "Input") var file: ConfigurationOption
    @OptionGroup(title: "Input") var days: FieldDays
    @Option(help: .taking("identifier", "Judge only this app; default: all apps with events of the pair."))
    var app: String?
    @Option(
        help: .taking("file", "For pages that got worse, list suspicious views from the JSON of `view-lint check`."))
    var views: String?
    @Option(
        help: .taking(
            "folder", "List the heaviest stacks of hangs from payloads of MetricKit, as evidence. Repeatable."))
    var hangs: [String] = []
    @OptionGroup(title: "Output") var outputs: OutputOptions

    func validate() throws {
        for (flag, name) in [("--base", base), ("--candidate", candidate)] where name.isEmpty {
            throw ValidationError("'\(flag)' needs the name of a release, as app_version says it.")
        }
        if base == candidate {
            throw ValidationError("'--base' and '--candidate' are both \(base). Name two releases.")
        }
        try folder.validate(pair)
        let ofExperiments = [("--release", release != nil), ("--split", split != nil), ("--looks", looks != 1)]
        if pair.arms == nil, let (flag, _) = ofExperiments.first(where: \.1) {
            throw ValidationError(
                "'\(flag)' is for an experiment: name its arms, '--base TAG=VALUE --candidate TAG=VALUE'.")
        }
        if let split, share == nil {
            throw ValidationError("'--split \(split)' isn't two shares above 0. Write it as 50:50 or 90:10.")
        }
        guard looks > 0 else { throw ValidationError("'--looks \(looks)' must be at least 1.") }
    }

    private var pair: FieldPair { FieldPair(base: base, candidate: candidate, release: release) }

    /// The planned share of the candidate's users; `nil` if the shares can't be read.
    private var share: Double? {
        let parts = (split ?? "50:50").split(separator: ":", omittingEmptySubsequences: false).map { Double($0) ?? 0 }
        guard parts.count == 2, parts.allSatisfy({ $0 > 0 && $0.isFinite }) else { return nil }
        return parts[1] / (parts[0] + parts[1])
    }

    func run() throws {
        let call = CallFiles(file)
        call.read(templates: outputs.templates)
        if let views { call.read(views, as: "the views") }
        for path in hangs {
            call.read(path, as: "the hangs")
            call.readAll(in: path, as: "hangs")
        }
        let parts = folder.via == nil ? ["days", "pairs"] : []
        for part in parts { call.readAll(in: "\(folder.field)/\(part)", as: "roll-ups") }
        try outputs.covering(call) { try judge(call) }
    }

    private func judge(_ call: CallFiles) throws {
        let configuration = try file.load()
        let files = try ReportFiles(outputs, of: call)
        var gate = FieldGate()
        (gate.policy, gate.scoring) = (configuration.policy, configuration.scoring)
        gate.known = KnownMetrics(own: configuration.policy.metrics.compactMapValues(\.declaration))
        (gate.app, gate.since, gate.until) = (app, days.since, days.until)
        (gate.share, gate.looks) = (share ?? 0.5, looks)
        (gate.isSoft, gate.tool) = (outputs.softFail, Program.tool)
        gate.views = try views.map(ViewFindings.init(file:))
        gate.hangs = try reportedHangs()
        gate.call = Invocation(options: repeated, result: outputs.json)
        let options = FieldOptions(configuration.field, pair, days)
        let needsDays = !options.strata.isEmpty || !(configuration.scoring?.formulas.isEmpty ?? true)
        let report = try folder.reading(options, needsDays: needsDays) { try gate.report(on: $0, pair) }
        try files.write(report)
        outputs.tell(report)
        if report.exitCode != 0 { throw ExitCode(Int32(report.exitCode)) }
    }

    /// The hangs of the given files; throws if a path doesn't exist, or if no file holds a payload.
    private func reportedHangs() throws(CommandError) -> ReportedHangs? {
        guard !hangs.isEmpty else { return nil }
        let reports = HangReports(hangs)
        var problem = reports.absent.first.map { "\($0.path): \($0.message)" }
        if problem == nil, reports.isEmpty {
            let first = reports.hangs.diagnostics.first.map { " \($0.path ?? ""): \($0.message)" } ?? ""
            problem = "No file holds a payload of MetricKit.\(first)"
        }
        if let problem { throw CommandError(.noInput, "--hangs: \(CleanText.line(problem))") }
        return reports.hangs
    }

    private var repeated: [SuggestedCommand.Argument] {
        [.option(.base, base), .option(.candidate, candidate)] + folder.repeated + file.repeated
            + .given([
                .release: release, .split: split, .looks: looks == 1 ? nil : "\(looks)", .app: app,
                .since: days.since?.text, .until: days.until?.text,
            ])
    }
}

extension GrafanaSource: ExpressibleByArgument {}

enum FieldExportForm: String, EnumerableFlag {
    case csv, influx, openmetrics, grafana

    static func help(for value: FieldExportForm) -> ArgumentHelp? {
        switch value {
        case .csv: "Write comma-separated values."
        case .influx: "Write points of InfluxDB's line protocol."
        case .openmetrics: "Write OpenMetrics."
        case .grafana: "Write a Grafana dashboard for a data source."
        }
    }
}

struct FieldExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Writes the roll-up as a table, or for a dashboard.",
        discussion: """
            EXAMPLE
              perfgate field export --csv > field.csv
              perfgate field export --csv --raw --since 2026-11-01
              perfgate field export --influx --since 2026-11-19 |
                curl --data-binary @- 'http://localhost:8086/write?db=perfgate'
              perfgate field export --grafana > dashboard.json
              perfgate field export --grafana --source trino > dashboard.json
              perfgate field export --grafana --source trino --alerts > alerts.json
              perfgate field export --openmetrics > textfile/perfgate.prom

            Each page, release, day and metric has events, mean, p50, p75, p90, p95 and p99. --openmetrics writes \
            the newest day without timestamps, as Prometheus scrapes it. With --since it writes all days from that \
            day on with timestamps, as `promtool tsdb create-blocks-from openmetrics` reads them.

            --grafana writes a dashboard for points in InfluxDB; with --source for a table that \
            `field sql --rows buckets` makes, or for Prometheus. --alerts writes alert rules instead: a file for \
            Grafana's provisioning, or a file of rules for Prometheus.

            Exit codes: 0 written, 64 usage, 66 no such day, 73 can't write, 78 bad configuration or store.
            """)

    @Flag(exclusivity: .exclusive) var form: FieldExportForm?
    @Flag(help: "With --csv: write the sums and buckets that `field import` reads.") var raw = false
    @Option(help: .taking("base:candidate", "With --raw: write G of these releases.")) var pair: String?
    @Option(help: .taking("version", "With the arms of an experiment as the pair: the release of its users."))
    var release: String?
    @Flag(help: "With --pair: write its sums of users.") var users = false
    @Option(
        help: .taking("kind", "With --grafana: influxdb, postgres, clickhouse, trino, bigquery, duckdb or prometheus."))
    var source = GrafanaSource.influxdb
    @Option(help: .taking("name", "With --source: the table of buckets; default: perfgate_field.")) var table: String?
    @Flag(help: "With --source: write alert rules for new days, and for the limits of field.metrics.")
    var alerts = false
    @OptionGroup var file: ConfigurationOption
    @OptionGroup var folder: FieldFolder
    @OptionGroup var days: FieldDays

    func validate() throws {
        try ValidationError.refuse([
            "'--source', '--table' and '--alerts' belong to '--grafana'. Give that too.":
                form != .grafana && (source != .influxdb || table != nil || alerts),
            "'--table' names a table of an SQL engine. Leave it out for \(source.rawValue).":
                table != nil && source.dialect == nil,
            FieldSelection.strayRelease: release != nil && pair.flatMap { FieldSelection.pair($0) }?.arms == nil,
            "'--grafana' reads no roll-up. Leave out '--via'.": form == .grafana && folder.via != nil,
            "'--alerts' needs another '--source' than InfluxDB. Name yours.": alerts && source == .influxdb,
        ])
        let forms = FieldExportForm.allCases.map { "--\($0.rawValue)" }
        guard let form else { throw ValidationError("Say what to write: \(forms.joined(separator: ", ")).") }
        if raw, form != .csv { throw ValidationError("'--raw' is a form of '--csv'. Leave out '--\(form.rawValue)'.") }
        if let pair, FieldSelection.pair(pair) == nil { throw FieldSelection.noPair(pair) }
        try ValidationError.refuse([
            "'--pair' writes sums of weights, which have no quantiles. Give '--raw' too.": pair != nil && !raw,
            "'--users' belongs to a pair of releases. Give '--pair BASE:CANDIDATE' too.": pair == nil && users,
        ])
    }

    func run() throws {
        let form: FieldExport.Form
        switch self.form {
        case .csv?, nil: form = raw ? .raw : .quantiles
        case .influx?: form = .influx
        case .openmetrics?: form = .openMetrics(isHistory: days.since != nil)
        case .grafana?: return StandardStream.output.write(try grafana())
        }
        let options = FieldOptions(try file.load().field, pair.flatMap { FieldSelection.pair($0, release) }, days)
        try folder.reading(options, needsDays: pair == nil) { store in
            let export = FieldExport(store, as: form, since: days.since, until: days.until)
            let write = { StandardStream.output.stream($0) }
            let count = try options.pair.map { try export.write($0, users: users, write) } ?? export.write(write)
            guard count == 0 else { return }
            throw CommandError(
                .noInput, "\(store.name): it has no such day. Roll up events with `perfgate field rollup`.")
        }
    }

    private func grafana() throws -> [UInt8] {
        guard source != .influxdb else { return PackageResources.grafana_influx_json }
        let limits = alerts ? try file.load().policy.field : [:]
        if alerts, limits.isEmpty {
            StandardStream.error.tell(
                "No rule for slow releases: perfgate.yml has no limits in field.metrics, such as { ttil: { p75: 2500 } }."
            )
        }
        guard let dialect = source.dialect else {
            return alerts ? try PrometheusRules.file(limits).bytes() : PackageResources.grafana_prometheus_json
        }
        let query = try FieldPanelQuery(dialect, table: table ?? "perfgate_field")
        let grafana = GrafanaTable(source: source, query: query)
        return alerts ? try grafana.rules(limits).bytes() : grafana.dashboard
    }
}
