import PerfgateModel
import PerfgateStats

/// The input of the rule steps: one cell, its policy and both sides' samples.
package final class CellCase: Sendable {
    let cell: Cell
    package let metric: Metric
    let policy: CellPolicy, confirmation: Policy.Confirmation, expectation: Expectation
    /// How much was measured; `nil` if nothing was, or if nothing was expected.
    let attendance: Attendance?
    let measurement: CellMeasurement?, candidate: MeasuredRuns?
    /// The candidate's samples as the limit judges them; `nil` if it judges the samples themselves.
    let limitSamples: [Double]?
    let entry: Reference.Entry?
    private let reruns: Reruns
    /// The subtracted shifts of the candidate's runs, in logarithms by run; empty without any.
    let takenShifts: [String: Double]
    /// What the pairs of runs in turn show, if they are judged one by one; else `nil`.
    let turn: SequencedPairs.Turn?
    /// The numbers of the comparison; `nil` without comparable values on both sides.
    package let comparison: Comparison?

    package init(
        cell: Cell, metric: Metric, policy: CellPolicy, confirmation: Policy.Confirmation,
        expectation: Expectation? = nil, measurement: CellMeasurement?, entry: Reference.Entry?, comparisons: Int,
        comparesShares: Bool = true, pairing: Pairing = Pairing(), reruns: Reruns = Reruns(), noise: RunNoise? = nil,
        turns: PairNoise? = nil, turn: SequencedPairs.Turn? = nil
    ) throws(StatsError) {
        (self.cell, self.metric, self.policy, self.turn) = (cell, metric, policy, turn)
        (self.confirmation, self.expectation) = (confirmation, expectation ?? Expectation())
        attendance = expectation.flatMap { expectation in
            measurement.map { Attendance($0, expectation, entry, reruns, isInTurn: turn != nil) }
        }
        (self.measurement, self.entry, self.reruns) = (measurement, entry, reruns)
        let measured = try measurement.map { own throws(StatsError) in try MeasuredRuns(own.runs.map(\.values)) }
        candidate = measured.flatMap { $0.pooled.count > 0 ? $0 : nil }
        limitSamples = measurement.flatMap { measurement in
            guard policy.limitScale != nil else { return nil }
            let samples = measurement.runs.flatMap(policy.limitSamples)
            return samples == measurement.values ? nil : samples
        }
        let paired: PairedRuns? =
            if let entry, let measurement {
                try pairing.paired(candidate: measurement.runs, reference: entry.runs)
            } else { nil }
        let (noise, turns) = (metric.isTime && paired == nil ? noise : nil, metric.isTime ? turns : nil)
        takenShifts = (measurement?.runs ?? []).reduce(into: [:]) { $0[$1.run] = noise?.taken(from: $1.run) }
        let testsPairs =
            turns != nil
            && paired.map { SlowShares.isTested(($0.baseline, policy.minChange.value)) } ?? false
        let testsShares = comparesShares && (metric.unit.isCount || testsPairs || noise?.testsShares(of: cell) ?? false)
        comparison = try Self.compare(
            cell, candidate, entry, measurement, paired, noise, turns,
            terms: try Self.terms(
                metric, policy, Significance(comparisons: comparisons, comparesShares: testsShares),
                noise: entry.flatMap { noise?.noise(of: cell, $0) }))
    }

    /// S, the number of runs with samples of this cell.
    var candidateRuns: Int { candidate?.runs.count ?? 0 }

    /// Whether a run whose own centre is worse by more than the tolerance has a rerun, or any run, if no such run
    /// exists. A rerun with fewer than half of the samples clears nothing: it may have stopped at the first slow load.
    var isMeasuredAgain: Bool {
        suspectRuns.contains { run in runs.contains { reruns.isRerun($0, of: run) && isWhole($0, beside: run) } }
    }

    private func isWhole(_ again: String, beside first: String) -> Bool {
        func samples(_ run: String) -> Int { measurement?.runs.first { $0.run == run }?.samples.count ?? 0 }
        return 2 * samples(again) >= samples(first)
    }

    /// Why no rerun confirms or clears a suspect run, as a clause.
    func obstacle(to first: String) -> String {
        let small = runs.first { reruns.isRerun($0, of: first) && !isWhole($0, beside: first) }
        return small.map { "run \($0) has fewer than half of its samples" } ?? reruns.obstacle(to: first, among: runs)
    }

    var runs: [String] { (measurement?.runs ?? []).filter { !$0.samples.isEmpty }.map(\.run) }

    var suspectRuns: [String] {
        guard let comparison else { return [] }
        let worse = (measurement?.runs ?? []).filter { run in
            guard let centre = (try? SortedSamples(run.values))?.centre(metric.centre) else { return false }
            let delta = centre - comparison.baselineCentre
            return (metric.better == .lower ? delta : 0 - delta) > comparison.margin
        }
        return worse.isEmpty ? runs : worse.map(\.run)
    }

    /// The number of samples in which the screen froze. One is an outlier; tests of few samples can't show two.
    var freezes: Int { frozenRuns.reduce(0) { $0 + $1.count } }

    /// Whether a run froze, and a rerun of it too, so no rerun cleared it.
    var freezesAgain: Bool {
        let frozen = frozenRuns.map(\.run)
        return frozen.contains { run in frozen.contains { reruns.isRerun($0, of: run) } }
    }

    private var frozenRuns: [(run: String, count: Int)] {
        guard metric == Metric(.droppedFrames), let entry else { return [] }
        let bound = cell.environment.leastFreeze(beyond: entry.runs.flatMap(\.values).max() ?? 0)
        return (measurement?.runs ?? []).compactMap { run in
            let count = run.values.count { $0 >= bound }
            return count > 0 ? (run.run, count) : nil
        }
    }

    private static func compare(
        _ cell: Cell, _ candidate: MeasuredRuns?, _ entry: Reference.Entry?, _ measurement: CellMeasurement?,
        _ paired: PairedRuns?, _ noise: RunNoise?, _ turns: PairNoise?,
        terms makeTerms: @autoclosure () throws(StatsError) -> Comparison.Terms
    ) throws(StatsError) -> Comparison? {
        guard let candidate, let entry, let measurement, entry.isComparable(with: measurement) else { return nil }
        let baseline = try MeasuredRuns(entry.runs.map(\.values))
        guard baseline.pooled.count > 0 else { return nil }
        let terms = try makeTerms()
        if let paired { return try Comparison(paired, terms: terms, noise: turns) }
        return try Comparison(
            baseline: baseline, candidate: candidate, terms: terms,
            unshifted: try noise?.unshifted(cell, baseline: entry.runs, candidate: measurement.runs),
            slow: terms.significance.comparesShares ? try noise?.slowShares(of: cell, measurement.runs) ?? [] : [])
    }

    /// Whether a change exceeds the tolerance at all, as in `Comparison.isOpen`; most don't, and need no test.
    static func isOpen(
        _ cell: Cell, _ entry: Reference.Entry, _ measurement: CellMeasurement, _ policy: CellPolicy, _ noise: RunNoise
    ) throws(StatsError) -> Bool {
        let unshifted =
            measurement.metric.isTime
            ? try noise.unshifted(cell, baseline: entry.runs, candidate: measurement.runs) : nil
        return Comparison.Change(
            baseline: try MeasuredRuns(entry.runs.map(\.values)),
            candidate: try MeasuredRuns(measurement.runs.map(\.values)), unshifted,
            try terms(measurement.metric, policy, Significance(comparisons: 1), noise: nil))?.isOpen ?? false
    }

    private static func terms(
        _ metric: Metric, _ policy: CellPolicy, _ significance: Significance, noise: Comparison.KnownNoise?
    ) throws(StatsError) -> Comparison.Terms {
        Comparison.Terms(
            tolerance: try Tolerance(relative: policy.tolerance.value, absolute: policy.minChange.value),
            centre: metric.centre, better: metric.better == .lower ? .lower : .higher, significance: significance,
            limit: policy.shareBound, noise: noise)
    }
}

extension CellPolicy {
    /// If a limit at 60 Hz applies and ticks show the dropped frames, it judges their duration in frames of the
    /// environment's refresh rate, rounded up; a tenth of a frame is the usual variation of displays.
    func limitSamples(of run: RunSamples) -> [Double] {
        guard let limitScale else { return Array(run.values) }
        return run.samples.map { sample in
            sample.framesAtSixtyHertz.map { max(0, $0 * limitScale - 0.1).rounded(.up) } ?? sample.value
        }
    }
}

extension Environment {
    /// The fewest frames dropped at one instant that are a freeze: a second's, and more than twice the baseline's most.
    package func leastFreeze(beyond most: Double) -> Double { max(maxFPS ?? 60, (2 * most).nextUp) }
}

/// Which runs of a candidate are reruns of others: same build, and later.
package struct Reruns: Sendable, Hashable {
    private var runs: [String: Entry] = [:]

    private struct Entry: Sendable, Hashable { let builds: Set<Build>, start: Timestamp?, attempt: Int }

    package init(_ runs: [Run] = []) {
        for run in runs {
            let start = run.startedAt.flatMap { Timestamp($0) }
            self.runs[run.id] = Entry(builds: run.builds, start: start, attempt: run.attempt)
        }
    }

    /// Takes runs of one build in the order in which they were measured.
    package init(inOrder ids: [String]) {
        for (index, id) in ids.enumerated() { runs[id] = Entry(builds: [], start: nil, attempt: index) }
    }

    /// Whether a run is a rerun of another: by start if both have one, else by the rerun attempt that they came from.
    package func isRerun(_ run: String, of first: String) -> Bool {
        guard let later = runs[run], let earlier = runs[first], Self.areOneBuild(earlier, later) else { return false }
        if let start = earlier.start, let again = later.start { return start.isEarlier(than: again) }
        return later.attempt > earlier.attempt
    }

    /// Why no run of some is a rerun of one, as a clause.
    func obstacle(to first: String, among others: [String]) -> String {
        let known = others.filter { $0 != first }.compactMap { runs[$0] }
        guard let suspect = runs[first] else { return "it isn't known when it was measured" }
        let sameBuild = known.filter { Self.areOneBuild(suspect, $0) }
        if sameBuild.isEmpty { return "the others measured another build" }
        if suspect.start == nil { return "run \(first) doesn't say by started_at when it began" }
        return sameBuild.contains { $0.start == nil }
            ? "the others don't all say by started_at when they began" : "none of the others began later"
    }

    package func first(of all: [String]) -> Set<String> {
        Set(all.filter { run in !all.contains { isRerun(run, of: $0) } })
    }

    private static func areOneBuild(_ first: Entry, _ second: Entry) -> Bool {
        first.builds.allSatisfy { build in second.builds.allSatisfy(build.canBe) }
    }
}
