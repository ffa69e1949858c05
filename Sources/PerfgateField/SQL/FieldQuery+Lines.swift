import PagePerformance

extension FieldQuery {
    /// The columns that lists are summed up for.
    private static let sums: [LogKey] = [
        .scrollThreadHang, .additionalLoads, .additionalLoadCount, .richContentLoads, .richContentCount,
    ]

    /// The flat rows of `pps` and `screen` lines in the table, a single statement that a view can have. Lists become their
    /// sums and counts, as `FieldReader` makes them. Every line has the facts of its run. Checkpoints, and lines of visits
    /// that an earlier part of the log counts, are left out. Lists are the engine's arrays; in PostgreSQL they are JSON,
    /// and in SQLite text with JSON.
    package func linesText() throws(SQLError) -> String {
        var inner: [String] = []
        for key in [.type] + LogKey.columns where !Self.sums.contains(key) {
            inner.append("\(try dialect.name(key.rawValue)) AS l_\(key.rawValue)")
        }
        inner.append("\(try list(.scrollThreadHang).sum) AS l_sth")
        for (name, key, more) in [
            ("alt", LogKey.additionalLoads, LogKey.moreAdditionalLoads), ("rclt", .richContent, .moreRichContent),
        ] {
            let list = try list(key)
            let (ms, count) = (try field(.ms, of: more), try field(.count, of: more))
            let quantum = dialect.quantum(of: ms, scale: 1_000)
            inner.append("\(list.sum) AS l_\(name)_sum, \(list.count) AS l_\(name)_listed")
            inner.append(
                "CASE WHEN \(count) < 0 THEN NULL WHEN \(ms) IS NULL THEN 0.0E0 ELSE \(quantum) END AS l_\(name)_more")
            inner.append("COALESCE(\(count), 0.0E0) AS l_\(name)_rest")
        }
        for (name, key) in [("left", LogKey.checkpoint), ("again", .continued), ("inactive", .inactive)] {
            let text = dialect.cast(try dialect.name(key.rawValue), to: dialect.text)
            inner.append("CASE WHEN LOWER(\(text)) IN ('true', 't', '1') THEN 1 ELSE 0 END AS l_\(name)")
        }
        for stratum in options.tags { inner.append("\(try tag(stratum)) AS l_\(stratum.column)") }
        var outer: [String] = []
        for key in LogKey.columns {
            let value = Self.value(of: key)
            let isOfLoads = LogKey.loads.contains(key) || key == .outcome
            let text = isOfLoads ? "CASE WHEN l_inactive = 0 THEN \(value) END" : value
            outer.append("\(text) AS \(try dialect.name(key.rawValue))")
        }
        for stratum in options.tags {
            guard case .name(let name) = options.mapping.source(ofTag: stratum.tag ?? "") else { continue }
            outer.append("l_\(stratum.column) AS \(try dialect.name(name))")
        }
        let type = try dialect.name(LogKey.type.rawValue)
        return """
            SELECT \(outer.joined(separator: ",\n    "))
              FROM (SELECT \(inner.joined(separator: ",\n      "))
                FROM \(try table.text(in: dialect)) WHERE \(type) IN ('pps', 'screen')) AS perfgate_lines
              WHERE l_left = 0 AND l_again = 0
            """
    }

    /// A column of the result, from those of the lines.
    private static func value(of key: LogKey) -> String {
        switch key {
        case .scrollThreadHang: "l_sth / 1000"
        case .additionalLoads: "(l_alt_sum + l_alt_more) / 1000"
        case .additionalLoadCount: count(of: "alt")
        case .richContentLoads: "(l_rclt_sum + l_rclt_more) / 1000"
        case .richContentCount: count(of: "rclt")
        default: "l_\(key.rawValue)"
        }
    }

    /// The number of loads: a list that isn't valid has none, and further loads that aren't valid don't count.
    private static func count(of name: String) -> String {
        let rest = "CASE WHEN l_\(name)_more IS NULL THEN 0 ELSE l_\(name)_rest END"
        return "CASE WHEN l_\(name)_sum IS NOT NULL THEN l_\(name)_listed + \(rest) END"
    }

    private func tag(_ stratum: FieldStratum) throws(SQLError) -> String {
        guard case .name(let name) = options.mapping.source(ofTag: stratum.tag ?? "") else { return "NULL" }
        let (tags, key) = (try dialect.name(LogKey.tags.rawValue), try dialect.literal(name))
        let path = try dialect.literal("$.\"\(name)\"")
        return switch dialect {
        case .trino: "ELEMENT_AT(\(tags), \(key))"
        case .bigquery: "JSON_VALUE(\(tags), \(path))"
        case .postgres: "(\(tags) ->> \(key))"
        case .sqlite: "JSON_EXTRACT(\(tags), \(path))"
        case .duckdb, .spark, .clickhouse: "\(tags)[\(key)]"
        }
    }

    /// A number of the sums of further loads.
    private func field(_ key: LogKey, of column: LogKey) throws(SQLError) -> String {
        dialect.cast(member(key, of: try dialect.name(column.rawValue)), to: dialect.double)
    }

    private func member(_ key: LogKey, of value: String) -> String {
        switch dialect {
        case .duckdb: "STRUCT_EXTRACT(\(value), '\(key.rawValue)')"
        case .clickhouse: "tupleElement(\(value), '\(key.rawValue)')"
        case .postgres: "(\(value) ->> '\(key.rawValue)')"
        case .sqlite: "JSON_EXTRACT(\(value), '$.\(key.rawValue)')"
        case .trino, .spark, .bigquery: "\(value).\(key.rawValue)"
        }
    }

    /// The sum of a list's quanta and its count, both 0 for an empty list and NULL for an absent one; the sum is NULL if an
    /// entry isn't valid. Of rich content only what was loaded counts.
    private func list(_ key: LogKey) throws(SQLError) -> (sum: String, count: String) {
        let (list, isContent) = (try dialect.name(key.rawValue), key == .richContent)
        let entry = dialect == .sqlite ? "value" : "x"
        let raw = isContent ? member(.ms, of: entry) : entry
        let text = dialect == .postgres && !isContent ? "(x #>> '{}')" : raw
        let number = dialect.quantum(of: dialect.cast(text, to: dialect.double), scale: 1_000)
        let outcome = member(.outcome, of: entry)
        let isLoaded = "(\(outcome) IS NULL OR \(outcome) = 'loaded')"
        let all = isContent ? "FILTER(\(list), x -> \(isLoaded))" : list
        switch dialect {
        case .duckdb:
            let condition = isContent ? " IF \(isLoaded)" : ""
            let numbers = "[\(number) FOR x IN \(list)\(condition)]"
            let sum =
                "CASE WHEN LIST_COUNT(\(numbers)) = LEN(\(numbers)) THEN COALESCE(LIST_SUM(\(numbers)), 0.0E0) END"
            return (sum, "LEN(\(numbers))")
        case .trino: return ("REDUCE(\(all), 0.0E0, (s, x) -> s + \(number), s -> s)", "CARDINALITY(\(all))")
        case .spark:
            let count = "CASE WHEN \(list) IS NOT NULL THEN SIZE(\(all)) END"
            return ("AGGREGATE(\(all), 0.0E0, (s, x) -> s + \(number))", count)
        case .clickhouse:
            let all = isContent ? "arrayFilter(x -> ifNull(\(isLoaded), 0), \(list))" : list
            let sum = "arraySum(x -> ifNull(\(number), 0.0E0), \(all))"
            return ("if(arrayExists(x -> isNull(\(number)), \(all)), NULL, \(sum))", "length(\(all))")
        case .bigquery, .postgres, .sqlite:
            let given = dialect == .postgres ? "NULLIF(TO_JSONB(\(list)), 'null')" : list
            let entries =
                switch dialect {
                case .bigquery: "UNNEST(\(list)) AS x"
                case .postgres: "JSONB_ARRAY_ELEMENTS(\(given)) AS listed(x)"
                default: "JSON_EACH(\(list))"
                }
            let quanta = "(SELECT \(number) AS q FROM \(entries)\(isContent ? " WHERE \(isLoaded)" : "")) AS quanta"
            func known(_ value: String) -> String {
                "CASE WHEN \(given) IS NOT NULL THEN (SELECT \(value) FROM \(quanta)) END"
            }
            let sum = known("CASE WHEN COUNT(q) = COUNT(*) THEN COALESCE(SUM(q), 0.0E0) END")
            return (sum, known("COUNT(*)"))
        }
    }
}
