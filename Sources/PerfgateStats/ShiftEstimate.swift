/// The shift from the baseline to the candidate, with its uncertainty. J. L. Hodges and E. L. Lehmann, "Estimates of
/// location based on rank tests", Ann. Math. Statist. 34 (1963) 598–611.
package struct ShiftEstimate: Equatable, Sendable {
    /// The median of all n_b·n_c differences candidate − baseline, in the samples' unit; finite.
    package let shift: Double
    /// The 95 % interval by order statistics of the differences, in the samples' unit; `nil` with too few (3 against 3).
    package let interval: ClosedRange<Double>?

    /// Estimates the shift; throws `StatsError.noSamples` if a side is empty.
    /// - Parameter untied: The distribution for samples of these sizes, if it is known.
    init(baseline: SortedSamples, candidate: SortedSamples, untied: UntiedDistribution? = nil) throws(StatsError) {
        if baseline.count == 0 { throw .noSamples(side: .baseline) }
        if candidate.count == 0 { throw .noSamples(side: .candidate) }
        self.init(
            Differences(baseline: baseline, candidate: candidate),
            leftOut: OrderQuantile.rank(baseline.count, candidate.count, alpha: Self.alpha, untied: untied))
    }

    /// The shift of runs in turn: the median of the differences within pairs, with the bounds of the stratified test.
    init(_ paired: PairedRuns) {
        let sizes = paired.strata.map { ($0.baseline.count, $0.candidate.count) }
        self.init(Differences(paired.strata), leftOut: StratifiedMannWhitney.rank(sizes: sizes, alpha: Self.alpha))
    }

    /// The tail probability at each end of the interval.
    private static let alpha = 0.025

    private init(_ differences: Differences, leftOut rank: Int) {
        let (count, outer) = (differences.count, max(1, rank))
        let found = differences.ranked([(count + 1) / 2, count / 2 + 1, outer, count + 1 - outer])
        shift = found[0].midpoint(to: found[1])
        interval = rank == 0 ? nil : found[2]...found[3]
    }
}

/// All differences candidate − baseline of two samples, by rank. Few are stored. Of many, the k-th smallest is found by
/// bisecting the range of doubles: at most 64 walks along the sorted matrix count those below, n_b + n_c steps each.
struct Differences {
    private let baseline, candidate: [Double]
    /// Their number: n_b·n_c, or the sum of that over pairs.
    let count: Int
    /// Every difference, in any order; `nil` if there are too many to store.
    private let kept: [Double]?

    /// Neither side may be empty; up to `kept` differences are stored.
    init(baseline: SortedSamples, candidate: SortedSamples, kept: Int = 1 << 16) {
        (self.baseline, self.candidate) = (baseline.values, candidate.values)
        count = baseline.count * candidate.count
        self.kept = count > kept ? nil : Self.all(baseline, candidate)
    }

    /// The differences within each pair of runs, all stored; no pair's side may be empty.
    init(_ strata: [PairedRuns.Stratum]) {
        let all = strata.flatMap { Self.all($0.baseline, $0.candidate) }
        (baseline, candidate, kept, count) = ([], [], all, all.count)
    }

    private static func all(_ baseline: SortedSamples, _ candidate: SortedSamples) -> [Double] {
        var all: [Double] = []
        all.reserveCapacity(baseline.count * candidate.count)
        for c in candidate.values { for b in baseline.values { all.append((c - b).saturated) } }
        return all
    }

    /// The differences with these ranks, 1 for the smallest … `count`; saturates at the largest finite number.
    func ranked(_ ranks: [Int]) -> [Double] {
        guard var values = kept else { return ranks.map(sought) }
        Selection.settle(ranks.map { $0 - 1 }, in: &values)
        return ranks.map { values[$0 - 1] }
    }

    private func sought(_ rank: Int) -> Double {
        var low = Self.place(-Double.greatestFiniteMagnitude)
        var high = Self.place(Double.greatestFiniteMagnitude)
        while low < high {
            // Halved before they are added, because the sum may overflow.
            let middle = (low >> 1) + (high >> 1) + (low & high & 1)
            if countUpTo(Self.number(middle)) >= rank { high = middle } else { low = middle + 1 }
        }
        return Self.number(low)
    }

    /// The number of differences of at most x; down the sorted matrix, the border only advances.
    private func countUpTo(_ x: Double) -> Int {
        var (found, first) = (0, 0)
        for c in candidate {
            while first < baseline.count, (c - baseline[first]).saturated > x { first += 1 }
            found += baseline.count - first
        }
        return found
    }

    /// The rank of a finite double among all doubles.
    private static func place(_ x: Double) -> Int64 {
        let bits = Int64(bitPattern: (x + 0.0).bitPattern)
        return bits >= 0 ? bits : Int64.min - bits
    }

    private static func number(_ place: Int64) -> Double {
        Double(bitPattern: UInt64(bitPattern: place >= 0 ? place : Int64.min - place))
    }
}

/// The number of outermost differences that an interval for the shift leaves out at one end, by the distribution of U
/// without ties: M. Hollander and D. A. Wolfe, *Nonparametric Statistical Methods*, §4.3.
enum OrderQuantile {
    /// k = #{u : P(U ≤ u) ≤ alpha} for sizes n and m, 0…n·m / 2: the k-th smallest difference bounds the shift from
    /// below with confidence 1 − alpha; if k is 0, there is no bound. `alpha` is 0…½.
    static func rank(_ n: Int, _ m: Int, alpha: Double, untied: UntiedDistribution? = nil) -> Int {
        if let untied = untied ?? UntiedDistribution(n, m) { return untied.rank(alpha) }
        let guess = approximateRank(n, m, alpha: alpha)
        guard n * m <= MannWhitney.alwaysExactPairs else { return guess }
        let all = Binomial.coefficient(n + m, n)
        func rank(through limit: Int) -> Int? {
            var below = 0.0
            return counts(min(n, m), max(n, m), through: limit).firstIndex { count in
                below += count
                return below / all > alpha
            }
        }
        // A little beyond the estimate is enough except for the smallest samples.
        return rank(through: min(n * m / 2, guess + 8)) ?? rank(through: n * m / 2) ?? n * m / 2
    }

    /// The number of divisions with U = 0, 1 … `limit`: the Gaussian binomial coefficient ∏ (1 − q^(m+i)) / (1 − q^i),
    /// factor by factor. It subtracts, and is only exact up to 2⁵³: good for a rank, not for a small probability.
    private static func counts(_ n: Int, _ m: Int, through limit: Int) -> [Double] {
        var counts = Array(repeating: 0.0, count: limit + 1)
        counts[0] = 1
        for i in 1..<(n + 1) {
            for u in stride(from: limit, through: m + i, by: -1) { counts[u] -= counts[u - m - i] }
            for u in stride(from: i, through: limit, by: 1) { counts[u] += counts[u - i] }
        }
        return counts
    }

    /// The normal quantile with a continuity correction of half a step, corrected for kurtosis (E. A. Cornish and R.
    /// A. Fisher, Rev. Int. Stat. Inst. 5 (1938) 307–320); within 1 of the exact rank for 20 or more samples per side.
    static func approximateRank(_ n: Int, _ m: Int, alpha: Double) -> Int {
        let (a, b) = (Double(n), Double(m))
        let deviation = (a * b * (a + b + 1) / 12).squareRoot()
        let kurtosis = -1.2 * (a * a + b * b + a * b + a + b) / (a * b * (a + b + 1))
        let z = -Normal.quantile(alpha)
        let corrected = z + kurtosis / 24 * (z * z * z - 3 * z)
        return max(0, Int((a * b / 2 + 0.5 - corrected * deviation).rounded(.down)))
    }
}

/// Finds values by their rank without sorting all of them (C. A. R. Hoare, "Algorithm 65: Find", Comm. ACM 4 (1961) 321).
enum Selection {
    /// Up to this many values are sorted.
    private static let few = 16

    /// Moves the values to these places that would be there if all were sorted; places count from 0.
    static func settle(_ places: [Int], in values: inout [Double]) {
        // Values that no pivot divides well are sorted, so no input takes quadratic time.
        let patience = 2 * (Int.bitWidth - values.count.leadingZeroBitCount)
        values.withUnsafeMutableBufferPointer { settle(places.sorted()[...], in: $0, patience: patience) }
    }

    private static func settle(
        _ places: ArraySlice<Int>, in values: UnsafeMutableBufferPointer<Double>, from first: Int = 0, patience: Int
    ) {
        guard !places.isEmpty else { return }
        guard values.count > few, patience > 0 else {
            var all = values
            return all.sort()
        }
        let pivot = middle(values[0], values[values.count / 2], values[values.count - 1])
        let below = divide(values[...]) { $0 < pivot }
        let upTo = divide(values[below...]) { $0 <= pivot }
        let (lower, upper) = (values[..<below], values[upTo...])
        settle(
            places.prefix { $0 < first + below }, in: UnsafeMutableBufferPointer(rebasing: lower), from: first,
            patience: patience - 1)
        settle(
            places.drop { $0 < first + upTo }, in: UnsafeMutableBufferPointer(rebasing: upper), from: first + upTo,
            patience: patience - 1)
    }

    private static func middle(_ a: Double, _ b: Double, _ c: Double) -> Double { max(min(a, b), min(max(a, b), c)) }

    /// Moves the matching values to the front, and returns the index of the first of the others.
    @inline(__always) private static func divide(
        _ slice: Slice<UnsafeMutableBufferPointer<Double>>, by isOfKind: (Double) -> Bool
    ) -> Int {
        let values = slice.base
        var border = slice.startIndex
        // Every value is moved, because a processor can't predict which ones must be.
        for index in slice.startIndex..<slice.endIndex {
            let value = values[index]
            values[index] = values[border]
            values[border] = value
            border &+= isOfKind(value) ? 1 : 0
        }
        return border
    }
}

extension Collection<Double> {
    /// The median; with an even count the mean of both middle numbers; `nil` without numbers, or if one isn't finite.
    package var median: Double? {
        guard !isEmpty, allSatisfy({ $0.isFinite }) else { return nil }
        var values = Array(self)
        let places = [(values.count - 1) / 2, values.count / 2]
        Selection.settle(places, in: &values)
        // Negative zero becomes zero, as in `SortedSamples`.
        return values[places[0]].midpoint(to: values[places[1]]) + 0
    }

    /// The standard deviation estimated as 1.4826 times the median absolute deviation; 0 without values.
    var robustDeviation: Double {
        let median = median ?? 0
        return 1.4826 * (map { abs($0 - median) }.median ?? 0)
    }
}

/// The distribution of U without ties: it only depends on the two sizes, so all tests of a comparison share it.
package struct UntiedDistribution {
    /// The product of the sizes, the largest U; 1 or more.
    let pairs: Int
    /// The number of divisions with U at most the index, from 0 to half of `pairs`.
    private let upTo: [Int64]
    private let all: Double

    /// `nil` if a side is empty, n·m is above `MannWhitney.alwaysExactPairs`, or there are 2⁶³ divisions or more.
    init?(_ n: Int, _ m: Int) {
        let all = Binomial.coefficient(n + m, n)
        guard n > 0, m > 0, n * m <= MannWhitney.alwaysExactPairs, all < 0x1p63 else { return nil }
        (pairs, self.all) = (n * m, all)
        var divisions = GaussianBinomial(values: n + m, through: n * m / 2)
        for _ in 0..<min(n, m) { divisions.chooseOneMore() }
        divisions.accumulate()
        upTo = (0...n * m / 2).map { divisions[$0] }
    }

    /// P(U ≤ u), for u from 0 to below n·m; also the probability of U ≥ n·m − u.
    func chance(atMost u: Int) -> Double {
        // The smaller tail is counted, so there is no cancellation where it matters.
        u <= pairs / 2 ? Double(upTo[u]) / all : 1 - Double(upTo[pairs - u - 1]) / all
    }

    /// #{u : P(U ≤ u) ≤ alpha}, for alpha up to ½.
    func rank(_ alpha: Double) -> Int { upTo.firstIndex { Double($0) / all > alpha } ?? pairs / 2 }
}
