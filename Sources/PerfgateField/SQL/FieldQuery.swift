import PagePerformance
import PerfgateModel
import PerfgateStats

/// The roll-ups as SQL, so an engine with the events computes the same whole numbers.
///
/// Quanta stay doubles with integral values, and buckets come from a ladder of constants: engines differ in
/// logarithms, shifts, integer division and approximate functions. Every level of the query has unique names, because
/// in ClickHouse an alias can shadow the column that its expression reads.
package struct FieldQuery: Sendable {
    package enum Table: Sendable, Hashable {
        /// A table by its path, such as `analytics.perf`.
        case path(String)
        /// An expression of the dialect, inserted unchanged.
        case sql(String)
    }

    package enum RollUp: Sendable, Hashable {
        /// T: by app, page, release, day, metric and the configured strata.
        case days
        /// G: the weighted histograms of two releases.
        case pair(FieldPair)
        /// The input of the design effect of two releases.
        case users(FieldPair)
    }

    package let dialect: SQLDialect
    package let table: Table
    /// The column names, and which events to use; with a pair, its releases.
    package let options: FieldOptions
    package var time = FieldTime.timestamp

    private var mapping: FieldMapping { options.mapping }

    package init(_ dialect: SQLDialect, table: Table, options: FieldOptions = FieldOptions()) {
        (self.dialect, self.table, self.options) = (dialect, table, options)
    }

    package var metrics: [FieldMetric] {
        FieldMetric.all.filter { metric in metric.formula.columns.allSatisfy { mapping.source(of: $0) != nil } }
    }

    /// The query, with statements ended by semicolons.
    /// - Throws: `SQLError` for a name or value that the dialect can't represent, and if no metric is left.
    package func text(_ rollUp: RollUp) throws(SQLError) -> String {
        guard !metrics.isEmpty else {
            throw SQLError(subject: "field.columns", problem: "leaves no column that a metric is made of")
        }
        let levels = [
            ("events", try events(rollUp)), ("scaled", scaled(rollUp)), ("quanta", quanta(rollUp)),
            ("cells", cells(rollUp)),
        ]
        let statement: String
        switch rollUp {
        case .days: statement = with(levels + [("buckets", buckets(rollUp))], days)
        case .pair(let pair):
            statement = with(
                levels + [("buckets", buckets(rollUp)), ("traffic", traffic), ("weights", weights)],
                self.pair(base: try dialect.literal(pair.base)))
        case .users: statement = with(levels + [("persons", persons)], users)
        }
        return (dialect.preamble + [statement]).map { "\($0);\n" }.joined()
    }

    /// A query with named levels, materialized where an engine would inline one level into the next: the ladder uses
    /// its quantum fifty times.
    private func with(_ levels: [(name: String, query: String)], _ query: String) -> String {
        let keeps = [.postgres, .sqlite].contains(dialect) ? "MATERIALIZED " : ""
        let texts = levels.map { "perfgate_\($0.name) AS \(keeps)(\($0.query))" }
        return "WITH \(texts.joined(separator: ",\n"))\n\(query)"
    }

    /// The common keys of a roll-up's rows, at the levels before the last.
    private func keys(_ rollUp: RollUp) -> [String] {
        switch rollUp {
        case .days: ["e_app", "e_page", "e_release", "e_day"] + mapping.strata.map { "e_\($0.rawValue)" }
        case .pair: ["e_app", "e_page", "e_release", "e_day"] + FieldStratum.allCases.map { "e_\($0.rawValue)" }
        case .users: ["e_app", "e_page", "e_release", "e_day", "e_user"]
        }
    }
}

extension FieldQuery {
    /// Every counted event: keys as text, measurements as doubles.
    private func events(_ rollUp: RollUp) throws(SQLError) -> String {
        var columns = [
            "COALESCE(\(try text(.app)), '') AS e_app", "\(try text(.page)) AS e_page",
            "\(try text(.appVersion)) AS e_release", "\(try day) AS e_day",
        ]
        for name in keys(rollUp).dropFirst(4) {
            if name == "e_user" { columns.append("\(try text(.user)) AS e_user") }
            guard let stratum = FieldStratum(rawValue: String(name.dropFirst(2))) else { continue }
            columns.append("COALESCE(\(try expression(stratum)), '') AS \(name)")
        }
        for column in measurements { columns.append("\(try number(column)) AS v_\(column.rawValue)") }
        if needsOutcome { columns.append("\(try text(.outcome)) AS e_outcome") }
        var conditions = ["e_page <> ''", "e_release <> ''", "e_day IS NOT NULL"]
        for condition in options.conditions {
            guard condition.tag == nil else {
                throw SQLError(
                    subject: condition.text,
                    problem: "selects by a tag, which only logs have: add it to the query's source")
            }
            let name = "c_\(condition.column.rawValue)"
            let value = condition.column == .lowPowerMode ? try expression(.lowPower) : try text(condition.column)
            columns.append("\(value) AS \(name)")
            conditions.append("\(name) = \(try dialect.literal(condition.value))")
        }
        if let since = options.since { conditions.append("e_day >= '\(since)'") }
        if let until = options.until { conditions.append("e_day <= '\(until)'") }
        switch rollUp {
        case .days: break
        case .pair(let pair), .users(let pair):
            let releases = "\(try dialect.literal(pair.base)), \(try dialect.literal(pair.candidate))"
            conditions.append("e_release IN (\(releases))")
        }
        if case .users = rollUp { conditions.append("e_user <> ''") }
        return """
            SELECT * FROM (SELECT \(columns.joined(separator: ",\n    "))
              FROM \(try source)) AS given
              WHERE \(conditions.joined(separator: " AND "))
            """
    }

    private var source: String {
        get throws(SQLError) {
            switch table {
            case .path(let path): try dialect.table(path)
            case .sql(let text): "(\(text)) AS source"
            }
        }
    }

    private var day: String {
        get throws(SQLError) {
            switch mapping.source(of: .at) {
            case .name(let name): dialect.day(of: try dialect.name(name), in: time)
            case .sql(let text): dialect.day(of: "(\(text))", in: time)
            case nil: throw SQLError(subject: "at", problem: "has no column, so that events have no day")
            }
        }
    }

    /// The columns from which metrics are computed, in declaration order.
    private var measurements: [LogKey] {
        let used = Set(metrics.flatMap(\.formula.columns))
        return LogKey.measurements.filter(used.contains)
    }

    private var needsOutcome: Bool {
        mapping.source(of: .outcome) != nil && metrics.contains { $0.isOfLoads || $0.formula == .failure }
    }

    private func raw(_ column: LogKey) throws(SQLError) -> String {
        switch mapping.source(of: column) {
        case .name(let name): try dialect.name(name)
        case .sql(let text): "(\(text))"
        case nil: "NULL"
        }
    }

    private func text(_ column: LogKey) throws(SQLError) -> String { dialect.cast(try raw(column), to: dialect.text) }

    private func number(_ column: LogKey) throws(SQLError) -> String {
        dialect.cast(try raw(column), to: dialect.double)
    }

    private func expression(_ stratum: FieldStratum) throws(SQLError) -> String {
        switch stratum {
        case .os: return dialect.untilDot(try text(.os))
        case .network: return try text(.network)
        case .lowPower:
            let value = "LOWER(\(try text(.lowPowerMode)))"
            return
                "CASE WHEN \(value) IN ('true', 't', '1') THEN 'true' WHEN \(value) IN ('false', 'f', '0') THEN 'false' END"
        case .deviceClass:
            let device = try text(.device)
            guard !mapping.deviceClasses.isEmpty else { return device }
            var cases: [String] = []
            for group in mapping.deviceClasses {
                for name in group.devices {
                    let test =
                        name.hasSuffix("*")
                        ? dialect.begins(device, with: try dialect.literal(String(name.dropLast())))
                        : "\(device) = \(try dialect.literal(name))"
                    cases.append("WHEN \(test) THEN \(try dialect.literal(group.name))")
                }
            }
            return "CASE \(cases.joined(separator: " ")) ELSE '\(FieldMapping.otherDevices)' END"
        }
    }
}

extension FieldQuery {
    private func scaled(_ rollUp: RollUp) -> String {
        let columns = keys(rollUp) + measurements.map { "\(quantum(of: $0)) AS k_\($0.rawValue)" }
        let all = columns + (needsOutcome ? ["e_outcome"] : [])
        return "SELECT \(all.joined(separator: ",\n    "))\n  FROM perfgate_events"
    }

    /// The metric of an answer's rows that count events whose outcome isn't one of the log's words: an engine can't
    /// refuse a row, but an import can.
    static let unknownOutcome = "unknown_outcome"
    private static let outcomes = PageVisit.Outcome.allCases.map(\.rawValue)

    /// The quanta of the metrics: one row per event and metric.
    private func quanta(_ rollUp: RollUp) -> String {
        var cases = metrics.map { (id: $0.metric.id, value: quantum($0)) }
        var isOfUsers = false
        if case .users = rollUp { isOfUsers = true }
        if !isOfUsers, needsOutcome {
            let known = Self.outcomes.map { "'\($0)'" }.joined(separator: ", ")
            cases.append((Self.unknownOutcome, "CASE WHEN e_outcome NOT IN (\(known)) THEN 0.0E0 END"))
        }
        let list = cases.map { "SELECT '\($0.id)' AS m_metric" }.joined(separator: " UNION ALL ")
        let values = cases.map { "WHEN m_metric = '\($0.id)' THEN \($0.value)" }.joined(separator: "\n      ")
        return """
            SELECT \(keys(rollUp).joined(separator: ", ")), m_metric,
                CASE \(values) END AS q
              FROM perfgate_scaled CROSS JOIN (\(list)) AS listed
            """
    }

    /// The quantum of a column; multiplies only if that can't overflow, which PostgreSQL rejects.
    private func quantum(of column: LogKey) -> String {
        let scale = FieldMetric.Formula.scale(of: column)
        let value = "v_\(column.rawValue)"
        let product = scale == 1 ? value : "\(value) * \(Int(scale))"
        let most = "\(Quantum.most).0E0"
        return """
            CASE WHEN \(value) >= \(Double(Quantum.most) / scale)E0 AND \(value) <= 1.7976931348623157E308 THEN \(most) \
            WHEN \(value) > -1 AND \(value) < \(Double(Quantum.most) / scale)E0 AND \(product) + 5E-1 >= 0 \
            THEN \(dialect.floor("\(product) + 5E-1")) END
            """
    }

    private func quantum(_ metric: FieldMetric) -> String {
        let value: String =
            switch metric.formula {
            case .value(let column): "k_\(column.rawValue)"
            case .mean(let sum, let count): quotient(sum, count, factor: 1)
            case .ratio(let part, let whole, let factor): quotient(part, whole, factor: factor)
            case .failure: "CASE WHEN e_outcome = 'loaded' THEN 0.0E0 WHEN e_outcome <> 'loaded' THEN 1000.0E0 END"
            }
        guard metric.isOfLoads, needsOutcome else { return value }
        return "CASE WHEN e_outcome IS NULL OR e_outcome = 'loaded' THEN \(value) END"
    }

    /// A quotient of quanta, rounded to the nearest. It checks both operands, since engines differ in LEAST with NULL.
    private func quotient(_ part: LogKey, _ whole: LogKey, factor: Int) -> String {
        let (part, whole) = ("k_\(part.rawValue)", "k_\(whole.rawValue)")
        let most = FieldMetric.Formula.mostNumerator(factor: factor)
        let capped = most < Quantum.most ? dialect.least(part, "\(most).0E0") : part
        let value = dialect.floor("(\(2 * factor).0E0 * \(capped) + \(whole)) / (2 * \(whole))")
        let bounded = factor == 1 ? value : dialect.least(value, "\(Quantum.most).0E0")
        return "CASE WHEN \(part) >= 0 AND \(whole) > 0 THEN \(bounded) END"
    }

    private func cells(_ rollUp: RollUp) -> String {
        let keys = keys(rollUp).joined(separator: ", ")
        return """
            SELECT \(keys), m_metric, \(dialect.cast("q", to: dialect.integer)) AS quantum,
                \(dialect.cast(ladder, to: dialect.integer)) AS bucket
              FROM perfgate_quanta WHERE q IS NOT NULL
            """
    }

    private var ladder: String {
        let steps = (1...25).map { shift in
            "WHEN q < \(128 << shift) THEN \(64 * shift) + \(dialect.floor("q / \(1 << shift)"))"
        }
        return "CASE WHEN q < 128 THEN q \(steps.joined(separator: " ")) END"
    }

    private func buckets(_ rollUp: RollUp) -> String {
        let keys = (keys(rollUp) + ["m_metric", "bucket"]).joined(separator: ", ")
        return "SELECT \(keys), COUNT(*) AS b_n, SUM(quantum) AS b_quanta FROM perfgate_cells GROUP BY \(keys)"
    }

    private var days: String {
        let strata = mapping.strata.map { "e_\($0.rawValue)" }
        let keys = ["e_app", "e_page", "e_release", "e_day", "m_metric"] + strata
        let named = zip(keys, FieldTableKind(.days, mapping.strata).columns).map { "\($0) AS \(quoted($1.name))" }
        let entry =
            "\(dialect.cast("bucket", to: dialect.text)) || ':' || \(dialect.cast("b_n", to: dialect.text))"
        return """
            SELECT \(named.joined(separator: ", ")), \(dialect.cast("SUM(b_n)", to: dialect.integer)) AS events,
                \(dialect.cast("SUM(b_quanta)", to: dialect.integer)) AS quanta, \(dialect.joined(entry)) AS buckets
              FROM perfgate_buckets GROUP BY \(keys.joined(separator: ", "))
            """
    }
}

extension FieldQuery {
    private var strata: [String] { FieldStratum.allCases.map { "e_\($0.rawValue)" } }

    private func quoted(_ name: String) -> String { (try? dialect.name(name)) ?? name }

    /// The number of events per side and stratum, among all events of the two releases.
    private var traffic: String {
        let keys = (["e_app", "e_page", "e_day"] + strata).joined(separator: ", ")
        return "SELECT \(keys), COUNT(*) AS t_all FROM perfgate_events GROUP BY \(keys)"
    }

    /// The weight of a release's events in a stratum: 10⁴ times the share of the other release.
    private var weights: String {
        let keys = ["e_app", "e_page", "e_day"] + strata
        let all = dialect.cast("t_all", to: dialect.double)
        let own = dialect.cast("t_own", to: dialect.double)
        let weight = dialect.floor("(20000.0E0 * (\(all) - \(own)) + \(all)) / (2 * \(all))")
        let match = keys.map { "owned.\($0) = perfgate_traffic.\($0)" }.joined(separator: " AND ")
        let names = keys.map { "owned.\($0) AS \($0)" }.joined(separator: ", ")
        return """
            SELECT \(names), owned.e_release AS e_release, \(dialect.cast(weight, to: dialect.integer)) AS t_weight
              FROM (SELECT \(keys.joined(separator: ", ")), e_release, COUNT(*) AS t_own FROM perfgate_events
                GROUP BY \(keys.joined(separator: ", ")), e_release) AS owned
              JOIN perfgate_traffic ON \(match)
            """
    }

    private func pair(base: String) -> String {
        let keys = ["e_app", "e_page", "e_release", "e_day"] + strata
        let match = keys.map { "perfgate_buckets.\($0) = perfgate_weights.\($0)" }.joined(separator: " AND ")
        let side = "CASE WHEN x_release = \(base) THEN 'base' ELSE 'candidate' END"
        let sums = [("n", "x_n"), ("w", "x_n * x_weight"), ("w2", "x_n * x_weight * x_weight")].map { name, value in
            "\(dialect.cast("SUM(\(value))", to: dialect.integer)) AS \(name)"
        }
        return """
            SELECT x_app AS app, x_page AS page, \(side) AS side, x_day AS \(quoted("day")), x_metric AS metric,
                x_bucket AS bucket, \(sums.joined(separator: ", "))
              FROM (SELECT perfgate_buckets.e_app AS x_app, perfgate_buckets.e_page AS x_page, perfgate_buckets.e_release AS x_release,
                  perfgate_buckets.e_day AS x_day, perfgate_buckets.m_metric AS x_metric, perfgate_buckets.bucket AS x_bucket,
                  \(dialect.cast("perfgate_buckets.b_n", to: dialect.integer)) AS x_n, perfgate_weights.t_weight AS x_weight
                FROM perfgate_buckets JOIN perfgate_weights ON \(match)) AS weighed
              GROUP BY x_app, x_page, x_release, x_day, x_metric, x_bucket
            """
    }

    /// Each user's events of a metric on a day, and the sum of their buckets.
    private var persons: String {
        let keys = (["e_app", "e_page", "e_release", "e_day", "e_user", "m_metric"]).joined(separator: ", ")
        let sums = [("p_m", "COUNT(*)"), ("p_s", "SUM(bucket)")].map {
            "\(dialect.cast($1, to: dialect.integer)) AS \($0)"
        }
        return "SELECT \(keys), \(sums.joined(separator: ", ")) FROM perfgate_cells GROUP BY \(keys)"
    }

    private var users: String {
        let keys = [
            ("e_app", "app"), ("e_page", "page"), ("e_release", "release"), ("e_day", "day"), ("m_metric", "metric"),
        ]
        let sums = [
            ("users", "COUNT(*)"), ("m", "SUM(p_m)"), ("m2", "SUM(p_m * p_m)"), ("s2", "SUM(p_s * p_s)"),
            ("sm", "SUM(p_s * p_m)"),
        ].map { "\(dialect.cast($1, to: dialect.integer)) AS \($0)" }
        return """
            SELECT \(keys.map { "\($0) AS \(quoted($1))" }.joined(separator: ", ")), \(sums.joined(separator: ", "))
              FROM perfgate_persons GROUP BY \(keys.map(\.0).joined(separator: ", "))
            """
    }
}

extension FieldMetric.Formula {
    package var columns: [LogKey] {
        switch self {
        case .value(let column): [column]
        case .mean(let sum, let count): [sum, count]
        case .ratio(let part, let whole, _): [part, whole]
        case .failure: [.outcome]
        }
    }
}
