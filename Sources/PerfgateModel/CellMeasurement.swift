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
    /// The iterations that measured it, with a sample or without, by run and in the order of shard, then number; one that
    /// several shards have stands there as often.
    public var iterations: [String: [Int]]
    /// The share of its scrolls' duration that frame ticks cover, from 0, by run and iteration; without iterations whose
    /// ticks or durations are absent.
    public var coverages: [String: [Int: Double]]
    /// The iterations with a scroll that came without ticks and without lines that tell its drops, by run: its count of
    /// 0 is none, wherever ticks were to be expected.
    public var silentIterations: [String: Set<Int>]

    /// Makes a measurement of its parts.
    public init(
        metric: Metric, counting: Counting = .exact, formula: String = "1", runs: [RunSamples],
        iterations: [String: [Int]] = [:], coverages: [String: [Int: Double]] = [:],
        silentIterations: [String: Set<Int>] = [:]
    ) {
        self.metric = metric
        self.counting = counting
        self.formula = formula
        self.runs = runs
        self.iterations = iterations
        self.coverages = coverages
        self.silentIterations = silentIterations
    }

    /// All values in the order of runs and their samples.
    public var values: [Double] { runs.flatMap(\.values) }
}
