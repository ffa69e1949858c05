/// What runs of an environment differ by as a whole: a warm device, a system update, the unit itself. In logarithms,
/// above 0 is slower.
///
/// Many times of many pages, each measured in both of two runs, show it, whatever happened to some of the pages. The
/// *shorth* of their log ratios stands for it, the median of the shortest half (D. F. Andrews et al., *Robust Estimates
/// of Location*, 1972): half of the pages may have changed in any way that isn't common to all. A plain median follows
/// the changed ones, and hides them.
package enum RunShift {
    /// The fewest times that two runs must share.
    private static let fewestTimes = 12
    /// The fewest pages that these must be of.
    private static let fewestPages = 4

    /// Whether so many times of so many pages tell what two runs differ by.
    package static func areEnough(_ times: Int, pages: Int) -> Bool { times >= fewestTimes && pages >= fewestPages }

    /// The median of the shortest half of the values; of several shortest ones that of the lowest. `nil` without values.
    package static func shorth(_ values: [Double]) -> Double? {
        guard !values.isEmpty else { return nil }
        let sorted = values.sorted()
        let half = sorted.count / 2 + 1
        var (start, length) = (0, Double.infinity)
        for index in 0...(sorted.count - half) where sorted[index + half - 1] - sorted[index] < length {
            (start, length) = (index, sorted[index + half - 1] - sorted[index])
        }
        let (lower, upper) = (sorted[start + (half - 1) / 2], sorted[start + half / 2])
        return (lower + upper) / 2
    }

    /// The shifts of runs from what is usual, by the shifts between two of them: the mean of a run's shifts from all of
    /// them, itself among them, so that two runs meet half way.
    ///
    /// - Parameter between: How much slower the first run is than the second; asked of each two once, `nil` where they
    ///   share too little.
    /// - Returns: `nil` for a run that shares enough with no other.
    package static func shifts(of runs: Int, between: (Int, Int) -> Double?) -> [Double?] {
        var sums = Array(repeating: 0.0, count: runs)
        var partners = Array(repeating: 0, count: runs)
        for first in 0..<runs {
            for second in (first + 1)..<max(runs, first + 1) {
                guard let shift = between(first, second) else { continue }
                sums[first] += shift
                sums[second] -= shift
                partners[first] += 1
                partners[second] += 1
            }
        }
        return zip(sums, partners).map { sum, partners in partners == 0 ? nil : sum / Double(partners + 1) }
    }
}

/// How far runs of an environment are apart as a whole, by the runs of its baseline.
package struct ShiftSpread: Equatable, Sendable {
    /// s, the standard deviation of one run's shift in logarithms; above 0.
    package let deviation: Double
    /// R, the baseline's runs; 1 or more.
    package let runs: Int

    /// What is assumed before any run is known, .03, and how many runs that counts for.
    private static let assumed = (deviation: 0.03, runs: 4.0)

    /// s² = (4·.03² + (R − 1)·s_g²) / (R + 3), s_g being the standard deviation of the runs' shifts.
    package init(_ shifts: [Double]) {
        runs = max(1, shifts.count)
        let mean = CompensatedSum.of(shifts) / Double(runs)
        let squares = CompensatedSum.of(shifts.map { ($0 - mean) * ($0 - mean) })
        let assumed = Self.assumed.runs * Self.assumed.deviation * Self.assumed.deviation
        deviation = ((assumed + squares) / (Double(runs - 1) + Self.assumed.runs)).squareRoot()
    }

    /// How many degrees of freedom `deviation` has.
    package var degrees: Int { runs + 3 }

    /// The standard error of the mean shift of so many candidate runs from the baseline: s·√(1/R + 1/S).
    package func standardError(of candidateRuns: Int) -> Double {
        deviation * (1 / Double(runs) + 1 / Double(max(1, candidateRuns))).squareRoot()
    }

    /// P(T ≥ f / SE): the chance of a mean shift as great where nothing but the runs is different.
    package func chance(of shift: Double, in candidateRuns: Int) -> Double {
        StudentT.upperTail(shift / standardError(of: candidateRuns), freedom: Double(degrees))
    }

    /// What is taken out of a run that shifted by f: f, at most two standard errors, and nothing beyond three where that
    /// would accuse. What is so far off is no shift of the run but a change of most pages.
    ///
    /// - Parameter direction: What is asked about the run's times: whether they became worse (slower), or improved.
    package func taken(_ shift: Double, asking direction: Direction) -> Double {
        let error = standardError(of: 1)
        let accuses = direction == .worse ? shift < 0 : shift > 0
        if accuses, abs(shift) > 3 * error { return 0 }
        return min(max(shift, -2 * error), 2 * error)
    }

    /// What is asked about times.
    package enum Direction: Sendable {
        /// Whether they became slower.
        case worse
        /// Whether they became faster.
        case improved
    }
}
