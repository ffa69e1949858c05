/// All differences candidate − baseline of two samples, asked for by rank.
///
/// A few are laid out. Of many only the rows and columns are kept: the k-th smallest is found by halving
/// the range of doubles and counting what lies below, in at most 64 walks along the sorted matrix, each of n_b + n_c.
struct Differences {
    private let baseline: [Double]
    private let candidate: [Double]
    /// Every difference, in any order; `nil` where there are too many to keep.
    private let kept: [Double]?

    /// Neither side may be empty; up to `kept` differences are laid out.
    init(baseline: SortedSamples, candidate: SortedSamples, kept: Int = 1 << 16) {
        self.baseline = baseline.values
        self.candidate = candidate.values
        count = baseline.count * candidate.count
        self.kept = count > kept ? nil : Self.all(baseline, candidate)
    }

    /// The differences within each pair of runs, all of them laid out; no pair's side may be empty.
    init(_ strata: [PairedRuns.Stratum]) {
        let all = strata.flatMap { Self.all($0.baseline, $0.candidate) }
        (baseline, candidate) = ([], [])
        kept = all
        count = all.count
    }

    private static func all(_ baseline: SortedSamples, _ candidate: SortedSamples) -> [Double] {
        var all: [Double] = []
        all.reserveCapacity(baseline.count * candidate.count)
        for c in candidate.values {
            for b in baseline.values { all.append((c - b).saturated) }
        }
        return all
    }

    /// How many there are: n_b·n_c, or the sum of that over pairs.
    let count: Int

    /// The differences of those ranks, 1 for the smallest … `count`; one that overflows counts as the greatest finite.
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

    /// How many differences are at most x; down the sorted matrix the border only moves on.
    private func countUpTo(_ x: Double) -> Int {
        var (found, first) = (0, 0)
        for c in candidate {
            while first < baseline.count, (c - baseline[first]).saturated > x { first += 1 }
            found += baseline.count - first
        }
        return found
    }

    /// Where a finite double stands among all of them, in their order.
    private static func place(_ x: Double) -> Int64 {
        let bits = Int64(bitPattern: (x + 0.0).bitPattern)
        return bits >= 0 ? bits : Int64.min - bits
    }

    private static func number(_ place: Int64) -> Double {
        Double(bitPattern: UInt64(bitPattern: place >= 0 ? place : Int64.min - place))
    }
}
