import LibC

/// Whether more of the candidate's samples are beyond a cut than the baseline's share explains: R. A. Fisher's exact test,
/// one-sided, on the four counts of samples. A rank test misses a change in which half of the samples freeze. Runs
/// measured in turn are only compared within pairs.
package struct ShareTest: Hashable, Sendable {
    package enum Cut: String, Sendable, CaseIterable {
        case limit
        /// The baseline's 99th percentile, by the nearest rank.
        case percentile
        /// Twice, and four times, the baseline's median, for times.
        case double, quadruple
        /// Five times the smallest change that matters beyond the baseline's median, for times that are usually within one.
        case minChange = "min_change"

        package static let slow: [Cut] = [.double, .quadruple, .minChange]

        /// The multiple of the baseline's median; `nil` if it isn't one.
        package var factor: Double? { self == .double ? 2 : self == .quadruple ? 4 : nil }
    }

    package var cut: Cut
    /// The cut in the samples' unit; only worse samples are over.
    package var bound: Double
    /// The numbers of samples over the cut; 0 or more.
    package var baselineOver, candidateOver: Int
    /// The probability of at least as many over in the candidate if the sides don't differ; 0…1.
    package var p: Double

    package init(cut: Cut, bound: Double, baselineOver: Int, candidateOver: Int, p: Double) {
        (self.cut, self.bound, self.baselineOver, self.candidateOver) = (cut, bound, baselineOver, candidateOver)
        self.p = p
    }

    /// The fewest candidate samples over that count: fewer are outliers, however rare the baseline's are.
    package static let fewestOver = 3

    /// The probability of at most so many hits in the candidate's trials if the sides don't differ; 0…1.
    package static func chance(baseline: (hits: Int, trials: Int), candidate: (hits: Int, trials: Int)) -> Double {
        func misses(_ side: (hits: Int, trials: Int)) -> Side { Side(all: side.trials, over: side.trials - side.hits) }
        let stratum = Stratum(baseline: misses(baseline), candidate: misses(candidate))
        return DiscreteChances(hypergeometric: stratum).chance(atLeast: stratum.candidate.over)
    }

    package func isBeyondChance(_ level: Double) -> Bool { candidateOver >= Self.fewestOver && p <= level }

    /// The tests of a comparison: over the limit, if any, and over the baseline's percentile. None with an empty side.
    package static func all(
        _ strata: [PairedRuns.Stratum], baseline: SortedSamples, limit: Double?, better: Comparison.Better
    ) -> [ShareTest] {
        let ascending = better.turned(baseline).values
        guard !ascending.isEmpty, strata.contains(where: { $0.candidate.count > 0 }) else { return [] }
        // 0 − x instead of −x, which would produce a visible negative zero.
        let turn = better == .lower ? { $0 } : { (value: Double) in 0 - value }
        let worst = ascending[(99 * ascending.count + 99) / 100 - 1]
        let cuts = [limit.map { (Cut.limit, turn($0)) }, (.percentile, worst)].compactMap(\.self)
        return cuts.map { cut, bound in
            let strata = strata.map { stratum in
                Stratum(
                    baseline: Side(better.turned(stratum.baseline), over: bound),
                    candidate: Side(better.turned(stratum.candidate), over: bound))
            }
            return ShareTest(cut: cut, bound: turn(bound), strata)
        }
    }

    /// The samples of one side: their number, and how many are over.
    struct Side: Equatable {
        let all, over: Int

        init(all: Int, over: Int) { (self.all, self.over) = (all, over) }

        init(_ samples: SortedSamples, over bound: Double) {
            all = samples.count
            over = samples.values.count { $0 > bound }
        }
    }

    /// The samples that are compared with each other.
    struct Stratum: Equatable { let baseline, candidate: Side }

    init(cut: Cut, bound: Double, _ strata: [Stratum]) {
        (self.cut, self.bound) = (cut, bound)
        baselineOver = strata.reduce(0) { $0 + $1.baseline.over }
        candidateOver = strata.reduce(0) { $0 + $1.candidate.over }
        p = DiscreteChances.sum(of: strata.map(DiscreteChances.init(hypergeometric:))).chance(atLeast: candidateOver)
    }
}

struct DiscreteChances {
    private let least: Int
    /// The probabilities of `least`, `least` + 1 …, which sum to 1.
    private let chances: [Double]

    private init(least: Int, chances: [Double]) { (self.least, self.chances) = (least, chances) }

    /// The number of drawn samples that are over, if some of all are and each is equally likely to be drawn: the
    /// candidate's number over, given the total over on both sides.
    init(hypergeometric stratum: ShareTest.Stratum) {
        let drawn = stratum.candidate.all
        let over = stratum.baseline.over + stratum.candidate.over
        let others = stratum.baseline.all + drawn - over
        let least = max(0, drawn - others)
        // Ratios of neighbours, from the most likely number on: factorials would overflow.
        var weights = Array(repeating: 1.0, count: min(drawn, over) - least + 1)
        let mode = Int((Double(drawn + 1) * Double(over + 1) / Double(over + others + 2)).rounded(.down)) - least
        let likeliest = min(max(0, mode), weights.count - 1)
        func ratio(_ index: Int) -> Double {
            let x = Double(least + index)
            return (Double(over) - x) * (Double(drawn) - x) / ((x + 1) * (Double(others - drawn) + x + 1))
        }
        for index in likeliest..<(weights.count - 1) { weights[index + 1] = weights[index] * ratio(index) }
        for index in (0..<likeliest).reversed() { weights[index] = weights[index + 1] / ratio(index) }
        let sum = CompensatedSum.of(weights.sorted())
        self.init(least: least, chances: weights.map { $0 / sum })
    }

    /// The number of successes in `count` trials whose probability is beta distributed with a and b, both above 0.
    static func betaBinomial(_ count: Int, _ a: Double, _ b: Double) -> DiscreteChances {
        var none = CompensatedSum()
        for i in 0..<count { none.add(log1p(-a / (a + b + Double(i)))) }
        var chances = [exp(none.value)]
        for k in 0..<count {
            let (x, rest) = (Double(k), Double(count - k))
            chances.append(chances[k] * rest / (x + 1) * (a + x) / (b + rest - 1))
        }
        return DiscreteChances(least: 0, chances: chances)
    }

    /// The distribution of the sum of independent numbers.
    static func sum(of numbers: [DiscreteChances]) -> DiscreteChances {
        numbers.reduce(DiscreteChances(least: 0, chances: [1])) { first, second in
            var sums = Array(repeating: CompensatedSum(), count: first.chances.count + second.chances.count - 1)
            for (index, chance) in first.chances.enumerated() {
                for (offset, more) in second.chances.enumerated() { sums[index + offset].add(chance * more) }
            }
            return DiscreteChances(least: first.least + second.least, chances: sums.map(\.value))
        }
    }

    func mean(_ value: (Int) -> Double) -> Double {
        CompensatedSum.of(chances.enumerated().map { $0.element * value(least + $0.offset) })
    }

    /// P(number ≥ k), 0…1.
    func chance(atLeast k: Int) -> Double {
        guard k > least else { return 1 }
        return min(1, CompensatedSum.of(chances.dropFirst(k - least).reversed()))
    }
}
