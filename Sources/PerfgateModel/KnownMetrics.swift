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
