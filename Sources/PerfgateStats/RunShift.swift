import LibC

/// The common shifts of an environment's runs: a warm device, a system update, the unit itself. In logarithms; above 0
/// is slower.
///
/// Many times of many pages, measured in both of two runs, show the shift even if some pages changed. It is estimated
/// by the *shorth* of their log ratios, the median of the shortest half (D. F. Andrews et al., *Robust Estimates of
/// Location*, 1972): half of the pages may have changed in any way that isn't common to all. A plain median would
/// follow the changed ones, and hide them.
package enum RunShift {
    /// The fewest times shared by two runs.
    private static let fewestTimes = 12
    private static let fewestPages = 4

    /// Whether there are enough times and pages to estimate the shift between two runs.
    package static func areEnough(_ times: Int, pages: Int) -> Bool { times >= fewestTimes && pages >= fewestPages }

    /// The median of the shortest half of the values; of several shortest halves the lowest. `nil` without values.
    package static func shorth(_ values: [Double]) -> Double? {
        guard !values.isEmpty else { return nil }
        let sorted = values.sorted()
        let half = sorted.count / 2 + 1
        var (start, length) = (0, Double.infinity)
        for index in 0...(sorted.count - half) where sorted[index + half - 1] - sorted[index] < length {
            (start, length) = (index, sorted[index + half - 1] - sorted[index])
        }
        return sorted[start..<start + half].median
    }

    /// The shifts of runs from the usual, from the shifts between pairs: the mean of a run's shifts from all usual runs,
    /// including itself, so two of these meet half way.
    ///
    /// - Parameters:
    ///   - isUsual: Whether a run counts as usual. The others, such as runs that are held for most of their times, get
    ///     a shift, too, and move no other's.
    ///   - between: How much slower the first run is than the second; called once per pair; `nil` if they share too
    ///     little.
    /// - Returns: `nil` for a run that shares enough with no other.
    package static func shifts(
        of runs: Int, isUsual: (Int) -> Bool = { _ in true }, between: (Int, Int) -> Double?
    ) -> [Double?] {
        var sums = Array(repeating: 0.0, count: runs)
        var partners = Array(repeating: 0, count: runs)
        for first in 0..<runs {
            for second in (first + 1)..<max(runs, first + 1) where isUsual(first) || isUsual(second) {
                guard let shift = between(first, second) else { continue }
                if isUsual(second) { (sums[first], partners[first]) = (sums[first] + shift, partners[first] + 1) }
                if isUsual(first) { (sums[second], partners[second]) = (sums[second] - shift, partners[second] + 1) }
            }
        }
        return (0..<runs).map { run in
            partners[run] == 0 ? nil : sums[run] / Double(partners[run] + (isUsual(run) ? 1 : 0))
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
        let mean = CompensatedSum.of(shifts) / Double(runs)
        let squares = CompensatedSum.of(shifts.map { ($0 - mean) * ($0 - mean) })
        let assumed = Self.assumed.runs * Self.assumed.deviation * Self.assumed.deviation
        deviation = ((assumed + squares) / (Double(runs - 1) + Self.assumed.runs)).squareRoot()
    }

    /// The runs in which most pages changed, for the better or the worse: their shift is farther than 4·s·√(1 + 1/R) from
    /// the median shift, with s² = (4·.03² + Σ(f − median)²/c(p)) / (h + 3) over the nearest h = ⌊R/2⌋ + 1 runs.
    ///
    /// c(p) is the variance of the nearest fraction p = h/R of normal values, so such runs don't hide each other.
    package static func unusual(_ shifts: [String: Double]) -> Set<String> {
        guard shifts.count > 2, let centre = shifts.values.median else { return [] }
        let count = Double(shifts.count)
        let nearest = shifts.values.map { ($0 - centre) * ($0 - centre) }.sorted().prefix(shifts.count / 2 + 1)
        let share = Double(nearest.count) / count
        let z = -Normal.quantile((1 - share) / 2)
        let part = 1 - 2 * z * exp(-z * z / 2) / (2 * Double.pi).squareRoot() / share
        let known = assumed.runs * assumed.deviation * assumed.deviation
        let deviation =
            ((known + CompensatedSum.of(Array(nearest)) / part) / (Double(nearest.count - 1) + assumed.runs))
            .squareRoot()
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

    /// The part of a run's shift f that is subtracted: f, at most two standard errors, and nothing beyond three if
    /// that would count against the candidate. A shift that far off isn't a run's shift but a change of most pages.
    package func taken(_ shift: Double, asking direction: Direction) -> Double {
        let accuses = direction == .worse ? shift < 0 : shift > 0
        return accuses && abs(shift) > 3 * standardError(of: 1) ? 0 : limited(shift)
    }

    /// A shift, at most two standard errors: the part that runs usually differ by.
    package func limited(_ shift: Double) -> Double {
        let error = standardError(of: 1)
        return min(max(shift, -2 * error), 2 * error)
    }

    /// The question about times.
    package enum Direction: Sendable {
        case worse
        case improved
    }
}
