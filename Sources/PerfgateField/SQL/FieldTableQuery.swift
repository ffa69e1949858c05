import PerfgateModel
import PerfgateStats

/// SQL over T as a table: a row for each bucket, as `FieldQuery.RollUp.table` selects them.
package struct FieldTableQuery: Sendable {
    package enum Result: Sendable, Hashable {
        /// Events, mean and quantiles of all days, in the metric's unit.
        case quantiles
        /// The same by day.
        case daily
        /// G: the weighted histograms of two releases.
        case pair(FieldPair)
    }

    /// The metric whose values count all events.
    package static let visits = "visits"

    static let columns: [FieldTableColumn] =
        [.app, .page, .release, .day, .metric, .os, .deviceClass, .network, .lowPower, .bucket, .count, .quanta]
    private static let strata = FieldStratum.allCases.map { "r_\($0.rawValue)" }

    private let dialect: SQLDialect
    private let table: FieldQuery.Table
    private let options: FieldOptions

    /// - Parameter options: The days.
    package init(_ dialect: SQLDialect, _ table: FieldQuery.Table, _ options: FieldOptions = FieldOptions()) {
        (self.dialect, self.table, self.options) = (dialect, table, options)
    }

    /// The query, a single statement.
    /// - Throws: `SQLError` for a name that the dialect can't represent.
    package func text(_ result: Result) throws(SQLError) -> String {
        switch result {
        case .quantiles, .daily:
            let keys: [FieldTableColumn] = [.app, .page, .release] + (result == .daily ? [.day] : []) + [.metric]
            let rows = "(SELECT * FROM \(try table.text(in: dialect))\(try condition(nil))) AS perfgate_rows"
            return Self.quantiles(by: keys.map(quoted).joined(separator: ", "), in: dialect, from: rows)
        case .pair(let pair): return try Self.pair(pair, in: dialect, from: [("rows", try rows(pair))])
        }
    }

    /// The rows of some days and releases, with names that no alias of the queries has.
    private func rows(_ pair: FieldPair) throws(SQLError) -> String {
        let names = Self.columns.map { "\(quoted($0)) AS r_\($0.name)" }.joined(separator: ", ")
        return "SELECT \(names)\n  FROM \(try table.text(in: dialect))\(try condition(pair))"
    }

    private func condition(_ pair: FieldPair?) throws(SQLError) -> String {
        var conditions: [String] = []
        if let since = options.since { conditions.append("\(quoted(.day)) >= \(dialect.date(since.text))") }
        if let until = options.until { conditions.append("\(quoted(.day)) <= \(dialect.date(until.text))") }
        if let pair { conditions.append("\(quoted(.release)) IN (\(try dialect.literals(pair)))") }
        return conditions.isEmpty ? "" : "\n  WHERE \(conditions.joined(separator: " AND "))"
    }

    private func quoted(_ column: FieldTableColumn) -> String { (try? dialect.name(column.name)) ?? column.name }

    /// G over levels whose last one is the rows of both releases. The weight of a release's events in a stratum is 10⁴
    /// times the share of the other release.
    static func pair(
        _ pair: FieldPair, in dialect: SQLDialect, from levels: [(name: String, query: String)]
    ) throws(SQLError) -> String {
        let keys = ["r_app", "r_page", "r_day"] + strata
        let visits = "CASE WHEN r_metric = '\(visits)' THEN r_n ELSE 0 END"
        let counts = [("t_all", keys), ("t_own", keys + ["r_release"])].map { name, keys in
            let sum = "SUM(\(visits)) OVER (PARTITION BY \(keys.joined(separator: ", ")))"
            return "\(dialect.cast(sum, to: dialect.double)) AS \(name)"
        }
        let columns = "r_app, r_page, r_release, r_day, r_metric"
        let shares = "SELECT \(columns), r_bucket, r_n, \(counts.joined(separator: ",\n    ")) FROM perfgate_rows"
        let weight = dialect.floor("(20000.0E0 * (t_all - t_own) + t_all) / (2 * t_all)")
        let weighed =
            "SELECT \(columns), r_bucket, r_n, \(dialect.cast(weight, to: dialect.integer)) AS x_weight"
            + " FROM perfgate_shares WHERE r_metric <> '\(Self.visits)'"
        let sums = [("n", "SUM(r_n)"), ("w", "SUM(r_n * x_weight)"), ("w2", "SUM(r_n * x_weight * x_weight)")]
        let day = (try? dialect.name("day")) ?? "day"
        return dialect.with(
            levels + [("shares", shares), ("weighed", weighed)],
            """
            SELECT r_app AS app, r_page AS page, CASE WHEN r_release = \(try dialect.literal(pair.base)) THEN 'base' \
            ELSE 'candidate' END AS side, r_day AS \(day), r_metric AS metric, r_bucket AS bucket, \(dialect.sums(sums))
              FROM perfgate_weighed GROUP BY \(columns), r_bucket
            """)
    }

    /// Events, mean and quantiles of rows of T, in the metric's unit. As in `WeightedHistogram`, values are evenly
    /// distributed within a bucket.
    ///
    /// - Parameter keys: Columns with commas between, among them the metric.
    static func quantiles(
        by keys: String, in dialect: SQLDialect, from rows: String, _ percentiles: [Int] = FieldSettings.percentiles
    ) -> String {
        let scales = FieldMetric.all.filter { $0.scale != 1_000 }.map { "WHEN '\($0.metric.id)' THEN \($0.scale)E0" }
        let scale = "CASE metric \(scales.joined(separator: " ")) ELSE 1000.0E0 END"
        let steps = (1...25).map { (shift: $0, condition: "WHEN bucket < \(64 * $0 + 128) THEN") }
        let lows = steps.map { "\($0.condition) (bucket - \(64 * $0.shift)) * \(1 << $0.shift)" }
        let widths = steps.map { "\($0.condition) \(1 << $0.shift)" }
        let ladders = [("c_low", "bucket", lows), ("c_width", "1", widths)].map { name, first, steps in
            let ladder = "CASE WHEN bucket < 128 THEN \(first) \(steps.joined(separator: " ")) END"
            return "\(dialect.cast(ladder, to: dialect.double)) AS \(name)"
        }
        let sums = dialect.sums([("c_n", "SUM(n)"), ("c_quanta", "SUM(quanta)")])
        let totals = dialect.sums([
            ("c_upto", "SUM(c_n) OVER (PARTITION BY \(keys) ORDER BY bucket)"),
            ("c_all", "SUM(c_n) OVER (PARTITION BY \(keys))"),
        ])
        let quantiles = percentiles.map { percent in
            let sought = "\(percent) * c_all"
            let value = "c_low - 5E-1 + c_width * (\(percent).0E0 * c_all / 100 - (c_upto - c_n)) / c_n"
            let condition = "100 * c_upto >= \(sought) AND 100 * (c_upto - c_n) < \(sought)"
            // No quantile is below 0.
            let quantile = "MAX(CASE WHEN \(condition) THEN \(dialect.greatest("0.0E0", value)) END)"
            return ",\n    \(quantile) / (\(scale)) AS p\(percent)"
        }
        let mean = "\(dialect.cast("SUM(c_quanta)", to: dialect.double)) / (SUM(c_n) * (\(scale)))"
        return """
            SELECT \(keys), \(dialect.sums([("events", "SUM(c_n)")])), \(mean) AS mean\(quantiles.joined())
              FROM (SELECT \(keys), c_n, c_quanta, \(totals),
                  \(ladders.joined(separator: ",\n      "))
                FROM (SELECT \(keys), bucket, \(sums) FROM \(rows) GROUP BY \(keys), bucket) AS perfgate_cells) AS perfgate_ranks
              GROUP BY \(keys)
            """
    }
}

/// The generated macros of the dbt package: each roll-up and query as a macro for each engine, with a macro that dbt
/// dispatches by its adapter.
package struct FieldMacros {
    /// The engines with a maintained adapter, which has the dialect's name.
    package static let dialects: [SQLDialect] = [.duckdb, .trino, .bigquery, .clickhouse, .spark, .postgres]

    private let query: FieldQuery

    /// - Parameter query: The events in any dialect; a table's SQL may have expressions of Jinja.
    package init(_ query: FieldQuery) { self.query = query }

    /// The file's text; throws an `SQLError` for a name that a dialect can't represent.
    package func text(for dialects: [SQLDialect] = Self.dialects) throws(SQLError) -> String {
        var parts = ["{# Generated by `perfgate field sql --dbt`. Don't edit it. #}\n"]
        for dialect in dialects {
            parts += try macros(dialect).map { name, parameters, head, text in
                "{% macro \(dialect.rawValue)__\(name)(\(parameters)) %}\(head)\n\(Self.escaped(text))\n{% endmacro %}\n"
            }
        }
        parts += try macros(.duckdb).map { name, parameters, _, _ in
            let dispatched = "adapter.dispatch('\(name)', 'perfgate_field')(\(parameters))"
            return "{% macro \(name)(\(parameters)) %}{{ return(\(dispatched)) }}{% endmacro %}\n"
        }
        return parts.joined(separator: "\n")
    }

    private typealias Macro = (name: String, parameters: String, head: String, text: String)

    private func macros(_ dialect: SQLDialect) throws(SQLError) -> [Macro] {
        let rows = FieldTableQuery(dialect, .sql("SELECT * FROM \(Self.hole("rows"))"))
        let pair = FieldPair(base: Self.hole("base"), candidate: Self.hole("candidate"))
        let refusal =
            "{% if \"'\" in base ~ candidate or '\\\\' in base ~ candidate %}"
            + "{{ exceptions.raise_compiler_error('a release has a quote or a backslash') }}{% endif %}"
        let keys = "{%- set names = [] %}{% for key in keys %}{% do names.append(adapter.quote(key)) %}{% endfor %}"
        let names = Self.hole("names | join(', ')")
        let quantiles = FieldTableQuery.quantiles(by: names, in: dialect, from: Self.hole("rows"))
        return [
            ("perfgate_counts", "since", Self.start("since"), try text(.counts(ofUsers: false), dialect)),
            ("perfgate_user_counts", "since", Self.start("since"), try text(.counts(ofUsers: true), dialect)),
            ("perfgate_buckets", "days", Self.range, try text(.table, dialect)),
            ("perfgate_users", "days", Self.range, try text(.users(nil), dialect)),
            ("perfgate_quantiles", "rows, keys", keys, quantiles),
            ("perfgate_pair", "rows, base, candidate", refusal, try rows.text(.pair(pair))),
        ]
    }

    /// A query over the events of the macro's days; of counts, from a day on.
    private func text(_ rollUp: FieldQuery.RollUp, _ dialect: SQLDialect) throws(SQLError) -> String {
        var table = query.table
        if case .sql(let text) = table {
            table = .sql(text.replacing("{{", with: "\u{E000}").replacing("}}", with: "\u{E001}"))
        }
        var own = FieldQuery(dialect, table: table, options: query.options)
        own.time = query.time
        let bounds = ["since", "end"].map { name in
            FieldQuery.Days.Bound(day: Self.hole(name), milliseconds: Self.hole("\(name)_ms"))
        }
        let list = "e_day IN ('\(Self.hole("days | join(\"', '\")"))')"
        own.days =
            rollUp.isCount
            ? FieldQuery.Days(since: bounds[0], end: nil, condition: "e_day >= '\(bounds[0].day)'")
            : FieldQuery.Days(since: bounds[0], end: bounds[1], condition: list)
        return try own.text(rollUp)
    }

    private static let date = "modules.datetime.date.fromisoformat"
    private static let range =
        start("since", "(days | min)")
        + start("end", "((\(date)(days | max) + modules.datetime.timedelta(days=1)) | string)")

    /// Sets a day, and its start in milliseconds since 1970.
    private static func start(_ name: String, _ value: String? = nil) -> String {
        "{%- set \(name) = \(value ?? name) %}{% set \(name)_ms = (\(date)(\(name)) - \(date)('1970-01-01')).days * 86400000 %}"
    }

    /// An expression of Jinja, between characters that no name in SQL has.
    private static func hole(_ expression: String) -> String { "\u{E000} \(expression) \u{E001}" }

    /// The text with its holes as expressions of Jinja, and everything else as it stands.
    private static func escaped(_ text: String) -> String {
        ["{{", "{%", "{#"].reduce(text) { $0.replacing($1, with: "{{ '\($1)' }}") }
            .replacing("\u{E000}", with: "{{").replacing("\u{E001}", with: "}}")
    }
}
