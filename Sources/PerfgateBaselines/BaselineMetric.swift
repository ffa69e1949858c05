import PerfgateModel

/// What a baseline holds of one metric of its page.
public struct BaselineMetric: Sendable, Hashable {
    /// What has to be equal for samples to be comparable.
    public struct Definition: Sendable, Hashable {
        /// The unit of the samples.
        public let unit: Unit
        /// Which values are good.
        public let better: Better
        /// The version of the formula that gave the samples.
        public let formula: String
        /// How frames were counted.
        public let counting: Counting

        /// Makes a definition of its parts.
        public init(unit: Unit, better: Better = .lower, formula: String = "1", counting: Counting = .exact) {
            self.unit = unit
            self.better = better
            self.formula = formula
            self.counting = counting
        }
    }

    /// What has to be equal for samples to be comparable.
    public var definition: Definition
    /// The samples by the identifier of their run, in the order of shard and iteration; an empty list where the run
    /// measured the metric and nothing happened.
    public var samples: [String: [Double]]
    /// What another tool allowed; `nil`: nothing was taken over from one.
    public var limit: BaselineLimit?

    /// Makes a metric of its parts.
    public init(_ definition: Definition, samples: [String: [Double]], limit: BaselineLimit? = nil) {
        self.definition = definition
        self.samples = samples
        self.limit = limit
    }
}

extension BaselineMetric {
    /// What a set of logs measured of a cell, runs without a sample included.
    public init(_ cell: CellMeasurement) {
        var samples = cell.iterations.filter { !$0.value.isEmpty }.mapValues { _ in [Double]() }
        for run in cell.runs { samples[run.run, default: []] += run.values }
        self.init(
            Definition(
                unit: cell.metric.unit, better: cell.metric.better, formula: cell.formula, counting: cell.counting),
            samples: samples)
    }
}

extension BaselineMetric.Definition: Comparable {
    /// By formula, counting, unit, then direction: only so that the choice between two is the same everywhere.
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.order.lexicographicallyPrecedes(rhs.order) }

    private var order: [UInt8] {
        Array([formula, counting.rawValue, unit.symbol, better.rawValue].map(\.utf8).joined(separator: [0]))
    }
}
