import LibC
import PerfgateModel
import PerfgateStats

package struct PooledLook: Sendable {
    package let isRegressed: Bool
    /// Whether they may have regressed, and are farther off than noise usually is.
    package let isDoubtful: Bool
    /// Whether they are worse by more than half the tolerance, or all of it.
    package let exceedsHalf, exceedsTolerance: Bool
    /// z, the distance in standard errors; for everything but times the standard normal quantile of the smallest of p₀ and
    /// the probabilities of shares. It is infinite if some samples are far beyond the usual, or the screen froze: the
    /// centre, which z measures, doesn't show them.
    package let distance: Double

    /// z of one in twenty unchanged pools: from here on a run is in doubt.
    package static let doubtful = 1.645
    /// z of one in a hundred: a closed episode beyond it stays held.
    package static let closed = 2.326
    /// From this number of settled runs on, a run of anything but a time can be in doubt.
    package static let fewestSettled = 3

    init?(_ prepared: CellCase) {
        guard let comparison = prepared.comparison else { return nil }
        let decision = VerdictRule.decide(prepared)
        isRegressed = decision.verdict == .regressed
        let isPartly =
            decision.deciding.found == .told || prepared.freezes > 0
            || isRegressed && WorseStep.slowShare(of: prepared) != nil
        let chance = ([comparison.pZero] + comparison.shares.map(\.p)).min() ?? 1
        distance = isPartly ? .infinity : comparison.standardScore ?? -Normal.quantile(max(chance, 1e-300))
        let isKnown =
            isPartly || comparison.standardScore != nil || comparison.design.baselineRuns >= Self.fewestSettled
        // With a tolerance of 0 every difference is inconclusive.
        let isAsked =
            decision.detail != .noTolerance
            || CellResult.Facts.areAllWorse(
                prepared.measurement?.values ?? [], than: prepared.entry?.runs.flatMap(\.values) ?? [],
                prepared.metric.better)
        isDoubtful =
            (decision.verdict == .inconclusive && isAsked || prepared.freezes > 0) && isKnown
            && distance > Self.doubtful
        exceedsHalf = isPartly || comparison.ownWorsening > comparison.margin / 2
        exceedsTolerance = isPartly || comparison.ownWorsening > comparison.margin
    }
}

extension Judge {
    /// Looks at pools of runs, of the candidate, of stored runs, or of both, in cells that the reference has.
    /// - Parameter candidate: The measurements whose runs' shifts and noise count; empty for stored runs.
    package func looks(
        at pools: [Cell: CellMeasurement], beside candidate: Measurements, with reference: Reference
    ) throws(StatsError) -> [Cell: PooledLook] {
        guard !pools.isEmpty else { return [:] }
        let environments = Set(pools.keys.map(\.environment)).sorted()
        let comparisons = gatedCells(of: reference, in: environments).values.reduce(0, +)
        let noises = try TimesTogether(candidate, reference, policy, comparisons: comparisons).noises(in: environments)
        var looks: [Cell: PooledLook] = [:]
        for (cell, pool) in pools {
            guard let entry = reference.cells[cell] else { continue }
            looks[cell] = PooledLook(
                try CellCase(
                    cell: cell, metric: entry.metric, policy: policy.cellPolicy(of: cell, entry), confirmation: .off,
                    measurement: pool, entry: entry, comparisons: comparisons, noise: noises[cell.environment]))
        }
        return looks
    }

    /// The cells whose newest runs begin a new epoch, since they are so much faster than at least `fewest` older ones.
    package func improvements(
        of cells: Set<Cell>, in reference: Reference, fewest: Int
    ) throws(StatsError) -> [Cell: Improvement] {
        guard !cells.isEmpty else { return [:] }
        let comparisons = gatedCells(of: reference, in: reference.environments)
        return try found(in: cells, of: reference) { cell, entry, noise throws(StatsError) in
            let said = policy.cellPolicy(of: cell, entry)
            guard said.isGated.value else { return nil }
            return try noise.improvement(
                of: cell, entry, fewest: fewest,
                tolerance: try Tolerance(relative: said.tolerance.value, absolute: said.minChange.value),
                Significance(comparisons: comparisons[cell.environment] ?? 1))
        }
    }

    /// The jumps of some times from run to run, by cell and the earlier run.
    package func jumps(of cells: Set<Cell>, in reference: Reference) throws(StatsError) -> [Cell: [String: Double]] {
        try found(in: cells, of: reference) { cell, entry, noise throws(StatsError) in
            try noise.jumps(of: cell, entry)
        }
    }

    /// The noise of a reference's times, for epochs that begin with the next update; without times of too few runs.
    package func earlierNoise(of cells: Set<Cell>, in reference: Reference) throws(StatsError) -> [Cell: Noise] {
        try found(in: cells, of: reference) { cell, entry, noise throws(StatsError) in
            entry.metric.isTime ? try noise.earlier(cell, entry) : nil
        }
    }

    private func found<Value>(
        in cells: Set<Cell>, of reference: Reference,
        _ find: (Cell, Reference.Entry, RunNoise) throws(StatsError) -> Value?
    ) throws(StatsError) -> [Cell: Value] {
        guard !cells.isEmpty else { return [:] }
        let noises = try noise(of: reference)
        var found: [Cell: Value] = [:]
        for cell in cells {
            guard let entry = reference.cells[cell], let noise = noises[cell.environment] else { continue }
            found[cell] = try find(cell, entry, noise)
        }
        return found
    }

    /// The drift of a reference's gated times since their epochs began, the environments sorted, the largest first.
    /// - Parameter known: The noise of the environments to look at; `nil`: all.
    package func drift(
        in reference: Reference, _ known: [Environment: RunNoise]? = nil
    ) throws(StatsError) -> [BaselineDrift] {
        let times = reference.cells.filter { cell, entry in
            entry.anchor != nil && entry.metric.isTime && known.map { $0[cell.environment] != nil } ?? true
                && policy.cellPolicy(of: cell, entry).isGated.value
        }
        guard !times.isEmpty else { return [] }
        let noises = if let known { known } else { try noise(of: reference) }
        let comparisons = gatedCells(of: reference, in: reference.environments)
        var drifts: [BaselineDrift] = []
        for (environment, group) in Dictionary(grouping: times, by: \.key.environment) {
            drifts +=
                try noises[environment]?.drift(
                    of: group.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }, in: environment,
                    comparisons: comparisons[environment] ?? 1) ?? []
        }
        return drifts.sorted()
    }
}

package struct Improvement: Sendable {
    package let begin: String
    /// The change of the median as a fraction, above 0.
    package let share: Double
    package let noise: Noise
}

extension RunNoise {
    /// Compares the newest runs with the others; more of them if the time has noise of its own.
    fileprivate func improvement(
        of cell: Cell, _ entry: Reference.Entry, _ count: Int = ImprovementTest.usualRuns, fewest: Int,
        tolerance: Tolerance, _ significance: Significance
    ) throws(StatsError) -> Improvement? {
        let (old, newest) = (Array(entry.runs.dropLast(count)), entry.runs.suffix(count))
        guard old.count >= fewest, newest.count == count, entry.stored.suffix(count).map(\.run) == newest.map(\.run)
        else { return nil }
        func centre(_ runs: some Sequence<RunSamples>) throws(StatsError) -> Double? {
            try SortedSamples(runs.flatMap(\.values)).median
        }
        // As measured, too, the change must exceed the tolerance.
        guard let before = try centre(old), before > 0, let after = try centre(newest),
            before - after > tolerance.margin(median: before)
        else { return nil }
        let settled = try MeasuredRuns(old.map { run in run.values.map { $0 / exp(baselineShifts[run.run] ?? 0) } })
        let faster = try newest.map { run throws(StatsError) in
            let shift = baselineShifts[run.run].flatMap { spread?.taken($0, asking: .improved) } ?? 0
            return try MeasuredRuns([run.values.map { $0 / exp(shift) }])
        }
        let shared = max(try betweenRuns(without: Set(newest.map(\.run))) ?? 0, NoiseTest.Terms.shiftedBetweenRuns)
        // The held runs count, too: of a time whose high runs are held, the settled ones are the calm half.
        let series = Array(series(of: cell, entry).dropLast(count))
        let own = try [
            Noise.ownBetweenRuns(of: Noise.Series(settled, logMedians: logMedians(old)), beside: shared),
            Noise.movingBetweenRuns(
                logMedians(series), after: entry.jumps, beside: shared, sampling: Noise.sampling(of: settled.runs)),
        ].compactMap(\.self).max()
        if own != nil, count < ImprovementTest.noisyRuns {
            return try improvement(
                of: cell, entry, ImprovementTest.noisyRuns, fewest: fewest, tolerance: tolerance, significance)
        }
        let within = WithinRun(settled.runs)?.deviation ?? NoiseTest.Terms.assumedWithinRun
        let noise = ImprovementTest.noiseOfEpoch(
            old: settled, runs: faster, betweenRuns: max(shared, own ?? 0), withinRun: within, tolerance: tolerance,
            significance: significance)
        return noise.map { Improvement(begin: newest[newest.startIndex].run, share: 1 - after / before, noise: $0) }
    }

    fileprivate func drift(
        of times: [(cell: Cell, entry: Reference.Entry)], in environment: Environment, comparisons: Int
    ) throws(StatsError) -> [BaselineDrift] {
        var groups: [(cell: Cell, entry: Reference.Entry, first: [Double], newest: [Double])] = []
        for (cell, entry) in times {
            guard let first = entry.anchor else { continue }
            var newest: [Double] = []
            for run in entry.runs.suffix(DriftTest.runs) {
                if let median = try SortedSamples(Array(run.values)).median, median > 0 { newest.append(log(median)) }
            }
            guard newest.count == DriftTest.runs else { continue }
            groups.append((cell, entry, first.map { log($0) }, newest))
        }
        let changes = groups.map { DriftTest.change(first: $0.first, newest: $0.newest) }
        let all = spread.flatMap { CommonDrift(changes, spread: $0) }
        var drifts: [BaselineDrift] = []
        if let all, all.isReported {
            drifts.append(BaselineDrift(environment: environment, cell: nil, share: expm1(all.change)))
        }
        let critical = DriftTest.critical(comparisons: comparisons)
        for (cell, entry, first, newest) in groups {
            let change = DriftTest.drift(
                first: first, newest: newest, common: all?.taken ?? 0,
                betweenRuns: noise(of: cell, entry).settledBetweenRuns ?? 0,
                sampling: Noise.sampling(of: try unshifted(entry).runs), critical: critical)
            guard let change else { continue }
            drifts.append(BaselineDrift(environment: environment, cell: cell, share: expm1(change)))
        }
        return drifts
    }
}
