// What is counted by users: the input of the design effect, and the arms of an experiment.
extension FieldQuery {
    /// Each user's events of a metric on a day, and the sum of their buckets.
    var persons: String {
        let keys = (["e_app", "e_page", "e_release", "e_day", "e_user", "m_metric"]).joined(separator: ", ")
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
        let keys = [
            ("e_app", "app"), ("e_page", "page"), ("e_release", "release"), (day, "day"), ("m_metric", "metric"),
        ]
        let sums = dialect.sums([
            ("users", "COUNT(*)"), ("m", "SUM(p_m)"), ("m2", "SUM(p_m * p_m)"), ("s2", "SUM(p_s * p_s)"),
            ("sm", "SUM(p_s * p_m)"),
        ])
        return """
            SELECT \(keys.map { "\($0) AS \(quoted($1))" }.joined(separator: ", ")), \(sums)
              FROM perfgate_\(level) GROUP BY e_app, e_page, e_release, e_day, m_metric
            """
    }

    /// An event's release, or the name of its arm of an experiment.
    func release(_ pair: FieldPair?) throws(SQLError) -> String {
        guard let pair, let arms = pair.arms else { return try text(.appVersion) }
        let tag = try expression(.tag(arms.tag))
        var cases: [String] = []
        for (value, name) in [(arms.base, pair.base), (arms.candidate, pair.candidate)] {
            cases.append("WHEN \(try dialect.literal(value)) THEN \(try dialect.literal(name))")
        }
        let arm = "CASE \(tag) \(cases.joined(separator: " ")) END"
        guard let release = pair.release else { return arm }
        return "CASE WHEN \(try text(.appVersion)) = \(try dialect.literal(release)) THEN \(arm) END"
    }

    /// The number of users in either arm and in both, by app and day.
    func arms(_ pair: FieldPair, from events: (name: String, query: String)) throws(SQLError) -> String {
        var sides: [String] = []
        for (name, side) in [("u_base", pair.base), ("u_candidate", pair.candidate)] {
            sides.append("MAX(CASE WHEN e_release = \(try dialect.literal(side)) THEN 1 ELSE 0 END) AS \(name)")
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
            SELECT e_app AS \(quoted("app")), e_day AS \(quoted("day")), \(sums)
              FROM perfgate_persons GROUP BY \(keys)
            """)
    }
}
