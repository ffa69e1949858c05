import PerfgateModel

/// SQL over T as a table: a row for each bucket, as `FieldQuery.RollUp.table` selects them.
package struct FieldTableQuery: Sendable {
    package enum Result: Sendable, Hashable {
        /// Events, mean and quantiles of all days, in the metric's unit.
        case quantiles
        case daily
        /// T by app, page, release, day, metric and strata, as `field import` reads it; `nil`: of all releases.
        case days(FieldPair?)
        /// G, the weighted histograms of two releases: a row for each bucket, or for each page's metric of a day and side.
        case pair(FieldPair), cells(FieldPair)
        /// The input of the design effect of two releases, from the table of the sums of users.
        case users(FieldPair)
    }

    /// The metric whose values count all events.
    package static let visits = "visits"

    /// The columns of a table with some of the app's own dimensions.
    static func columns(_ tags: [FieldStratum]) -> [String] {
        FieldTableKind.rollUp(FieldStratum.allCases + tags).names.dropLast(3) + ["bucket", "n", "quanta"]
    }

    private let dialect: SQLDialect, table: FieldQuery.Table, options: FieldOptions

    /// - Parameter options: The days, and the strata of `days`.
    package init(_ dialect: SQLDialect, _ table: FieldQuery.Table, _ options: FieldOptions = FieldOptions()) {
        (self.dialect, self.table, self.options) = (dialect, table, options)
    }

    /// The query, a single statement.
    package func text(_ result: Result) throws(SQLError) -> String {
        switch result {
        case .quantiles, .daily:
            let keys = ["app", "page", "release"] + (result == .daily ? ["day"] : []) + ["metric"]
            let rows = "(SELECT * FROM \(try table.text(in: dialect))\(try condition(nil))) AS perfgate_rows"
            return Self.quantiles(by: keys.map(dialect.quoted).joined(separator: ", "), in: dialect, from: rows)
        case .days(let pair):
            let names = FieldTableKind.rollUp(options.strata).names.dropLast(3).map { "r_\($0)" }
            let keys = (names + ["r_bucket"]).joined(separator: ", ")
            let sums = dialect.sums([("b_n", "SUM(r_n)"), ("b_quanta", "SUM(r_quanta)")])
            let buckets =
                "SELECT \(keys), \(sums) FROM perfgate_rows WHERE r_metric <> '\(Self.visits)' GROUP BY \(keys)"
            let packed = Self.packed(options.strata, in: dialect, bucket: "r_bucket") { "r_\($0)" }
            return dialect.with(
                [("rows", try rows(pair)), ("buckets", buckets)], packed + order(.rollUp(options.strata)))
        case .pair(let pair): return try Self.pair(pair, in: dialect, from: [("rows", try rows(pair))])
        case .cells(let pair):
            return try Self.pair(pair, in: dialect, from: [("rows", try rows(pair))], isPacked: true) + order(.cells)
        case .users(let pair):
            let names = FieldTableKind.users.names.map(dialect.quoted).joined(separator: ", ")
            let condition = try condition(pair) + " AND \(dialect.quoted("metric")) <> '\(Self.visits)'"
            return "SELECT \(names) FROM \(try table.text(in: dialect))\(condition)" + order(.users)
        }
    }

    /// The rows of some days and releases, with names that no alias of the queries has.
    private func rows(_ pair: FieldPair?) throws(SQLError) -> String {
        let names = Self.columns(options.tags).map { "\(dialect.quoted($0)) AS r_\($0)" }.joined(separator: ", ")
        return "SELECT \(names)\n  FROM \(try table.text(in: dialect))\(try condition(pair))"
    }

    private func condition(_ pair: FieldPair?) throws(SQLError) -> String {
        var conditions: [String] = []
        if let since = options.since { conditions.append("\(dialect.quoted("day")) >= \(dialect.date(since.text))") }
        if let until = options.until { conditions.append("\(dialect.quoted("day")) <= \(dialect.date(until.text))") }
        if let pair { conditions.append("\(dialect.quoted("release")) IN (\(try dialect.literals(pair)))") }
        return conditions.isEmpty ? "" : "\n  WHERE \(conditions.joined(separator: " AND "))"
    }

    /// The rows' order, in which texts repeat: a reader makes each once.
    private func order(_ kind: FieldTableKind) -> String {
        "\n  ORDER BY " + (["day"] + kind.keys).map(dialect.quoted).joined(separator: ", ")
    }

    /// Rows of T with all their buckets, over a level of buckets.
    static func packed(
        _ strata: [FieldStratum], in dialect: SQLDialect, bucket: String, key: (String) -> String
    ) -> String {
        let columns = FieldTableKind.rollUp(strata).names.dropLast(3)
        let named = columns.map { "\(key($0)) AS \(dialect.quoted($0))" }
        let entry = "\(dialect.cast(bucket, to: dialect.text)) || ':' || \(dialect.cast("b_n", to: dialect.text))"
        return """
            SELECT \(named.joined(separator: ", ")), \(dialect.sums([("events", "SUM(b_n)")])),
                \(dialect.sums([("quanta", "SUM(b_quanta)")])), \(dialect.joined(entry)) AS buckets
              FROM perfgate_buckets GROUP BY \(columns.map(key).joined(separator: ", "))
            """
    }

    /// G over levels whose last one is the rows of both releases. The weight of a release's events in a stratum is 10⁴
    /// times the share of the other release; events of small strata are counted again by the next of
    /// `PairWeights.levels`. Arms of an experiment have no weights.
    /// - Parameter isPacked: Whether a row has all buckets of a page's metric, day and side.
    static func pair(
        _ pair: FieldPair, in dialect: SQLDialect, from levels: [(name: String, query: String)], isPacked: Bool = false
    ) throws(SQLError) -> String {
        let columns = "r_app, r_page, r_release, r_day, r_metric, r_bucket"
        let sums = [("n", "SUM(r_n)"), ("w", "SUM(r_n * x_weight)"), ("w2", "SUM(r_n * x_weight * x_weight)")]
        let day = dialect.quoted("day")
        let isBase = "r_release = \(try dialect.literal(pair.base))"
        let side = "CASE WHEN \(isBase) THEN 'base' ELSE 'candidate' END AS side"
        let values = "SELECT *, \(PairWeights.whole) AS x_weight FROM perfgate_rows WHERE r_metric <> '\(visits)'"
        // PostgreSQL expects few rows of these levels, and would compare each with each: a full join can't do that.
        let joined = """
            SELECT \(columns), r_n, CASE WHEN \(isBase) THEN x_base ELSE x_candidate END AS x_weight
              FROM (SELECT * FROM perfgate_rows WHERE r_metric <> '\(visits)') AS perfgate_values
              FULL JOIN perfgate_weights ON \(strata.map { "r_\($0) = s_\($0)" }.joined(separator: " AND "))
            """
        let weighed = pair.arms == nil ? weights(in: dialect, isBase) + [("weighed", joined)] : [("weighed", values)]
        let rows = """
            SELECT r_app AS app, r_page AS page, \(side), r_day AS \(day), r_metric AS metric, r_bucket AS bucket, \
            \(dialect.sums(sums))
              FROM perfgate_weighed GROUP BY \(columns) HAVING SUM(r_n) > 0
            """
        guard isPacked else { return dialect.with(levels + weighed, rows) }
        let numbers = ["bucket", "n", "w", "w2"].map { dialect.cast($0, to: dialect.text) }
        let keys = "app, page, side, \(day), metric"
        let packed =
            "SELECT \(keys), \(dialect.joined(numbers.joined(separator: " || ':' || "))) AS weighted_buckets FROM perfgate_pair GROUP BY \(keys)"
        return dialect.with(levels + weighed + [("pair", rows)], packed)
    }

    /// The columns by which both releases' events are counted for the weights.
    private static let strata = ["app", "page", "day"] + FieldStratum.allCases.map(\.rawValue)

    /// Levels whose last one has the weights of both releases' events in each stratum.
    /// - Parameter isBase: The condition on a row of the older release.
    private static func weights(in dialect: SQLDialect, _ isBase: String) -> [(name: String, query: String)] {
        let names = strata.map { "r_\($0) AS s_\($0)" }.joined(separator: ", ")
        let keys = strata.map { "r_\($0)" }.joined(separator: ", ")
        let columns = strata.map { "s_\($0)" }.joined(separator: ", ")
        let sides = [(name: "base", own: "r_n ELSE 0"), (name: "candidate", own: "0 ELSE r_n")]
        let counts = sides.map { side in
            dialect.cast("SUM(CASE WHEN \(isBase) THEN \(side.own) END)", to: dialect.double) + " AS s_\(side.name)0"
        }
        let first = """
            SELECT \(names),
                \(counts.joined(separator: ",\n    "))
              FROM perfgate_rows WHERE r_metric = '\(visits)' GROUP BY \(keys)
            """
        var levels = [("strata", first)]
        var small: [String] = ["s_base0 + s_candidate0 < \(PairWeights.fewestEvents)"]
        for (number, level) in PairWeights.levels.enumerated().dropFirst() {
            let keys = (["app", "page", "day"] + level.map(\.rawValue)).map { "s_\($0)" }.joined(separator: ", ")
            let sums = sides.map { side in
                "SUM(CASE WHEN \(small.joined(separator: " AND ")) THEN s_\(side.name)0 ELSE 0 END) OVER (PARTITION BY \(keys)) "
                    + "AS s_\(side.name)\(number)"
            }
            let last = levels[levels.count - 1].0
            levels.append(("shares\(number)", "SELECT *, \(sums.joined(separator: ",\n    ")) FROM perfgate_\(last)"))
            small.append("s_base\(number) + s_candidate\(number) < \(PairWeights.fewestEvents)")
        }
        let last = PairWeights.levels.count - 1
        let used = sides.map { side in
            small.enumerated().reversed().reduce("") { rest, level in
                let own = "s_\(side.name)\(level.offset)"
                return level.offset == last ? own : "CASE WHEN \(level.element) THEN \(rest) ELSE \(own) END"
            } + " AS s_\(side.name)"
        }
        levels.append(
            ("shares", "SELECT \(columns),\n    \(used.joined(separator: ",\n    "))\n  FROM perfgate_shares\(last)"))
        let weights = [("base", "candidate"), ("candidate", "base")].map { own, other in
            let share = "(20000.0E0 * s_\(other) + s_base + s_candidate) / (2 * (s_base + s_candidate))"
            return dialect.cast(dialect.floor(share), to: dialect.integer) + " AS x_\(own)"
        }
        let text = "SELECT \(columns),\n    \(weights.joined(separator: ",\n    "))\n  FROM perfgate_shares"
        return levels + [("weights", text)]
    }

    /// Events, mean and quantiles of rows of T, in the metric's unit. As in `WeightedHistogram`, values are evenly
    /// distributed within a bucket.
    /// - Parameter keys: Columns with commas between, among them the metric.
    static func quantiles(
        by keys: String, in dialect: SQLDialect, from rows: String, _ percentiles: [Int] = FieldMetric.percentiles
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
