import LibC

/// The search for the first bad commit of a range: which commit to measure next, and when a name is sure enough.
///
/// Every decision is a function of the attempts so far, so a resumed search goes on as if it had never ended. Positions
/// are 0 for the good commit to N for the bad one.
package struct CommitSearch: Sendable {
    /// How samples become evidence.
    package enum Kind: Sendable, Hashable {
        /// Times in ms, raised to at least `least`, with σ of a run's samples in logarithms.
        case times(least: Double, withinRun: Double)
        /// Counts of frames, events, hitches or failures.
        case counts
        /// Rates, scores and lengths; larger is worse.
        case values
    }

    /// A usable run.
    package struct Run: Sendable, Hashable {
        /// Its samples of the searched metric; larger is worse.
        package var samples: [Double]
        /// The ln medians of the times of other pages, by name.
        package var times: [String: Double]

        package init(samples: [Double], times: [String: Double] = [:]) {
            (self.samples, self.times) = (samples, times)
        }
    }

    package enum Attempt: Sendable, Hashable {
        case measured(Int, Run)
        /// A run without evidence; `isFinal`: the command said that this commit can't be measured.
        case skipped(Int, isFinal: Bool)
        /// The command was mended: the last skips don't count.
        case resumed
    }

    package enum Stage: String, Sendable, Hashable { case ends, search, confirm, levels }

    package enum Step: Sendable, Hashable {
        case measure(Int, Stage)
        case end(End)
    }

    package enum End: Sendable, Hashable {
        /// A commit is named, or a set whose members can't be measured.
        case named
        case undecided
        /// The bad commit isn't worse.
        case nothing
        /// The good commit is worse than its stored runs by this much, in logarithms, and the bad one isn't worse still.
        case outside(Double)
        /// The command fails at every commit.
        case failing
        /// The good or the bad commit can't be measured.
        case unmeasurable(Int)
    }

    /// A step between two commits that were measured in turn.
    package struct Found: Sendable, Hashable {
        /// The newest measured commit before the step, and the first measured one after it.
        package let good: Int, bad: Int
        package let probability: Double
        /// The change in logarithms, and its standard error; of other values than times their means' difference.
        package var change: Double, error: Double
        /// The mean samples before and from the step on.
        package let before: Double, after: Double
        /// The runs of both commits.
        package let runs: Int
        /// The change between both ends of its range that came with other commits; `nil`: none is sure.
        package var other: Double?
        /// How much of it is gone at the end of its range, below 0; `nil`: nothing is sure.
        package var reverted: Double?
    }

    package let prior: StepPrior
    package let kind: Kind
    /// The relative tolerance of the metric.
    package let tolerance: Double
    /// The most attempts.
    package var mostRuns = 60
    /// Whether it goes on after a name, for a second step.
    package var findsAll = false
    /// Whether the times of other pages show how much a run differs as a whole.
    package var usesOtherPages = true
    /// How many runs longer an attempt takes at a commit that isn't built yet.
    package var buildCost = 0.0

    package private(set) var attempts: [Attempt] = []
    package private(set) var found: [Found] = []
    package private(set) var posterior: StepPosterior?
    package private(set) var step: Step
    /// The positions that can't be measured.
    package private(set) var unmeasurable: Set<Int> = []
    /// How much the good commit is worse than its stored runs, in logarithms; these then don't count.
    package private(set) var alreadySlower: Double?
    package private(set) var range: ClosedRange<Int>
    private let stored: [(position: Int, run: Run)]
    private var fresh: [(position: Int, run: Run)] = []
    private var counts: [Int: Int] = [:]
    private var skips: [Int: Int] = [:]
    private var streak: [Int] = []
    private var ranges: [ClosedRange<Int>] = []
    private var pending: [Int]
    private var stage = Stage.ends
    private var candidate: ClosedRange<Int>?
    private var pairs = 0
    private var isChecking = false

    private static let sure = 0.9, named = 0.95, least = 0.45, nothing = 0.95, doubtful = 0.3
    private static let mostSkips = 3, pairsToConfirm = 2, mostPairs = 5, leastScore = 1.5, runsForLevels = 3

    /// - Parameter stored: Earlier runs by position.
    package init(
        _ prior: StepPrior, _ kind: Kind, tolerance: Double, stored: [(position: Int, run: Run)] = []
    ) {
        (self.prior, self.kind, self.tolerance, self.stored) = (prior, kind, tolerance, stored)
        range = 0...prior.commits
        let last = prior.commits
        if case .times = kind { pending = [last, 0] } else { pending = [last, 0, 0, last] }
        step = .measure(last, .ends)
    }

    /// Adds an attempt, and decides the next step.
    package mutating func add(_ attempt: Attempt) {
        attempts.append(attempt)
        switch attempt {
        case .measured(let position, let run):
            fresh.append((position, run))
            counts[position, default: 0] += 1
            streak = []
            if pending.first == position { pending.removeFirst() }
        case .skipped(let position, let isFinal):
            skips[position, default: 0] += isFinal ? Self.mostSkips : 1
            streak.append(position)
        case .resumed:
            for position in streak { skips[position] = nil }
            streak = []
        }
        unmeasurable = Set(
            skips.filter { position, count in
                let isEnd = [0, prior.commits].contains(position)
                return counts[position] == nil && count >= (isEnd ? Self.mostSkips : Self.mostSkips - 1)
            }.keys)
        if pending.contains(where: unmeasurable.contains) { (pending, candidate) = ([], nil) }
        step = decide()
    }

    /// The runs that it probably still takes: as many as tell H − .5 nats apart, each with the present gain, and those
    /// that confirm a name and the levels of the ends; 1 or more. `nil` before both ends are measured.
    package var runsNeeded: Int? {
        guard let posterior, let best = posterior.next(without: excluded) else { return nil }
        var levels = 0
        if case .times = kind {
            levels = [range.lowerBound, range.upperBound].reduce(0) { $0 + max(0, Self.runsForLevels - runs(at: $1)) }
        }
        if isChecking { return max(1, levels) }
        if candidate != nil { return max(1, pending.count + 2 * max(0, Self.pairsToConfirm - pairs) + levels) }
        let gain = max(0.02, posterior.gain(at: best))
        let search = max(1, (posterior.entropy - 0.5) / gain)
        return Int(min(1e4, search.rounded(.up))) + 2 * Self.pairsToConfirm + levels
    }

    /// The runs that a search usually takes: 1.1 (ln N + ln 20) / I + 4, with the information I of a run at half of the
    /// mass, where runs differ by 4.5 %. I is Brännström's approximation (IEEE Trans. Inf. Theory 51 (2005) 3186).
    ///
    /// - Parameter change: The change as a fraction, above 0.
    package static func expectedRuns(commits: Int, change: Double) -> Int {
        let information = 0.6931 * pow(1 - pow(2, -0.3073 * pow(log(1 + change) / 0.045, 1.787)), 1.1064)
        let wanted = log(Double(max(1, commits))) + log(20)
        return Int(min(1e4, (1.1 * wanted / max(1e-3, information) + 4).rounded()))
    }

    /// The probabilities of commits 1…N of the current range, by absolute position.
    package var probabilities: [(position: Int, probability: Double)] {
        guard let posterior else { return [] }
        return posterior.probabilities.indices.dropFirst().map {
            (range.lowerBound + $0, posterior.probabilities[$0])
        }
    }

    /// The measured runs, and the runs at a position.
    package var measuredRuns: Int { fresh.count }
    package func runs(at position: Int) -> Int { counts[position] ?? 0 }

    private var excluded: Set<Int> { Set(unmeasurable.map { $0 - range.lowerBound }) }
}

extension CommitSearch {
    private mutating func decide() -> Step {
        let last = streak.suffix(Self.mostSkips)
        if Set(streak).count >= Self.mostSkips || last.count == Self.mostSkips && last.allSatisfy({ runs(at: $0) > 0 }) {
            return .end(.failing)
        }
        if let end = [prior.commits, 0].first(where: unmeasurable.contains) { return .end(.unmeasurable(end)) }
        let isAtLimit = attempts.count >= mostRuns
        if let position = pending.first, !isAtLimit { return .measure(position, stage) }
        guard runs(at: 0) > 0, runs(at: prior.commits) > 0 else { return .end(.undecided) }
        if isChecking { return afterName(isAtLimit) }
        if let step = checkStored() { return isAtLimit ? .end(.undecided) : step }
        let posterior = currentPosterior()
        self.posterior = posterior
        let sides = [range.upperBound, range.lowerBound]
        if posterior.probabilities[0] >= Self.nothing {
            guard let end = sides.first(where: { runs(at: $0) < 2 }) else { return ended(.nothing) }
            return isAtLimit ? ended(.undecided) : measure([end], .ends)
        }
        let named = neighbours(of: range.lowerBound + posterior.likeliest)
        let mass = posterior.mass(of: (named.lowerBound + 1 - range.lowerBound)...(named.upperBound - range.lowerBound))
        if candidate != named || mass < Self.least { candidate = nil }
        if candidate == nil, mass >= Self.sure { (candidate, pairs) = (named, 0) }
        if let candidate, pairs >= Self.pairsToConfirm {
            if mass >= Self.named, isConfirmed(candidate) {
                found.append(foundStep(candidate, mass))
                isChecking = true
                return afterName(isAtLimit)
            }
            if pairs >= Self.mostPairs { return ended(.undecided) }
        }
        guard !isAtLimit else { return ended(.undecided) }
        if let candidate {
            pairs += 1
            let turn = [candidate.lowerBound, candidate.upperBound]
            return measure(pairs % 2 == 1 ? turn : turn.reversed(), .confirm)
        }
        guard let position = choose(posterior) else { return ended(.undecided) }
        return measure([position], .search)
    }

    /// Measures these positions next. After failures at two commits a measured one shows first whether the command still
    /// works.
    private mutating func measure(_ positions: [Int], _ stage: Stage) -> Step {
        let isDoubtful = Set(streak).count > 1 && runs(at: positions[0]) == 0
        pending = (isDoubtful ? [range.upperBound] : []) + positions
        self.stage = stage
        return .measure(pending[0], stage)
    }

    /// The most informative position.
    private func choose(_ posterior: StepPosterior) -> Int? {
        // Counts say little each: first the ends must differ, or the place of a step would be sought before the step.
        if !isOfTimes, posterior.probabilities[0] > Self.doubtful {
            return runs(at: range.lowerBound) <= runs(at: range.upperBound) ? range.lowerBound : range.upperBound
        }
        let (start, cost) = (range.lowerBound, buildCost)
        return posterior.next(without: excluded) { runs(at: $0 + start) > 0 ? 1 : 1 + cost }.map { $0 + start }
    }

    private var isOfTimes: Bool { if case .times = kind { true } else { false } }

    /// The nearest measurable commits around a step before a commit.
    private func neighbours(of commit: Int) -> ClosedRange<Int> {
        var (low, high) = (commit - 1, commit)
        while low > range.lowerBound, unmeasurable.contains(low) { low -= 1 }
        while high < range.upperBound, unmeasurable.contains(high) { high += 1 }
        return low...high
    }

    private func isConfirmed(_ candidate: ClosedRange<Int>) -> Bool {
        guard case .times = kind else { return true }
        guard let (change, error) = difference(candidate.lowerBound, candidate.upperBound) else { return false }
        return change >= Self.leastScore * error
    }

    /// Ends the current range: the next one of a second step, or the whole search.
    private mutating func ended(_ end: End) -> Step {
        candidate = nil
        guard let next = ranges.first else { return .end(found.isEmpty ? end : .named) }
        ranges.removeFirst()
        range = next
        return decide()
    }

    /// After a name: the levels of the range's ends, which show whether other commits changed it too.
    private mutating func afterName(_ isAtLimit: Bool) -> Step {
        let (index, step) = (found.count - 1, found[found.count - 1])
        guard case .times = kind else {
            isChecking = false
            return ended(.named)
        }
        let end = [range.lowerBound, range.upperBound].first { runs(at: $0) < Self.runsForLevels }
        if let end, !isAtLimit { return measure([end], .levels) }
        isChecking = false
        guard end == nil else { return ended(.named) }
        let posterior = currentPosterior()
        self.posterior = posterior
        let start = range.lowerBound
        guard posterior.mass(of: (step.good + 1 - start)...(step.bad - start)) >= Self.sure else {
            found.removeLast()
            candidate = nil
            return isAtLimit ? ended(.undecided) : decide()
        }
        let parts = [(range.lowerBound, step.good), (step.bad, range.upperBound)].map { low, high in
            low == high ? (change: 0.0, error: 0.0) : difference(low, high) ?? (0, 0)
        }
        let half = log(1 + tolerance / 2)
        let rest = parts[0].change + parts[1].change
        let error = (parts[0].error * parts[0].error + parts[1].error * parts[1].error).squareRoot()
        if rest > max(half, 2 * error) { found[index].other = rest }
        if -parts[1].change >= max(half, 2 * parts[1].error) { found[index].reverted = parts[1].change }
        if found[index].other != nil || found[index].reverted != nil,
            let (change, error) = difference(step.good, step.bad)
        {
            (found[index].change, found[index].error) = (change, error)
        }
        if findsAll {
            let halves = [range.lowerBound...step.good, step.bad...range.upperBound]
            ranges += zip(halves, parts).filter { !$0.0.isEmpty && $0.0.count > 1 && $0.1.change >= half }.map(\.0)
        }
        return ended(.named)
    }

    /// What to do about a good commit that is slower than its stored runs; `nil`: go on.
    private mutating func checkStored() -> Step? {
        alreadySlower = nil
        guard case .times = kind, found.isEmpty else { return nil }
        let values = values()
        let (old, new) = (
            values.filter { $0.position == 0 && $0.isStored }, values.filter { $0.position == 0 && !$0.isStored }
        )
        guard !old.isEmpty else { return nil }
        let (before, now) = (mean(old.map(\.value)), mean(new.map(\.value)))
        let bad = mean(values.filter { $0.position == prior.commits }.map(\.value))
        guard now - before > log(1 + tolerance) else { return nil }
        for end in [0, prior.commits] where runs(at: end) < 2 { return measure([end], .ends) }
        let error = prior.deviation * (1 / Double(old.count) + 1 / Double(new.count)).squareRoot()
        guard now - before > 2 * error else { return nil }
        if bad - now < log(1 + tolerance / 2) { return .end(.outside(now - before)) }
        alreadySlower = now - before
        return nil
    }
}

// Values.
extension CommitSearch {
    private typealias Value = (position: Int, value: Double, isStored: Bool)

    private static let fewestTimes = 12

    /// The names of the times of other pages that every run measured; empty if they are too few, or aren't used.
    package var otherTimes: [String] {
        guard usesOtherPages, let first = fresh.first?.run.times else { return [] }
        let shared = first.keys.filter { name in fresh.allSatisfy { $0.run.times[name] != nil } }
        return shared.count >= Self.fewestTimes ? shared.sorted() : []
    }

    /// The values of runs of times: the clipped mean of ln samples, less the run's shift, the shorth of the other times
    /// against their geometric means. Stored runs count only with a shift.
    private func values() -> [Value] {
        guard case .times(let least, let within) = kind else { return [] }
        let names = otherTimes
        let old = names.isEmpty ? [] : stored.filter { run in names.allSatisfy { run.run.times[$0] != nil } }
        let runs = old.map { ($0.position, $0.run, true) } + fresh.map { ($0.position, $0.run, false) }
        let values = Self.values(of: runs.map(\.1), least: least, withinRun: within, names: names)
        return zip(runs, values).map { ($0.0, $1, $0.2) }
    }

    fileprivate static func values(of runs: [Run], least: Double, withinRun: Double, names: [String]) -> [Double] {
        let usual = names.map { name in runs.reduce(0) { $0 + ($1.times[name] ?? 0) } / Double(runs.count) }
        return runs.map { run in
            let shift = RunShift.shorth(zip(names, usual).map { (run.times[$0] ?? 0) - $1 }) ?? 0
            return centre(run.samples, least: least, withinRun: withinRun) - shift
        }
    }

    /// The mean of ln(max(x, least)), clipped to the median ± 1.5 σ.
    package static func centre(_ samples: [Double], least: Double, withinRun: Double) -> Double {
        let logs = samples.map { log(max($0, least)) }
        guard let middle = (try? SortedSamples(logs))?.median else { return 0 }
        let reach = 1.5 * withinRun
        return logs.reduce(0) { $0 + min(max($1, middle - reach), middle + reach) } / Double(logs.count)
    }

    /// The values of runs for a plot: of times in ms, of other values the means.
    package var plotted: [(position: Int, value: Double)] {
        if case .times = kind { return values().filter { !$0.isStored }.map { ($0.position, exp($0.value)) } }
        return fresh.map { ($0.position, mean($0.run.samples)) }
    }

    /// How much worse the bad commit is than the good one, in logarithms; `nil` before both were measured.
    package var endsDifference: Double? { difference(0, prior.commits)?.change }

    /// The same as measured, by the medians of all samples, as a fraction.
    package var rawEndsDifference: Double? {
        let sides = [0, prior.commits].map { end in
            (try? SortedSamples(fresh.filter { $0.position == end }.flatMap(\.run.samples)))?.median ?? 0
        }
        return sides[0] > 0 && sides[1] > 0 ? sides[1] / sides[0] - 1 : nil
    }

    private func currentPosterior() -> StepPosterior {
        var prior = prior
        prior.weights = Array(prior.weights[range.lowerBound..<range.upperBound])
        let start = range.lowerBound
        guard case .times = kind else {
            let runs = fresh.filter { range.contains($0.position) }
            let ends = runs.filter { [range.lowerBound, range.upperBound].contains($0.position) }
            let categories = kind == .counts ? .ofCounts : SampleCategories(of: ends.flatMap(\.run.samples))
            return StepPosterior(runs.map { ($0.position - start, $0.run.samples) }, categories, prior)
        }
        let values = values().filter { range.contains($0.position) && (alreadySlower == nil || !$0.isStored) }
        return StepPosterior(values.map { ($0.position - start, $0.value) }, prior)
    }

    /// The difference of the mean values of two positions, and its standard error; `nil` without runs.
    private func difference(_ low: Int, _ high: Int) -> (change: Double, error: Double)? {
        let values = values()
        return difference(
            values.filter { $0.position == low && (alreadySlower == nil || !$0.isStored) }.map(\.value),
            values.filter { $0.position == high }.map(\.value))
    }

    private func difference(_ low: [Double], _ high: [Double]) -> (change: Double, error: Double)? {
        guard !low.isEmpty, !high.isEmpty else { return nil }
        let deviation = posterior?.deviation ?? prior.deviation
        let error = deviation * (1 / Double(low.count) + 1 / Double(high.count)).squareRoot()
        return (clippedMean(high, deviation) - clippedMean(low, deviation), error)
    }

    private func clippedMean(_ values: [Double], _ deviation: Double) -> Double {
        guard let middle = (try? SortedSamples(values))?.median else { return 0 }
        return mean(values.map { min(max($0, middle - 2 * deviation), middle + 2 * deviation) })
    }

    private func mean(_ values: [Double]) -> Double {
        values.isEmpty ? 0 : values.reduce(0, +) / Double(values.count)
    }

    private func foundStep(_ candidate: ClosedRange<Int>, _ mass: Double) -> Found {
        let inRange = fresh.filter { range.contains($0.position) }
        let (low, high) = (
            inRange.filter { $0.position <= candidate.lowerBound },
            inRange.filter { $0.position >= candidate.upperBound }
        )
        let (before, after) = (mean(low.flatMap(\.run.samples)), mean(high.flatMap(\.run.samples)))
        var change = (change: after - before, error: 0.0)
        if case .times = kind {
            let values = values().filter { range.contains($0.position) && !$0.isStored }
            change =
                difference(
                    values.filter { $0.position <= candidate.lowerBound }.map(\.value),
                    values.filter { $0.position >= candidate.upperBound }.map(\.value)) ?? change
        }
        return Found(
            good: candidate.lowerBound, bad: candidate.upperBound, probability: mass, change: change.change,
            error: change.error, before: before, after: after,
            runs: runs(at: candidate.lowerBound) + runs(at: candidate.upperBound))
    }
}

extension StepPrior {
    /// Learns s₀ from n stored runs of the good commit, five or more: s₀² = ((n − 1) s_r² + 4·.05²)/(n + 3) and
    /// ν₀ = n + 3, with the variance s_r² of their values.
    package mutating func learn(from runs: [CommitSearch.Run], least: Double = 0, withinRun: Double = 0.07) {
        let names = Set(runs.first?.times.keys.map { $0 } ?? []).filter { name in
            runs.allSatisfy { $0.times[name] != nil }
        }
        let values = CommitSearch.values(of: runs, least: least, withinRun: withinRun, names: names.sorted())
        let mean = values.reduce(0, +) / Double(max(1, values.count))
        let squares = values.reduce(4 * 0.05 * 0.05) { $0 + ($1 - mean) * ($1 - mean) }
        freedom = Double(values.count + 3)
        deviation = (squares / freedom).squareRoot()
    }
}
