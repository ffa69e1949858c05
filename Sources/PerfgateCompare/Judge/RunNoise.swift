import LibC
import PerfgateModel
import PerfgateStats

/// What the times of an environment have in common: the shifts of its runs as a whole, and the noise of a time.
package struct RunNoise: Sendable {
    /// Shifts in logarithms, by run.
    package typealias Shifts = [String: Double]

    package struct Time: Sendable {
        package let cell: Cell, entry: Reference.Entry, measurement: CellMeasurement?, minChange: Double

        package init(cell: Cell, entry: Reference.Entry, measurement: CellMeasurement?, minChange: Double) {
            (self.cell, self.entry, self.measurement, self.minChange) = (cell, entry, measurement, minChange)
        }
    }

    package let spread: ShiftSpread?
    /// The shifts of the baseline's runs from the usual; without runs that share too few times.
    package let baselineShifts: Shifts
    /// f of the candidate's runs relative to the baseline, from which the subtracted shift follows.
    package private(set) var candidateShifts: Shifts
    /// The same for judging all pages, including reruns of almost only suspects if they measured all pages.
    package private(set) var wholeShifts: Shifts
    /// The candidate's first runs, which aren't reruns, sorted.
    package let firstRuns: [String]
    package let common: CommonNoise
    /// How often times take far longer than usual; `nil` if no time can be tested.
    private let slow: SlowShares?
    private let slowTimes: [Cell: SlowShares.Time]
    /// τ of times whose runs differ, or jump, more than the common τ explains.
    private var ownBetweenRuns: [Cell: Double] = [:]
    private let held: HeldTimes, baselines: [Cell: MeasuredRuns], settled: [SettledTime], times: [Time]
    /// ln(median C / median B) in the first look by page, the worst of its times.
    private let ratios: [Page: Double]
    private struct SettledTime: Sendable { let cell: Cell, median: Double }

    package init(_ times: [Time], runs: Set<String>) throws(StatsError) {
        let times = times.sorted { $0.cell < $1.cell }
        firstRuns = runs.sorted { $0.precedesInUTF8($1) }
        held = HeldTimes(times)
        let known = BaselineMedians(times, held.often)
        baselineShifts = known.shifts
        spread = known.spread
        self.times = times
        var settled: [SettledTime] = []
        var baselines: [MeasuredRuns] = []
        var usual: [Noise.Series] = []
        for time in times {
            let baseline = try Self.measured(time.entry.runs, without: baselineShifts)
            baselines.append(baseline)
            let runs = time.entry.runs.filter { !known.changed.contains($0.run) }
            usual.append(
                Noise.Series(
                    runs.count < time.entry.runs.count ? try Self.measured(runs, without: baselineShifts) : baseline,
                    logMedians: try Self.logMedians(runs, without: baselineShifts)))
            guard let median = baseline.pooled.median, median > time.minChange, median > 0 else { continue }
            settled.append(SettledTime(cell: time.cell, median: median))
        }
        self.settled = settled
        let measured = Dictionary(times.map { ($0.cell, $0.measurement) }) { first, _ in first }
        var shifts: Shifts = [:]
        if spread != nil { for run in runs { shifts[run] = Self.shift(of: run, over: settled, measured) } }
        (candidateShifts, wholeShifts) = (shifts, shifts)
        ratios = settled.reduce(into: [:]) { ratios, time in
            let first = measured[time.cell]??.runs.filter { runs.contains($0.run) } ?? []
            guard let median = first.flatMap(\.values).median, median > 0 else { return }
            ratios[time.cell.page] = max(ratios[time.cell.page] ?? -.infinity, log(median / time.median))
        }
        var looks: [CommonNoise.Time] = []
        for (time, baseline) in zip(times, usual) {
            let first = time.measurement?.runs.filter { runs.contains($0.run) && !$0.samples.isEmpty } ?? []
            let taken = Dictionary(first.map { ($0.run, shifts[$0.run] ?? 0) }) { first, _ in first }
            looks.append(
                CommonNoise.Time(
                    baseline: baseline, candidate: first.isEmpty ? nil : try Self.measured(first, without: taken),
                    least: time.minChange))
        }
        common = CommonNoise(looks, isShifted: runs.isEmpty ? spread != nil : !shifts.isEmpty)
        let all = zip(times, baselines).map { time, baseline in
            (cell: time.cell, time: (baseline: baseline, least: time.minChange))
        }
        slow = SlowShares(all.map(\.time))
        slowTimes = all.reduce(into: [:]) { if SlowShares.isTested($1.time) { $0[$1.cell] = $1.time } }
        self.baselines = Dictionary(zip(times.map(\.cell), baselines)) { first, _ in first }
        for (time, baseline) in zip(times, usual) {
            ownBetweenRuns[time.cell] = try ownBetweenRuns(of: time.cell, time.entry, baseline)
        }
    }

    /// A time's own τ, if its runs differ or jump more than the common τ explains; `baseline` lacks changed runs.
    private func ownBetweenRuns(
        of cell: Cell, _ entry: Reference.Entry, _ baseline: Noise.Series
    ) throws(StatsError) -> Double? {
        let isSettled = baseline.count >= Design.settledBaselineRuns
        guard let beside = isSettled ? common.settledBetweenRuns : young(entry).betweenRuns else { return nil }
        let moving = try Noise.movingBetweenRuns(
            self.logMedians(series(of: cell, entry)), after: entry.jumps, beside: beside,
            sampling: Noise.sampling(
                of: Self.measured(entry.stored, without: [:]).runs, least: entry.earlier?.withinRun ?? 0))
        let spread = isSettled ? Noise.ownBetweenRuns(of: baseline, beside: beside) : nil
        return [moving, spread].compactMap(\.self).max()
    }

    /// A time's runs, settled and held, that show whether it jumps; without nights in which most other pages got worse.
    func series(of cell: Cell, _ entry: Reference.Entry) -> [RunSamples] {
        entry.stored.filter { !held.includesMost(of: $0.run, besides: cell.page) }
    }

    /// The ln medians of runs without their shifts; without runs whose median isn't above 0.
    package func logMedians(_ runs: [RunSamples]) throws(StatsError) -> [Double] {
        try Self.logMedians(runs, without: baselineShifts)
    }

    private static func logMedians(_ runs: [RunSamples], without shifts: Shifts) throws(StatsError) -> [Double] {
        var logs: [Double] = []
        for run in runs {
            guard let median = try SortedSamples(Array(run.values)).median, median > 0 else { continue }
            logs.append(log(median) - (shifts[run.run] ?? 0))
        }
        return logs
    }

    /// The jump of a time from each run to the next one, by the earlier run: |Δ ln median| without their shifts.
    func jumps(of cell: Cell, _ entry: Reference.Entry) throws(StatsError) -> [String: Double] {
        let series = try series(of: cell, entry).map { run throws(StatsError) in
            (run: run.run, log: try logMedians([run]).first)
        }
        return zip(series, series.dropFirst()).reduce(into: [:]) { jumps, pair in
            guard let before = pair.0.log, let after = pair.1.log else { return }
            jumps[pair.0.run] = (10_000 * abs(after - before)).rounded() / 10_000
        }
    }

    /// τ of the times together without some runs; `nil` if no time has enough others.
    func betweenRuns(without runs: Set<String>) throws(StatsError) -> Double? {
        let others = try times.map { time throws(StatsError) in
            let others = time.entry.runs.filter { !runs.contains($0.run) }
            return Noise.Series(try Self.measured(others, without: baselineShifts), logMedians: try logMedians(others))
        }
        return Noise.betweenRuns(of: others.filter { $0.count >= Design.settledBaselineRuns })
    }

    private func young(_ entry: Reference.Entry) -> NoiseTest.Terms {
        entry.earlier.map(NoiseTest.Terms.init(earlier:)) ?? common.young
    }

    /// Adds reruns. Their shifts come only from pages without suspects: their changes would hide what the rerun is for.
    package mutating func take(reruns: Set<String>, of times: [Time], suspects: Set<Page>) {
        guard spread != nil else { return }
        let measured = Dictionary(times.map { ($0.cell, $0.measurement) }) { first, _ in first }
        let anchors = settled.filter { !suspects.contains($0.cell.page) }
        for run in reruns {
            let shift = Self.shift(of: run, over: anchors, measured)
            candidateShifts[run] = shift
            let isWhole = settled.allSatisfy { time in
                measured[time.cell]??.runs.contains { $0.run == run && !$0.samples.isEmpty } ?? false
            }
            wholeShifts[run] = shift ?? (isWhole ? Self.shift(of: run, over: settled, measured) : nil)
        }
    }

    /// f of a run over some times; `nil` with too few.
    private static func shift(of run: String, over times: [SettledTime], _ cells: [Cell: CellMeasurement?]) -> Double? {
        var ratios: [Double] = []
        var pages: Set<Page> = []
        for time in times {
            guard let samples = cells[time.cell]??.runs.first(where: { $0.run == run }),
                let median = samples.values.median, median > 0
            else { continue }
            ratios.append(log(median / time.median))
            pages.insert(time.cell.page)
        }
        return RunShift.areEnough(ratios.count, pages: pages.count) ? RunShift.shorth(ratios) : nil
    }

    private static func measured(_ runs: [RunSamples], without shifts: Shifts) throws(StatsError) -> MeasuredRuns {
        try MeasuredRuns(
            runs.map { run in
                guard let taken = shifts[run.run], taken != 0 else { return run.values }
                let factor = exp(taken)
                return run.values.map { $0 / factor }[...]
            })
    }
}

extension RunNoise {
    func pages(slower: Bool) -> [Page] {
        ratios.map { (page: $0, ratio: slower ? $1 : 0 - $1) }
            .sorted { ($1.ratio, $0.page) < ($0.ratio, $1.page) }.map(\.page)
    }

    /// The shift to subtract from a run, in logarithms; `nil`: unknown. All of it would hide a change of most pages.
    package func taken(from run: String, asking direction: ShiftSpread.Direction = .worse) -> Double? {
        (candidateShifts[run] ?? baselineShifts[run]).flatMap { spread?.taken($0, asking: direction) }
    }

    /// The samples of a time without the shifts of their runs; `nil` if no shift is subtracted.
    package func unshifted(
        _ cell: Cell, baseline: [RunSamples], candidate: [RunSamples]
    ) throws(StatsError) -> Comparison.Unshifted? {
        func taken(_ direction: ShiftSpread.Direction) -> Shifts {
            candidate.reduce(into: [:]) { $0[$1.run] = self.taken(from: $1.run, asking: direction) }
        }
        let (worse, improved) = (taken(.worse), taken(.improved))
        guard !worse.isEmpty || baseline.contains(where: { baselineShifts[$0.run] != nil }) else { return nil }
        let unshifted = try Self.measured(candidate, without: worse)
        let known =
            if let known = baselines[cell] { known } else { try Self.measured(baseline, without: baselineShifts) }
        return Comparison.Unshifted(
            baseline: known, worse: unshifted,
            improved: worse == improved ? unshifted : try Self.measured(candidate, without: improved))
    }

    package func testsShares(of cell: Cell) -> Bool { slowTimes[cell] != nil }

    /// The shares of a candidate's samples that take far longer than usual, without the shifts of their runs.
    func slowShares(of cell: Cell, _ candidate: [RunSamples]) throws(StatsError) -> [SlowShare] {
        guard let slow, let time = slowTimes[cell] else { return [] }
        let taken: [String: Double] = candidate.reduce(into: [:]) { $0[$1.run] = self.taken(from: $1.run) }
        let isFirst: (RunSamples) -> Bool = { firstRuns.isEmpty || firstRuns.contains($0.run) }
        return slow.tests(
            time, first: try Self.measured(candidate.filter(isFirst), without: taken).runs,
            again: try Self.measured(candidate.filter { !isFirst($0) }, without: taken).runs)
    }

    /// The noise that an epoch passes on to the next: a time's variation within runs, and its own τ, else the τ of all
    /// settled times. Three or four runs mix levels as easily as they show noise, so their τ is at most that of an unknown
    /// time. An epoch with fewer passes on what it received; `nil`: nothing.
    package func earlier(_ cell: Cell, _ entry: Reference.Entry) throws(StatsError) -> Noise? {
        let epoch = try unshifted(entry)
        let own = Noise(epoch)
        guard let between = own.betweenRuns else { return entry.earlier }
        let few = min(between, NoiseTest.Terms.unshiftedBetweenRuns)
        return Noise(withinRun: own.withinRun, betweenRuns: ownBetweenRuns[cell] ?? common.settledBetweenRuns ?? few)
    }

    package func unshifted(_ entry: Reference.Entry) throws(StatsError) -> MeasuredRuns {
        try Self.measured(entry.runs, without: baselineShifts)
    }

    /// The known noise of a time. It has its own τ if its runs differ or jump more than the common τ explains.
    package func noise(of cell: Cell, _ entry: Reference.Entry) -> Comparison.KnownNoise {
        Comparison.KnownNoise(
            settledBetweenRuns: common.settledBetweenRuns, own: ownBetweenRuns[cell], young: young(entry))
    }
}

private struct BaselineMedians {
    let shifts: [String: Double], spread: ShiftSpread?
    /// The runs in which most pages changed.
    let changed: Set<String>

    /// - Parameter held: Runs that are held for many of their times.
    init(_ times: [RunNoise.Time], _ held: Set<String>) {
        var indices: [String: Int] = [:]
        let stored = Set(times.flatMap { $0.entry.stored.map(\.run) })
        for run in stored.sorted(by: { $0.precedesInUTF8($1) }) { indices[run] = indices.count }
        var logs = Array(repeating: [Double?](repeating: nil, count: times.count), count: indices.count)
        var pages: [Page: Int] = [:]
        let pageOf = times.map { time in
            pages[time.cell.page] = pages[time.cell.page] ?? pages.count
            return pages[time.cell.page] ?? 0
        }
        for (position, time) in times.enumerated() {
            for run in time.entry.stored {
                guard let index = indices[run.run], let median = run.values.median, median > time.minChange, median > 0
                else { continue }
                logs[index][position] = log(median)
            }
        }
        func areEnough(_ positions: [Int]) -> Bool {
            RunShift.areEnough(positions.count, pages: Set(positions.map { pageOf[$0] }).count)
        }
        var between: [Double?] = []
        for first in 0..<logs.count {
            for second in (first + 1)..<max(logs.count, first + 1) {
                let shared = times.indices.filter { logs[first][$0] != nil && logs[second][$0] != nil }
                let ratios = shared.map { (logs[first][$0] ?? 0) - (logs[second][$0] ?? 0) }
                between.append(areEnough(shared) ? RunShift.shorth(ratios) : nil)
            }
        }
        func shifts(without changed: Set<String>) -> [String: Double] {
            let usual = indices.reduce(into: Array(repeating: false, count: logs.count)) { usual, run in
                usual[run.value] = !changed.contains(run.key)
            }
            let found = RunShift.shifts(of: logs.count, isUsual: { usual[$0] }) { first, second in
                between[first * logs.count - first * (first + 1) / 2 + second - first - 1]
            }
            return indices.compactMapValues { found[$0] }
        }
        let all = shifts(without: held)
        changed = held.union(ShiftSpread.unusual(all.filter { !held.contains($0.key) }))
        let known = changed == held ? all : shifts(without: changed)
        let usual = Set(indices.keys).subtracting(changed)
        let settled = known.filter { usual.contains($0.key) }
        let only = usual.count == 1 ? usual.first.flatMap { indices[$0] } : nil
        let alone = only.map { only in areEnough(times.indices.filter { logs[only][$0] != nil }) } ?? false
        let spread = alone ? ShiftSpread([0]) : settled.isEmpty ? nil : ShiftSpread(Self.newest(settled, of: times))
        self.spread = spread
        let changed = changed
        self.shifts = known.reduce(into: [:]) { shifts, run in
            shifts[run.key] = changed.contains(run.key) ? spread?.limited(run.value) ?? run.value : run.value
        }
    }

    /// The shifts of the newest runs, as many as a baseline has, sorted: runs that aren't compared may be as many again.
    private static func newest(_ shifts: [String: Double], of times: [RunNoise.Time]) -> [Double] {
        let most = times.map(\.entry.runs.count).max() ?? 0
        guard shifts.count > most else { return shifts.values.sorted() }
        var ages: [String: Int] = [:]
        for time in times {
            for (age, run) in time.entry.stored.reversed().enumerated() { ages[run.run] = max(ages[run.run] ?? 0, age) }
        }
        return shifts.sorted { ((ages[$0.key] ?? 0), $0.key) < ((ages[$1.key] ?? 0), $1.key) }.prefix(most)
            .map(\.value).sorted()
    }
}
