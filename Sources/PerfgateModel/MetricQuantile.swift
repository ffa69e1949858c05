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

extension MetricDefinition {
    /// The same of a quantile of the metric: no built-in limit of single measurements holds for it.
    func of(_ percent: Int) -> MetricDefinition {
        MetricDefinition(
            MetricQuantile(of: metric, percent: percent).metric, title: "\(title), p\(percent)",
            isGatedByDefault: isGatedByDefault, minChange: minChange(at: nil), isAboutFrames: isAboutFrames)
    }
}
