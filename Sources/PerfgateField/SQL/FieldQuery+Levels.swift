import PagePerformance
import PerfgateModel
import PerfgateStats

// The levels between events and buckets.
extension FieldQuery {
    func scaled(_ rollUp: RollUp) -> String {
        let quanta = measurements.map { column in
            let scale = FieldMetric.Formula.scale(of: column)
            return "\(dialect.quantum(of: "v_\(column.rawValue)", scale: scale)) AS k_\(column.rawValue)"
        }
        let all = keys(rollUp) + quanta + (needsOutcome ? ["e_outcome"] : [])
        return "SELECT \(all.joined(separator: ",\n    "))\n  FROM perfgate_events"
    }

    /// The metric of an answer's rows that count events whose outcome isn't one of the log's words: an engine can't
    /// refuse a row, but an import can.
    static let unknownOutcome = "unknown_outcome"

    /// The quanta of the metrics: one row per event and metric.
    func quanta(_ rollUp: RollUp) -> String {
        var cases = metrics.map { (id: $0.metric.id, value: quantum($0)) }
        if !keys(rollUp).contains("e_user"), needsOutcome {
            let known = PageVisit.Outcome.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")
            cases.append((Self.unknownOutcome, "CASE WHEN e_outcome NOT IN (\(known)) THEN 0.0E0 END"))
        }
        switch rollUp {
        case .table, .pair, .cells, .users(nil): cases.insert((FieldTableQuery.visits, "0.0E0"), at: 0)
        case .days, .counts, .users, .arms: break
        }
        let list = cases.map { "SELECT '\($0.id)' AS m_metric" }.joined(separator: " UNION ALL ")
        let values = cases.map { "WHEN m_metric = '\($0.id)' THEN \($0.value)" }.joined(separator: "\n      ")
        return """
            SELECT \(keys(rollUp).joined(separator: ", ")), m_metric,
                CASE \(values) END AS q
              FROM perfgate_scaled CROSS JOIN (\(list)) AS listed
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

    func cells(_ rollUp: RollUp) -> String {
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

    /// Levels whose last one is the buckets. Of a tag's values on a day, those with the most events are kept.
    func buckets(_ rollUp: RollUp) -> [(name: String, query: String)] {
        let all = keys(rollUp) + ["m_metric", "bucket"]
        let keys = all.joined(separator: ", ")
        let counted = "SELECT \(keys), COUNT(*) AS b_n, SUM(quantum) AS b_quanta FROM perfgate_cells GROUP BY \(keys)"
        let tags = strata(rollUp).filter { $0.tag != nil }.map { (key: "e_\($0.column)", name: "t_\($0.column)") }
        guard !tags.isEmpty else { return [("buckets", counted)] }
        let special = "'', '\(FieldTags.other)'"
        let counts = tags.map { tag in
            "SUM(CASE WHEN m_metric = '\(FieldTableQuery.visits)' THEN 0 ELSE b_n END) OVER (PARTITION BY e_day, \(tag.key)) "
                + "AS n_\(tag.name)"
        }
        let ranks = tags.map { tag in
            let order =
                "CASE WHEN \(tag.key) IN (\(special)) THEN 1 ELSE 0 END, n_\(tag.name) DESC, \(dialect.bytes(tag.key))"
            return "DENSE_RANK() OVER (PARTITION BY e_day ORDER BY \(order)) AS r_\(tag.name)"
        }
        let kept = all.map { key in
            guard let tag = tags.first(where: { $0.key == key }) else { return key }
            let isKept = "\(key) IN (\(special)) OR r_\(tag.name) <= \(FieldTags.mostValues)"
            return "CASE WHEN \(isKept) THEN \(key) ELSE '\(FieldTags.other)' END AS \(tag.name)"
        }
        let groups = all.map { key in tags.first { $0.key == key }?.name ?? key }
        let folded = zip(groups, all).map { $0 == $1 ? $1 : "\($0) AS \($1)" }
        let summed = """
            SELECT \(folded.joined(separator: ", ")), SUM(k_n) AS b_n, SUM(k_quanta) AS b_quanta
              FROM perfgate_kept GROUP BY \(groups.joined(separator: ", "))
            """
        return [
            ("all", counted), ("counted", "SELECT *, \(counts.joined(separator: ", ")) FROM perfgate_all"),
            ("ranked", "SELECT *, \(ranks.joined(separator: ", ")) FROM perfgate_counted"),
            ("kept", "SELECT \(kept.joined(separator: ", ")), b_n AS k_n, b_quanta AS k_quanta FROM perfgate_ranked"),
            ("buckets", summed),
        ]
    }
}

extension SQLDialect {
    /// The quantum of a double, or NULL; multiplies only if that can't overflow, which PostgreSQL rejects.
    func quantum(of value: String, scale: Double) -> String {
        let product = scale == 1 ? value : "\(value) * \(Int(scale))"
        let most = "\(Quantum.most).0E0"
        return """
            CASE WHEN \(value) >= \(Double(Quantum.most) / scale)E0 AND \(value) <= 1.7976931348623157E308 THEN \(most) \
            WHEN \(value) > -1 AND \(value) < \(Double(Quantum.most) / scale)E0 AND \(product) + 5E-1 >= 0 \
            THEN \(floor("\(product) + 5E-1")) END
            """
    }
}

// What is counted by users: the input of the design effect, and the arms of an experiment.
extension FieldQuery {
    /// Each user's events of a metric on a day, and the sum of their buckets.
    var persons: String {
        let keys = "e_app, e_page, e_release, e_day, e_user, m_metric"
        let sums = dialect.sums([("p_m", "COUNT(*)"), ("p_s", "SUM(bucket)")])
        return "SELECT \(keys), \(sums) FROM perfgate_cells GROUP BY \(keys)"
    }

    /// The same of all pages together, whose page is empty.
    var everyPage: String {
        let sums = dialect.sums([("p_m", "SUM(p_m)"), ("p_s", "SUM(p_s)")])
        return """
            SELECT e_app, '' AS e_page, e_release, e_day, e_user, m_metric, \(sums)
              FROM perfgate_persons GROUP BY e_app, e_release, e_day, e_user, m_metric
            """
    }

    func users(by day: String, from level: String = "persons") -> String {
        let values = ["e_app", "e_page", "e_release", day, "m_metric"]
        let keys = zip(values, FieldTableKind.users.names).map { "\($0) AS \(dialect.quoted($1))" }
        let sums = dialect.sums([
            ("users", "COUNT(*)"), ("m", "SUM(p_m)"), ("m2", "SUM(p_m * p_m)"), ("s2", "SUM(p_s * p_s)"),
            ("sm", "SUM(p_s * p_m)"),
        ])
        return """
            SELECT \(keys.joined(separator: ", ")), \(sums)
              FROM perfgate_\(level) GROUP BY e_app, e_page, e_release, e_day, m_metric
            """
    }

    /// An event's release, or the name of its arm of an experiment.
    func release(_ pair: FieldPair?) throws(SQLError) -> String {
        guard let pair, let arms = pair.arms else { return try text(.appVersion) }
        let tag = try expression(.tag(arms.tag))
        let cases = try [(arms.base, pair.base), (arms.candidate, pair.candidate)].map { value, name throws(SQLError) in
            "WHEN \(try dialect.literal(value)) THEN \(try dialect.literal(name))"
        }
        let arm = "CASE \(tag) \(cases.joined(separator: " ")) END"
        guard let release = pair.release else { return arm }
        return "CASE WHEN \(try text(.appVersion)) = \(try dialect.literal(release)) THEN \(arm) END"
    }

    /// The number of users in either arm and in both, by app and day.
    func arms(_ pair: FieldPair, from events: (name: String, query: String)) throws(SQLError) -> String {
        let sides = try [("u_base", pair.base), ("u_candidate", pair.candidate)].map { name, side throws(SQLError) in
            "MAX(CASE WHEN e_release = \(try dialect.literal(side)) THEN 1 ELSE 0 END) AS \(name)"
        }
        let keys = "e_app, e_day"
        let persons =
            "SELECT \(keys), e_user, \(sides.joined(separator: ", ")) FROM perfgate_events GROUP BY \(keys), e_user"
        let sums = dialect.sums([
            ("base_users", "SUM(u_base * (1 - u_candidate))"), ("candidate_users", "SUM(u_candidate * (1 - u_base))"),
            ("both_users", "SUM(u_base * u_candidate)"),
        ])
        return dialect.with(
            [events, ("persons", persons)],
            """
            SELECT e_app AS \(dialect.quoted("app")), e_day AS \(dialect.quoted("day")), \(sums)
              FROM perfgate_persons GROUP BY \(keys)
            """)
    }
}
