/// One measured value with its place in the run; its metric and environment are those of its cell.
public struct Sample: Sendable, Hashable {
    /// The value, in the unit of the cell's metric; finite.
    public let value: Double
    /// The repetition of the test within the run, from 0.
    public let iteration: Int

    /// Makes a sample of its parts.
    public init(_ value: Double, iteration: Int = 0) {
        self.value = value
        self.iteration = iteration
    }
}

extension Sample: Comparable {
    /// By iteration, then value.
    public static func < (lhs: Sample, rhs: Sample) -> Bool {
        (lhs.iteration, lhs.value) < (rhs.iteration, rhs.value)
    }
}

/// The samples of one cell from one run.
public struct RunSamples: Sendable, Hashable {
    /// The identifier of the run.
    public let run: String
    /// The samples in the order of shard, iteration, value.
    public var samples: [Sample]

    /// Makes the samples of a run.
    public init(run: String, samples: [Sample]) {
        self.run = run
        self.samples = samples
    }

    /// The values in the order of the samples.
    public var values: [Double] { samples.map(\.value) }
}
