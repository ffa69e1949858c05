import LibC

/// What is known before the first run about the commit of a range after which a value is worse.
package struct StepPrior: Sendable, Hashable {
    /// The weights of commits 1…N of being the first bad one; above 0, of any sum.
    package var weights: [Double]
    /// P(no step).
    package var none = 0.25
    /// s₀, the standard deviation of a run's time, in logarithms.
    package var deviation = 0.05
    /// ν₀, the weight of s₀ in runs.
    package var freedom = 4.0
    /// d₀, the expected change in logarithms; `nil`: unknown, then d has the density 1/d.
    package var change: Double?
    /// The smallest change that counts, in logarithms.
    package var least = 0.045

    package init(weights: [Double]) { self.weights = weights }

    /// N, the number of commits after the good one.
    package var commits: Int { weights.count }

    /// The weight of a change d, without its factor: (1 + ((d − d₀)/w)²/4)^−2.5, w = max(.35 d₀, .03).
    fileprivate func logWeight(of effect: Double) -> Double {
        guard let change else { return -log(effect) }
        let z = (effect - change) / max(0.35 * change, 0.03)
        return -2.5 * log(1 + z * z / 4)
    }
}

/// The probabilities of each commit of a range of being the first bad one, given runs at some positions: 0 is the good
/// commit, N the bad one.
package struct StepPosterior: Sendable {
    /// P(no step), then P(first bad = c) for c = 1…N.
    package let probabilities: [Double]
    /// The measured positions, ascending.
    package let positions: [Int]
    /// What a further run would show, by hypothesis.
    let prediction: Prediction

    enum Prediction: Sendable {
        /// The levels without a step, then with one between positions: before the first, …, after the last; and s̄.
        case times([Levels], deviation: Double)
        /// The counts of samples by category, in the same order, and the effective samples of a run.
        case counts([(low: [Double], high: [Double])], samples: Int)
    }

    /// The mean and variance of the level before and from the step on, in logarithms.
    struct Levels: Sendable { var low = 0.0, lowVariance = 0.0, high = 0.0, highVariance = 0.0, mass = 0.0 }

    /// s̄, the mean standard deviation of a run's time, in logarithms; 0 of counts.
    package var deviation: Double { if case .times(_, let deviation) = prediction { deviation } else { 0 } }

    /// The entropy of the hypotheses in nats.
    package var entropy: Double { probabilities.reduce(0) { $1 > 0 ? $0 - $1 * log($1) : $0 } }

    /// The most probable commit, from 1; of several the first.
    package var likeliest: Int {
        probabilities.indices.dropFirst().max { (probabilities[$0], $1) < (probabilities[$1], $0) } ?? 1
    }

    /// P(first bad in a range of commits).
    package func mass(of commits: ClosedRange<Int>) -> Double { probabilities[commits].reduce(0, +) }

    /// The posterior of weights and log likelihoods: of no step, and of a step in each interval of positions.
    init(_ prior: StepPrior, _ positions: [Int], none: Double, intervals: [Double], prediction: Prediction) {
        let total = prior.weights.reduce(0, +)
        var (logs, interval) = ([log(prior.none) + none], 0)
        for (index, weight) in prior.weights.enumerated() {
            while interval < positions.count, positions[interval] <= index { interval += 1 }
            logs.append(log((1 - prior.none) * weight / total) + intervals[interval])
        }
        (probabilities, self.positions, self.prediction) = (logs.shares, positions, prediction)
    }

    /// A run's time in logarithms, and its position.
    package typealias Time = (position: Int, value: Double)

    /// The posterior of a level μ, an effect d and a noise s on a grid, with errors of Student's t with 5 degrees of
    /// freedom and the scale .9 s, so an outlier doesn't decide.
    /// - Parameter times: One value or more.
    package init(_ times: [Time], _ prior: StepPrior) {
        let positions = Set(times.map(\.position)).sorted()
        let grid = StepGrid(times.map(\.value), prior)
        var sums = Array(repeating: StepSums(), count: positions.count + 2)
        for index in StepGrid.deviations {
            grid.add(times, positions, deviation: prior.deviation * pow(1.25, Double(index)), prior, to: &sums)
        }
        let inner = sums.dropFirst(2).dropLast().reduce(into: StepSums()) { $0.add($1.sums, top: $1.top) }
        self.init(
            prior, positions, none: sums[0].logMass, intervals: sums.dropFirst().map(\.logMass),
            prediction: .times(sums.map(\.levels), deviation: inner.deviation ?? prior.deviation))
    }
}

private struct StepGrid {
    static let deviations = -4...4
    private static let most = 160, freedom = 5.0
    private let low: Double, step: Double, count: Int
    /// The smallest effect in steps, and the log weights from it on.
    private let least: Int
    private let weights: [Double]

    init(_ values: [Double], _ prior: StepPrior) {
        let start = (values.min() ?? 0) - 2 * prior.deviation
        let end = (values.max() ?? 0) + 2 * prior.deviation
        let usual = prior.deviation / 4
        let wanted = Int(min(1e6, ((end - start) / usual).rounded(.up))) + 1
        (low, count) = (start, min(wanted, Self.most))
        step = wanted > Self.most ? (end - start) / Double(Self.most - 1) : usual
        least = max(1, Int(min(1e6, (prior.least / step).rounded(.up))))
        let step = step
        weights = (least...max(count - 1, least)).map { prior.logWeight(of: Double($0) * step) }.shares
    }

    /// Adds the likelihoods at one noise: without a step, and with one before each measured position. exp(S_g,j + S_h,K
    /// − S_h,j) is a product, so each pair of levels costs a multiplication.
    func add(
        _ times: [StepPosterior.Time], _ positions: [Int], deviation: Double, _ prior: StepPrior,
        to sums: inout [StepSums]
    ) {
        let prefix = prefixSums(times, positions, scale: 0.9 * deviation)
        let noise = -prior.freedom * (log(deviation) + prior.deviation * prior.deviation / (2 * deviation * deviation))
        let levels = (0..<count).map { low + Double($0) * step }
        let all = prefix[positions.count]
        let best = all.max() ?? 0
        sums[0].add(
            zip(all, levels).reduce(into: .zero) { $0 += StepSums.terms(exp($1.0 - best), $1.1, deviation) },
            top: noise + best)
        for (interval, before) in prefix.enumerated() {
            let after = zip(all, before).map { $0 - $1 }
            let (topBefore, topAfter) = (before.max() ?? 0, after.max() ?? 0)
            let bad = zip(levels, after).map { StepSums.terms(exp($1 - topAfter), $0, deviation) }
            var part = StepSums.Terms.zero
            for index in 0..<count {
                var high = StepSums.Terms.zero
                for effect in stride(from: 0, to: min(weights.count, count - index - least), by: 1) {
                    high += weights[effect] * bad[index + least + effect]
                }
                part += exp(before[index] - topBefore) * StepSums.beneath(high, levels[index])
            }
            sums[interval + 1].add(part, top: noise + topBefore + topAfter)
        }
    }

    /// The log likelihoods of the runs before each measured position, and of all, by level.
    private func prefixSums(_ times: [StepPosterior.Time], _ positions: [Int], scale: Double) -> [[Double]] {
        var sums = [Array(repeating: 0.0, count: count)]
        for position in positions {
            var next = sums[sums.count - 1]
            for time in times where time.position == position {
                for index in 0..<count {
                    let z = (time.value - low - Double(index) * step) / scale
                    next[index] -= (Self.freedom + 1) / 2 * log(1 + z * z / Self.freedom) + log(scale)
                }
            }
            sums.append(next)
        }
        return sums
    }
}

/// Sums of likelihoods, relative to exp(top), and of the moments of both levels and of the noise.
private struct StepSums {
    /// The mass; times the low level and its square, the high level and its square, and the noise.
    typealias Terms = SIMD8<Double>

    private(set) var top = -Double.infinity
    private(set) var sums = Terms.zero

    static func terms(_ mass: Double, _ level: Double, _ deviation: Double) -> Terms {
        let (first, second) = (mass * level, mass * level * level)
        return [mass, first, second, first, second, mass * deviation, 0, 0]
    }

    static func beneath(_ high: Terms, _ level: Double) -> Terms {
        [high[0], high[0] * level, high[0] * level * level, high[3], high[4], high[5], 0, 0]
    }

    mutating func add(_ other: Terms, top otherTop: Double) {
        let new = max(top, otherTop)
        guard new > -.infinity else { return }
        sums = sums * exp(top - new) + other * exp(otherTop - new)
        top = new
    }

    var logMass: Double { sums[0] > 0 ? top + log(sums[0]) : -1e300 }
    var deviation: Double? { sums[0] > 0 ? sums[5] / sums[0] : nil }

    var levels: StepPosterior.Levels {
        guard sums[0] > 0 else { return .init() }
        let means = sums / sums[0]
        return .init(
            low: means[1], lowVariance: max(0, means[2] - means[1] * means[1]), high: means[3],
            highVariance: max(0, means[4] - means[3] * means[3]), mass: sums[0])
    }
}

extension [Double] {
    /// The exponentials of the values, divided by their sum, without overflow.
    fileprivate var shares: [Double] {
        let top = self.max() ?? 0
        let sum = top > -.infinity ? top + log(reduce(0) { $0 + exp($1 - top) }) : -.infinity
        return map { exp($0 - sum) }
    }
}
