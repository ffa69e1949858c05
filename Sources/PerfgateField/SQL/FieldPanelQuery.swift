import PerfgateModel

/// Queries over T as a table for the panels and alert rules of Grafana.
/// The panels' queries have Grafana's variables: the rows are filtered first, then the buckets are summed, and then
/// quantiles are computed. The rules' queries have none, because rules don't know a dashboard.
package struct FieldPanelQuery: Sendable {
    /// The columns by which a dashboard filters, in the order of its variables.
    package static let variables = ["app", "page", "metric", "release", "os", "device_class", "network"]
    /// What a variable inserts for all values: a literal that no name of a variable's options equals.
    package static let all = "'*'"
    package static let percentiles = [50, 75, 90]
    /// The least events of a release and page that a rule judges.
    package static let leastEvents = 300
    /// The number of days that a rule judges.
    private static let days = 28

    private let dialect: SQLDialect, table: String

    /// - Throws: `SQLError` for a table that the dialect or Grafana can't represent.
    package init(_ dialect: SQLDialect, table: String) throws(SQLError) {
        if let mark = ["$", "[["].first(where: table.contains) {
            throw SQLError(
                subject: table, problem: "has a \(mark), which Grafana takes for a variable: make a view of it")
        }
        (self.dialect, self.table) = (dialect, try dialect.table(table))
    }

    /// The options of a variable: their values, and the texts that are shown. Those of pages depend on the app.
    package func options(of variable: String) -> String {
        let column = dialect.quoted(variable)
        let condition = variable == "page" ? matches("app") : variable == "metric" ? Self.isMeasured : nil
        let text = dialect.encodes ? "\(dialect.key(column)) AS value, \(column) AS text" : column
        let filter = condition.map { " WHERE \($0)" } ?? ""
        return "SELECT DISTINCT \(text) FROM \(table)\(filter) ORDER BY \(dialect.encodes ? 2 : 1)"
    }

    package func value(_ name: String) -> String {
        guard dialect.encodes else { return name }
        let digits = name.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        return dialect == .clickhouse ? digits.uppercased() : digits
    }

    /// A quantile by day, metric and release, as a time series.
    package func quantile(_ percent: Int) -> String {
        let keys = [dialect.quoted("day"), "metric", dialect.quoted("release")].joined(separator: ", ")
        let shown = FieldTableQuery.quantiles(by: keys, in: dialect, from: rows(Self.variables), [percent])
        return """
            SELECT \(time), metric, \(dialect.quoted("release")), p\(percent)
              FROM (\(shown)) AS perfgate_shown ORDER BY 1
            """
    }

    /// The number of events by day and release, as a time series.
    package var events: String {
        let release = dialect.quoted("release")
        return """
            SELECT \(time), \(release), \(dialect.sums([("events", "SUM(n)")]))
              FROM \(rows(Self.variables.filter { $0 != "metric" })) WHERE metric = '\(FieldTableQuery.visits)'
              GROUP BY \(dialect.quoted("day")), \(release) ORDER BY 1
            """
    }

    package var releases: String {
        shown(by: ["release", "metric"]) + " ORDER BY \(dialect.quoted("release")) DESC, metric"
    }

    /// The slowest pages with at least a hundred events; for metrics whose high values are good, those with low ones.
    package var pages: String {
        let good = FieldMetric.all.map(\.metric).filter { $0.better == .higher }.map { "'\($0.id)'" }
        let order = "CASE WHEN metric IN (\(good.joined(separator: ", "))) THEN -p50 ELSE p90 END"
        return shown(by: ["app", "page", "metric"]) + " WHERE events >= 100 ORDER BY \(order) DESC LIMIT 50"
    }

    private func shown(by keys: [String]) -> String {
        let keys = keys.map(dialect.quoted).joined(separator: ", ")
        let shown = FieldTableQuery.quantiles(by: keys, in: dialect, from: rows(Self.variables), Self.percentiles)
        return "SELECT * FROM (\(shown)) AS perfgate_shown"
    }

    private var time: String { "\(dialect.timestamp(of: dialect.quoted("day"))) AS \(dialect.quoted("time"))" }

    /// Whether a row has a metric with values.
    private static let isMeasured = "metric NOT IN ('\(FieldTableQuery.visits)', '\(FieldQuery.unknownOutcome)')"

    private func rows(_ variables: [String]) -> String {
        let day = dialect.quoted("day")
        let days = "\(day) >= \(dialect.day(of: "from")) AND \(day) <= \(dialect.day(of: "to"))"
        let conditions = [days] + (variables.contains("metric") ? [Self.isMeasured] : []) + variables.map(matches)
        return "(SELECT * FROM \(table) WHERE \(conditions.joined(separator: "\n    AND "))) AS perfgate_rows"
    }

    private func matches(_ variable: String) -> String {
        let values = "${\(variable):sqlstring}"
        return "(\(Self.all) IN (\(values)) OR \(dialect.key(dialect.quoted(variable))) IN (\(values)))"
    }

    /// The age of each app's newest day in days. Days in the future, and days with less than a hundredth of the events
    /// of the largest, come from wrong clocks and don't count.
    package var age: String {
        let newest = "MAX(CASE WHEN 100 * a_n >= a_most THEN a_day END)"
        return """
            SELECT a_app AS app, COALESCE(\(dialect.days(since: newest)), \(Self.days)) AS days
              FROM (SELECT a_app, a_day, a_n, MAX(a_n) OVER (PARTITION BY a_app) AS a_most
                FROM (\(recent("a", by: ["app", "day"]))) AS perfgate_days) AS perfgate_ranks
              GROUP BY a_app
            """
    }

    /// A quantile or share of the newest release by app and page, of the last four weeks.
    /// A release is as old as its first day with a hundredth of its events; those with few events don't count.
    package func newest(_ metric: String, _ percent: Int?) throws(SQLError) -> String {
        let keys = ["app", "page", "release", "metric"].map(dialect.quoted).joined(separator: ", ")
        let rows =
            "(SELECT * FROM \(table) WHERE metric = \(try dialect.literal(metric)) AND \(isRecent)) AS perfgate_rows"
        let quantiles = FieldTableQuery.quantiles(by: keys, in: dialect, from: rows, percent.map { [$0] } ?? [])
        let names = ["app", "page", "release"].map { "perfgate_shown.\(dialect.quoted($0)) AS \($0)" }.joined(
            separator: ", ")
        return """
            SELECT \(names), \(percent.map { "p\($0)" } ?? "mean") AS slowness
              FROM (\(quantiles)) AS perfgate_shown
              JOIN (SELECT f_app, f_release, ROW_NUMBER() OVER (PARTITION BY f_app
                  ORDER BY f_first DESC, f_events DESC, f_release DESC) AS f_rank
                FROM (SELECT f_app, f_release, MIN(CASE WHEN 100 * f_n >= f_all THEN f_day END) AS f_first,
                    SUM(f_n) AS f_events
                  FROM (SELECT f_app, f_release, f_day, f_n, SUM(f_n) OVER (PARTITION BY f_app, f_release) AS f_all
                    FROM (\(recent("f", by: ["app", "release", "day"]))) AS perfgate_days) AS perfgate_sums
                  GROUP BY f_app, f_release HAVING SUM(f_n) >= \(Self.leastEvents)) AS perfgate_firsts) AS perfgate_order
                ON perfgate_shown.\(dialect.quoted("app")) = f_app AND perfgate_shown.\(dialect.quoted("release")) = f_release
              WHERE f_rank = 1 AND events >= \(Self.leastEvents)
            """
    }

    /// The visits of the last four weeks by columns, under names that no column has.
    private func recent(_ prefix: String, by columns: [String]) -> String {
        let names = columns.map { "\(dialect.quoted($0)) AS \(prefix)_\($0)" }.joined(separator: ", ")
        return "SELECT \(names), SUM(n) AS \(prefix)_n FROM \(table) WHERE metric = '\(FieldTableQuery.visits)' "
            + "AND \(isRecent) GROUP BY \(columns.map(dialect.quoted).joined(separator: ", "))"
    }

    private var isRecent: String {
        let day = dialect.quoted("day")
        return "\(day) > \(dialect.today(less: Self.days)) AND \(day) <= \(dialect.today())"
    }
}

extension SQLDialect {
    /// Whether variables hold names in hexadecimal: Grafana doubles quotes, and these engines also read backslashes.
    fileprivate var encodes: Bool { self == .bigquery || self == .clickhouse }

    /// What is compared with a variable's values.
    fileprivate func key(_ column: String) -> String {
        switch self {
        case .bigquery: "TO_HEX(CAST(\(column) AS BYTES))"
        case .clickhouse: "hex(\(column))"
        default: column
        }
    }

    /// The UTC day of an end of the dashboard's range.
    fileprivate func day(of end: String) -> String { toDate("SUBSTR('${__\(end):date:iso}', 1, 10)") }

    fileprivate func timestamp(of day: String) -> String {
        switch self {
        case .bigquery: "TIMESTAMP(\(day))"
        case .clickhouse: "toDateTime(\(day), 'UTC')"
        default: cast(day, to: "TIMESTAMP")
        }
    }

    /// The current UTC day, or a day before it.
    fileprivate func today(less days: Int = 0) -> String {
        let today =
            switch self {
            case .bigquery: "CURRENT_DATE('UTC')"
            case .clickhouse: "toDate(now('UTC'))"
            default: "CAST(NOW() AT TIME ZONE 'UTC' AS DATE)"
            }
        switch (days, self) {
        case (0, _): return today
        case (_, .trino): return "DATE_ADD('day', -\(days), \(today))"
        case (_, .bigquery): return "DATE_SUB(\(today), INTERVAL \(days) DAY)"
        default: return "\(today) - \(days)"
        }
    }

    fileprivate func days(since day: String) -> String {
        switch self {
        case .bigquery: "DATE_DIFF(\(today()), \(day), DAY)"
        case .postgres: "\(today()) - \(day)"
        default: "DATE_DIFF('day', \(day), \(today()))"
        }
    }
}

/// The generated macros of the dbt package: each roll-up and query for each engine, dispatched by dbt's adapter.
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
