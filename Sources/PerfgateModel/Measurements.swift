/// The content of a set of logs: samples by cell, the runs, and the problems.
package struct Measurements: Sendable, Hashable {
    /// The runs, sorted by identifier.
    package var runs: [Run]
    /// The measured cells, including those without samples.
    package var cells: [Cell: CellMeasurement]
    package var pages: [PageInEnvironment: PageMeasurement]
    /// Traces of a page's worst iteration and visit for plots, by page and environment; absent with nothing to draw.
    package var traces: [PageInEnvironment: PageTrace] = [:]
    /// The unusable inputs, sorted by path.
    package var faultyInputs: [FaultyInput]
    package var diagnostics: [Diagnostic]

    package init(
        runs: [Run] = [], cells: [Cell: CellMeasurement] = [:], pages: [PageInEnvironment: PageMeasurement] = [:],
        faultyInputs: [FaultyInput] = [], diagnostics: [Diagnostic] = []
    ) {
        (self.runs, self.cells, self.pages, self.faultyInputs) = (runs, cells, pages, faultyInputs)
        self.diagnostics = diagnostics
    }

    /// The environments with a measured cell or page, sorted.
    package var environments: [Environment] {
        pages.keys.distinctEnvironments(\.environment).union(cells.keys.distinctEnvironments(\.environment)).sorted()
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

/// The facts of a set of logs about one page in one environment, in addition to its metrics.
package struct PageMeasurement: Sendable, Hashable {
    /// The measured time in seconds: scrolls, visits and screens; at least 0.
    package var seconds: Double
    /// The tests that visited it, sorted by UTF-8 bytes, without duplicates.
    package var tests: [String]
    /// The measured amounts by run and iteration, including iterations in which nothing ended.
    package var measured: [String: [Int: MeasuredCounts]]
    /// Whether all its measurements were refused, so it counts as unmeasured.
    package var isRefused = false

    package init(seconds: Double = 0, tests: [String] = [], measured: [String: [Int: MeasuredCounts]] = [:]) {
        (self.seconds, self.tests, self.measured) = (seconds, tests, measured)
    }

    package var counts: [String: MeasuredCounts] {
        measured.compactMapValues { iterations in
            guard !iterations.isEmpty else { return nil }
            // The last digit of floating-point sums depends on their order.
            return iterations.sorted { $0.key < $1.key }.reduce(MeasuredCounts()) { $0 + $1.value }
        }
    }
}

/// The frame tick coverage of a scroll: the lowest of one iteration.
package struct FrameCoverage: Sendable, Hashable {
    /// The fraction of the scroll's duration, 0 to 1.
    package let share: Double
    /// The run; `nil` if there is only one.
    package let run: String?
    /// The iteration within the run, from 0; `nil` if the run has only one.
    package let iteration: Int?

    package init(share: Double, run: String? = nil, iteration: Int? = nil) {
        (self.share, self.run, self.iteration) = (share, run, iteration)
    }
}

extension CellMeasurement {
    /// The lowest coverage of any iteration of any run: a long iteration doesn't compensate for one with stopped
    /// frames. `nil` if ticks or durations are absent.
    /// - Parameter needsTicks: Whether a scroll without ticks has stopped frames, instead of being from a log that
    ///   only contains drops.
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

/// The content of a set of logs for one cell.
package struct CellMeasurement: Sendable, Hashable {
    package let metric: Metric
    /// How frames were counted; `exact` for metrics that don't count frames.
    package let counting: Counting
    /// The version of the formula; values of different formulas are never compared.
    package let formula: String
    /// The samples by run, sorted by run identifier; empty if it was measured and nothing happened.
    package var runs: [RunSamples]
    /// The iterations that measured it, with or without samples, by run, sorted by shard, then number; repeated if
    /// several shards have the same one.
    package var iterations: [String: [Int]]
    /// The lowest fraction of a scroll's duration that frame ticks cover, 0 to 1, by run and iteration; without
    /// iterations whose ticks or durations are absent.
    package var coverages: [String: [Int: Double]]
    /// The iterations with a scroll without ticks and drop lines, by run: its count of 0 is invalid if ticks are due.
    package var silentIterations: [String: Set<Int>]
    /// Runs of the call that measured it and aren't judged again, because the baseline has it from them.
    package var storedRuns: Set<String> = []

    package init(
        metric: Metric, counting: Counting = .exact, formula: String = "1", runs: [RunSamples],
        iterations: [String: [Int]] = [:], coverages: [String: [Int: Double]] = [:],
        silentIterations: [String: Set<Int>] = [:]
    ) {
        (self.metric, self.counting, self.formula, self.runs) = (metric, counting, formula, runs)
        (self.iterations, self.coverages, self.silentIterations) = (iterations, coverages, silentIterations)
    }

    package var values: [Double] { runs.flatMap(\.values) }

    /// The runs that measured it, with or without samples.
    package var measuringRuns: Set<String> {
        if runs.count == 1, iterations.count == 1, iterations[runs[0].run] != nil { return [runs[0].run] }
        return iterations.reduce(into: Set(runs.map(\.run))) { if !$1.value.isEmpty { $0.insert($1.key) } }
    }

    package func only(_ run: String) -> CellMeasurement {
        let isAlone =
            runs.allSatisfy { $0.run == run } && iterations.keys.allSatisfy { $0 == run }
            && coverages.keys.allSatisfy { $0 == run } && silentIterations.keys.allSatisfy { $0 == run }
        if isAlone { return self }
        return CellMeasurement(
            metric: metric, counting: counting, formula: formula, runs: runs.filter { $0.run == run },
            iterations: iterations.filter { $0.key == run }, coverages: coverages.filter { $0.key == run },
            silentIterations: silentIterations.filter { $0.key == run })
    }

    package mutating func remove(_ ids: Set<String>) {
        runs.removeAll { ids.contains($0.run) }
        for id in ids {
            iterations[id] = nil
            coverages[id] = nil
            silentIterations[id] = nil
        }
    }

    /// Removes an iteration of a run. Tick coverages of its other iterations stay, even if none of them has a sample.
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

/// A measured value with its place in the run; its cell has the metric and environment.
package struct Sample: Sendable, Hashable, Comparable {
    /// The value, in the unit of the cell's metric; finite.
    package let value: Double
    /// The iteration within the run, from 0.
    package let iteration: Int
    /// For dropped frames, the number of 60 Hz frames of the same duration, from ticks; `nil` if they are unknown.
    package let framesAtSixtyHertz: Double?

    package init(_ value: Double, iteration: Int = 0, framesAtSixtyHertz: Double? = nil) {
        (self.value, self.iteration, self.framesAtSixtyHertz) = (value, iteration, framesAtSixtyHertz)
    }

    package static func < (lhs: Sample, rhs: Sample) -> Bool { (lhs.iteration, lhs.value) < (rhs.iteration, rhs.value) }
}

package struct RunSamples: Sendable, Hashable {
    package let run: String
    /// The samples, sorted by shard, iteration, value.
    @Shared package var samples: SampleList

    package init(run: String, samples: [Sample]) { self.init(run: run, samples: SampleList(samples)) }

    package init(run: String, samples: SampleList) {
        self.run = run
        _samples = Shared(wrappedValue: samples)
    }

    package var values: ArraySlice<Double> { samples.values }
}

/// The measured amounts of a page, in one iteration or in a whole run.
package struct MeasuredCounts: Sendable, Hashable {
    /// The iterations that measured any of it; iterations of different shards are counted separately.
    package var iterations: Int
    /// The scrolls that ended; without end lines in the log, the observed scrolls.
    package var scrolls: Int
    /// The total duration of the scrolls with an end line, in ms; 0 without any.
    package var scrollMS: Double
    package var visits: Visits
    /// The counted entries of the visits' lists, such as loaded images, by metric; without metrics that have none.
    package var entries: [String: Int]
    package var unfinished = Unfinished()

    package init(
        iterations: Int = 0, scrolls: Int = 0, scrollMS: Double = 0, visits: Visits = Visits(),
        entries: [String: Int] = [:]
    ) {
        (self.iterations, self.scrolls, self.scrollMS, self.visits) = (iterations, scrolls, scrollMS, visits)
        self.entries = entries
    }

    package struct Visits: Sendable, Hashable {
        package var loaded: Int
        /// Visits that showed an error instead.
        package var error: Int
        /// Visits that were left before either.
        package var abandoned: Int

        package init(loaded: Int = 0, error: Int = 0, abandoned: Int = 0) {
            (self.loaded, self.error, self.abandoned) = (loaded, error, abandoned)
        }

        package var total: Int { loaded + error + abandoned }
    }

    /// Scrolls and visits that started but didn't end, for example because the app was killed; not stored in baselines.
    package struct Unfinished: Sendable, Hashable {
        /// The scrolls with ticks but without an end line, in a log with other end lines.
        package var scrolls = 0
        /// The visits with neither an outcome nor a load.
        package var visits = 0
        /// The visits that began or loaded while the app was inactive, so that nobody waited for them.
        package var inactive = 0
    }

    package var hasVisitsOrScrolls: Bool { scrolls + visits.total + unfinished.scrolls + unfinished.visits > 0 }

    package var scrollsPerIteration: Double { iterations > 0 ? Double(scrolls) / Double(iterations) : 0 }

    package var visitsPerIteration: Double { iterations > 0 ? Double(visits.total) / Double(iterations) : 0 }

    package static func + (first: MeasuredCounts, second: MeasuredCounts) -> MeasuredCounts {
        first.combined(with: second, +, +)
    }

    /// The union of two records of one run: the maximum of each count, independent of the order.
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
        result.unfinished.inactive = count(unfinished.inactive, other.unfinished.inactive)
        return result
    }
}
