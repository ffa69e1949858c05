import PerfgateModel

/// Repeats histories of stores with seeded random numbers, on all processors, and counts.
package struct StoreStudy: Sendable {
    let histories: Int
    /// The random seed.
    let seed: UInt64
    /// The number of pull requests without a change that each history judges, 1…60.
    let calls: Int
    /// The nights of a history.
    static let nights = 60
    static let changeNight = 20

    package init(histories: Int, seed: UInt64, calls: Int = 6) {
        self.histories = histories
        self.seed = seed
        self.calls = calls
    }

    /// Pull requests without a change, and what the store then contains.
    struct Clean: Sendable {
        /// The calls that fail in one look.
        var redAtOnce = ShareOfHistories()
        /// The calls that fail after confirmation.
        var red = ShareOfHistories()
        /// The calls that fail after confirmation by a count alone.
        var redByCount = ShareOfHistories()
        /// The calls in which one look leaves a cell inconclusive.
        var openAtOnce = ShareOfHistories()
        /// The calls with an inconclusive cell in the end.
        var open = ShareOfHistories()
        /// The times, except those of the noisy page, with fewer than 5 settled runs.
        var young = ShareOfHistories()
        /// Their settled runs.
        var runs = MeanOfHistories()
        /// Their ln(stored median / level).
        var bias = MeanOfHistories()
        /// The settled runs of the noisy page's times.
        var noisyRuns = MeanOfHistories()
        /// Their ln(stored median / level).
        var noisyBias = MeanOfHistories()
        /// The stores that tell a drift in the last night.
        var drifts = ShareOfHistories()
        /// The stores that ever told one.
        var drifted = ShareOfHistories()
    }

    /// The result of unchanged code: the last `calls` nights are each followed by a pull request.
    func clean(_ team: StoreTeam, in world: World) throws -> Clean {
        try all { trial in
            var history = StoreHistory(of: team, in: world, seed: seed, trial: trial)
            var answers: [StoreHistory.Answer] = []
            var drifts: [Bool] = []
            for night in 1...Self.nights {
                _ = try history.update(on: night)
                drifts.append(try !history.drifts().isEmpty)
                if night > Self.nights - calls { answers.append(try history.check(after: night)) }
            }
            let counts = Set(history.cells.filter { !$0.metric.isTime }.map(\.cell))
            var clean = Clean()
            clean.redAtOnce.add(answers.map { !$0.redAtOnce.isEmpty })
            clean.red.add(answers.map { !$0.red.isEmpty })
            clean.redByCount.add(answers.map { !$0.red.isEmpty && $0.red.isSubset(of: counts) })
            clean.openAtOnce.add(answers.map { !$0.openAtOnce.isEmpty })
            clean.open.add(answers.map { !$0.open.isEmpty })
            let stored = try history.cells.indices.filter { history.cells[$0].metric.isTime }
                .map { (isNoisy: history.cells[$0].isNoisy, stored: try history.stored($0)) }
            let usual = stored.filter { !$0.isNoisy }.map(\.stored)
            let noisy = stored.filter(\.isNoisy).map(\.stored)
            clean.young.add(usual.map { $0.runs < 5 })
            clean.runs.add(usual.map { Double($0.runs) })
            clean.bias.add(usual.compactMap(\.bias))
            clean.noisyRuns.add(noisy.map { Double($0.runs) })
            clean.noisyBias.add(noisy.compactMap(\.bias))
            clean.drifts.add([drifts.last == true])
            clean.drifted.add([drifts.contains(true)])
            return clean
        } joining: { all, clean in
            all.redAtOnce.join(clean.redAtOnce)
            all.red.join(clean.red)
            all.redByCount.join(clean.redByCount)
            all.openAtOnce.join(clean.openAtOnce)
            all.open.join(clean.open)
            all.young.join(clean.young)
            all.runs.join(clean.runs)
            all.bias.join(clean.bias)
            all.noisyRuns.join(clean.noisyRuns)
            all.noisyBias.join(clean.noisyBias)
            all.drifts.join(clean.drifts)
            all.drifted.join(clean.drifted)
        }
    }

    /// A cell that changed at night 20, in four parts of the nights that follow.
    struct Changed: Sendable {
        /// The nights in which `update` refuses it, by part.
        var refused = Array(repeating: ShareOfHistories(), count: Changed.parts.count)
        /// The pull requests of its changed state that fail it in one look, by part.
        var redAtOnce = Array(repeating: ShareOfHistories(), count: Changed.parts.count)
        /// The same after confirmation.
        var red = Array(repeating: ShareOfHistories(), count: Changed.parts.count)
        /// The first night in which it was refused, counted from the change.
        var firstRefusal = MeanOfHistories()
        /// The histories in which it was never refused.
        var neverRefused = ShareOfHistories()
        /// The first night in which its drift was told, counted from the change.
        var firstTold = MeanOfHistories()
        /// The histories in which no drift was told.
        var neverTold = ShareOfHistories()

        /// The nights of each part: from the change to the tenth night after it, and so on.
        static let parts = [21...30, 31...40, 41...50, 51...60]
    }

    /// The result of a change that nobody accepts.
    ///
    /// - Parameter step: A pull request follows every how many nights, 1 or more.
    func changed(
        _ team: StoreTeam, in world: World, _ event: StoreEvent, isCount: Bool = false, every step: Int = 2
    ) throws -> Changed {
        try all { trial in
            var history = StoreHistory(
                of: team, in: world, event, changesCount: isCount, seed: seed, trial: trial)
            let cell = history.cells[history.changing].cell
            var (refused, answers): ([Int: Bool], [Int: StoreHistory.Answer]) = ([:], [:])
            var told: Int?
            for night in 1...Self.nights {
                refused[night] = try history.update(on: night)
                if night >= Self.changeNight, told == nil, try history.drifts().contains(cell) { told = night }
                if night > Self.changeNight, night % step == 0 { answers[night] = try history.check(after: night) }
            }
            var changed = Changed()
            for (index, part) in Changed.parts.enumerated() {
                let judged = part.compactMap { answers[$0] }
                changed.refused[index].add(part.compactMap { refused[$0] })
                changed.redAtOnce[index].add(judged.map { $0.redAtOnce.contains(cell) })
                changed.red[index].add(judged.map { $0.red.contains(cell) })
            }
            let first = (Self.changeNight...Self.nights).first { refused[$0] == true }
            changed.firstRefusal.add(first.map { [Double($0 - Self.changeNight + 1)] } ?? [])
            changed.neverRefused.add([first == nil])
            changed.firstTold.add(told.map { [Double($0 - Self.changeNight + 1)] } ?? [])
            changed.neverTold.add([told == nil])
            return changed
        } joining: { all, changed in
            for index in Changed.parts.indices {
                all.refused[index].join(changed.refused[index])
                all.redAtOnce[index].join(changed.redAtOnce[index])
                all.red[index].join(changed.red[index])
            }
            all.firstRefusal.join(changed.firstRefusal)
            all.neverRefused.join(changed.neverRefused)
            all.firstTold.join(changed.firstTold)
            all.neverTold.join(changed.neverTold)
        }
    }

    /// The nights between an improvement and the pull request that undoes it.
    static let lags = 2...8

    /// The share of pull requests that fail the improved time after confirmation because they undo an improvement of
    /// night 20, by the number of nights that the store has measured it: 2…8.
    func undone(_ team: StoreTeam, in world: World, _ improvement: Change) throws -> [ShareOfHistories] {
        let before = Self.changeNight - 1
        return try red(
            team, in: world, .step(improvement, from: Self.changeNight),
            Change.none, after: before + Self.lags.lowerBound...before + Self.lags.upperBound)
    }

    /// The nights after the first ones, which were slower.
    static let fast = 4...9

    /// The pull requests that fail a time that is 86 % slower after confirmation, in a store whose first nights were 43 %
    /// slower, by the number of nights since: 4…9.
    func begun(_ team: StoreTeam, in world: World, slow: Int) throws -> [ShareOfHistories] {
        try red(
            team, in: world, .step(.slower(-0.3), from: slow + 1),
            .slower(0.3), after: slow + Self.fast.lowerBound...slow + Self.fast.upperBound)
    }

    /// The pull requests with a change that fail the changing cell after confirmation, by night.
    private func red(
        _ team: StoreTeam, in world: World, _ event: StoreEvent, _ change: Change, after nights: ClosedRange<Int>
    ) throws -> [ShareOfHistories] {
        try all { trial in
            var history = StoreHistory(of: team, in: world, event, seed: seed, trial: trial)
            let cell = history.cells[history.changing].cell
            var shares: [ShareOfHistories] = []
            for night in 1...nights.upperBound {
                _ = try history.update(on: night)
                guard nights.contains(night) else { continue }
                var share = ShareOfHistories()
                share.add([try history.check(after: night, change).red.contains(cell)])
                shares.append(share)
            }
            return shares
        } joining: { all, shares in
            for index in shares.indices { all[index].join(shares[index]) }
        }
    }

    /// The settled nights before a change that comes back.
    static let settled = 5...12

    /// The pull requests that fail a changed cell after confirmation in the three nights from its return on, by the
    /// number of settled nights before it was first measured: 5…12.
    func returned(_ team: StoreTeam, in world: World, _ change: Change) throws -> [ShareOfHistories] {
        try all { trial in
            try Self.settled.map { settled in
                var history = StoreHistory(
                    of: team, in: world, .returning(change, from: settled + 1), seed: seed, trial: trial)
                let cell = history.cells[history.changing].cell
                var red: [Bool] = []
                for night in 1...(settled + 5) {
                    _ = try history.update(on: night)
                    if night > settled + 2 { red.append(try history.check(after: night).red.contains(cell)) }
                }
                var share = ShareOfHistories()
                share.add(red)
                return share
            }
        } joining: { all, shares in
            for index in shares.indices { all[index].join(shares[index]) }
        }
    }

    /// The joined results of all histories.
    private func all<Result: Sendable>(
        _ history: @Sendable (Int) throws -> Result, joining join: (inout Result, Result) -> Void
    ) throws -> Result {
        let results = try Array(0..<histories).concurrentMap { try history($0) }
        var joined = results[0]
        for result in results.dropFirst() { join(&joined, result) }
        return joined
    }
}

/// The frequency of an event in trials that belong to histories: those of one history depend on each other.
struct ShareOfHistories: Sendable {
    private var tally = Tally()
    private var counts: [(hits: Double, trials: Double)] = []

    mutating func add(_ trials: [Bool]) {
        for trial in trials { tally.count(trial) }
        counts.append((Double(trials.count { $0 }), Double(trials.count)))
    }

    mutating func join(_ other: ShareOfHistories) {
        tally.join(other.tally)
        counts += other.counts
    }

    var trials: Int { tally.trials }

    /// The fraction of trials in percent with its standard error: `3.2 ± 0.4`.
    ///
    /// The error is that of a ratio of sums over histories (W. G. Cochran, Sampling Techniques, 1977, section 6.3), and
    /// at least that of independent trials.
    var text: String {
        guard tally.trials > 0 else { return "–" }
        let n = Double(counts.count)
        let squares = counts.reduce(0) { sum, count in
            let rest = count.hits - tally.share * count.trials
            return sum + rest * rest
        }
        let clustered = n > 1 ? (squares * n / (n - 1)).squareRoot() / Double(tally.trials) : 0
        let error = max(clustered, tally.standardError)
        return "\(tally.percent) ± \(Tally.decimal(100 * error))"
    }
}

/// The mean of values that belong to histories.
struct MeanOfHistories: Sendable {
    private var means: [Double] = []

    /// Adds the values of a history; without any it doesn't count.
    mutating func add(_ values: [Double]) {
        if !values.isEmpty { means.append(values.reduce(0, +) / Double(values.count)) }
    }

    mutating func join(_ other: MeanOfHistories) { means += other.means }

    /// The mean over histories, times a factor, with its standard error: `-1.3 ± 0.2`.
    func text(times factor: Double = 1) -> String {
        guard means.count > 1 else { return "–" }
        let n = Double(means.count)
        let mean = means.reduce(0, +) / n
        let squares = means.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
        let error = (squares / (n - 1) / n).squareRoot()
        let sign = mean * factor < 0 ? "−" : ""
        return "\(sign)\(Tally.decimal(abs(mean * factor))) ± \(Tally.decimal(factor * error))"
    }
}
