/// The units and directions known before a measurement: from the catalogue, and declared by a team for its own
/// metrics. A log or baseline that contradicts them is wrong; the metric doesn't silently become an ungated one.
package struct KnownMetrics: Sendable, Hashable {
    package struct Declaration: Sendable, Hashable {
        package var unit: Unit?, better: Better?
        package let origin: String

        package init(unit: Unit? = nil, better: Better? = nil, origin: String) {
            (self.unit, self.better, self.origin) = (unit, better, origin)
        }
    }

    private let own: [String: Declaration]

    /// The catalogue and declared metrics by identifier; catalogue metrics can't be redeclared.
    package init(own: [String: Declaration] = [:]) {
        self.own = own.filter { MetricCatalog.definition(of: $0.key) == nil }
    }

    package func facts(of id: String) -> Declaration? {
        own[id]
            ?? MetricCatalog.definition(of: id).map {
                Declaration(unit: $0.metric.unit, better: $0.metric.better, origin: "the catalogue")
            }
    }

    /// Why a metric contradicts the known facts, as a clause; `nil` if it doesn't.
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

/// A number of a metric over the events of real users: a quantile such as `ttil@p90`, the p90 of `ttil`; or for events
/// that happen or don't the share of those that do, `load_failures@share`.
package struct MetricQuantile: Sendable, Hashable {
    package let base: Metric
    /// The percentage of events with at most this value, 1 … 99; `nil`: the share of events.
    package let percent: Int?

    /// The quantile of a metric, with the percentage clamped to 1 … 99; `nil`: the share.
    package init(of base: Metric, percent: Int?) {
        self.base = base
        self.percent = percent.map { min(max($0, 1), 99) }
    }

    /// The numbers in which releases are compared: p50 and p90, or the share.
    package static func compared(of metric: Metric) -> [MetricQuantile] {
        (metric.isShare ? [nil] : [50, 90]).map { MetricQuantile(of: metric, percent: $0) }
    }

    /// The name without the metric: `p90`, or `share`.
    package var name: String { percent.map { "p\($0)" } ?? Self.shareName }

    private static let shareName = "share"

    /// The number as a metric, `ttil@p90`; a share has no unit.
    package var metric: Metric {
        Metric(id: "\(base.id)@\(name)", unit: percent == nil ? Unit("") : base.unit, better: base.better)
    }

    /// The parts of an identifier such as `ttil@p90`; `nil` if it isn't a quantile or a share.
    package static func parts(of id: String) -> (metric: String, percent: Int?, name: String)? {
        guard let at = id.utf8.lastIndex(of: UInt8(ascii: "@")), at > id.startIndex else { return nil }
        let (base, name) = (String(id[..<at]), String(id[id.utf8.index(after: at)...]))
        if name == shareName, MetricCatalog.definition(of: base)?.metric.isShare == true { return (base, nil, name) }
        guard name.first == "p", let percent = Int(name.dropFirst()), 1...99 ~= percent, name == "p\(percent)" else {
            return nil
        }
        return (base, percent, name)
    }

    /// The known metric before the `@` of an identifier such as `ttil@p900`, which is no quantile; `nil` for any other.
    package static func mistaken(in id: String) -> String? {
        guard parts(of: id) == nil, let at = id.firstIndex(of: "@") else { return nil }
        return MetricCatalog.definition(of: String(id[..<at]))?.metric.id
    }
}

extension Metric {
    /// Whether it is a quantile of real users: a number without samples, which only limits judge.
    package var isQuantile: Bool { MetricQuantile.parts(of: id) != nil }

    /// Whether each event's value is 0 or 1, so that the share of events is its number.
    package var isShare: Bool { unit == .visits }
}

extension MetricDefinition {
    /// The definition for a quantile of the metric or its share, without the built-in limit for single measurements.
    /// Two events in a hundred matter for a share.
    func of(_ percent: Int?) -> MetricDefinition {
        MetricDefinition(
            metric: MetricQuantile(of: metric, percent: percent).metric,
            title: percent.map { "\(title) (p\($0))" } ?? "share of \(title)", isGatedByDefault: isGatedByDefault,
            minChange: percent == nil ? 0.02 : minChange(at: nil), isAboutFrames: isAboutFrames)
    }
}
