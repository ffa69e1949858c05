/// What a set of logs says, read and collected: the samples by cell, the runs they came in, and what was wrong.
package struct Measurements: Sendable, Hashable {
    /// The runs in the order of their identifiers.
    package var runs: [Run]
    /// The measured cells, also those without a sample.
    package var cells: [Cell: CellMeasurement]
    /// The pages by environment.
    package var pages: [PageInEnvironment: PageMeasurement]
    /// What can be drawn of a page's worst iteration and visit, by page and environment; absent where nothing can.
    package var traces: [PageInEnvironment: PageTrace] = [:]
    /// The inputs that could not be used, in the order of their paths.
    package var faultyInputs: [FaultyInput]
    /// What a person should know, sorted.
    package var diagnostics: [Diagnostic]

    /// Makes a collection of its parts.
    package init(
        runs: [Run] = [], cells: [Cell: CellMeasurement] = [:], pages: [PageInEnvironment: PageMeasurement] = [:],
        faultyInputs: [FaultyInput] = [], diagnostics: [Diagnostic] = []
    ) {
        self.runs = runs
        self.cells = cells
        self.pages = pages
        self.faultyInputs = faultyInputs
        self.diagnostics = diagnostics
    }

    /// The environments with a measured cell or page, sorted.
    package var environments: [Environment] {
        Set(pages.keys.map(\.environment)).union(cells.keys.map(\.environment)).sorted()
    }
}

/// What a set of logs says of one page in one environment beside its metrics.
package struct PageMeasurement: Sendable, Hashable {
    /// How long it was measured, in seconds: scrolls, visits and screens; at least 0.
    package var seconds: Double
    /// The tests that visited it, in the order of UTF-8 bytes, without repetition.
    package var tests: [String]
    /// How much of it was measured, by run and iteration, also in iterations where nothing of it ended.
    package var measured: [String: [Int: MeasuredCounts]]
    /// Whether all that was measured of it was refused, so that nothing of it counts as measured.
    package var isRefused = false

    /// Makes a page's measurement of its parts.
    package init(
        seconds: Double = 0, tests: [String] = [], measured: [String: [Int: MeasuredCounts]] = [:]
    ) {
        self.seconds = seconds
        self.tests = tests
        self.measured = measured
    }

    /// How much of it was measured, by run.
    package var counts: [String: MeasuredCounts] {
        measured.compactMapValues { iterations in
            guard !iterations.isEmpty else { return nil }
            // Sums of times depend on their order in the last digit.
            return iterations.sorted { $0.key < $1.key }.reduce(MeasuredCounts()) { $0 + $1.value }
        }
    }
}

/// How much of a scroll the frame ticks of one iteration cover, of the one that they cover least.
package struct FrameCoverage: Sendable, Hashable {
    /// The share of the scroll's duration, 0 to 1.
    package let share: Double
    /// The run; `nil` where there is no other.
    package let run: String?
    /// The repetition of the test within the run, from 0; `nil` where the run doesn't tell any other.
    package let iteration: Int?

    /// Makes a coverage of its parts.
    package init(share: Double, run: String? = nil, iteration: Int? = nil) {
        self.share = share
        self.run = run
        self.iteration = iteration
    }
}

extension CellMeasurement {
    /// The least coverage of any iteration of any run: a long iteration makes up for none whose frames stopped. `nil` where
    /// ticks or durations are absent.
    ///
    /// - Parameter needsTicks: Whether a scroll without ticks is one whose frames stopped, and not one of a log that
    ///   tells drops only.
    package func leastCoverage(needsTicks: Bool) -> FrameCoverage? {
        var known = coverages
        for (run, silent) in needsTicks ? silentIterations : [:] {
            for iteration in silent { known[run, default: [:]][iteration] = 0 }
        }
        let all = known.flatMap { run, shares in shares.map { (share: $1, run: run, iteration: $0) } }
        let least = all.min { first, second in
            if first.share != second.share { return first.share < second.share }
            if first.run != second.run { return first.run.precedesInUTF8(second.run) }
            return first.iteration < second.iteration
        }
        guard let least else { return nil }
        let runs = Set(known.keys).union(iterations.keys)
        let told = Set(known[least.run, default: [:]].keys).union(iterations[least.run] ?? [])
        return FrameCoverage(
            share: least.share, run: runs.count > 1 ? least.run : nil,
            iteration: told.count > 1 || least.iteration > 0 ? least.iteration : nil)
    }
}
