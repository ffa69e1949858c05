import PagePerformance
import PerfgateModel

/// The roll-ups as SQL, so an engine with the events computes the same whole numbers.
/// Quanta stay doubles with integral values, and buckets come from a ladder of constants: engines differ in
/// logarithms, shifts, integer division and approximate functions. Every level of the query has unique names, because
/// in ClickHouse an alias can shadow the column that its expression reads.
package struct FieldQuery: Sendable {
    package enum Table: Sendable, Hashable {
        /// A table by its path, such as `analytics.perf`.
        case path(String)
        /// An expression of the dialect, inserted unchanged.
        case sql(String)

        func text(in dialect: SQLDialect) throws(SQLError) -> String {
            switch self {
            case .path(let path): try dialect.table(path)
            case .sql(let text): "(\(text)) AS source"
            }
        }
    }

    package enum RollUp: Sendable, Hashable {
        /// T: by app, page, release, day, metric and the configured strata.
        case days
        /// T as a table that `FieldTableQuery` reads: a row for each bucket, by all strata, with the metric of visits.
        case table
        /// The number of events by day, or of those that name their user.
        case counts(ofUsers: Bool)
        /// G, the weighted histograms of two releases: a row for each bucket, or for each page's metric of a day and side.
        case pair(FieldPair), cells(FieldPair)
        /// The input of the design effect of two releases; `nil`: of all, with the metric of visits.
        case users(FieldPair?)
        /// The number of users of an experiment's arms.
        case arms(FieldPair)

        /// Whether no measurement is used.
        var isCount: Bool {
            switch self {
            case .counts, .arms: true
            case .days, .table, .pair, .cells, .users: false
            }
        }

        fileprivate var pair: FieldPair? {
            switch self {
            case .days, .table, .counts: nil
            case .pair(let pair), .cells(let pair), .arms(let pair): pair
            case .users(let pair): pair
            }
        }
    }

    package let dialect: SQLDialect, table: Table
    /// The column names, and which events to use; with a pair, its releases.
    package let options: FieldOptions
    package var time = FieldTime.timestamp
    package var days: Days

    private var mapping: FieldMapping { options.mapping }

    package init(_ dialect: SQLDialect, table: Table, options: FieldOptions = FieldOptions()) {
        (self.dialect, self.table, self.options) = (dialect, table, options)
        days = Days(options.since, options.until)
    }

    /// The events' days, as texts of the query; `nil` without a bound.
    package struct Days: Sendable, Hashable {
        package struct Bound: Sendable, Hashable {
            /// Such as 2026-11-20, and its start since 1970.
            package let day: String, milliseconds: String
        }

        package let since: Bound?
        /// The first day after them.
        package let end: Bound?
        /// On the text `e_day`.
        package let condition: String?
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
        let events = ("events", try events(rollUp))
        let levels = [events, ("scaled", scaled(rollUp)), ("quanta", quanta(rollUp)), ("cells", cells(rollUp))]
        let buckets = levels + buckets(rollUp)
        switch rollUp {
        case .counts: return dialect.with([events], counts) + "\n"
        case .arms(let pair): return statements(try arms(pair, from: events))
        case .table: return dialect.with(buckets, table(rollUp) { $0 }) + "\n"
        case .days:
            let packed = FieldTableQuery.packed(options.strata, in: dialect, bucket: "bucket") {
                $0 == "metric" ? "m_metric" : "e_\($0)"
            }
            return statements(dialect.with(buckets, packed))
        case .pair(let pair), .cells(let pair):
            let all = buckets + [("rows", table(rollUp) { "r_\($0)" })]
            let isPacked = rollUp == .cells(pair)
            return statements(try FieldTableQuery.pair(pair, in: dialect, from: all, isPacked: isPacked))
        case .users(let pair):
            let all = levels + [("persons", persons)]
            guard let pair else { return dialect.with(all, users(by: dialect.toDate("e_day"))) + "\n" }
            guard pair.arms != nil else { return statements(dialect.with(all, users(by: "e_day"))) }
            let both = "SELECT * FROM perfgate_persons UNION ALL SELECT * FROM perfgate_pages"
            let everywhere = all + [("pages", everyPage), ("both", both)]
            return statements(dialect.with(everywhere, users(by: "e_day", from: "both")))
        }
    }

    private func statements(_ query: String) -> String { (dialect.preamble + [query]).map { "\($0);\n" }.joined() }

    private static let keys = ["e_app", "e_page", "e_release", "e_day"]

    /// The common keys of a roll-up's rows, at the levels before the last.
    func keys(_ rollUp: RollUp) -> [String] {
        switch rollUp {
        case .counts(let isOfUsers): Self.keys + (isOfUsers ? ["e_user"] : [])
        case .users, .arms: Self.keys + ["e_user"]
        case .days, .table, .pair, .cells: Self.keys + strata(rollUp).map { "e_\($0.column)" }
        }
    }

    func strata(_ rollUp: RollUp) -> [FieldStratum] {
        switch rollUp {
        case .days: options.strata
        case .table: FieldStratum.allCases + options.tags
        case .pair, .cells: FieldStratum.allCases
        case .counts, .users, .arms: []
        }
    }
}

extension FieldQuery.Days {
    fileprivate init(_ since: CalendarDay?, _ until: CalendarDay?) {
        func bound(_ day: CalendarDay) -> Bound { Bound(day: day.text, milliseconds: String(day.number * 86_400_000)) }
        let conditions = [since.map { "e_day >= '\($0)'" }, until.map { "e_day <= '\($0)'" }].compactMap(\.self)
        self.init(
            since: since.map(bound), end: until.map { bound(CalendarDay(number: $0.number + 1)) },
            condition: conditions.isEmpty ? nil : conditions.joined(separator: " AND "))
    }
}

extension FieldQuery {
    /// Every counted event: keys as text, measurements as doubles.
    private func events(_ rollUp: RollUp) throws(SQLError) -> String {
        var columns = [
            "COALESCE(\(try text(.app)), '') AS e_app", "\(try text(.page)) AS e_page",
            "\(try release(rollUp.pair)) AS e_release", "\(try day) AS e_day",
        ]
        if keys(rollUp).contains("e_user") { columns.append("\(try text(.user)) AS e_user") }
        for stratum in strata(rollUp) {
            columns.append("COALESCE(\(try expression(stratum)), '') AS e_\(stratum.column)")
        }
        if !rollUp.isCount {
            for column in measurements {
                columns.append("\(dialect.cast(try raw(column), to: dialect.double)) AS v_\(column.rawValue)")
            }
            if needsOutcome { columns.append("\(try text(.outcome)) AS e_outcome") }
        }
        var conditions = ["e_page <> ''", "e_release <> ''", "e_day IS NOT NULL"]
        for condition in options.conditions {
            let name = "c_\(condition.tag.map { FieldTags.prefix + $0 } ?? condition.column.rawValue)"
            if let tag = condition.tag, mapping.tags[tag] == nil {
                let problem = "selects by a tag: name its column, such as field: { tags: [market] }"
                throw SQLError(subject: condition.text, problem: problem)
            }
            let isLowPower = condition.column == .lowPowerMode
            let stratum = condition.tag.map(FieldStratum.tag) ?? (isLowPower ? .lowPower : nil)
            let value = if let stratum { try expression(stratum) } else { try text(condition.column) }
            columns.append("\(value) AS \(name)")
            conditions.append("\(name) = \(try dialect.literal(condition.value))")
        }
        if let condition = days.condition { conditions.append(condition) }
        if let pair = rollUp.pair { conditions.append("e_release IN (\(try dialect.literals(pair)))") }
        if keys(rollUp).contains("e_user") { conditions.append("e_user <> ''") }
        return """
            SELECT * FROM (SELECT \(columns.joined(separator: ",\n    "))
              FROM \(try table.text(in: dialect))\(try range)) AS given
              WHERE \(conditions.joined(separator: " AND "))
            """
    }

    /// The condition on the columns themselves, by which an engine reads only the data of some days.
    private var range: String {
        get throws(SQLError) {
            var conditions: [String] = []
            for case (let bound?, let sign) in [(days.since, ">="), (days.end, "<")] {
                if let start = dialect.start(of: bound, in: time) {
                    conditions.append("\(try raw(.at)) \(sign) \(start)")
                }
                guard let partition = mapping.partition else { continue }
                conditions.append("\(try raw(partition)) \(sign) \(dialect.date(bound.day))")
            }
            return conditions.isEmpty ? "" : "\n  WHERE \(conditions.joined(separator: " AND "))"
        }
    }

    private var day: String {
        get throws(SQLError) {
            guard let source = mapping.source(of: .at) else {
                throw SQLError(subject: "at", problem: "has no column, so that events have no day")
            }
            return dialect.day(of: try raw(source), in: time)
        }
    }

    /// The columns from which metrics are computed, in declaration order.
    var measurements: [LogKey] {
        let used = Set(metrics.flatMap(\.formula.columns))
        return LogKey.measurements.filter(used.contains)
    }

    var needsOutcome: Bool {
        mapping.source(of: .outcome) != nil && metrics.contains { $0.isOfLoads || $0.formula == .failure }
    }

    private func raw(_ column: LogKey) throws(SQLError) -> String { try raw(mapping.source(of: column)) }

    private func raw(_ source: FieldMapping.Source?) throws(SQLError) -> String {
        switch source {
        case .name(let name): try dialect.name(name)
        case .sql(let text): "(\(text))"
        case nil: "NULL"
        }
    }

    func text(_ column: LogKey) throws(SQLError) -> String { dialect.cast(try raw(column), to: dialect.text) }

    func expression(_ stratum: FieldStratum) throws(SQLError) -> String {
        switch stratum {
        case .os: return dialect.untilDot(try text(.os))
        case .network: return try text(.network)
        case .tag(let name): return dialect.cast(try raw(mapping.source(ofTag: name)), to: dialect.text)
        case .lowPower:
            let (value, no) = ("LOWER(\(try text(.lowPowerMode)))", "('false', 'f', '0')")
            return "CASE WHEN \(value) IN ('true', 't', '1') THEN 'true' WHEN \(value) IN \(no) THEN 'false' END"
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

    /// The buckets as rows of T, with names for its columns.
    private func table(_ rollUp: RollUp, as name: (String) -> String) -> String {
        let columns = FieldTableQuery.columns(strata(rollUp).filter { $0.tag != nil }).map { column in
            let value =
                switch column {
                case "metric": "m_metric"
                case "bucket": dialect.cast("bucket", to: dialect.integer)
                case "n", "quanta": dialect.cast("b_\(column)", to: dialect.integer)
                case "day": dialect.toDate("e_day")
                default: "e_\(column)"
                }
            return "\(value) AS \(dialect.quoted(name(column)))"
        }
        return "SELECT \(columns.joined(separator: ", "))\n  FROM perfgate_buckets"
    }

    private var counts: String {
        let count = dialect.cast("COUNT(*)", to: dialect.integer)
        let day = "\(dialect.toDate("e_day")) AS \(dialect.quoted("day"))"
        return "SELECT \(day), \(count) AS n FROM perfgate_events GROUP BY e_day"
    }
}
