import LibC

/// The common shifts of an environment's runs: a warm device, a system update, the unit itself. In logarithms; above 0
/// is slower. Many times of many pages, measured in both of two runs, show it by the *shorth* of their log ratios, the
/// median of the shortest half (D. F. Andrews et al., *Robust Estimates of Location*, 1972): half of the pages may have
/// changed in any way that isn't common to all. A plain median would follow the changed ones, and hide them.
package enum RunShift {
    /// Whether two runs share enough times and pages to estimate the shift between them.
    package static func areEnough(_ times: Int, pages: Int) -> Bool { times >= 12 && pages >= 4 }

    /// The median of the shortest half of the values; of several shortest halves the lowest. `nil` without values.
    package static func shorth(_ values: [Double]) -> Double? { shortestHalves(values.sorted()).halves.first?.median }

    /// The shortest halves of ascending values, and their length; none without values.
    static func shortestHalves(_ sorted: [Double]) -> (halves: [ArraySlice<Double>], length: Double) {
        let half = sorted.count / 2 + 1
        let halves = (0..<max(0, sorted.count - half + 1)).map { sorted[$0..<$0 + half] }
        func length(_ half: ArraySlice<Double>) -> Double { half[half.endIndex - 1] - half[half.startIndex] }
        let shortest = halves.map(length).min() ?? 0
        return (halves.filter { length($0) == shortest }, shortest)
    }

    /// The shifts of runs from the usual, from the shifts between pairs: the mean of a run's shifts from all usual runs,
    /// including itself, so two of these meet half way. `nil` for a run that shares enough with no other.
    /// - Parameter isUsual: Whether a run counts as usual. Others, such as runs held for most of their times, move none.
    /// - Parameter between: How much slower the first run is than the second, called once per pair; `nil`: unknown.
    package static func shifts(
        of runs: Int, isUsual: (Int) -> Bool = { _ in true }, between: (Int, Int) -> Double?
    ) -> [Double?] {
        var shifts = Array(repeating: [Double](), count: runs)
        for first in 0..<runs {
            for second in (0..<runs).dropFirst(first + 1) where isUsual(first) || isUsual(second) {
                guard let shift = between(first, second) else { continue }
                if isUsual(second) { shifts[first].append(shift) }
                if isUsual(first) { shifts[second].append(0 - shift) }
            }
        }
        return shifts.enumerated().map { run, own in
            own.isEmpty ? nil : own.reduce(0, +) / Double(own.count + (isUsual(run) ? 1 : 0))
        }
    }
}

package struct ShiftSpread: Equatable, Sendable {
    /// s, the standard deviation of one run's shift in logarithms; above 0.
    package let deviation: Double
    /// R, the baseline's runs; 1 or more.
    package let runs: Int
    /// The assumption before any run is known, .03, and its weight in runs.
    private static let assumed = (deviation: 0.03, runs: 4.0)

    /// s² = (4·.03² + (R − 1)·s_g²) / (R + 3), with s_g the standard deviation of the runs' shifts.
    package init(_ shifts: [Double]) {
        runs = max(1, shifts.count)
        deviation = Self.deviation(shifts.compensatedSquares, degrees: runs - 1)
    }

    private static func deviation(_ squares: Double, degrees: Int) -> Double {
        let known = assumed.runs * assumed.deviation * assumed.deviation
        return ((known + squares) / (Double(degrees) + assumed.runs)).squareRoot()
    }

    /// The runs in which most pages changed: their shift is farther than 4·s·√(1 + 1/R) from the median shift, with s² =
    /// (4·.03² + Σ(f − median)²/c(p)) / (h + 3) over the nearest h = ⌊R/2⌋ + 1 runs. c(p) is the variance of the nearest
    /// fraction p = h/R of normal values, so such runs don't hide each other.
    package static func unusual(_ shifts: [String: Double]) -> Set<String> {
        guard shifts.count > 2, let centre = shifts.values.median else { return [] }
        let count = Double(shifts.count)
        let nearest = shifts.values.map { ($0 - centre) * ($0 - centre) }.sorted().prefix(shifts.count / 2 + 1)
        let share = Double(nearest.count) / count
        let z = -Normal.quantile((1 - share) / 2)
        let part = 1 - 2 * z * exp(-z * z / 2) / (2 * Double.pi).squareRoot() / share
        let deviation = deviation(CompensatedSum.of(nearest) / part, degrees: nearest.count - 1)
        let bound = 4 * deviation * (1 + 1 / count).squareRoot()
        return Set(shifts.filter { abs($0.value - centre) > bound }.keys)
    }

    /// The degrees of freedom of `deviation`.
    package var degrees: Int { runs + 3 }

    /// The standard error of the mean shift of this many candidate runs from the baseline: s·√(1/R + 1/S).
    package func standardError(of candidateRuns: Int) -> Double {
        deviation * (1 / Double(runs) + 1 / Double(max(1, candidateRuns))).squareRoot()
    }

    /// P(T ≥ f / SE): the probability of a mean shift at least as large if only the runs differ.
    package func chance(of shift: Double, in candidateRuns: Int) -> Double {
        StudentT.upperTail(shift / standardError(of: candidateRuns), freedom: Double(degrees))
    }

    /// The part of a run's shift f that is subtracted: f, at most two standard errors, and nothing beyond three if that
    /// would count against the candidate: then most pages changed.
    package func taken(_ shift: Double, asking direction: Direction) -> Double {
        Self.taken(shift, error: standardError(of: 1), asking: direction)
    }

    static func taken(_ shift: Double, error: Double, asking direction: Direction) -> Double {
        let accuses = direction == .worse ? shift < 0 : shift > 0
        return accuses && abs(shift) > 3 * error ? 0 : limited(shift, error: error)
    }

    /// A shift, at most two standard errors: the part that runs usually differ by.
    package func limited(_ shift: Double) -> Double { Self.limited(shift, error: standardError(of: 1)) }

    private static func limited(_ shift: Double, error: Double) -> Double { min(max(shift, -2 * error), 2 * error) }

    package enum Direction: Sendable { case worse, improved }
}

/// What the times of runs measured in turn have in common: the shift within each pair, and the noise of a time. A page's
/// own runs differ, also within a pair. So a time is tested by its log ratios of pairs, whose variance comes from all
/// times and from the time's own pairs (a moderated t test; G. K. Smyth, Stat. Appl. Genet. Mol. Biol. 3 (2004) 3).
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
        let common = WithinRun.commonVariance(times.map { $0.runs.withinRun(least: $0.least) })
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
        level = values.compensatedMean
        // Both runs of a pair have a shift of their own.
        let spread = ShiftSpread(values.map { $0 / 2.0.squareRoot() })
        error = (2.0 / Double(spread.runs)).squareRoot() * spread.deviation
        guard !shifts.isEmpty else {
            betweenRuns = NoiseTest.Terms.unshiftedBetweenRuns
            return
        }
        let rests = ratios.map { $0.compactMap { pair, ratio in shifts[pair].map { ratio - $0 } }.sorted() }
        let variances = rests.filter { $0.count > 1 }.map {
            Noise.meanVariance($0.compensatedSquares, Double($0.count - 1))
        }
        // With a single pair, the times themselves differ by their noise.
        let deviation = 1.4826 * (rests.flatMap { $0 }.map(abs).median ?? 0)
        let least = variances.isEmpty ? NoiseTest.Terms.shiftedBetweenRuns : Self.leastBetweenRuns
        let sampling = times.map { $0.runs.sampling(common, least: $0.least) }.median ?? 0
        let variance = variances.median ?? deviation * deviation
        betweenRuns = max(least * least, (variance - sampling) / 2).squareRoot()
    }

    /// The shift of a pair that is subtracted: as between runs, at most two standard errors of the mean shift, and no
    /// mean shift beyond three that would accuse; how pairs differ from each other is always subtracted.
    func taken(_ pair: String, asking direction: ShiftSpread.Direction) -> Double {
        guard let shift = shifts[pair] else { return 0 }
        return shift - level + ShiftSpread.taken(level, error: error, asking: direction)
    }

    /// The shares of the candidate's samples that take far longer than usual.
    package func slowShares(_ runs: PairedRuns, least: Double) -> [SlowShare] {
        slow?.tests((baseline: runs.baseline, least: least), first: runs.candidate.runs, again: []) ?? []
    }

    func terms(pairs: Int) -> NoiseTest.Terms {
        NoiseTest.Terms(
            betweenRuns: betweenRuns, withinRun: commonVariance.squareRoot(), degrees: Self.commonDegrees + pairs - 1)
    }

    /// The probabilities of a mean log ratio at least as large, for the worse and for the better, if nothing changed. V
    /// = max(V₀, (10·V₀ + Σ (x − x̄)²) / (9 + k)) with V₀ = 2τ² + the sampling variance of both medians; a t test of x̄
    /// / √(V/k) with 9 + k degrees of freedom.
    func chances(_ runs: PairedRuns, least: Double) -> NoiseTest.Chances {
        let ratios = runs.ratios(least: least).sorted { $0.key < $1.key }
        let degrees = Double(Self.commonDegrees + ratios.count - 1)
        let common = 2 * betweenRuns * betweenRuns + runs.sampling(commonVariance, least: least)
        func chance(_ direction: ShiftSpread.Direction) -> Double {
            let rests = ratios.map { $0.value - taken($0.key, asking: direction) }
            let squares = Double(Self.commonDegrees) * common + rests.compensatedSquares
            let variance = max(common, squares / degrees)
            let t = rests.compensatedMean / (variance / Double(max(1, ratios.count))).squareRoot()
            return StudentT.upperTail(direction == .worse ? t : 0 - t, freedom: degrees)
        }
        return (chance(.worse), chance(.improved))
    }
}

extension PairedRuns {
    fileprivate func withinRun(least smallestChange: Double) -> WithinRun? {
        WithinRun(baseline.runs + candidate.runs, least: NoiseTest.least(baseline, smallestChange))
    }

    /// d = ln(median C / median B) by pair; smaller values are raised as in the noise test.
    fileprivate func ratios(least smallestChange: Double) -> [String: Double] {
        let least = NoiseTest.least(baseline, smallestChange)
        return strata.reduce(into: [:]) { ratios, stratum in
            guard let before = stratum.baseline.median, let after = stratum.candidate.median else { return }
            ratios[stratum.pair] = log(max(after, least)) - log(max(before, least))
        }
    }

    /// The mean sampling variance of a pair's ratio.
    fileprivate func sampling(_ common: Double, least smallestChange: Double) -> Double {
        let own = withinRun(least: smallestChange)
        let variances = strata.map {
            NoiseTest.sampling(
                own, common: common, NoiseTest.Terms.sharedDegrees, $0.baseline.count, $0.candidate.count)
        }
        return variances.sorted().compensatedMean
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
