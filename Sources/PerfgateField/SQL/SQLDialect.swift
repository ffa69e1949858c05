/// The SQL dialect of an engine: everything that differs between engines.
package enum SQLDialect: String, Sendable, Hashable, CaseIterable {
    case trino, spark, bigquery, clickhouse, duckdb, postgres, sqlite

    /// The types of texts, doubles and 64-bit integers.
    private var types: (text: String, double: String, integer: String) {
        switch self {
        case .trino, .duckdb: ("VARCHAR", "DOUBLE", "BIGINT")
        case .spark: ("STRING", "DOUBLE", "BIGINT")
        case .bigquery: ("STRING", "FLOAT64", "INT64")
        case .clickhouse: ("Nullable(String)", "Nullable(Float64)", "Nullable(Int64)")
        case .postgres: ("TEXT", "DOUBLE PRECISION", "BIGINT")
        case .sqlite: ("TEXT", "REAL", "INTEGER")
        }
    }

    var text: String { types.text }
    var double: String { types.double }
    var integer: String { types.integer }

    /// The statements before the query, one per line: use UTC, and print column names.
    var preamble: [String] {
        switch self {
        case .trino, .postgres: ["SET TIME ZONE 'UTC'"]
        case .duckdb: ["SET TimeZone = 'UTC'"]
        case .spark: ["SET TIME ZONE 'UTC'", "SET spark.sql.cli.print.header = true"]
        case .bigquery, .clickhouse, .sqlite: []
        }
    }

    func cast(_ value: String, to type: String) -> String { "CAST(\(value) AS \(type))" }

    /// Columns with whole numbers.
    func sums(_ sums: [(name: String, sum: String)]) -> String {
        sums.map { "\(cast($0.sum, to: integer)) AS \($0.name)" }.joined(separator: ", ")
    }

    /// A query with named levels, materialized where an engine would inline them: the ladder uses its quantum often.
    func with(_ levels: [(name: String, query: String)], _ query: String) -> String {
        let keeps = [.postgres, .sqlite].contains(self) ? "MATERIALIZED " : ""
        let texts = levels.map { "perfgate_\($0.name) AS \(keeps)(\($0.query))" }
        return "WITH \(texts.joined(separator: ",\n"))\n\(query)"
    }

    /// The integral part of a nonnegative double, as a double.
    func floor(_ value: String) -> String {
        // SQLite has no FLOOR if it was built without math functions.
        self == .sqlite ? "CAST(CAST(\(value) AS INTEGER) AS REAL)" : "FLOOR(\(value))"
    }

    func least(_ value: String, _ other: String) -> String {
        "\(self == .sqlite ? "MIN" : "LEAST")(\(value), \(other))"
    }

    func greatest(_ value: String, _ other: String) -> String {
        "\(self == .sqlite ? "MAX" : "GREATEST")(\(value), \(other))"
    }

    /// The texts of a group, joined by spaces in any order.
    func joined(_ value: String) -> String {
        switch self {
        case .duckdb, .postgres, .bigquery: "STRING_AGG(\(value), ' ')"
        case .trino: "ARRAY_JOIN(ARRAY_AGG(\(value)), ' ')"
        case .spark: "CONCAT_WS(' ', COLLECT_LIST(\(value)))"
        case .clickhouse: "arrayStringConcat(groupArray(\(value)), ' ')"
        case .sqlite: "GROUP_CONCAT(\(value), ' ')"
        }
    }

    /// A text that sorts by its bytes.
    func bytes(_ value: String) -> String { self == .postgres ? "\(value) COLLATE \"C\"" : value }

    func untilDot(_ value: String) -> String {
        switch self {
        case .duckdb, .postgres, .trino: "SPLIT_PART(\(value), '.', 1)"
        case .spark: "SUBSTRING_INDEX(\(value), '.', 1)"
        case .bigquery: "SPLIT(\(value), '.')[SAFE_OFFSET(0)]"
        // An array can't be made from a nullable value.
        case .clickhouse: "splitByChar('.', COALESCE(\(value), ''))[1]"
        case .sqlite: "SUBSTR(\(value), 1, INSTR(\(value) || '.', '.') - 1)"
        }
    }

    func begins(_ value: String, with start: String) -> String {
        switch self {
        case .duckdb, .postgres, .trino, .bigquery: "STARTS_WITH(\(value), \(start))"
        case .spark, .clickhouse: "startsWith(\(value), \(start))"
        case .sqlite: "SUBSTR(\(value), 1, LENGTH(\(start))) = \(start)"
        }
    }

    /// A day such as `2026-11-20` as a date.
    func date(_ day: String) -> String {
        switch self {
        case .trino, .spark, .bigquery, .duckdb, .postgres: "DATE '\(day)'"
        case .clickhouse: "toDate('\(day)')"
        case .sqlite: "'\(day)'"
        }
    }

    /// A day's text, which isn't NULL, as a date.
    func toDate(_ text: String) -> String {
        switch self {
        case .clickhouse: "toDate(assumeNotNull(\(text)))"
        case .sqlite: text
        default: cast(text, to: "DATE")
        }
    }

    /// The start of a UTC day, which a column with times is compared with; `nil` if it can't be.
    func start(of bound: FieldQuery.Days.Bound, in form: FieldTime) -> String? {
        let start = "\(bound.day) 00:00:00"
        switch (form, self) {
        // Texts have many forms, and SQLite has no other times.
        case (.text, _), (.timestamp, .sqlite), (.timestamptz, .sqlite): return nil
        case (.milliseconds, _): return bound.milliseconds
        case (_, .clickhouse): return "toDateTime64('\(start)', 3, 'UTC')"
        // A literal takes the column's type.
        case (_, .bigquery): return "'\(start)'"
        case (.timestamp, _): return "TIMESTAMP '\(start)'"
        case (.timestamptz, .trino): return "TIMESTAMP '\(start) UTC'"
        case (.timestamptz, .spark): return "TIMESTAMP '\(start)Z'"
        case (.timestamptz, _): return "TIMESTAMPTZ '\(start)+00'"
        }
    }

    /// The UTC day of a time as text, `2026-11-20`.
    func day(of value: String, in form: FieldTime) -> String {
        switch form {
        case .timestamptz:
            switch self {
            case .trino, .duckdb, .postgres: cast("CAST(\(value) AT TIME ZONE 'UTC' AS DATE)", to: text)
            case .spark: cast("CAST(TO_UTC_TIMESTAMP(\(value), CURRENT_TIMEZONE()) AS DATE)", to: text)
            case .clickhouse, .bigquery, .sqlite: day(of: value, in: .timestamp)
            }
        case .timestamp:
            switch self {
            case .clickhouse: "CAST(toDate(\(value), 'UTC') AS \(text))"
            case .bigquery: cast("DATE(\(value))", to: text)
            case .sqlite: "DATE(\(value))"
            default: cast(cast(value, to: "DATE"), to: text)
            }
        case .text:
            switch self {
            case .clickhouse: "CAST(toDate(parseDateTimeBestEffortOrNull(\(value), 'UTC'), 'UTC') AS \(text))"
            case .bigquery: cast("DATE(SAFE_CAST(\(value) AS TIMESTAMP))", to: text)
            case .sqlite: "DATE(\(value))"
            case .trino: day(of: "TRY(FROM_ISO8601_TIMESTAMP(\(value)))", in: .timestamptz)
            case .duckdb: day(of: "TRY_CAST(\(value) AS TIMESTAMPTZ)", in: .timestamptz)
            case .spark: day(of: "TRY_CAST(\(value) AS TIMESTAMP)", in: .timestamptz)
            case .postgres: day(of: "CAST(\(value) AS TIMESTAMPTZ)", in: .timestamptz)
            }
        case .milliseconds: day(after: "FLOOR(\(cast(value, to: double)) / 86400000)", value)
        }
    }

    private func day(after days: String, _ milliseconds: String) -> String {
        switch self {
        case .trino: cast("CAST(DATE_ADD('day', CAST(\(days) AS BIGINT), DATE '1970-01-01') AS DATE)", to: text)
        case .spark: cast("DATE_ADD(DATE '1970-01-01', CAST(\(days) AS INT))", to: text)
        case .bigquery: cast("CAST(DATE_ADD(DATE '1970-01-01', INTERVAL CAST(\(days) AS INT64) DAY) AS DATE)", to: text)
        case .clickhouse:
            "CAST(toDate(fromUnixTimestamp64Milli(CAST(\(milliseconds) AS Nullable(Int64)), 'UTC')) AS \(text))"
        case .duckdb, .postgres: cast("DATE '1970-01-01' + CAST(\(days) AS INTEGER)", to: text)
        case .sqlite: "DATE(CAST(\(milliseconds) AS REAL) / 1000, 'unixepoch')"
        }
    }

    /// A text as a literal. Throws if it contains a character that no engine accepts in one.
    func literal(_ value: String) throws(SQLError) -> String {
        guard !value.unicodeScalars.contains(where: { $0.value < 32 || $0.value == 127 }) else {
            throw SQLError(subject: value, problem: "has a control character, which can't stand in SQL")
        }
        return switch self {
        case .spark, .bigquery, .clickhouse: "'" + value.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
        case .trino, .duckdb, .postgres, .sqlite: "'" + value.replacing("'", with: "''") + "'"
        }
    }

    /// The releases of a pair as literals with a comma between.
    func literals(_ pair: FieldPair) throws(SQLError) -> String {
        "\(try literal(pair.base)), \(try literal(pair.candidate))"
    }

    /// A quoted column name or part of a table name. Throws if the engine can't quote it.
    func name(_ value: String) throws(SQLError) -> String {
        guard !value.isEmpty, !value.unicodeScalars.contains(where: { $0.value < 32 || $0.value == 127 }) else {
            throw SQLError(subject: value, problem: "is empty or has a control character, so it can't be a name in SQL")
        }
        switch self {
        case .trino, .duckdb, .postgres, .sqlite: return "\"" + value.replacing("\"", with: "\"\"") + "\""
        case .spark: return "`" + value.replacing("`", with: "``") + "`"
        case .clickhouse: return "`" + value.replacing("\\", with: "\\\\").replacing("`", with: "\\`") + "`"
        case .bigquery:
            guard !value.contains(where: { "`\"\\'.!/@*?$[]{}()".contains($0) }) else {
                throw SQLError(subject: value, problem: "has a character that no name in BigQuery may have")
            }
            return "`\(value)`"
        }
    }

    /// A quoted name that every engine can quote.
    func quoted(_ known: String) -> String { (try? name(known)) ?? known }

    func table(_ path: String) throws(SQLError) -> String {
        try path.split(separator: ".", omittingEmptySubsequences: false)
            .map { part throws(SQLError) in try name(String(part)) }.joined(separator: ".")
    }
}

/// The type of the column `at`.
package enum FieldTime: String, Sendable, Hashable, CaseIterable {
    /// The engine's type of times without a zone, in UTC.
    case timestamp
    /// The engine's type of times with a zone.
    case timestamptz
    case text = "iso8601"
    /// Milliseconds since 1970.
    case milliseconds
}

/// Something that a dialect can't represent.
package struct SQLError: Error, Hashable, Sendable, CustomStringConvertible {
    package let subject: String, problem: String

    package init(subject: String, problem: String) { (self.subject, self.problem) = (subject, problem) }

    package var description: String { "'\(subject)' \(problem)." }
}
