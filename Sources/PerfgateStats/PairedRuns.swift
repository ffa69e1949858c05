/// Baseline and candidate runs that were measured in turn, by pair.
package struct PairedRuns: Equatable, Sendable {
    /// The samples of one pair by run: usually one run per side.
    package typealias Pair = (name: String, baseline: [[Double]], candidate: [[Double]])

    package let baseline, candidate: MeasuredRuns
    /// The samples of each pair with samples on both sides.
    let strata: [Stratum]

    /// Takes runs by pair; `nil` if no pair has samples on both sides, or if there are more than
    /// `StratifiedMannWhitney.mostPairs` allows. Throws `StatsError.notFinite`.
    package init?(_ pairs: [Pair]) throws(StatsError) {
        baseline = try MeasuredRuns(pairs.flatMap(\.baseline))
        candidate = try MeasuredRuns(pairs.flatMap(\.candidate))
        let all = try pairs.map { pair throws(StatsError) in
            Stratum(
                pair: pair.name, baseline: try SortedSamples(pair.baseline.flatMap { $0 }),
                candidate: try SortedSamples(pair.candidate.flatMap { $0 }))
        }
        strata = all.filter { $0.baseline.count > 0 && $0.candidate.count > 0 }
        let size = strata.reduce(0) { $0 + $1.baseline.count * $1.candidate.count }
        guard size > 0, size <= StratifiedMannWhitney.mostPairs else { return nil }
    }

    package struct Stratum: Equatable, Sendable {
        /// The name of the pair; empty if there are no pairs.
        package let pair: String
        package let baseline, candidate: SortedSamples

        package init(pair: String = "", baseline: SortedSamples, candidate: SortedSamples) {
            (self.pair, self.baseline, self.candidate) = (pair, baseline, candidate)
        }
    }

    /// Whether three of four of the candidate's samples are worse than the median of their pair's baseline by more than
    /// `distance`, in the samples' unit.
    static func isMostlyWorse(_ strata: [Stratum], than distance: Double, _ better: Comparison.Better) -> Bool {
        var (worse, all) = (0, 0)
        for stratum in strata {
            guard let median = better.turned(stratum.baseline).median else { continue }
            let samples = better.turned(stratum.candidate).values
            worse += samples.count { $0 > median + distance }
            all += samples.count
        }
        return all > 0 && 4 * worse >= 3 * all
    }
}

/// The samples of one cell by run; runs without samples are dropped.
package struct MeasuredRuns: Equatable, Sendable {
    /// Each run's samples, in an order that only depends on the samples.
    package let runs: [SortedSamples]
    package let pooled: SortedSamples

    /// Takes the samples by run; throws `StatsError.notFinite` with a position counted through all runs.
    package init(_ runs: [[Double]]) throws(StatsError) { try self.init(runs.map { $0[...] }) }

    package init(_ runs: [ArraySlice<Double>]) throws(StatsError) {
        pooled = try SortedSamples(runs.flatMap { $0 })
        var sorted: [SortedSamples] = []
        for run in runs where !run.isEmpty { sorted.append(runs.count == 1 ? pooled : try SortedSamples(run)) }
        self.runs = sorted.sorted { $0.values.lexicographicallyPrecedes($1.values) }
    }
}

/// The Mann–Whitney test over several strata, such as runs measured in turn, compared only within each: the common effect
/// of a stratum can't be mistaken for a change. ΣU over strata is counted exactly by convolution (P. H. van Elteren, "On
/// the combination of independent two-sample tests of Wilcoxon", Bull. Int. Stat. Inst. 37 (1960) 351–361, unweighted).
package struct StratifiedMannWhitney: RankTest, Sendable {
    /// The samples of one stratum; an empty side is allowed and contributes nothing.
    package typealias Stratum = PairedRuns.Stratum

    /// The largest Σ n_b·n_c that is counted.
    package static let mostPairs = 10_000
    private let patterns: [TiePattern]

    /// Compares `candidate − shift`, in IEEE double, with the baseline of its own stratum.
    /// Throws `StatsError.tooLarge` if Σ n_b·n_c exceeds `mostPairs`.
    package init(_ strata: [Stratum], shift: Double = 0) throws(StatsError) {
        guard shift.isFinite else { throw .outOfRange(setting: "the shift", allowed: "a finite number") }
        let pairs = strata.reduce(0) { $0 + $1.baseline.count * $1.candidate.count }
        guard pairs <= Self.mostPairs else { throw .tooLarge(size: pairs, limit: Self.mostPairs) }
        patterns = strata.filter { $0.baseline.count > 0 && $0.candidate.count > 0 }.map {
            TiePattern(baseline: $0.baseline, candidate: $0.candidate, shift: shift)
        }
    }

    /// ΣU, in pairs; 0…Σ n_b·n_c in steps of ½.
    package var u: Double { Double(doubledU) / 2 }

    /// P(ΣU ≥ u) if both sides have the same distribution within each stratum, 0…1; exact.
    package var probabilityOfGreater: Double {
        chance(gap: 2 * pairs - doubledU) { NullCounts(groups: $0.sizes, chosen: $0.baselineCount, limit: $1) }
    }

    /// P(ΣU ≤ u) if both sides have the same distribution within each stratum, 0…1; exact.
    package var probabilityOfLess: Double {
        chance(gap: doubledU) { NullCounts(groups: $0.sizes, chosen: $0.candidateCount, limit: $1) }
    }

    /// The smallest probability that strata of these sizes can give, 0…1; 1 without strata.
    static func smallestProbability(_ strata: [Stratum]) -> Double {
        strata.reduce(1) {
            $0 * MannWhitney.smallestProbability(baseline: $1.baseline.count, candidate: $1.candidate.count)
        }
    }

    private var doubledU: Int { patterns.reduce(0) { $0 + $1.doubledU } }
    private var pairs: Int { patterns.reduce(0) { $0 + $1.baselineCount * $1.candidateCount } }

    /// The probability that the strata together are at most `gap` from the end that `question` counts from.
    private func chance(gap: Int, question: (TiePattern, Int) -> NullCounts) -> Double {
        var chances = [1.0]
        for pattern in patterns {
            let own = question(pattern, min(gap, 2 * pattern.baselineCount * pattern.candidateCount))
            chances = Self.convolve(chances, own, limit: gap)
        }
        return min(1, chances.reduce(0, +))
    }

    /// k = #{u : P(ΣU ≤ u) ≤ alpha} for strata of these sizes without ties, with alpha of 0…½, as in `OrderQuantile`.
    static func rank(sizes: [(Int, Int)], alpha: Double) -> Int {
        var (chances, below) = ([1.0], 0.0)
        let half = sizes.reduce(0) { $0 + $1.0 * $1.1 }
        for (n, m) in sizes {
            let question = NullCounts(groups: Array(repeating: 1, count: n + m), chosen: m, limit: min(half, 2 * n * m))
            chances = convolve(chances, question, limit: half)
        }
        let first = stride(from: 0, to: chances.count, by: 2).first { index in
            below += chances[index]
            return below > alpha
        }
        return (first ?? half) / 2
    }

    private static func convolve(_ chances: [Double], _ stratum: NullCounts, limit: Int) -> [Double] {
        let all = stratum.all
        let own = stratum.counts(.unlimited) ?? []
        let length = min(limit, chances.count - 1 + (own.count - 1) * stratum.step) + 1
        var result = Array(repeating: 0.0, count: length)
        for (index, count) in own.enumerated() where count > 0 {
            let start = index * stratum.step
            for (offset, chance) in chances.prefix(length - start).enumerated() {
                result[start + offset] += chance * (count / all)
            }
        }
        return result
    }
}
