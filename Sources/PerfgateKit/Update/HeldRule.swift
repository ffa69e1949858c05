import PerfgateBaselines
import PerfgateCompare
import PerfgateModel
import PerfgateStats

/// Which runs a baseline compares with, and which it only holds. A run that regressed is refused, and one that may have
/// regressed is in doubt: both are held, never compared with, and never get in by age. A series of held runs is judged
/// as one pool, so a change that each night hides is found, and one that was chance is let in. After a refused run, two
/// normal ones in a row end the series.
struct HeldRule {
    let judge: Judge, reference: Reference, baselines: Baselines

    private static let mostPooled = 4

    /// What looks at a run, alone and together with the open episode before it, found.
    struct Looks {
        var doubtful: Set<Cell> = []
        /// The cells that regressed only together with the episode.
        var pooled: Set<Cell> = []
        var episodes: [Cell: [String]] = [:]
    }

    /// Looks at the cells of a run whose single look was inconclusive, or that have an open episode.
    /// - Parameter regressed: The cells that regressed alone, which need no further look.
    func looks(
        at measurements: Measurements, undecided: Set<Cell>, besides regressed: Set<Cell>
    ) throws(StatsError) -> Looks {
        var looks = Looks()
        var alone: [Cell: CellMeasurement] = [:]
        for (cell, measurement) in measurements.cells {
            let episode = openEpisode(of: cell, before: measurement, in: measurements.runs)
            if !episode.isEmpty { looks.episodes[cell] = episode }
            // A single freeze passes, and mustn't become usual.
            let isAsked = !episode.isEmpty || undecided.contains(cell) || cell.metric == Metric(.droppedFrames).id
            guard !regressed.contains(cell), isAsked, let entry = reference.cells[cell],
                judge.policy.cellPolicy(of: cell, entry).isGated.value
            else { continue }
            alone[cell] = measurement
        }
        let single = try judge.looks(at: alone, beside: measurements, with: reference)
        looks.doubtful = Set(single.filter(\.value.isDoubtful).keys)
        let pools = alone.filter { single[$0.key]?.exceedsHalf ?? false }.compactMap { cell, measurement in
            looks.episodes[cell].map { (cell, pool(of: $0.suffix(Self.mostPooled), in: cell, with: measurement)) }
        }
        let together = try judge.looks(
            at: Dictionary(pools) { first, _ in first }, beside: measurements, with: reference)
        looks.pooled = Set(together.filter(\.value.isRegressed).keys)
        looks.doubtful.formUnion(together.filter(\.value.isDoubtful).keys)
        return looks
    }

    /// The standings of the runs of cells, and of the episodes before them.
    /// - Parameter refused: The cells that are refused and were measured.
    /// - Parameter unmeasured: The cells that aren't stored.
    func standings(
        of measurements: Measurements, refused: Set<Cell>, _ looks: Looks, besides unmeasured: Set<Cell>,
        isAccepted: (Cell) -> Bool
    ) -> [Cell: [String: Standing]] {
        var standings: [Cell: [String: Standing]] = [:]
        for (cell, measurement) in measurements.cells where !unmeasured.contains(cell) {
            let runs = BaselineMetric(measurement).samples.keys
            let episode = looks.episodes[cell] ?? []
            func stand(_ standing: Standing, _ ids: some Sequence<String>) {
                for id in ids { standings[cell, default: [:]][id] = standing }
            }
            if refused.contains(cell) {
                stand(.held(.refused), runs)
                if looks.pooled.contains(cell) { stand(.held(.refused), episode.suffix(Self.mostPooled)) }
            } else if isAccepted(cell) {
                stand(.settled, runs)
            } else if looks.doubtful.contains(cell) || reference.lost.contains(cell) {
                stand(.held(.doubtful), runs)
            } else {
                switch episode.last.flatMap({ baselines[cell]?.held[$0]?.why }) {
                case .refused: stand(.held(.normal), runs)
                case .normal: stand(.settled, runs + episode.suffix(1))
                case .doubtful, nil: break
                }
            }
        }
        return standings
    }

    /// The runs of the open episode before a measurement, oldest first; without the measured runs themselves.
    private func openEpisode(of cell: Cell, before measurement: CellMeasurement, in runs: [Run]) -> [String] {
        guard let file = baselines[cell.place], baselines[cell]?.held.isEmpty == false,
            let episode = file.episodes(of: cell.metric).last(where: \.isOpen)
        else { return [] }
        let measured = measurement.measuringRuns
        let starts = runs.filter { measured.contains($0.id) }.compactMap(\.start)
        return episode.runs.filter { run in
            !measured.contains(run.id) && starts.allSatisfy { run.startedAt.isEarlier(than: $0) }
        }.map(\.id)
    }

    private func pool(
        of runs: some Sequence<String>, in cell: Cell, with measurement: CellMeasurement
    ) -> CellMeasurement {
        var pool = measurement
        pool.runs = (Self.samples(of: runs, in: baselines[cell]) + measurement.runs)
            .sorted { $0.run.precedesInUTF8($1.run) }
        return pool
    }

    fileprivate static func samples(of runs: some Sequence<String>, in metric: BaselineMetric?) -> [RunSamples] {
        runs.compactMap { run in
            metric?.held[run].map { RunSamples(run: run, samples: SampleList(values: $0.samples)) }
        }
    }
}

/// What a store's own runs show after an update: episodes that were chance, and improvements that begin an epoch.
package struct StoreReview: Sendable {
    package internal(set) var released: [Cell: Int] = [:], began: [Cell: AcceptedChange] = [:]
}

extension UpdateSeries {
    /// Lets in the episodes of some pages whose pools aren't worse than noise, and begins epochs with improvements.
    mutating func review(_ places: [PageInEnvironment]) throws -> StoreReview {
        var review = StoreReview()
        var policy = terms.policy.withoutLimits
        policy.confirmation = .off
        let judge = Judge(policy: policy)
        for index in 0..<Self.mostEpisodes {
            let episodes = places.flatMap { place in
                (baselines[place]?.metrics ?? [:]).filter { !$0.value.held.isEmpty }.compactMap { id, metric in
                    baselines[place].flatMap { file -> (Cell, HeldEpisode, BaselineMetric)? in
                        let all = file.episodes(of: id)
                        return index < all.count ? (place.cell(id), all[all.count - 1 - index], metric) : nil
                    }
                }
            }
            guard !episodes.isEmpty else { break }
            let looks = try look(at: episodes.map { ($0.0, $0.1.runs, $0.2) }, judge)
            let released = episodes.filter { cell, episode, _ in
                guard let look = looks[cell] else { return false }
                return !look.exceedsTolerance
                    || look.distance <= (episode.isOpen ? PooledLook.doubtful : PooledLook.closed)
            }
            let jumps = try judge.jumps(of: Set(released.map(\.0)), in: reference())
            var standings: [PageInEnvironment: [String: [String: Standing]]] = [:]
            for position in 0..<(released.map(\.1.runs.count).max() ?? 0) {
                let runs = released.filter { position < $0.1.runs.count }.map { ($0.0, $0.1.runs[position], $0.2) }
                // What is refused alone isn't let in by others: a hot night, or a slow one beside a much faster one.
                let alone = try look(at: runs.filter { $0.2.held.count > 1 }.map { ($0.0, [$0.1], $0.2) }, judge)
                for (cell, run, _) in runs where alone[cell]?.isRegressed != true {
                    standings[cell.place, default: [:]][cell.metric, default: [:]][run.id] = .settled
                    review.released[cell, default: 0] += 1
                }
            }
            for (place, standings) in standings { try apply(standings: standings, jumps, at: place) }
        }
        try beginEpochs(at: places, judge, &review)
        return review
    }

    /// A metric has at most as many episodes as held runs.
    private static let mostEpisodes = 10

    private mutating func look(
        at pools: [(cell: Cell, runs: [BaselineRun], metric: BaselineMetric)], _ judge: Judge
    ) throws -> [Cell: PooledLook] {
        let measurements = pools.map { cell, runs, metric in
            let definition = metric.definition
            let measurement = CellMeasurement(
                metric: definition.metric(cell.metric), counting: definition.counting, formula: definition.formula,
                runs: HeldRule.samples(of: runs.map(\.id), in: metric))
            return (cell, measurement)
        }
        return try judge.looks(
            at: Dictionary(measurements) { first, _ in first }, beside: Measurements(), with: reference())
    }

    private mutating func beginEpochs(
        at places: [PageInEnvironment], _ judge: Judge, _ review: inout StoreReview
    ) throws {
        let fewest = ImprovementTest.fewestRuns(inWindow: terms.window.runs)
        let candidates = Set(
            places.flatMap { place in
                (baselines[place]?.improvableMetrics(fewest: fewest) ?? []).map { place.cell($0) }
            })
        guard !candidates.isEmpty else { return }
        let found = try judge.improvements(of: candidates, in: reference(), fewest: fewest)
        let jumps = try judge.jumps(of: Set(found.keys), in: reference())
        for (cell, found) in found {
            guard let run = baselines[cell.place]?.usualBegin(of: cell.metric, found.begin) else { continue }
            let change = AcceptedChange(
                at: run.startedAt, metric: cell.metric,
                reason: "improved by \(Int((100 * found.share).rounded())) % (automatic)", commit: run.commit,
                noise: EpochNoise(withinRun: found.noise.withinRun, betweenRuns: found.noise.betweenRuns))
            review.began[cell] = change
            try apply(epochs: [cell.metric: change], jumps, at: cell.place)
        }
    }
}

extension BaselineFile {
    /// The times whose two newest runs are clearly faster than the older ones.
    fileprivate func improvableMetrics(fewest: Int) -> [String] {
        metrics.compactMap { id, metric in
            guard metric.samples.count >= fewest + ImprovementTest.usualRuns, metric.definition.metric(id).isTime
            else { return nil }
            let all = samples(of: id)
            guard let before = all.dropLast(2).flatMap(\.values).median,
                all.suffix(2).allSatisfy({ ($0.values.median ?? .infinity) < 0.95 * before })
            else { return nil }
            return id
        }
    }

    /// The run that begins a metric's improvement, if all since measured as usual: a backend without data is fast, too.
    fileprivate func usualBegin(of metric: String, _ run: String) -> BaselineRun? {
        let all = samples(of: metric).map(\.run)
        guard let begin = all.firstIndex(where: { $0.id == run }) else { return nil }
        let old = all[..<begin].map(\.id)
        return all[begin...].allSatisfy { isUsual($0.id, beside: old) } ? all[begin] : nil
    }

    /// Whether a run's visits, scrolls, loads and failures of the page are as in other runs: at least nine tenths of their
    /// median per iteration, and no more failures than the run with the most.
    private func isUsual(_ run: String, beside others: [String]) -> Bool {
        let known = others.compactMap { measured[$0] }.filter { $0.iterations > 0 }
        guard let own = measured[run], own.iterations > 0, !known.isEmpty else { return true }
        func rate(_ counts: MeasuredCounts, _ value: Int) -> Double { Double(value) / Double(counts.iterations) }
        let amounts: [(MeasuredCounts) -> Int] =
            [{ $0.visits.loaded }, { $0.scrolls }]
            + Set(known.flatMap(\.entries.keys)).map { metric in { $0.entries[metric] ?? 0 } }
        let failures = { (counts: MeasuredCounts) in counts.visits.error + counts.visits.abandoned }
        return amounts.allSatisfy { amount in
            rate(own, amount(own)) >= 0.9 * (known.map { rate($0, amount($0)) }.median ?? 0)
        } && rate(own, failures(own)) <= (known.map { rate($0, failures($0)) }.max() ?? 0)
    }
}
