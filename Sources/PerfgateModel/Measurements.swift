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

/// The content of a set of logs for one cell, behind one reference: it is copied much more often than changed.
package struct CellMeasurement: Sendable, Hashable {
    private struct Content: Sendable, Hashable {
        let metric: Metric, counting: Counting, formula: String
        var runs: [RunSamples], iterations: [String: [Int]], coverages: [String: [Int: Double]]
        var silentIterations: [String: Set<Int>], storedRuns: Set<String> = []
    }

    @Shared private var content: Content

    package var metric: Metric { content.metric }
    /// How frames were counted; `exact` for metrics that don't count frames.
    package var counting: Counting { content.counting }
    /// The version of the formula; values of different formulas are never compared.
    package var formula: String { content.formula }
    /// The samples by run, sorted by run identifier; empty if it was measured and nothing happened.
    package var runs: [RunSamples] {
        get { content.runs }
        set { content.runs = newValue }
    }
    /// The iterations that measured it, with or without samples, by run, sorted by shard, then number; repeated if
    /// several shards have the same one.
    package var iterations: [String: [Int]] {
        get { content.iterations }
        set { content.iterations = newValue }
    }
    /// The lowest fraction of a scroll's duration that frame ticks cover, 0 to 1, by run and iteration; without
    /// iterations whose ticks or durations are absent.
    package var coverages: [String: [Int: Double]] {
        get { content.coverages }
        set { content.coverages = newValue }
    }
    /// The iterations with a scroll without ticks and drop lines, by run: its count of 0 is invalid if ticks are due.
    package var silentIterations: [String: Set<Int>] {
        get { content.silentIterations }
        set { content.silentIterations = newValue }
    }
    /// Runs of the call that measured it and aren't judged again, because the baseline has it from them.
    package var storedRuns: Set<String> {
        get { content.storedRuns }
        set { content.storedRuns = newValue }
    }

    package init(
        metric: Metric, counting: Counting = .exact, formula: String = "1", runs: [RunSamples],
        iterations: [String: [Int]] = [:], coverages: [String: [Int: Double]] = [:],
        silentIterations: [String: Set<Int>] = [:]
    ) {
        _content = Shared(
            wrappedValue: Content(
                metric: metric, counting: counting, formula: formula, runs: runs, iterations: iterations,
                coverages: coverages, silentIterations: silentIterations))
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

/// The samples of one run in one cell: 8 bytes per sample, because neighbours usually share an iteration.
package struct SampleList: Sendable {
    private struct Stretch: Sendable, Hashable {
        let iteration: Int
        var end: Int
    }

    package private(set) var values: ArraySlice<Double> = []
    private var stretches: [Stretch] = []
    /// The durations in 60 Hz frames, by sample index.
    private var frames: [Int: Double] = [:]

    package init() {}

    package init(_ samples: some Sequence<Sample>) { for sample in samples { append(sample) } }

    package init(values: [Double]) {
        self.values = values[...]
        if !values.isEmpty { extend(0, to: values.count) }
    }

    package mutating func append(_ sample: Sample) {
        if let frames = sample.framesAtSixtyHertz { self.frames[values.count] = frames }
        values.append(sample.value)
        extend(sample.iteration, to: values.count)
    }

    /// Adds samples of several iterations, without durations in 60 Hz frames; the first ones share their memory.
    /// - Parameter counts: The number of values per iteration, in order.
    package mutating func append(_ added: ArraySlice<Double>, _ counts: [(iteration: Int, count: Int)]) {
        var end = values.count
        if values.isEmpty { values = added } else { values += added }
        for (iteration, count) in counts where count > 0 {
            end += count
            extend(iteration, to: end)
        }
    }

    /// Stores the duration of the sample at an index in 60 Hz frames.
    package mutating func note(framesAtSixtyHertz frames: Double, at place: Int) { self.frames[place] = frames }

    private mutating func extend(_ iteration: Int, to end: Int) {
        if stretches.last?.iteration == iteration {
            stretches[stretches.count - 1].end = end
        } else {
            stretches.append(Stretch(iteration: iteration, end: end))
        }
    }
}

extension SampleList: RandomAccessCollection, Hashable, ExpressibleByArrayLiteral {
    package init(arrayLiteral samples: Sample...) { self.init(samples) }

    package var startIndex: Int { 0 }
    package var endIndex: Int { values.count }

    package subscript(position: Int) -> Sample {
        var (low, high) = (0, stretches.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if stretches[middle].end > position { high = middle } else { low = middle + 1 }
        }
        return Sample(
            values[values.startIndex + position], iteration: stretches[low].iteration,
            framesAtSixtyHertz: frames.isEmpty ? nil : frames[position])
    }

    package mutating func removeAll(where isGone: (Sample) -> Bool) { self = SampleList(filter { !isGone($0) }) }
}

/// A value behind a reference, so that copying it counts one reference instead of each of its parts. A change makes a
/// new reference, so values that are read more often than they are changed belong here.
@propertyWrapper
package struct Shared<Value: Sendable>: Sendable {
    @usableFromInline final class Box: Sendable {
        @usableFromInline let value: Value

        @inlinable init(_ value: Value) { self.value = value }
    }

    @usableFromInline var box: Box

    @inlinable package init(wrappedValue: Value) { box = Box(wrappedValue) }

    @inlinable package var wrappedValue: Value {
        _read { yield box.value }
        set { box = Box(newValue) }
    }
}

extension Shared: Equatable where Value: Equatable {
    @inlinable
    package static func == (lhs: Shared, rhs: Shared) -> Bool { lhs.box === rhs.box || lhs.box.value == rhs.box.value }
}

extension Shared: Hashable where Value: Hashable {
    @inlinable package func hash(into hasher: inout Hasher) { hasher.combine(box.value) }
}
