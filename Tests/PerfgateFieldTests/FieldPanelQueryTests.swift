import PerfgateField
import Testing

/// The queries of Grafana's panels and rules; Tests/Judges/judge-grafana.py compares their answers.
@Suite struct FieldPanelQueryTests {
    private static let dialects: [SQLDialect] = [.postgres, .clickhouse, .trino, .bigquery, .duckdb]

    private static func panels(_ query: FieldPanelQuery) -> [String] {
        [query.quantile(90), query.events, query.releases, query.pages]
    }

    /// Grafana replaces a variable only in a form that it knows, and quotes names only by a format.
    @Test(arguments: dialects)
    func everyVariableIsQuotedByGrafana(dialect: SQLDialect) throws {
        let query = try FieldPanelQuery(dialect, table: "field")
        for text in Self.panels(query) + FieldPanelQuery.variables.map(query.options) {
            let used = text.matches(of: /\$[^ ,)']*/).map { String($0.output) }
            let known =
                FieldPanelQuery.variables.map { "${\($0):sqlstring}" } + ["${__from:date:iso}", "${__to:date:iso}"]
            #expect(used.allSatisfy(known.contains), "\(used)")
        }
        for text in Self.panels(query) {
            for name in FieldPanelQuery.variables where name != "metric" || text != query.events {
                #expect(text.contains("('*' IN (${\(name):sqlstring}) OR "), "\(name)")
            }
        }
    }

    /// A rule has no variables: it doesn't know a dashboard.
    @Test(arguments: dialects)
    func rulesHaveNoVariables(dialect: SQLDialect) throws {
        let query = try FieldPanelQuery(dialect, table: "field")
        #expect(try !(query.age + query.newest("ttil", 90) + query.newest("load_failures", nil)).contains("$"))
    }

    /// Grafana escapes quotes by doubling them, which a backslash before them undoes in these engines.
    @Test(arguments: [
        (SQLDialect.clickhouse, "hex(`page`) IN (${page:sqlstring})", "4F275C"),
        (.bigquery, "TO_HEX(CAST(`page` AS BYTES)) IN (${page:sqlstring})", "4f275c"),
        (.trino, "\"page\" IN (${page:sqlstring})", "O'\\"), (.postgres, "\"page\" IN (${page:sqlstring})", "O'\\"),
    ])
    func enginesWithEscapesCompareDigits(dialect: SQLDialect, condition: String, value: String) throws {
        let query = try FieldPanelQuery(dialect, table: "field")
        for text in Self.panels(query) { #expect(text.contains(condition)) }
        #expect(query.value("O'\\") == value)
    }

    @Test(arguments: dialects, ["a$b", "a.[[b]]", "", "a\nb"])
    func aTableThatGrafanaOrTheEngineWouldMisreadIsRefused(dialect: SQLDialect, table: String) {
        #expect(throws: SQLError.self) { try FieldPanelQuery(dialect, table: table) }
    }

    @Test(arguments: dialects)
    func namesCantLeaveTheirQuotes(dialect: SQLDialect) throws {
        let text = try FieldPanelQuery(dialect, table: "field").newest("it's \\' OR 1=1 --", 90)
        let escaped =
            [.clickhouse, .bigquery].contains(dialect) ? "'it\\'s \\\\\\' OR 1=1 --'" : "'it''s \\'' OR 1=1 --'"
        #expect(text.contains("metric = \(escaped)"))
    }
}
