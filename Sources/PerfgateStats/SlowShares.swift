/// How often an environment's times take far longer than usual: the prior for whether a candidate's do so more often. A
/// median doesn't show that two of five loads take ten times as long, and one time's baseline doesn't show how rare that
/// is. So each time's rate of slow samples is shrunk towards that of all times (empirical Bayes: it is beta distributed,
/// with weights by the method of moments; J. G. Skellam, J. R. Stat. Soc. B 10 (1948) 257–261).
package struct SlowShares: Equatable, Sendable {
    private let priors: [ShareTest.Cut: Prior]
    /// The number of times; 1 or more.
    package let times: Int

    /// A time: its baseline's runs without their shifts, and the smallest change that matters, in the samples' unit.
    package typealias Time = (baseline: MeasuredRuns, least: Double)

    package static let fewestSamples = 5

    /// Takes the times of an environment; `nil` if none can be tested.
    package init?(_ times: [Time]) {
        let tested = times.filter(Self.isTested)
        guard !tested.isEmpty else { return nil }
        self.times = tested.count
        priors = ShareTest.Cut.slow.reduce(into: [:]) { priors, cut in
            let counts = tested.compactMap { time in
                Self.bound(cut, time).map { bound in time.baseline.runs.map { ShareTest.Side($0, over: bound) } }
            }
            if !counts.isEmpty { priors[cut] = Prior(counts) }
        }
    }

    /// Whether a time has enough samples, and slow ones differ by more than the smallest change that matters.
    package static func isTested(_ time: Time) -> Bool {
        time.baseline.pooled.count >= fewestSamples && ShareTest.Cut.slow.contains { bound($0, time) != nil }
    }

    private static func bound(_ cut: ShareTest.Cut, _ time: Time) -> Double? {
        guard let median = time.baseline.pooled.median, median >= 0 else { return nil }
        // Most loads of some pages take no time at all, and multiples of 0 say nothing.
        let isSmall = median <= time.least && time.least > 0
        guard let factor = cut.factor else { return isSmall ? (median + 5 * time.least).saturated : nil }
        return (factor - 1) * median > time.least ? (factor * median).saturated : nil
    }

    /// The tests of a candidate, one for each cut.
    /// - Parameter first: The candidate's runs that aren't reruns, without their shifts.
    /// - Parameter again: Its reruns.
    package func tests(_ time: Time, first: [SortedSamples], again: [SortedSamples]) -> [SlowShare] {
        guard Self.isTested(time) else { return [] }
        return ShareTest.Cut.slow.compactMap { cut in
            guard let prior = priors[cut], let bound = Self.bound(cut, time) else { return nil }
            let own = ShareTest.Side(time.baseline.pooled, over: bound)
            func test(_ runs: [SortedSamples]) -> ShareTest {
                let over = runs.reduce(0) { $0 + ShareTest.Side($1, over: bound).over }
                return ShareTest(
                    cut: cut, bound: bound, baselineOver: own.over, candidateOver: over,
                    p: over < SlowShare.fewestSuspect ? 1 : prior.chance(ofOver: over, in: runs.map(\.count), own: own))
            }
            return SlowShare(
                all: test(first + again), first: test(first), again: again.isEmpty ? nil : test(again), times: times)
        }
    }

    /// The distribution of the rate of slow samples over the times of an environment.
    struct Prior: Equatable {
        /// ρ = (Σ x + ½) / (Σ n + 1), the rate over all times; above 0.
        let rate: Double
        /// w = 1/icc − 1, the weight of the rate in samples, 10…100; icc is the correlation of a time's samples.
        let weight: Double
        /// The correlation of a run's samples within a time, 0….9; 0 with fewer than ten slow samples.
        let runCorrelation: Double
        /// The largest and the smallest weight.
        private static let correlations = (1.0 / 101)...(1.0 / 11)
        private static let largestRunCorrelation = 0.9, fewestOver = 10.0

        /// Estimates both correlations by moments from the samples of each time's runs; no time is without samples.
        init(_ times: [[ShareTest.Side]]) {
            let over = times.map { Double($0.reduce(0) { $0 + $1.over }) }
            let all = times.map { Double($0.reduce(0) { $0 + $1.all }) }
            let (sum, total) = (over.reduce(0, +), all.reduce(0, +))
            rate = (sum + 0.5) / (total + 1)
            let spread = rate * (1 - rate)
            let mean = total / Double(all.count)
            let variance = Self.variance(zip(over, all).map { $0 / $1 })
            let found = variance > 0 && mean > 1 ? (variance - spread / mean) / (spread * (1 - 1 / mean)) : 0
            weight = 1 / min(Self.correlations.upperBound, max(Self.correlations.lowerBound, found)) - 1
            runCorrelation = sum < Self.fewestOver ? 0 : Self.runCorrelation(times)
        }

        private static func variance(_ values: [Double]) -> Double {
            values.count > 1 ? values.compensatedSquares / Double(values.count - 1) : 0
        }

        /// (Σ var(shares of a time's runs) − Σ v/k) / Σ v·(1 − 1/k): v is a time's unbiased p·(1 − p), k a run's samples.
        private static func runCorrelation(_ times: [[ShareTest.Side]]) -> Double {
            var (excess, possible) = (CompensatedSum(), CompensatedSum())
            for runs in times where runs.count > 1 {
                let shares = runs.map { Double($0.over) / Double($0.all) }
                let mean = shares.reduce(0, +) / Double(shares.count)
                let count = Double(runs.reduce(0) { $0 + $1.all })
                let single = mean * (1 - mean) * count / (count - 1)
                let inverse = runs.reduce(0) { $0 + 1 / Double($1.all) } / Double(runs.count)
                excess.add(variance(shares) - single * inverse)
                possible.add(single * (1 - inverse))
            }
            guard possible.value > 0 else { return 0 }
            return min(largestRunCorrelation, max(0, excess.value / possible.value))
        }

        /// p̂ = (w·ρ + x) / (w + n), the expected rate of a time with x of n baseline samples over.
        func rate(of own: ShareTest.Side) -> Double { (weight * rate + Double(own.over)) / (weight + Double(own.all)) }

        /// P(X ≥ x) for the slow samples X of runs with these sizes: beta-binomial, or the sum of such a number for each run
        /// if samples of a run are more alike than p̂ is uncertain.
        func chance(ofOver over: Int, in runs: [Int], own: ShareTest.Side) -> Double {
            let (rate, certainty) = (rate(of: own), weight + Double(own.all))
            let ofRun = runCorrelation > 0 ? 1 / runCorrelation - 1 : .infinity
            let sizes = ofRun < certainty ? runs : [runs.reduce(0, +)]
            let strength = min(ofRun, certainty)
            let counts = sizes.map { DiscreteChances.betaBinomial($0, rate * strength, (1 - rate) * strength) }
            return DiscreteChances.sum(of: counts).chance(atLeast: over)
        }
    }
}

/// The share of a candidate's samples that take far longer than usual.
package struct SlowShare: Equatable, Sendable {
    package let all, first: ShareTest
    package let again: ShareTest?
    fileprivate let times: Int
    /// The fewest slow samples that are worth another look: a single one is an outlier.
    package static let fewestSuspect = 2
    /// The level of the reruns alone; and for telling any share of an environment, for all its times and cuts together.
    private static let again = 0.01, telling = 0.01
    /// The most cuts of one time: both multiples of its median, or the larger one and the smallest change.
    private static let mostCuts = 2

    /// Whether the first look was worth reruns, and the reruns alone, and all samples together, are significant. A bad
    /// server during a rerun alone confirms nothing.
    package func isConfirmed(_ level: Double) -> Bool {
        guard let again, isSuspect else { return false }
        return again.candidateOver >= Self.fewestSuspect && again.p <= Self.again && all.p <= level
    }

    /// Whether it is too unusual to pass in silence: p ≤ .01 divided by the number of times and cuts. Reruns without any
    /// slow sample clear it, and reruns alone don't show it.
    package var isReported: Bool {
        again?.candidateOver != 0 && first.candidateOver > 0 && all.candidateOver >= Self.fewestSuspect
            && all.p <= Self.telling / Double(Self.mostCuts * times)
    }

    /// Whether the first look is worth another one.
    package var isSuspect: Bool { first.candidateOver >= Self.fewestSuspect && first.p <= Significance.suspecting }
}
