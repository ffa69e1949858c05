import LibC

/// What the times of runs measured in turn have in common: the shift within each pair, and the noise of a time.
///
/// Iterations of one run aren't independent: a page's own runs differ, also within a pair. So a time is tested by its
/// log ratios of pairs, whose variance comes from all times together and from the time's own pairs (a moderated t test;
/// G. K. Smyth, Stat. Appl. Genet. Mol. Biol. 3 (2004), article 3).
package struct PairNoise: Equatable, Sendable {
    /// A time with its page, and the smallest change that matters in the samples' unit.
    package typealias Time = (page: Int, runs: PairedRuns, least: Double)

    /// f by pair: how much slower the candidate's run is than the baseline's, in logarithms; empty with too few times.
    let shifts: [String: Double]
    /// The mean shift, and its standard error.
    private let level, error: Double
    /// τ of a single run, in logarithms; above 0.
    let betweenRuns: Double
    /// How often times take far longer than usual; `nil` if no time can be tested.
    private let slow: SlowShares?
    /// σ₀², the median over the times of the variance within runs.
    let commonVariance: Double

    /// The degrees of freedom of the common variance of a time's pairs.
    private static let commonDegrees = 10
    /// The smallest τ if a common shift was subtracted and the times have two pairs or more.
    private static let leastBetweenRuns = 0.015

    package init(_ times: [Time]) {
        slow = SlowShares(times.map { (baseline: $0.runs.baseline, least: $0.least) })
        let variances = times.compactMap { WithinRun($0.runs.samplesByRun, least: $0.runs.least($0.least))?.variance }
        let assumed = NoiseTest.Terms.assumedWithinRun
        let common = variances.median ?? assumed * assumed
        commonVariance = common
        let ratios = times.map { $0.runs.ratios(least: $0.least) }
        var shifts: [String: Double] = [:]
        for pair in Set(ratios.flatMap(\.keys)) {
            let measured = times.indices.filter { ratios[$0][pair] != nil }
            guard RunShift.areEnough(measured.count, pages: Set(measured.map { times[$0].page }).count) else {
                continue
            }
            shifts[pair] = RunShift.shorth(measured.compactMap { ratios[$0][pair] })
        }
        self.shifts = shifts
        let values = shifts.values.sorted()
        let count = Double(max(1, values.count))
        level = CompensatedSum.of(values) / count
        // Both runs of a pair have a shift of their own.
        error = (2.0 / count).squareRoot() * ShiftSpread(values.map { $0 / 2.0.squareRoot() }).deviation
        guard !shifts.isEmpty else {
            betweenRuns = NoiseTest.Terms.unshiftedBetweenRuns
            return
        }
        let rests = ratios.map { $0.compactMap { pair, ratio in shifts[pair].map { ratio - $0 } }.sorted() }
        let spreads = rests.compactMap(Self.spread)
        let sampling = times.map { $0.runs.sampling(common, least: $0.least) }.median ?? 0
        if let spread = spreads.median {
            betweenRuns = max(Self.leastBetweenRuns * Self.leastBetweenRuns, (spread - sampling) / 2).squareRoot()
        } else {
            // A single pair: the times themselves differ by their noise.
            let deviation = 1.4826 * (rests.flatMap { $0 }.map(abs).median ?? 0)
            let least = NoiseTest.Terms.shiftedBetweenRuns
            betweenRuns = max(least * least, (deviation * deviation - sampling) / 2).squareRoot()
        }
    }

    /// The variance of a time's pairs, with its median converted to its mean as in `Noise`; `nil` for a single pair.
    private static func spread(_ rests: [Double]) -> Double? {
        guard rests.count > 1 else { return nil }
        let ratio = 1 - 2 / (9 * Double(rests.count - 1))
        return squares(rests) / Double(rests.count - 1) / (ratio * ratio * ratio)
    }

    private static func squares(_ values: [Double]) -> Double {
        let mean = CompensatedSum.of(values) / Double(max(1, values.count))
        return CompensatedSum.of(values.map { ($0 - mean) * ($0 - mean) })
    }

    /// The shift of a pair that is subtracted: as between runs, at most two standard errors of the mean shift, and no
    /// mean shift beyond three that would accuse; how pairs differ from each other is always subtracted.
    func taken(_ pair: String, asking direction: ShiftSpread.Direction) -> Double {
        guard let shift = shifts[pair] else { return 0 }
        let accuses = direction == .worse ? level < 0 : level > 0
        let mean = accuses && abs(level) > 3 * error ? 0 : min(max(level, -2 * error), 2 * error)
        return shift - level + mean
    }

    /// Whether the share of slow samples of runs in turn is tested, which takes a part of the level.
    package static func testsShares(of runs: PairedRuns, least: Double) -> Bool {
        SlowShares.isTested((baseline: runs.baseline, least: least))
    }

    /// The shares of the candidate's samples that take far longer than usual.
    package func slowShares(_ runs: PairedRuns, least: Double) -> [SlowShare] {
        slow?.tests((baseline: runs.baseline, least: least), first: runs.candidate.runs, again: []) ?? []
    }

    func terms(pairs: Int) -> NoiseTest.Terms {
        NoiseTest.Terms(
            betweenRuns: betweenRuns, withinRun: commonVariance.squareRoot(), degrees: Self.commonDegrees + pairs - 1)
    }

    /// The probabilities of a mean log ratio at least as large, for the worse and for the better, if nothing changed.
    ///
    /// V = max(V₀, (10·V₀ + Σ (x − x̄)²) / (9 + k)) with V₀ = 2τ² + the sampling variance of both medians; a t test of
    /// x̄ / √(V/k) with 9 + k degrees of freedom.
    func chances(_ runs: PairedRuns, least: Double) -> (worse: Double, improved: Double) {
        let ratios = runs.ratios(least: least)
        let pairs = ratios.keys.sorted()
        let count = Double(max(1, pairs.count))
        func chance(_ direction: ShiftSpread.Direction) -> Double {
            let rests = pairs.map { (ratios[$0] ?? 0) - taken($0, asking: direction) }
            let common = 2 * betweenRuns * betweenRuns + runs.sampling(commonVariance, least: least)
            let degrees = Double(Self.commonDegrees + pairs.count - 1)
            let variance = max(common, (Double(Self.commonDegrees) * common + Self.squares(rests)) / degrees)
            let mean = CompensatedSum.of(rests) / count
            let t = mean / (variance / count).squareRoot()
            return StudentT.upperTail(direction == .worse ? t : 0 - t, freedom: degrees)
        }
        return (chance(.worse), chance(.improved))
    }
}

extension PairedRuns {
    fileprivate var samplesByRun: [SortedSamples] { baseline.runs + candidate.runs }

    fileprivate func least(_ smallestChange: Double) -> Double { NoiseTest.least(baseline, smallestChange) }

    /// d = ln(median C / median B) by pair; smaller values are raised as in the noise test.
    fileprivate func ratios(least smallestChange: Double) -> [String: Double] {
        let least = least(smallestChange)
        return strata.reduce(into: [:]) { ratios, stratum in
            guard let before = stratum.baseline.median, let after = stratum.candidate.median else { return }
            ratios[stratum.pair] = log(max(after, least)) - log(max(before, least))
        }
    }

    /// The mean sampling variance of a pair's ratio.
    fileprivate func sampling(_ common: Double, least smallestChange: Double) -> Double {
        let own = WithinRun(samplesByRun, least: least(smallestChange))
        let variances = strata.map {
            NoiseTest.sampling(
                own, common: common, NoiseTest.Terms.sharedDegrees, $0.baseline.count, $0.candidate.count)
        }
        return CompensatedSum.of(variances.sorted()) / Double(max(1, variances.count))
    }

    /// Both sides without the shifts of their pairs.
    func unshifted(_ noise: PairNoise) throws(StatsError) -> Comparison.Unshifted {
        func moved(_ direction: ShiftSpread.Direction) throws(StatsError) -> MeasuredRuns {
            try MeasuredRuns(
                strata.map { stratum in
                    let factor = exp(noise.taken(stratum.pair, asking: direction))
                    return stratum.candidate.values.map { $0 / factor }
                })
        }
        return Comparison.Unshifted(baseline: baseline, worse: try moved(.worse), improved: try moved(.improved))
    }
}
