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

    /// The same without quantiles of real users, and without the pages that have nothing else.
    package var withoutQuantiles: Measurements {
        guard cells.contains(where: { $0.value.metric.isQuantile }) else { return self }
        let compared = cells.filter { !$0.value.metric.isQuantile }
        let empty = Set(cells.keys.map(\.place)).subtracting(compared.keys.map(\.place))
        var result = self
        result.cells = compared
        result.pages = pages.filter { !empty.contains($0.key) }
        return result
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

    /// The runs that measured it, with a sample or without.
    package var measuringRuns: Set<String> {
        Set(iterations.filter { !$0.value.isEmpty }.keys).union(runs.map(\.run))
    }
}

extension CellMeasurement {
    /// What one run measured.
    package func only(_ run: String) -> CellMeasurement {
        CellMeasurement(
            metric: metric, counting: counting, formula: formula, runs: runs.filter { $0.run == run },
            iterations: iterations.filter { $0.key == run }, coverages: coverages.filter { $0.key == run },
            silentIterations: silentIterations.filter { $0.key == run })
    }

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
    package var samples: SampleList

    /// Makes the samples of a run.
    package init(run: String, samples: [Sample]) {
        self.init(run: run, samples: SampleList(samples))
    }

    /// Makes the samples of a run.
    package init(run: String, samples: SampleList) {
        self.run = run
        self.samples = samples
    }

    /// The values in the order of the samples.
    package var values: [Double] { Array(samples.values) }
}

/// What is compared with its like: a page, a metric and an environment.
package struct Cell: Sendable, Hashable {
    /// The page.
    package let page: Page
    /// The identifier of the metric.
    package let metric: String
    /// The environment.
    package let environment: Environment

    /// Makes a cell of its parts.
    package init(page: Page, metric: String, environment: Environment) {
        self.page = page
        self.metric = metric
        self.environment = environment
    }
}

extension Cell: Comparable {
    /// By page, metric, then environment, each in the order of UTF-8 bytes.
    package static func < (lhs: Cell, rhs: Cell) -> Bool {
        if lhs.page != rhs.page { return lhs.page < rhs.page }
        if lhs.metric != rhs.metric { return lhs.metric.precedesInUTF8(rhs.metric) }
        return lhs.environment < rhs.environment
    }
}

extension Cell {
    /// Its page in its environment.
    package var place: PageInEnvironment { PageInEnvironment(page: page, environment: environment) }
}

/// A page of the app, or a component that is tested alone (`component/Button`).
///
/// Two pages are the same when their names have the same UTF-8 bytes. `String` would also call names equal that only
/// look the same (`é` composed and decomposed), and then the output would depend on which of them was read first.
package struct Page: Sendable {
    /// The name as the log gives it; any text, never empty or only white space.
    package let name: String

    /// Makes a page of a name.
    package init(_ name: String) {
        self.name = name
    }
}

extension Page: Hashable {
    /// Whether both names have the same UTF-8 bytes.
    package static func == (lhs: Page, rhs: Page) -> Bool {
        lhs.name.utf8.elementsEqual(rhs.name.utf8)
    }

    /// Feeds the name's UTF-8 bytes.
    package func hash(into hasher: inout Hasher) {
        for byte in name.utf8 { hasher.combine(byte) }
        hasher.combine(0xFF as UInt8)
    }
}

extension Page: Comparable {
    /// The order of the names' UTF-8 bytes.
    package static func < (lhs: Page, rhs: Page) -> Bool {
        lhs.name.precedesInUTF8(rhs.name)
    }
}

extension Page: CustomStringConvertible {
    /// The name.
    package var description: String { name }
}

/// A page in an environment: what reports give a suite, and baselines a file.
package struct PageInEnvironment: Sendable, Hashable, Comparable {
    /// The page.
    package let page: Page
    /// The environment.
    package let environment: Environment

    /// Makes a place of its parts.
    package init(page: Page, environment: Environment) {
        self.page = page
        self.environment = environment
    }

    /// By page, then environment.
    package static func < (lhs: PageInEnvironment, rhs: PageInEnvironment) -> Bool {
        lhs.page == rhs.page ? lhs.environment < rhs.environment : lhs.page < rhs.page
    }
}

/// How much was measured of a page: in one iteration of a run, or in all of them together.
package struct MeasuredCounts: Sendable, Hashable {
    /// The iterations that measured anything of it; those of different shards count each.
    package var iterations: Int
    /// The scrolls that ended; where the log has no line that says so, those that were seen.
    package var scrolls: Int
    /// How long the scrolls lasted that a line ended, in ms; 0 where none did.
    package var scrollMS: Double
    /// The visits that ended, by how.
    package var visits: Visits
    /// The entries of the visits' lists that count, such as loaded images, by metric; without metrics that have none.
    package var entries: [String: Int]
    /// The scrolls and visits that began and did not end.
    package var unfinished = Unfinished()

    /// Makes counts of their parts.
    package init(
        iterations: Int = 0, scrolls: Int = 0, scrollMS: Double = 0, visits: Visits = Visits(),
        entries: [String: Int] = [:]
    ) {
        self.iterations = iterations
        self.scrolls = scrolls
        self.scrollMS = scrollMS
        self.visits = visits
        self.entries = entries
    }

    /// Visits by how they ended.
    package struct Visits: Sendable, Hashable {
        /// Those that loaded the page.
        package var loaded: Int
        /// Those that showed an error instead.
        package var error: Int
        /// Those that were left before either.
        package var abandoned: Int

        /// Makes counts of their parts.
        package init(loaded: Int = 0, error: Int = 0, abandoned: Int = 0) {
            self.loaded = loaded
            self.error = error
            self.abandoned = abandoned
        }

        /// All of them.
        package var total: Int { loaded + error + abandoned }
    }

    /// What began and did not end, as where the app was killed; baselines don't keep it.
    package struct Unfinished: Sendable, Hashable {
        /// The scrolls with ticks that no line ended, in a log where lines end others.
        package var scrolls = 0
        /// The visits that neither say how they ended nor that anything loaded.
        package var visits = 0
    }

    /// How many scrolls there were for each iteration; 0 without iterations.
    package var scrollsPerIteration: Double { iterations > 0 ? Double(scrolls) / Double(iterations) : 0 }

    /// How many visits ended for each iteration; 0 without iterations.
    package var visitsPerIteration: Double { iterations > 0 ? Double(visits.total) / Double(iterations) : 0 }

    /// The counts of two parts of a run together.
    package static func + (first: MeasuredCounts, second: MeasuredCounts) -> MeasuredCounts {
        first.combined(with: second, +, +)
    }

    /// What two records of one run say together: of each count the greater one, whichever record is first.
    package func union(_ other: MeasuredCounts) -> MeasuredCounts { combined(with: other, max, max) }

    private func combined(
        with other: MeasuredCounts, _ count: (Int, Int) -> Int, _ time: (Double, Double) -> Double
    ) -> MeasuredCounts {
        var result = MeasuredCounts(
            iterations: count(iterations, other.iterations), scrolls: count(scrolls, other.scrolls),
            scrollMS: time(scrollMS, other.scrollMS),
            visits: Visits(
                loaded: count(visits.loaded, other.visits.loaded), error: count(visits.error, other.visits.error),
                abandoned: count(visits.abandoned, other.visits.abandoned)),
            entries: entries.merging(other.entries, uniquingKeysWith: count))
        result.unfinished.scrolls = count(unfinished.scrolls, other.unfinished.scrolls)
        result.unfinished.visits = count(unfinished.visits, other.unfinished.visits)
        return result
    }
}
