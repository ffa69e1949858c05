import PerfgateCompare

/// What is measured before a verdict: the baseline's runs, the candidate's first look, and what confirms it.
public struct Plan: Sendable, Hashable {
    /// The baseline's runs; 1 or more.
    public var baselineRuns: Int
    /// The samples of each cell in each of them; 1 or more.
    public var baselineIterations: Int
    /// The samples of each cell in the candidate's first look; 1 or more.
    public var firstLook: Int
    /// The samples of each cell in each run that confirms.
    public var confirming: [Int]

    /// Makes a plan; two runs of ten confirm unless it says otherwise.
    public init(baselineRuns: Int, baselineIterations: Int, firstLook: Int, confirming: [Int] = [10, 10]) {
        self.baselineRuns = baselineRuns
        self.baselineIterations = baselineIterations
        self.firstLook = firstLook
        self.confirming = confirming
    }

    /// The plan in a few words, such as `10×5, 5`.
    public var title: String { "\(baselineRuns)×\(baselineIterations), \(firstLook)" }
}

/// Main and candidate measured in turn within the same device runs.
public struct PairedPlan: Sendable, Hashable {
    /// The device runs; 1 or more.
    public var pairs: Int
    /// The samples of each cell in each of them, on either side; 1 or more.
    public var iterations: Int

    /// Makes a plan.
    public init(pairs: Int, iterations: Int) {
        self.pairs = pairs
        self.iterations = iterations
    }

    /// The plan in a few words, such as `3 pairs of 5 + 5`.
    public var title: String { "\(Figure.count(pairs, "pair")) of \(iterations) + \(iterations)" }
}
