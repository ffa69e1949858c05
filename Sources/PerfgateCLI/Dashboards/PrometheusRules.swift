import PerfgateCompare
import PerfgateField
import PerfgateJSON
import PerfgateModel

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
