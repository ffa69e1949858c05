import PerfgateCompare
import PerfgateField
import PerfgateJSON
import PerfgateModel

enum GrafanaSource: String, CaseIterable {
    case influxdb, postgres, clickhouse, trino, bigquery, duckdb, prometheus

    var plugin: String {
        switch self {
        case .influxdb, .prometheus: rawValue
        case .postgres: "grafana-postgresql-datasource"
        case .clickhouse: "grafana-clickhouse-datasource"
        case .trino: "trino-datasource"
        case .bigquery: "grafana-bigquery-datasource"
        case .duckdb: "motherduck-duckdb-datasource"
        }
    }

    /// The dialect of the queries; `nil` for a database of time series.
    var dialect: SQLDialect? { SQLDialect(rawValue: rawValue) }
}

/// A limit of `field.metrics` as an alert rule judges it.
struct GrafanaLimit {
    let metric: Metric
    /// `nil`: the share of events.
    let percent: Int?
    let bound: Double

    /// `ttil p75`.
    var title: String { "\(metric.id) \(percent.map { "p\($0)" } ?? "share")" }

    /// The limits by name. Throws for a metric whose name Grafana or Prometheus takes for more than a name.
    static func all(_ limits: [String: MetricSettings]) throws(SQLError) -> [GrafanaLimit] {
        var all: [GrafanaLimit] = []
        for (id, settings) in limits.sorted(by: { $0.key.precedesInUTF8($1.key) }) {
            guard let limit = settings.limit?.value, let parts = MetricQuantile.parts(of: id) else { continue }
            if parts.metric.contains(where: { "${}\"\\".contains($0) || $0.isNewline }) {
                throw SQLError(
                    subject: parts.metric, problem: "has a character that an alert rule can't hold: rename it")
            }
            let metric = FieldMetric.named(parts.metric).metric
            all.append(GrafanaLimit(metric: metric, percent: parts.percent, bound: limit.value))
        }
        return all
    }
}

struct GrafanaTable {
    let source: GrafanaSource
    let query: FieldPanelQuery

    private enum Format: Int { case series, table }

    var dashboard: [UInt8] {
        func target(_ sql: String, _ format: Format) -> JSONTree {
            model("A", sql, format) + [("datasource", ["type": "\(source.plugin)", "uid": "${datasource}"])]
        }
        var parts: [(name: String, tree: JSONTree)] = [
            ("title", "Real users: pages by release (\(source.rawValue))"),
            ("uid", "perfgate-field-\(source.rawValue)"),
            ("plugin", "\(source.plugin)"), ("ttil", "\(query.value("ttil"))"),
            ("events", target(query.events, .series)),
            ("releases", target(query.releases, .table)), ("pages", target(query.pages, .table)),
        ]
        parts += FieldPanelQuery.percentiles.map { ("p\($0)", target(query.quantile($0), .series)) }
        parts += FieldPanelQuery.variables.map { ("options \($0)", options(of: $0)) }
        let template = String(decoding: PackageResources.grafana_table_json, as: UTF8.self)
        let text = parts.reduce(template) { text, part in
            let value = part.tree.bytes(JSONWriter(endsWithNewline: false))
            return text.replacing("\"@\(part.name)\"", with: String(decoding: value, as: UTF8.self))
        }
        return Array(text.utf8)
    }

    /// Rules in the form of Grafana's provisioning. The data source is that of an environment variable.
    func rules(_ limits: [String: MetricSettings]) throws(SQLError) -> JSONTree {
        var rules = [
            rule(
                "no-new-day", "perfgate: no new day", query.age, "gt", 2, noData: "Alerting",
                "The newest day of {{ .Labels.app }} is {{ .Values.A }} days old: check the roll-up.")
        ]
        for limit in try GrafanaLimit.all(limits) {
            let sign = limit.metric.better == .higher ? "lt" : "gt"
            rules.append(
                rule(
                    identifier(limit.title), "perfgate: \(limit.title) of the newest release",
                    try query.newest(limit.metric.id, limit.percent), sign, limit.bound, noData: "OK",
                    "\(limit.title) of {{ .Labels.page }} in {{ .Labels.app }} {{ .Labels.release }} is "
                        + "{{ .Values.A }} \(limit.metric.unit); the limit is \(limit.bound)."))
        }
        return [
            "apiVersion": 1,
            "groups": [
                ["orgId": 1, "name": "perfgate", "folder": "perfgate", "interval": "1h", "rules": .list(rules)]
            ],
        ]
    }

    private func rule(
        _ id: String, _ title: String, _ sql: String, _ sign: String, _ bound: Double, noData: String, _ summary: String
    ) -> JSONTree {
        let condition: JSONTree = ["evaluator": ["type": "\(sign)", "params": [.number(bound)]]]
        let threshold: JSONTree = [
            "refId": "B", "type": "threshold", "expression": "A",
            "datasource": ["type": "__expr__", "uid": "__expr__"], "conditions": [condition],
        ]
        let range: JSONTree = ["from": 2_419_200, "to": 0]
        return [
            "uid": "perfgate-\(id)", "title": "\(title)", "condition": "B", "for": "0s", "noDataState": "\(noData)",
            "execErrState": "Error", "annotations": ["summary": "\(summary)"],
            "data": [
                [
                    "refId": "A", "relativeTimeRange": range, "datasourceUid": "$PERFGATE_DATASOURCE",
                    "model": model("A", sql, .table),
                ],
                ["refId": "B", "relativeTimeRange": range, "datasourceUid": "__expr__", "model": threshold],
            ],
        ]
    }

    /// An identifier of at most 40 characters.
    private func identifier(_ title: String) -> String {
        let plain = title.escaped { $0.isASCII && $0.properties.isAlphabetic || ("0"..."9").contains($0) ? nil : "-" }
        return String(plain.prefix(31))
    }

    /// A query in the form of the data source's plugin.
    private func model(_ reference: String, _ sql: String, _ format: Format) -> JSONTree {
        let head: JSONTree = ["refId": "\(reference)"]
        let text: JSONTree = "\(sql)"
        switch source {
        case .clickhouse:
            let kind: JSONTree = format == .series ? "timeseries" : "table"
            return head + [
                ("editorType", "sql"), ("rawSql", text), ("format", .integer(format.rawValue)), ("queryType", kind),
                ("pluginVersion", ""),
            ]
        case .trino: return head + [("rawSQL", text), ("format", .integer(format.rawValue))]
        default:
            let name: JSONTree = format == .series ? "time_series" : "table"
            let kind = source == .postgres ? name : .integer(format.rawValue)
            return head + [("editorMode", "code"), ("rawQuery", true), ("rawSql", text), ("format", kind)]
        }
    }

    /// A variable's query in the form of the plugin.
    private func options(of name: String) -> JSONTree {
        let sql = query.options(of: name)
        switch source {
        case .trino: return ["refId": "options", "query": "\(sql)"]
        case .bigquery: return model("options", sql, .table)
        default: return "\(sql)"
        }
    }
}

/// The rules over what `field export --openmetrics` writes.
enum PrometheusRules {
    private static let events = "perfgate_field_day_events"

    /// A file of rules for Prometheus. A release is as old as the first sample of its events in four weeks.
    static func file(_ limits: [String: MetricSettings]) throws(SQLError) -> JSONTree {
        // A day is in the roll-up on the next day; the third day after its start is too late.
        let stamp = "perfgate_field_day_timestamp_seconds"
        var rules = [
            rule(
                "PerfgateNoNewDay", "time() - max(\(stamp)) > 259200 or absent(\(stamp))", wait: "1h",
                "The newest day of real users' events is more than two days old: check the roll-up.")
        ]
        let first = "min_over_time(timestamp(\(Self.events))[4w:6h])"
        let newest = "topk by (app) (1, min by (app, release) (\(first)))"
        for limit in try GrafanaLimit.all(limits) {
            let (name, bound) = OpenMetricsText.sample(limit.bound, limit.metric.unit, of: "perfgate_field")
            let statistic = limit.percent.map { "p\($0)" } ?? "mean"
            let value = "\(name){metric=\"\(limit.metric.id)\",statistic=\"\(statistic)\"}"
            let enough = "\(Self.events){metric=\"\(limit.metric.id)\"} >= \(FieldPanelQuery.leastEvents)"
            let sign = limit.metric.better == .higher ? "<" : ">"
            rules.append(
                rule(
                    "PerfgateLimit",
                    "(\(value) \(sign) \(bound)) and ignoring (statistic) (\(enough)) and on (app, release) (\(newest))",
                    wait: "0s",
                    "\(limit.title) of {{ $labels.page }} in {{ $labels.app }} {{ $labels.release }} is {{ $value }}; "
                        + "the limit is \(bound).", limit: limit.title))
        }
        return ["groups": [["name": "perfgate", "rules": .list(rules)]]]
    }

    private static func rule(
        _ name: String, _ expression: String, wait: String, _ summary: String, limit: String? = nil
    ) -> JSONTree {
        let severity: JSONTree = ["severity": "warning"]
        return [
            "alert": "\(name)", "expr": "\(expression)", "for": "\(wait)",
            "labels": severity + (limit.map { [("limit", "\($0)")] } ?? []), "annotations": ["summary": "\(summary)"],
        ]
    }
}
