import LibC

extension CommitSearch {
    /// How samples become evidence.
    package enum Kind: Sendable, Hashable, Codable {
        /// Times in ms, raised to at least `least`, with σ of a run's samples in logarithms.
        case times(least: Double, withinRun: Double)
        /// Counts of frames, events, hitches or failures.
        case counts
        /// Rates, scores and lengths; larger is worse.
        case values

        package var isOfTimes: Bool { if case .times = self { true } else { false } }
    }

    package struct Run: Sendable, Hashable, Codable {
        /// Its samples of the searched metric; larger is worse.
        package var samples: [Double]
        /// The ln medians of the times of other pages, by name.
        package var times: [String: Double]

        package init(samples: [Double], times: [String: Double] = [:]) { (self.samples, self.times) = (samples, times) }
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
    package struct Found: Sendable, Hashable, Codable {
        /// The newest measured commit before the step, and the first measured one after it.
        package let good: Int, bad: Int
        /// P(the step is there), 0 to 1.
        package let probability: Double
        /// The change of a time as a fraction, with its 95 % interval; `nil` of other values.
        package var share: Double?, interval: [Double]?
        /// The mean samples before and from the step on; larger is worse.
        package var before: Double, after: Double
        package let runs: Int
        /// The change that came with others of its range, and the part gone at its end, as fractions; `nil`: unsure.
        package var other: Double?, reverted: Double?

        mutating func take(_ difference: (change: Double, error: Double)) {
            share = expm1(difference.change)
            interval = [-1.96, 1.96].map { expm1(difference.change + $0 * difference.error) }
        }
    }

    /// The runs that it probably still takes, 1 or more: for H − .5 nats with the present gain, to confirm a name, and for
    /// the levels of the ends. `nil` before both ends are measured.
    package var runsNeeded: Int? {
        guard let posterior, !isUnconfirmed, let best = posterior.next(without: excluded) else { return nil }
        let ends = kind.isOfTimes ? [range.lowerBound, range.upperBound] : []
        let levels = ends.reduce(0) { $0 + max(0, Self.runsForLevels - runs(at: $1)) }
        if isChecking { return max(1, levels) }
        if candidate != nil { return max(1, pending.count + 2 * max(0, Self.pairsToConfirm - pairs) + levels) }
        let gain = max(0.02, posterior.gain(at: best))
        let search = max(1, (posterior.entropy - 0.5) / gain)
        return Int(min(1e4, search.rounded(.up))) + 2 * Self.pairsToConfirm + levels
    }

    /// The runs that a search usually takes: 1.1 (ln N + ln 20) / I + 4, with the information I of a run at half of the
    /// mass, where runs differ by 4.5 %. I is Brännström's approximation (IEEE Trans. Inf. Theory 51 (2005) 3186).
    /// `change` is a fraction above 0.
    package static func expectedRuns(commits: Int, change: Double) -> Int {
        let information = 0.6931 * pow(1 - pow(2, -0.3073 * pow(log(1 + change) / 0.045, 1.787)), 1.1064)
        let wanted = log(Double(max(1, commits))) + log(20)
        return Int(min(1e4, (1.1 * wanted / max(1e-3, information) + 4).rounded()))
    }

    /// The probabilities of commits 1…N of the current range, by absolute position.
    package var probabilities: [(position: Int, probability: Double)] {
        guard let posterior else { return [] }
        return posterior.probabilities.indices.dropFirst().map { (range.lowerBound + $0, posterior.probabilities[$0]) }
    }

    typealias Value = (position: Int, value: Double, isStored: Bool)

    static let fewestTimes = 12

    /// The names of the times of other pages that every run measured; empty if they are too few, or aren't used.
    package var otherTimes: [String] { usesOtherPages ? Self.sharedTimes(of: fresh.map(\.run)) : [] }

    fileprivate static func sharedTimes(of runs: [Run]) -> [String] {
        let names = runs.first?.times.keys.sorted() ?? []
        let shared = names.filter { name in runs.allSatisfy { $0.times[name] != nil } }
        return shared.count >= fewestTimes ? shared : []
    }

    /// The values of runs of times: the clipped mean of ln samples, less the run's shift, the shorth of the other times
    /// against their geometric means. Stored runs count only with a shift.
    func values() -> [Value] {
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

    /// The mean of ln(max(x, least)), with `least` of a microsecond or more, clipped to the median ± 1.5 σ.
    package static func centre(_ samples: [Double], least: Double, withinRun: Double) -> Double {
        let logs = samples.map { log(max($0, least, 1e-3)) }
        guard let middle = logs.median else { return 0 }
        let reach = 1.5 * withinRun
        return logs.map { min(max($0, middle - reach), middle + reach) }.mean
    }

    /// The values of runs for a plot: of times in ms, of other values the means.
    package var plotted: [(position: Int, value: Double)] {
        if case .times = kind { return values().filter { !$0.isStored }.map { ($0.position, exp($0.value)) } }
        return fresh.map { ($0.position, $0.run.samples.mean) }
    }

    /// How much worse the bad commit is than the good one, in logarithms; `nil` before both were measured.
    package var endsDifference: Double? { difference(0, prior.commits)?.change }

    /// The same as measured, by the medians of all samples, as a fraction.
    package var rawEndsDifference: Double? {
        func median(at end: Int) -> Double { fresh.filter { $0.position == end }.flatMap(\.run.samples).median ?? 0 }
        let (good, bad) = (median(at: 0), median(at: prior.commits))
        return good > 0 && bad > 0 ? bad / good - 1 : nil
    }

    func currentPosterior() -> StepPosterior {
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
    func difference(_ low: Int, _ high: Int) -> (change: Double, error: Double)? {
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
        guard let middle = values.median else { return 0 }
        return values.map { min(max($0, middle - 2 * deviation), middle + 2 * deviation) }.mean
    }

    func foundStep(_ candidate: ClosedRange<Int>, _ mass: Double) -> Found {
        let sides = [range.lowerBound...candidate.lowerBound, candidate.upperBound...range.upperBound]
        let means = sides.map { side in fresh.filter { side.contains($0.position) }.flatMap(\.run.samples).mean }
        var found = Found(
            good: candidate.lowerBound, bad: candidate.upperBound, probability: mass, before: means[0],
            after: means[1], runs: runs(at: candidate.lowerBound) + runs(at: candidate.upperBound))
        let values = values().filter { !$0.isStored }
        let both = sides.map { side in values.filter { side.contains($0.position) }.map(\.value) }
        if kind.isOfTimes { difference(both[0], both[1]).map { found.take($0) } }
        return found
    }
}

extension StepPrior {
    /// Learns s₀ from n stored runs of the good commit, five or more: s₀² = ((n − 1) s_r² + 4·.05²)/(n + 3) and
    /// ν₀ = n + 3, with the variance s_r² of their values.
    /// - Parameter usesOtherPages: As in the search; then at least twelve times of other pages show the runs' shifts.
    package mutating func learn(
        from runs: [CommitSearch.Run], least: Double = 0, withinRun: Double = 0.07, usesOtherPages: Bool = true
    ) {
        let names = usesOtherPages ? CommitSearch.sharedTimes(of: runs) : []
        let values = CommitSearch.values(of: runs, least: least, withinRun: withinRun, names: names)
        let mean = values.reduce(0, +) / Double(max(1, values.count))
        let squares = values.reduce(4 * 0.05 * 0.05) { $0 + ($1 - mean) * ($1 - mean) }
        freedom = Double(values.count + 3)
        deviation = (squares / freedom).squareRoot()
    }
}
