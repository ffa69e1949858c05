import PerfgateModel

/// A metric of another tool: what it is called here, and how its values become values in perfgate's unit.
struct ForeignMetric: Hashable {
    /// The metric in perfgate's unit.
    let metric: Metric
    private let conversion: UnitConversion

    /// A metric with its unit as the tool spells it.
    ///
    /// - Parameter better: What the tool says is good; where it doesn't say, the catalogue does, else smaller is.
    init(id: String, unit: String, better: Better? = nil) {
        conversion = UnitConversion(from: unit)
        let known = MetricCatalog.definition(of: id)?.metric.better
        metric = Metric(id: id, unit: conversion.unit, better: better ?? known ?? .lower)
    }

    /// The values in perfgate's unit.
    func convert(_ values: [Double]) -> [Double] { values.map(conversion.convert) }
}
