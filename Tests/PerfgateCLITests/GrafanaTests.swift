import Foundation
import Testing

/// The dashboards for each data source; Tests/Judges/judge-grafana.py runs their queries.
struct GrafanaTests {
    private static func dashboard(_ source: String) throws -> [String: Any] {
        let said = try CommandFolder().run("field", "export", "--grafana", "--source", source)
        #expect(said.code == 0 && said.error == "")
        #expect(!said.output.contains("\"@"), "a part of the template was left")
        return try #require(try JSONSerialization.jsonObject(with: Data(said.output.utf8)) as? [String: Any])
    }

    /// The plugin, the key of its query, and its two formats.
    @Test(arguments: [
        ("postgres", "grafana-postgresql-datasource", "rawSql", ["time_series", "table"]),
        ("clickhouse", "grafana-clickhouse-datasource", "rawSql", ["0", "1"]),
        ("trino", "trino-datasource", "rawSQL", ["0", "1"]),
        ("bigquery", "grafana-bigquery-datasource", "rawSql", ["0", "1"]),
        ("duckdb", "motherduck-duckdb-datasource", "rawSql", ["0", "1"]),
        ("prometheus", "prometheus", "expr", ["time_series", "table"]),
    ])
    func everyPanelAsksItsPlugin(_ source: String, _ plugin: String, _ key: String, _ formats: [String]) throws {
        let dashboard = try Self.dashboard(source)
        let panels = try #require(dashboard["panels"] as? [[String: Any]])
        #expect(panels.count == 6)
        for panel in panels {
            let targets = try #require(panel["targets"] as? [[String: Any]])
            for target in targets {
                let datasource = target["datasource"] as? [String: String]
                #expect(datasource == ["type": plugin, "uid": "${datasource}"])
                #expect((target[key] as? String)?.isEmpty == false)
                #expect("\(target["format"] ?? "")" == formats[panel["type"] as? String == "table" ? 1 : 0])
            }
        }
        let variables = (dashboard["templating"] as? [String: [[String: Any]]])?["list"] ?? []
        #expect(
            variables.map { $0["name"] as? String } == [
                "datasource", "app", "page", "metric", "release", "os", "device_class", "network",
            ])
        for variable in variables.dropFirst() {
            #expect(variable["multi"] as? Bool == true && variable["includeAll"] as? Bool == true)
            #expect(variable["allValue"] as? String == (source == "prometheus" ? ".*" : "'*'"))
        }
    }

    /// Without a limit there is only the rule for new days, which the command says.
    @Test(arguments: ["duckdb", "prometheus"])
    func withoutLimitsThereIsOneRule(_ source: String) throws {
        let said = try CommandFolder().run("field", "export", "--grafana", "--source", source, "--alerts")
        #expect(said.code == 0)
        #expect(said.error.hasPrefix("No rule for slow releases: perfgate.yml has no limits in field.metrics"))
        let file = try JSONSerialization.jsonObject(with: Data(said.output.utf8)) as? [String: Any]
        let groups = file?["groups"] as? [[String: Any]]
        #expect((groups?.first?["rules"] as? [Any])?.count == 1)
    }
}
