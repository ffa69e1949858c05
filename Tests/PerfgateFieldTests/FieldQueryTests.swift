import PerfgateField
import PerfgateModel
import Testing

/// SQL that names of a configuration can't break; that it counts right is what the engines themselves judge.
@Suite struct FieldQueryTests {
    private static let hostile = [
        "at", "user", "order", "a b", "a\"b", "a`b", "a'b", "a\\b", "x\"); DROP TABLE t; --", "é",
    ]

    @Test(arguments: SQLDialect.allCases, hostile)
    func quotesEveryNameOrRefusesIt(dialect: SQLDialect, name: String) throws {
        var mapping = FieldMapping()
        mapping.columns[.initialLoad] = .some(.name(name))
        let query = FieldQuery(dialect, table: .path("events"), mapping: mapping)
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
        var query = FieldQuery(dialect, table: .path("events"))
        query.conditions = [("page", "it's \\' OR 1=1 --")]
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
        var query = FieldQuery(dialect, table: .path("t"))
        query.conditions = [("page", name + "\u{7}")]
        #expect(throws: SQLError.self) { try query.text(.days) }
    }

    @Test func leavesOutMetricsWhoseColumnsAreAbsent() throws {
        var mapping = FieldMapping()
        mapping.columns[.duration] = .some(nil)
        let query = FieldQuery(.duckdb, table: .path("t"), mapping: mapping)
        #expect(!query.metrics.map(\.metric.id).contains("hang_rate"))
        #expect(try !query.text(.days).contains("duration_ms"))
        mapping.metrics = ["hang_rate"]
        #expect(throws: SQLError.self) { try FieldQuery(.duckdb, table: .path("t"), mapping: mapping).text(.days) }
    }

    @Test func saysDaysAndConditions() throws {
        var query = FieldQuery(.duckdb, table: .path("a.b"))
        query.since = CalendarDay("2026-11-01")
        query.until = CalendarDay("2026-11-30")
        query.conditions = [("network", "wifi")]
        let text = try query.text(.pair(base: "7.117", candidate: "it's"))
        for part in [
            "FROM \"a\".\"b\"", "e_day >= '2026-11-01'", "e_day <= '2026-11-30'", "c_network = 'wifi'",
            "e_release IN ('7.117', 'it''s')",
        ] { #expect(text.contains(part), "\(part)") }
        query.conditions = [("color", "red")]
        #expect(throws: SQLError.self) { try query.text(.days) }
    }
}
