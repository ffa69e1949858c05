import PerfgateModel
import PerfgateStats

/// Everything that the steps of the rule may look at: one cell, its policy and both sides' samples.
package struct CellCase: Sendable {
    /// The cell.
    package let cell: Cell
    /// The metric with its unit and direction.
    package let metric: Metric
    /// What the policy says of it.
    package let policy: CellPolicy
    /// Whether suspects are confirmed by a second run.
    package let confirmation: Policy.Confirmation
    /// What was expected.
    package let expectation: Expectation
    /// The candidate's measurement; `nil` where there is none.
    package let measurement: CellMeasurement?
    /// The candidate's samples; `nil` without any.
    package let candidate: MeasuredRuns?
    /// The candidate's samples as the limit judges them; `nil` where it judges them as they are.
    package let limitSamples: [Double]?
    /// The reference's entry; `nil` where there is none.
    package let entry: Reference.Entry?
    /// Which of the candidate's runs measured again what others did.
    package let reruns: Reruns
    /// What was taken out of the candidate's samples as the shift of their runs, in logarithms by run; empty where nothing
    /// was.
    package let takenShifts: [String: Double]
    /// The numbers of the comparison; `nil` where there is nothing comparable on either side.
    package let comparison: Comparison?

    /// Prepares a case; throws where a sample is not finite, which readers exclude.
    package init(
        cell: Cell, metric: Metric, policy: CellPolicy, confirmation: Policy.Confirmation, expectation: Expectation,
        measurement: CellMeasurement?, entry: Reference.Entry?, comparisons: Int, comparesShares: Bool = true,
        pairing: Pairing = Pairing(), reruns: Reruns = Reruns(), noise: RunNoise? = nil
    ) throws(StatsError) {
        self.cell = cell
        self.metric = metric
        self.policy = policy
        self.confirmation = confirmation
        self.expectation = expectation
        self.measurement = measurement
        self.entry = entry
        self.reruns = reruns
        let measured = try measurement.map { measurement throws(StatsError) in
            try MeasuredRuns(measurement.runs.map(\.values))
        }
        candidate = measured.flatMap { $0.pooled.count > 0 ? $0 : nil }
        limitSamples = measurement.flatMap { measurement in
            let samples = measurement.runs.flatMap { Self.limitSamples($0, scale: policy.limitScale) }
            return samples == measurement.values ? nil : samples
        }
        let isInTurn = try Self.paired(entry, measurement, pairing) != nil
        let noise = metric.isTime && !isInTurn ? noise : nil
        takenShifts =
            measurement.flatMap { measurement in
                noise.map { noise in measurement.runs.reduce(into: [:]) { $0[$1.run] = noise.taken(from: $1.run) } }
            } ?? [:]
        comparison = try Self.compare(
            candidate, entry, measurement, pairing, noise,
            terms: try Self.terms(
                metric, policy,
                Significance(comparisons: comparisons, comparesShares: comparesShares && metric.unit.isCount),
                noise: entry.flatMap { noise?.noise(of: cell, $0) }))
    }

    /// S, the number of runs with samples of this cell.
    package var candidateRuns: Int { candidate?.runs.count ?? 0 }

    /// Whether what made the cell a suspect was measured again: a run whose own centre is worse by more than the
    /// tolerance, or any where none is, has a rerun.
    package var isMeasuredAgain: Bool {
        !suspectRuns.allSatisfy { run in !runs.contains { reruns.isRerun($0, of: run) } }
    }

    /// The runs with samples.
    var runs: [String] { (measurement?.runs ?? []).filter { !$0.samples.isEmpty }.map(\.run) }

    /// The runs that made the cell a suspect.
    var suspectRuns: [String] {
        guard let comparison else { return [] }
        let worse = (measurement?.runs ?? []).filter { run in
            guard let centre = (try? SortedSamples(run.values))?.centre(metric.centre) else { return false }
            let delta = centre - comparison.baselineCentre
            return (metric.better == .lower ? delta : 0 - delta) > comparison.margin
        }
        return worse.isEmpty ? runs : worse.map(\.run)
    }

    /// What a run measured, as a limit judges it.
    func limitSamples(of run: RunSamples) -> [Double] { Self.limitSamples(run, scale: policy.limitScale) }

    /// Where a limit at 60 Hz holds and ticks tell dropped frames, it judges the time that they took, in frames of the
    /// environment's refresh rate, rounded up; a tenth of a frame is what the intervals of displays differ by.
    private static func limitSamples(_ run: RunSamples, scale: Double?) -> [Double] {
        guard let scale else { return run.values }
        return run.samples.map { sample in
            sample.framesAtSixtyHertz.map { max(0, $0 * scale - 0.1).rounded(.up) } ?? sample.value
        }
    }

    private static func compare(
        _ candidate: MeasuredRuns?, _ entry: Reference.Entry?, _ measurement: CellMeasurement?, _ pairing: Pairing,
        _ noise: RunNoise?, terms makeTerms: @autoclosure () throws(StatsError) -> Comparison.Terms
    ) throws(StatsError) -> Comparison? {
        guard let candidate, let entry, let measurement, entry.isComparable(with: measurement) else { return nil }
        let baseline = try MeasuredRuns(entry.runs.map(\.values))
        guard baseline.pooled.count > 0 else { return nil }
        let terms = try makeTerms()
        if let paired = try paired(entry, measurement, pairing) { return try Comparison(paired, terms: terms) }
        return try Comparison(
            baseline: baseline, candidate: candidate, terms: terms,
            unshifted: try noise?.unshifted(baseline: entry.runs, candidate: measurement.runs))
    }

    /// Whether a change exceeds the tolerance at all, as `Comparison.isOpen` says it: most don't, and need no test.
    static func isOpen(
        _ entry: Reference.Entry, _ measurement: CellMeasurement, _ policy: CellPolicy, _ noise: RunNoise
    ) throws(StatsError) -> Bool {
        let unshifted =
            measurement.metric.isTime
            ? try noise.unshifted(baseline: entry.runs, candidate: measurement.runs) : nil
        return Comparison.Change(
            baseline: try MeasuredRuns(entry.runs.map(\.values)),
            candidate: try MeasuredRuns(measurement.runs.map(\.values)), unshifted,
            try terms(measurement.metric, policy, Significance(comparisons: 1), noise: nil))?.isOpen ?? false
    }

    private static func paired(
        _ entry: Reference.Entry?, _ measurement: CellMeasurement?, _ pairing: Pairing
    ) throws(StatsError) -> PairedRuns? {
        guard let entry, let measurement else { return nil }
        return try pairing.paired(candidate: measurement.runs, reference: entry.runs)
    }

    private static func terms(
        _ metric: Metric, _ policy: CellPolicy, _ significance: Significance, noise: Comparison.KnownNoise?
    ) throws(StatsError) -> Comparison.Terms {
        Comparison.Terms(
            tolerance: try Tolerance(relative: policy.tolerance.value, absolute: policy.minChange.value),
            centre: metric.centre,
            better: metric.better == .lower ? .lower : .higher, significance: significance,
            limit: policy.shareBound, noise: noise)
    }
}

/// Which runs of candidate and reference were measured in turn, as their logs say it by the same `pair`.
package struct Pairing: Sendable, Hashable {
    /// The candidate's pairs by the identifier of the run; a run that belongs to none is absent.
    package var candidate: [String: String]
    /// The reference's, likewise.
    package var reference: [String: String]

    /// Makes a pairing of its parts.
    package init(candidate: [String: String] = [:], reference: [String: String] = [:]) {
        self.candidate = candidate
        self.reference = reference
    }

    /// The pairs that runs say they belong to.
    package static func pairs(of runs: [Run]) -> [String: String] {
        runs.reduce(into: [:]) { pairs, run in pairs[run.id] = run.pair }
    }

    /// The samples of a cell pair by pair; `nil` where they are not to be compared so.
    ///
    /// Every run with a sample, of either side, needs a partner. One without would have to be left out, and perfgate
    /// leaves no measurement out: then all samples are compared together, which is never wrong, only less sharp.
    func paired(candidate: [RunSamples], reference: [RunSamples]) throws(StatsError) -> PairedRuns? {
        guard let ours = Self.grouped(candidate, by: self.candidate),
            let theirs = Self.grouped(reference, by: self.reference), !ours.isEmpty, ours.keys == theirs.keys
        else { return nil }
        let names = ours.keys.sorted { $0.precedesInUTF8($1) }
        return try PairedRuns(
            names.map { PairedRuns.Pair(baseline: theirs[$0] ?? [], candidate: ours[$0] ?? []) })
    }

    /// The values by pair, run by run; `nil` where a run with samples belongs to none.
    private static func grouped(_ runs: [RunSamples], by pairs: [String: String]) -> [String: [[Double]]]? {
        var grouped: [String: [[Double]]] = [:]
        for run in runs where !run.samples.isEmpty {
            guard let pair = pairs[run.run] else { return nil }
            grouped[pair, default: []].append(run.values)
        }
        return grouped
    }
}

/// What a candidate is compared with: the baseline's cells, or those of another set of logs.
package struct Reference: Sendable, Hashable {
    /// One cell of a reference.
    package struct Entry: Sendable, Hashable {
        /// The metric with its unit and direction.
        package var metric: Metric
        /// How its frames were counted.
        package var counting: Counting
        /// The formula's version.
        package var formula: String
        /// The samples by run, oldest run first.
        package var runs: [RunSamples]
        /// The limit that is stored with it, in the metric's unit; `nil`: none.
        package var limit: Setting<Limit>?
        /// The noise of its earlier epoch; `nil` where there was none, or where it isn't known.
        package var earlier: Noise?

        /// Makes an entry of its parts.
        package init(
            metric: Metric, counting: Counting = .exact, formula: String = "1", runs: [RunSamples],
            limit: Setting<Limit>? = nil
        ) {
            self.limit = limit
            self.metric = metric
            self.counting = counting
            self.formula = formula
            self.runs = runs
        }

        /// Whether it is nothing but a limit, so that nothing can be compared with it.
        package var isLimitOnly: Bool { limit != nil && runs.allSatisfy(\.samples.isEmpty) }

        /// The limit as it holds for values of a metric: only where they are of the same unit and direction.
        package func limit(of metric: Metric) -> Setting<Limit>? {
            metric.unit == self.metric.unit && metric.better == self.metric.better ? limit : nil
        }

        /// Whether values of a measurement may be compared with this entry's.
        package func isComparable(with measurement: CellMeasurement) -> Bool {
            formula == measurement.formula && counting == measurement.counting
                && metric.unit == measurement.metric.unit && metric.better == measurement.metric.better
        }
    }

    /// The cells.
    package var cells: [Cell: Entry]
    /// The runs by environment, oldest first.
    package var runs: [Environment: [EnvironmentSummary.BaselineRun]]
    /// How much each run measured of a page, where that is known.
    package var measured: [PageInEnvironment: [String: MeasuredCounts]] = [:]
    /// The pairs of the runs that were measured in turn with the candidate's, by the identifier of the run.
    package var pairs: [String: String] = [:]

    /// Makes a reference of its parts.
    package init(cells: [Cell: Entry] = [:], runs: [Environment: [EnvironmentSummary.BaselineRun]] = [:]) {
        self.cells = cells
        self.runs = runs
    }

    /// Takes measurements as the reference, as `perfgate compare` does; without quantiles, which have no samples.
    package init(_ measurements: Measurements, key: EnvironmentKey) {
        let measurements = measurements.withoutQuantiles
        cells = measurements.cells.mapValues {
            Entry(metric: $0.metric, counting: $0.counting, formula: $0.formula, runs: $0.runs)
        }
        runs = [:]
        measured = measurements.pages.mapValues(\.counts)
        pairs = Pairing.pairs(of: measurements.runs)
        for run in measurements.runs {
            let summary = EnvironmentSummary.BaselineRun(id: run.id, commit: run.commit, startedAt: run.startedAt)
            runs[key.environment(of: run.context), default: []].append(summary)
        }
    }

    /// The environments that it knows, sorted.
    package var environments: [Environment] { Set(cells.keys.map(\.environment)).sorted() }
}
