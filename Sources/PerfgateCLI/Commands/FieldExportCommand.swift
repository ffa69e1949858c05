import ArgumentParser
import PerfgateField
import PerfgateJSON
import PerfgateModel

extension GrafanaSource: ExpressibleByArgument {}

/// The forms that `perfgate field export` writes.
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
        commandName: "export",
        abstract: "Writes the roll-up as a table, or for a dashboard.",
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

    @Flag(exclusivity: .exclusive)
    var form: FieldExportForm?

    @Flag(help: "With --csv: write the sums and buckets that `field import` reads.")
    var raw = false

    @Option(help: .taking("base:candidate", "With --raw: write G of these releases."))
    var pair: String?

    @Option(help: .taking("version", "With the arms of an experiment as the pair: the release of its users."))
    var release: String?

    @Flag(help: "With --pair: write its sums of users.")
    var users = false

    @Option(
        help: .taking(
            "kind",
            "With --grafana: influxdb, postgres, clickhouse, trino, bigquery, duckdb or prometheus."))
    var source = GrafanaSource.influxdb

    @Option(help: .taking("name", "With --source: the table of buckets; default: perfgate_field."))
    var table: String?

    @Flag(help: "With --source: write alert rules for new days, and for the limits of field.metrics.")
    var alerts = false

    @OptionGroup var file: ConfigurationOption
    @OptionGroup var folder: FieldFolder
    @OptionGroup var days: FieldDays

    func validate() throws {
        let problems = [
            (
                form != .grafana && (source != .influxdb || table != nil || alerts),
                "'--source', '--table' and '--alerts' belong to '--grafana'. Give that too."
            ),
            (
                table != nil && source.dialect == nil,
                "'--table' names a table of an SQL engine. Leave it out for \(source.rawValue)."
            ),
            (
                release != nil && pair.flatMap { FieldSelection.pair($0) }?.arms == nil,
                "'--release' is for the arms of an experiment: '--pair TAG=VALUE:TAG=VALUE'."
            ),
            (form == .grafana && folder.via != nil, "'--grafana' reads no roll-up. Leave out '--via'."),
            (alerts && source == .influxdb, "'--alerts' needs another '--source' than InfluxDB. Name yours."),
        ]
        if let problem = problems.first(where: \.0) { throw ValidationError(problem.1) }
        let forms = FieldExportForm.allCases.map { "--\($0.rawValue)" }
        guard let form else { throw ValidationError("Say what to write: \(forms.joined(separator: ", ")).") }
        if raw, form != .csv { throw ValidationError("'--raw' is a form of '--csv'. Leave out '--\(form.rawValue)'.") }
        if let pair {
            guard FieldSelection.pair(pair) != nil else {
                throw ValidationError(
                    "'--pair \(pair)' is not a pair. Write it as BASE:CANDIDATE, such as 7.117:7.129.")
            }
            if !raw {
                throw ValidationError("'--pair' writes sums of weights, which have no quantiles. Give '--raw' too.")
            }
        } else if users {
            throw ValidationError("'--users' belongs to a pair of releases. Give '--pair BASE:CANDIDATE' too.")
        }
    }

    func run() throws {
        let form: FieldExport.Form
        switch self.form {
        case .csv?, nil: form = raw ? .raw : .quantiles
        case .influx?: form = .influx
        case .openmetrics?: form = .openMetrics(isHistory: days.since != nil)
        case .grafana?: return StandardStream.output.write(try grafana())
        }
        var options = FieldOptions()
        options.mapping = try file.load().field
        options.pair = pair.flatMap { FieldSelection.pair($0, release) }
        (options.since, options.until, options.today) = (days.since, days.until, .today)
        try folder.reading(options, needsDays: pair == nil) { store in
            let export = FieldExport(store, as: form, since: days.since, until: days.until)
            let count = try FieldFault.covering {
                guard let pair = options.pair else { return try export.write { StandardStream.output.stream($0) } }
                return try export.write(pair, users: users) { StandardStream.output.stream($0) }
            }
            guard count == 0 else { return }
            throw CommandError(
                status: .noInput,
                description: "\(store.name): it has no such day. Roll up events with `perfgate field rollup`.")
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
        do throws(SQLError) {
            guard let dialect = source.dialect else {
                guard alerts else { return PackageResources.grafana_prometheus_json }
                return try PrometheusRules.file(limits).bytes()
            }
            let query = try FieldPanelQuery(dialect, table: table ?? "perfgate_field")
            let grafana = GrafanaTable(source: source, query: query)
            return alerts ? try grafana.rules(limits).bytes() : grafana.dashboard
        } catch {
            throw CommandError(status: .badConfiguration, description: error.description)
        }
    }
}
