import PagePerformance
import PerfgateField
import PerfgateModel
import Testing

/// Names in the configuration can't break the SQL. The engines themselves verify that it counts correctly.
@Suite struct FieldQueryTests {
    private static let hostile = [
        "at", "user", "order", "a b", "a\"b", "a`b", "a'b", "a\\b", "x\"); DROP TABLE t; --", "é",
    ]

    @Test(arguments: SQLDialect.allCases, hostile)
    func quotesEveryNameOrRefusesIt(dialect: SQLDialect, name: String) throws {
        var options = FieldOptions()
        options.mapping.columns[.ttil] = .some(.name(name))
        let query = FieldQuery(dialect, table: .path("events"), options: options)
        guard let text = try? query.text(.days) else { return #expect(dialect == .bigquery) }
        let quoted =
            switch dialect {
            case .trino, .duckdb, .postgres, .sqlite: "\"\(name.replacing("\"", with: "\"\""))\""
            case .spark, .bigquery: "`\(name.replacing("`", with: "``"))`"
            case .clickhouse: "`\(name.replacing("\\", with: "\\\\").replacing("`", with: "\\`"))`"
            }
        #expect(text.contains("CAST(\(quoted) AS "))
        #expect(!text.replacing(quoted, with: "").contains("DROP"))
    }

    @Test(arguments: SQLDialect.allCases)
    func keepsValuesInTheirQuotes(dialect: SQLDialect) throws {
        var options = FieldOptions()
        options.conditions = [try #require(FieldCondition(column: .page, value: "it's \\' OR 1=1 --"))]
        let query = FieldQuery(dialect, table: .path("events"), options: options)
        let escaped =
            switch dialect {
            case .spark, .bigquery, .clickhouse: "'it\\'s \\\\\\' OR 1=1 --'"
            case .trino, .duckdb, .postgres, .sqlite: "'it''s \\'' OR 1=1 --'"
            }
        #expect(try query.text(.days).contains("= \(escaped)"))
    }

    @Test(arguments: SQLDialect.allCases, ["", "a\nb", "a\u{0}b"])
    func refusesControlCharacters(dialect: SQLDialect, name: String) {
        #expect(throws: SQLError.self) { try FieldQuery(dialect, table: .path(name)).text(.days) }
        var options = FieldOptions()
        options.conditions = [FieldCondition(column: .page, value: name + "\u{7}")].compactMap(\.self)
        #expect(throws: SQLError.self) { try FieldQuery(dialect, table: .path("t"), options: options).text(.days) }
    }

    @Test func leavesOutMetricsWhoseColumnsAreAbsent() throws {
        var options = FieldOptions()
        options.mapping.columns[.durationMS] = .some(nil)
        let query = FieldQuery(.duckdb, table: .path("t"), options: options)
        #expect(!query.metrics.map(\.metric.id).contains("hang_rate"))
        #expect(try !query.text(.days).contains("duration_ms"))
        for column in LogKey.columns where column == .outcome || column.isMeasurement {
            options.mapping.columns[column] = .some(nil)
        }
        #expect(throws: SQLError.self) { try FieldQuery(.duckdb, table: .path("t"), options: options).text(.days) }
    }

    @Test func saysDaysAndConditions() throws {
        var options = FieldOptions()
        options.since = CalendarDay("2026-11-01")
        options.until = CalendarDay("2026-11-30")
        options.conditions = [try #require(FieldCondition(column: .network, value: "wifi"))]
        let query = FieldQuery(.duckdb, table: .path("a.b"), options: options)
        let text = try query.text(.pair(FieldPair(base: "7.117", candidate: "it's")))
        for part in [
            "FROM \"a\".\"b\"", "e_day >= '2026-11-01'", "e_day <= '2026-11-30'", "c_network = 'wifi'",
            "e_release IN ('7.117', 'it''s')",
        ] { #expect(text.contains(part), "\(part)") }
    }
}
