/// The units and directions that are known before anything is measured: those of the catalogue, and those that a team
/// says of its own metrics. A log or a baseline that says another is wrong, and never a metric that nothing gates.
package struct KnownMetrics: Sendable, Hashable {
    /// What a team says of a metric of its own.
    package struct Declaration: Sendable, Hashable {
        /// The unit; `nil` where nothing is said.
        package var unit: Unit?
        /// The direction; `nil` where nothing is said.
        package var better: Better?
        /// Where it is said, such as `perfgate.yml:4`.
        package let origin: String

        /// Makes a declaration of its parts.
        package init(unit: Unit? = nil, better: Better? = nil, origin: String) {
            self.unit = unit
            self.better = better
            self.origin = origin
        }
    }

    private let own: [String: Declaration]

    /// Knows the catalogue, and what is declared by identifier; of the catalogue's own metrics that changes nothing.
    package init(own: [String: Declaration] = [:]) {
        self.own = own.filter { MetricCatalog.definition(of: $0.key) == nil }
    }

    /// What is known of a metric; `nil` where nothing is.
    package func facts(of id: String) -> Declaration? {
        own[id]
            ?? MetricCatalog.definition(of: id).map {
                Declaration(unit: $0.metric.unit, better: $0.metric.better, origin: "the catalogue")
            }
    }

    /// Why a metric can't be what it says, as a clause; `nil` where nothing contradicts it.
    package func contradiction(_ metric: Metric) -> String? {
        guard let facts = facts(of: metric.id) else { return nil }
        if let unit = facts.unit, unit != metric.unit {
            return "\(metric.id) is in \"\(metric.unit)\", and \(facts.origin) says \(unit)"
        }
        guard let better = facts.better, better != metric.better else { return nil }
        return "\(metric.id) says that \(metric.better.rawValue) values are better, and \(facts.origin) says "
            + better.rawValue
    }
}

/// A quantile of a metric over the events of real users, such as the p90 of `ttil`: `ttil@p90`.
package struct MetricQuantile: Sendable, Hashable {
    /// The metric whose events it is taken of.
    package let base: Metric
    /// How many percent of the events are at most as great, 1 … 99.
    package let percent: Int

    /// The quantile of a metric; percentages beyond 1 … 99 count as the nearest of them.
    package init(of base: Metric, percent: Int) {
        self.base = base
        self.percent = min(max(percent, 1), 99)
    }

    /// What it is called beside its metric: `p90`.
    package var name: String { "p\(percent)" }

    /// The share of the events that are at most as great, above 0 and below 1.
    package var share: Double { Double(percent) / 100 }

    /// The quantile as a metric of its own, `ttil@p90`.
    package var metric: Metric { Metric(id: "\(base.id)@\(name)", unit: base.unit, better: base.better) }

    /// The parts of an identifier such as `ttil@p90`; `nil` where it isn't one of a quantile.
    package static func parts(of id: String) -> (metric: String, percent: Int)? {
        guard let at = id.lastIndex(of: "@"), at > id.startIndex else { return nil }
        let name = id[id.index(after: at)...]
        guard name.first == "p", let percent = Int(name.dropFirst()), 1...99 ~= percent, name == "p\(percent)" else {
            return nil
        }
        return (String(id[..<at]), percent)
    }
}

extension Metric {
    /// Whether it is a quantile of what real users measured: a number without samples, which limits judge and nothing is
    /// compared with.
    package var isQuantile: Bool { MetricQuantile.parts(of: id) != nil }
}

extension MetricDefinition {
    /// The same of a quantile of the metric: no built-in limit of single measurements holds for it.
    func of(_ percent: Int) -> MetricDefinition {
        MetricDefinition(
            MetricQuantile(of: metric, percent: percent).metric, title: "\(title), p\(percent)",
            isGatedByDefault: isGatedByDefault, minChange: minChange(at: nil), isAboutFrames: isAboutFrames)
    }
}
