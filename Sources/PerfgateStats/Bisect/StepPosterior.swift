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
        /// The levels without a step, then with one between measured positions: before the first, …, after the last;
        /// and s̄.
        case times([Levels], deviation: Double)
        /// The counts of samples by category, in the same order, and the effective samples of a run.
        case counts([(low: [Double], high: [Double])], samples: Int)
    }

    /// The mean and variance of the level before and from the step on, in logarithms.
    struct Levels: Sendable {
        var low = 0.0, lowVariance = 0.0, high = 0.0, highVariance = 0.0
        var mass = 0.0
    }

    /// s̄, the mean standard deviation of a run's time, in logarithms; 0 of counts.
    package var deviation: Double {
        if case .times(_, let deviation) = prediction { deviation } else { 0 }
    }

    /// The entropy of the hypotheses in nats.
    package var entropy: Double { probabilities.reduce(0) { $1 > 0 ? $0 - $1 * log($1) : $0 } }

    /// The most probable commit, from 1; of several the first.
    package var likeliest: Int {
        var best = 1
        for commit in probabilities.indices.dropFirst() where probabilities[commit] > probabilities[best] {
            best = commit
        }
        return best
    }

    /// P(first bad in a range of commits).
    package func mass(of commits: ClosedRange<Int>) -> Double { probabilities[commits].reduce(0, +) }

    /// The posterior of weights and log likelihoods: of no step, and of a step in each interval of positions.
    private init(
        _ prior: StepPrior, _ positions: [Int], none: Double, intervals: [Double], prediction: Prediction
    ) {
        let total = prior.weights.reduce(0, +)
        var logs = [log(prior.none) + none]
        var interval = 0
        for commit in 1...max(1, prior.commits) where commit <= prior.commits {
            while interval < positions.count, positions[interval] < commit { interval += 1 }
            logs.append(log((1 - prior.none) * prior.weights[commit - 1] / total) + intervals[interval])
        }
        let sum = LogSum.of(logs)
        probabilities = logs.map { exp($0 - sum) }
        (self.positions, self.prediction) = (positions, prediction)
    }
}

// Times.
extension StepPosterior {
    /// A run's time in logarithms, and its position.
    package typealias Time = (position: Int, value: Double)

    /// The posterior of a level μ, an effect d and a noise s on a grid, with errors of Student's t with 5 degrees of
    /// freedom and the scale .9 s, so an outlier doesn't decide.
    ///
    /// - Parameter times: One value or more.
    package init(_ times: [Time], _ prior: StepPrior) {
        let positions = Set(times.map(\.position)).sorted()
        let grid = StepGrid(times.map(\.value), prior)
        var sums = Array(repeating: StepSums(), count: positions.count + 2)
        for index in StepGrid.deviations {
            grid.add(times, positions, deviation: prior.deviation * pow(1.25, Double(index)), prior, to: &sums)
        }
        let inner = sums.dropFirst(2).dropLast()
        let top = inner.map(\.top).max() ?? 0
        let mass = inner.reduce(0) { $0 + $1.mass * exp($1.top - top) }
        let deviations = inner.reduce(0) { $0 + $1.deviation * exp($1.top - top) }
        self.init(
            prior, positions, none: sums[0].logMass, intervals: sums.dropFirst().map(\.logMass),
            prediction: .times(sums.map(\.levels), deviation: mass > 0 ? deviations / mass : prior.deviation))
    }

    /// The mean effect of a step at a commit, in logarithms.
    package func effect(at commit: Int) -> Double {
        guard case .times(let levels, _) = prediction else { return 0 }
        let interval = positions.count { $0 < commit }
        return levels[interval + 1].high - levels[interval + 1].low
    }
}

/// The grid of levels and effects.
private struct StepGrid {
    static let deviations = -4...4
    private static let most = 160
    private static let freedom = 5.0
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
        let logs = (least...max(count - 1, least)).map { prior.logWeight(of: Double($0) * step) }
        let sum = LogSum.of(logs)
        weights = logs.map { exp($0 - sum) }
    }

    /// Adds the likelihoods at one noise: without a step, and with one before each measured position.
    ///
    /// exp(S_g,j + S_h,K − S_h,j) is a product, so each pair of levels costs a multiplication.
    func add(
        _ times: [StepPosterior.Time], _ positions: [Int], deviation: Double, _ prior: StepPrior,
        to sums: inout [StepSums]
    ) {
        let prefix = prefixSums(times, positions, scale: 0.9 * deviation)
        let noise = -prior.freedom * (log(deviation) + prior.deviation * prior.deviation / (2 * deviation * deviation))
        let levels = (0..<count).map { low + Double($0) * step }
        let all = prefix[positions.count]
        let best = all.max() ?? 0
        var none = StepSums.Part(top: noise + best)
        for index in 0..<count { none.add(exp(all[index] - best), levels[index], levels[index]) }
        sums[0].add(none, deviation: deviation)
        for (interval, before) in prefix.enumerated() {
            let after = zip(all, before).map { $0 - $1 }
            let (topBefore, topAfter) = (before.max() ?? 0, after.max() ?? 0)
            let (good, bad) = (before.map { exp($0 - topBefore) }, after.map { exp($0 - topAfter) })
            var part = StepSums.Part(top: noise + topBefore + topAfter)
            for index in 0..<count where good[index] > 0 {
                var (mass, first, second) = (0.0, 0.0, 0.0)
                for effect in stride(from: 0, to: min(weights.count, count - index - least), by: 1) {
                    let high = index + least + effect
                    let weight = weights[effect] * bad[high]
                    mass += weight
                    first += weight * levels[high]
                    second += weight * levels[high] * levels[high]
                }
                part.add(good[index], levels[index], high: (mass, first, second))
            }
            sums[interval + 1].add(part, deviation: deviation)
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

/// Sums of likelihoods and of the moments of both levels, relative to the largest.
private struct StepSums {
    struct Part {
        let top: Double
        var mass = 0.0, low = 0.0, lowSquared = 0.0, high = 0.0, highSquared = 0.0

        init(top: Double) { self.top = top }

        mutating func add(_ weight: Double, _ low: Double, _ high: Double) {
            add(weight, low, high: (1, high, high * high))
        }

        mutating func add(_ weight: Double, _ level: Double, high sums: (mass: Double, first: Double, second: Double)) {
            mass += weight * sums.mass
            low += weight * sums.mass * level
            lowSquared += weight * sums.mass * level * level
            high += weight * sums.first
            highSquared += weight * sums.second
        }
    }

    private var part = Part(top: -.infinity)
    private(set) var deviation = 0.0

    var top: Double { part.top }
    var mass: Double { part.mass }
    var logMass: Double { mass > 0 ? part.top + log(mass) : -1e300 }

    var levels: StepPosterior.Levels {
        guard mass > 0 else { return .init() }
        let (low, high) = (part.low / mass, part.high / mass)
        return .init(
            low: low, lowVariance: max(0, part.lowSquared / mass - low * low), high: high,
            highVariance: max(0, part.highSquared / mass - high * high), mass: mass)
    }

    mutating func add(_ other: Part, deviation other_: Double) {
        let top = max(part.top, other.top)
        let (old, new) = (exp(part.top - top), exp(other.top - top))
        var sum = Part(top: top)
        sum.mass = part.mass * old + other.mass * new
        (sum.low, sum.lowSquared) = (part.low * old + other.low * new, part.lowSquared * old + other.lowSquared * new)
        (sum.high, sum.highSquared) = (
            part.high * old + other.high * new, part.highSquared * old + other.highSquared * new
        )
        deviation = deviation * old + other.mass * other_ * new
        part = sum
    }
}

/// ln Σ exp, without overflow.
enum LogSum {
    static func of(_ logs: [Double]) -> Double {
        guard let top = logs.max(), top > -.infinity else { return -.infinity }
        return top + log(logs.reduce(0) { $0 + exp($1 - top) })
    }
}

// Counts.
extension StepPosterior {
    /// The posterior of the distribution of counts, which changes at the step: Dirichlet–multinomial with α = .5 in
    /// each category.
    ///
    /// A step after which the mean isn't larger has a hundredth of its likelihood.
    package init(_ runs: [(position: Int, samples: [Double])], _ categories: SampleCategories, _ prior: StepPrior) {
        let positions = Set(runs.map(\.position)).sorted()
        let tables = positions.map { position in
            categories.table(of: runs.filter { $0.position == position }.map(\.samples))
        }
        func sum(_ tables: ArraySlice<[Double]>) -> [Double] {
            tables.reduce(Array(repeating: 0, count: categories.count)) { zip($0, $1).map(+) }
        }
        let all = sum(tables[...])
        let splits = (0...positions.count).map { (low: sum(tables[..<$0]), high: sum(tables[$0...])) }
        let logs = splits.map { low, high in
            Self.logLikelihood(low) + Self.logLikelihood(high)
                + (categories.mean(of: high) > categories.mean(of: low) ? 0 : log(0.01))
        }
        let weights = runs.map { Double($0.samples.count) * SampleCategories.weight($0.samples.count) }
        let samples = weights.reduce(0, +) / Double(max(1, weights.count))
        self.init(
            prior, positions, none: Self.logLikelihood(all), intervals: logs,
            prediction: .counts([(all, all)] + splits, samples: max(1, Int(samples.rounded()))))
    }

    static let alpha = 0.5

    /// ln Γ(A)/Γ(A + Σn) Π Γ(α + n)/Γ(α).
    private static func logLikelihood(_ table: [Double]) -> Double {
        let total = alpha * Double(table.count)
        return table.reduce(lgamma(total) - lgamma(total + table.reduce(0, +))) {
            $0 + lgamma(alpha + $1) - lgamma(alpha)
        }
    }
}

/// The categories of samples, ascending by badness.
package struct SampleCategories: Sendable {
    /// The lowest value of each category.
    private let edges: [Double]
    /// The value that stands for each category in a mean.
    private let values: [Double]

    var count: Int { edges.count }

    /// Counts of frames, events, hitches or failures: 0 | 1 | 2 | 3–4 | 5–8 | 9–16 | 17 and more.
    package static let ofCounts = SampleCategories(edges: [0, 1, 2, 3, 5, 9, 17], values: [0, 1, 2, 3, 5, 9, 17])

    private init(edges: [Double], values: [Double]) { (self.edges, self.values) = (edges, values) }

    /// Other values: the quintiles of the samples that aren't 0 or less, and these.
    package init(of samples: [Double]) {
        let sorted = (samples.contains { $0 > 0 } ? samples.filter { $0 > 0 } : samples).sorted()
        let cuts = (1...4).compactMap { sorted.isEmpty ? nil : sorted[min(sorted.count - 1, sorted.count * $0 / 5)] }
        let edges = [-Double.infinity] + Set([sorted.first].compactMap(\.self) + cuts).sorted()
        self.init(edges: edges, values: edges.indices.map(Double.init))
    }

    /// The weight of each of a run's samples, which aren't independent: 1 / (1 + .05 (k − 1)).
    static func weight(_ count: Int) -> Double { 1 / (1 + 0.05 * Double(max(0, count - 1))) }

    func table(of runs: [[Double]]) -> [Double] {
        runs.reduce(into: Array(repeating: 0, count: edges.count)) { table, samples in
            for sample in samples {
                table[edges.lastIndex { sample >= $0 } ?? 0] += Self.weight(samples.count)
            }
        }
    }

    func mean(of table: [Double]) -> Double {
        let counts = table.map { $0 + StepPosterior.alpha }
        return zip(counts, values).reduce(0) { $0 + $1.0 * $1.1 } / counts.reduce(0, +)
    }
}
