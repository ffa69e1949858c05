import Foundation
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

    /// An engine reads only the data of some days: by the columns themselves, beside the day of each event.
    @Test(arguments: [
        (FieldTime.timestamp, SQLDialect.duckdb, "\"at\" >= TIMESTAMP '2026-11-01 00:00:00'"),
        (.timestamptz, .trino, "\"at\" < TIMESTAMP '2026-12-01 00:00:00 UTC'"),
        (.timestamptz, .postgres, "\"at\" < TIMESTAMPTZ '2026-12-01 00:00:00+00'"),
        (.timestamp, .bigquery, "`at` >= '2026-11-01 00:00:00'"),
        (.milliseconds, .spark, "`at` >= 1793491200000 AND `event_date` >= DATE '2026-11-01'"),
        (.text, .clickhouse, "WHERE `event_date` >= toDate('2026-11-01') AND `event_date` < toDate('2026-12-01')"),
    ])
    func readsOnlyTheAskedDays(time: FieldTime, dialect: SQLDialect, condition: String) throws {
        var options = FieldOptions()
        (options.since, options.until) = (CalendarDay("2026-11-01"), CalendarDay("2026-11-30"))
        options.mapping.partition = .name("event_date")
        var query = FieldQuery(dialect, table: .path("t"), options: options)
        query.time = time
        for rollUp in [FieldQuery.RollUp.days, .table, .users(nil), .counts(ofUsers: false)] {
            #expect(try query.text(rollUp).contains(condition))
        }
    }

    /// Models and views can't hold a statement that changes the session.
    @Test(arguments: SQLDialect.allCases) func queriesOfTablesAreOneStatement(dialect: SQLDialect) throws {
        let query = FieldQuery(dialect, table: .path("t"))
        for rollUp in [FieldQuery.RollUp.table, .users(nil), .counts(ofUsers: true)] {
            let text = try query.text(rollUp)
            #expect(text.hasPrefix("WITH ") && !text.contains(";"))
        }
    }

    /// Jinja reads the package: names with its brackets stay names, and only a table's query may have its expressions.
    @Test func macrosKeepNamesAndExpressionsApart() throws {
        var options = FieldOptions()
        options.mapping.columns[.page] = .some(.name("{{ page }}"))
        options.mapping.deviceClasses = [.init(name: "{% fast %}", devices: ["{#1"])]
        let events = FieldQuery.Table.sql("SELECT * FROM {{ source('analytics', 'perf') }}")
        let text = try FieldMacros(FieldQuery(.duckdb, table: events, options: options)).text(for: [.duckdb])
        #expect(text.contains("\"{{ '{{' }} page }}\"") && !text.contains("\"{{ page }}"))
        #expect(text.contains("'{{ '{%' }} fast %}'") && text.contains("'{{ '{#' }}1'"))
        #expect(text.contains("FROM (SELECT * FROM {{ source('analytics', 'perf') }}) AS source"))
        #expect(text.contains("{% macro duckdb__perfgate_buckets(days) %}"))
        #expect(text.contains("adapter.dispatch('perfgate_pair', 'perfgate_field')(rows, base, candidate)"))
        #expect(text.components(separatedBy: "{% macro").count == text.components(separatedBy: "{% endmacro %}").count)
        #expect(!text.contains("\u{E000}") && !text.contains("\u{E001}"))
    }
}
