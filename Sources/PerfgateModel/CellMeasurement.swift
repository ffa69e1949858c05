/// Everything that a set of logs says of one cell.
public struct CellMeasurement: Sendable, Hashable {
    /// The metric with its unit and direction.
    public let metric: Metric
    /// How its frames were counted; `exact` for metrics that count none.
    public let counting: Counting
    /// The version of the formula that gave the values: values of different formulas are never compared.
    public let formula: String
    /// The samples by run, in the order of the runs' identifiers; empty where it was measured and nothing happened.
    public var runs: [RunSamples]
    /// How many iterations of how many runs measured it, with a sample or without, by run.
    public var iterations: [String: Int]
    /// The share of its scrolls' duration that frame ticks cover in each run, from 0; without runs whose ticks or
    /// durations are absent.
    public var coverages: [String: Double]

    /// Makes a measurement of its parts.
    public init(
        metric: Metric, counting: Counting = .exact, formula: String = "1", runs: [RunSamples],
        iterations: [String: Int] = [:], coverages: [String: Double] = [:]
    ) {
        self.metric = metric
        self.counting = counting
        self.formula = formula
        self.runs = runs
        self.iterations = iterations
        self.coverages = coverages
    }

    /// The least share that frame ticks cover in any run with an iteration left: one run makes up for no other; `nil`
    /// where ticks or durations are absent.
    public var coverage: Double? {
        coverages.filter { iterations[$0.key] != nil }.values.min()
    }

    /// All values in the order of runs and their samples.
    public var values: [Double] { runs.flatMap(\.values) }
}
