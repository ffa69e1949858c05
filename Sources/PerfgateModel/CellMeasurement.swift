/// Everything that a set of logs says of one cell.
package struct CellMeasurement: Sendable, Hashable {
    /// The metric with its unit and direction.
    package let metric: Metric
    /// How its frames were counted; `exact` for metrics that count none.
    package let counting: Counting
    /// The version of the formula that gave the values: values of different formulas are never compared.
    package let formula: String
    /// The samples by run, in the order of the runs' identifiers; empty where it was measured and nothing happened.
    package var runs: [RunSamples]
    /// The iterations that measured it, with a sample or without, by run and in the order of shard, then number; one that
    /// several shards have stands there as often.
    package var iterations: [String: [Int]]
    /// The least share of a scroll's duration that frame ticks cover, 0 to 1, by run and iteration; without iterations
    /// whose ticks or durations are absent.
    package var coverages: [String: [Int: Double]]
    /// The iterations with a scroll that came without ticks and without lines that tell its drops, by run: its count of
    /// 0 is none, wherever ticks were to be expected.
    package var silentIterations: [String: Set<Int>]

    /// Makes a measurement of its parts.
    package init(
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
    package var values: [Double] { runs.flatMap(\.values) }
}

extension CellMeasurement {
    /// Takes all out that some runs measured, by their identifiers.
    package mutating func remove(_ ids: Set<String>) {
        runs.removeAll { ids.contains($0.run) }
        for id in ids {
            iterations[id] = nil
            coverages[id] = nil
            silentIterations[id] = nil
        }
    }

    /// Takes all out that an iteration of a run measured. What its other iterations' ticks cover stays, also where none of
    /// them has a sample.
    package mutating func remove(_ iteration: Int, of run: String) {
        coverages[run]?[iteration] = nil
        silentIterations[run]?.remove(iteration)
        iterations[run]?.removeAll { $0 == iteration }
        if iterations[run]?.isEmpty == true { iterations[run] = nil }
        guard let index = runs.firstIndex(where: { $0.run == run }) else { return }
        runs[index].samples.removeAll { $0.iteration == iteration }
        if runs[index].samples.isEmpty { runs.remove(at: index) }
    }
}

/// One measured value with its place in the run; its metric and environment are those of its cell.
package struct Sample: Sendable, Hashable {
    /// The value, in the unit of the cell's metric; finite.
    package let value: Double
    /// The repetition of the test within the run, from 0.
    package let iteration: Int
    /// Of dropped frames, how many of 60 Hz are as long, by the ticks that told them; `nil` where only their number is known.
    package let framesAtSixtyHertz: Double?

    /// Makes a sample of its parts.
    package init(_ value: Double, iteration: Int = 0, framesAtSixtyHertz: Double? = nil) {
        self.value = value
        self.iteration = iteration
        self.framesAtSixtyHertz = framesAtSixtyHertz
    }
}

extension Sample: Comparable {
    /// By iteration, then value.
    package static func < (lhs: Sample, rhs: Sample) -> Bool {
        (lhs.iteration, lhs.value) < (rhs.iteration, rhs.value)
    }
}

/// The samples of one cell from one run.
package struct RunSamples: Sendable, Hashable {
    /// The identifier of the run.
    package let run: String
    /// The samples in the order of shard, iteration, value.
    package var samples: [Sample]

    /// Makes the samples of a run.
    package init(run: String, samples: [Sample]) {
        self.run = run
        self.samples = samples
    }

    /// The values in the order of the samples.
    package var values: [Double] { samples.map(\.value) }
}
