import LibC

/// The effect of a day on one release but not the other, in logarithms: backend load, a campaign, a rollout to other
/// users. Only more days average it out, not more events.
package enum DayVariance {
    /// τ², the variance of δ from day to day beyond the numbers of events, the same for all pages; 0 or more, and 0 if
    /// no page has two days.
    ///
    /// After R. C. Paule and J. Mandel, "Consensus values and weighting factors", J. Res. NBS 87 (1982) 377–385, over
    /// all pages at once: τ² is where Σ (δ − δ̄)² / (v + τ²) equals its expectation, the number of days minus one per
    /// page, with δ̄ the weighted mean of the page. Differences between pages' means don't count.
    ///
    /// - Parameter pages: The daily shifts of each page.
    package static func pooled(_ pages: [[QuantileShift]]) -> Double {
        let pages = pages.filter { $0.count > 1 }
        let freedom = Double(pages.reduce(0) { $0 + $1.count - 1 })
        func isTooSmall(_ variance: Double) -> Bool {
            pages.reduce(0) { $0 + excess($1, variance) } > freedom
        }
        guard freedom > 0, isTooSmall(least) else { return 0 }
        var (low, high) = (least, 1e-4)
        while isTooSmall(high), high < 100 { high *= 4 }
        while high - low > 1e-6 * high {
            let middle = (low + high) / 2
            if isTooSmall(middle) { low = middle } else { high = middle }
        }
        return high
    }

    /// A tiny variance that prevents divisions by 0 for days without variance.
    private static let least = 1e-12

    private static func excess(_ days: [QuantileShift], _ variance: Double) -> Double {
        let weights = days.map { 1 / ($0.samplingVariance + variance) }
        let mean = zip(weights, days).reduce(0) { $0 + $1.0 * $1.1.delta } / weights.reduce(0, +)
        return zip(weights, days).reduce(0) { $0 + $1.0 * ($1.1.delta - mean) * ($1.1.delta - mean) }
    }
}

/// The shift common to most pages.
package struct CommonShift: Sendable, Hashable {
    /// The shorth: the mean of the shortest half of the shifts, in logarithms.
    ///
    /// If a third of the pages got worse, the median of all shifts moves with them; the shortest half doesn't, since
    /// it lies among the others (D. F. Andrews et al., "Robust estimates of location", 1972).
    package let value: Double
    /// Its standard error from the width of the shortest half, in logarithms; 0 or more.
    ///
    /// 1.1 · length / ∛n: within a tenth of simulated values for 20 to 500 normal shifts, larger for heavier tails.
    /// The rate is ∛n, not √n (J. Kim and D. Pollard, "Cube root asymptotics", Ann. Stat. 18 (1990) 191–219).
    package let standardError: Double

    /// The fewest pages for a common shift.
    package static let fewestPages = 20

    /// Finds the common shift; `nil` with fewer than `fewestPages`. Of several equally short halves, the mean is used.
    package init?(_ shifts: [Double]) {
        guard shifts.count >= Self.fewestPages else { return nil }
        let sorted = shifts.sorted()
        let half = sorted.count / 2 + 1
        let lengths = (0...sorted.count - half).map { sorted[$0 + half - 1] - sorted[$0] }
        let shortest = lengths.min() ?? 0
        let means = lengths.indices.filter { lengths[$0] == shortest }.map { start in
            sorted[start..<start + half].reduce(0, +) / Double(half)
        }
        value = means.reduce(0, +) / Double(means.count)
        standardError = 1.1 * shortest / cbrt(Double(sorted.count))
    }
}
