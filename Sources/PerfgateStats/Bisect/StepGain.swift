import LibC

extension StepPosterior {
    /// The information in nats of one run at a position about the first bad commit: no step, or a step in each interval
    /// between measured positions, divided at the position. A time is normal with the mean and variance of the hypothesis'
    /// level, and s̄². Of counts, the samples in the worst categories are beta-binomial; the best threshold counts.
    package func gain(at position: Int) -> Double {
        switch prediction {
        case .times(let levels, let deviation): gain(at: position, levels, deviation)
        case .counts(let tables, let samples): gain(at: position, tables, samples)
        }
    }

    /// The probabilities of the hypotheses that a run at a position can tell apart: of each, whether the run is good or
    /// bad, in the interval of a step. The first is no step.
    private func shares(at position: Int) -> [(share: Double, interval: Int, isBad: Bool)] {
        let last = probabilities.count - 1
        var shares = [(probabilities[0], 0, false)]
        for interval in 0...positions.count {
            let start = interval == 0 ? 0 : positions[interval - 1]
            let end = interval < positions.count ? positions[interval] : last
            guard end > start else { continue }
            let middle = min(max(position, start), end)
            shares.append((probabilities[(start + 1)..<(middle + 1)].reduce(0, +), interval + 1, true))
            shares.append((probabilities[(middle + 1)..<(end + 1)].reduce(0, +), interval + 1, false))
        }
        return shares.filter { $0.0 > 1e-4 }
    }

    private static let points = 33

    private func gain(at position: Int, _ levels: [Levels], _ deviation: Double) -> Double {
        let shares = shares(at: position)
        let hypotheses = shares.map { _, interval, isBad in
            let level = levels[interval]
            let variance = (isBad ? level.highVariance : level.lowVariance) + deviation * deviation
            return (mean: isBad ? level.high : level.low, variance: variance, root: variance.squareRoot())
        }
        let known = levels.enumerated().filter { $0.element.mass > 0 }
        let start = (known.map(\.element.low).min() ?? 0) - 3 * deviation
        let end = (known.map { $0.offset == 0 ? $0.element.low : $0.element.high }.max() ?? 0) + 3 * deviation
        let step = (end - start) / Double(Self.points - 1)
        return Self.information(shares.map(\.share), points: Self.points) { index, point in
            let (mean, variance, root) = hypotheses[index]
            let distance = start + Double(point) * step - mean
            return exp(-distance * distance / 2 / variance) / root
        } * step / (2 * Double.pi).squareRoot()
    }

    private func gain(at position: Int, _ tables: [(low: [Double], high: [Double])], _ samples: Int) -> Double {
        let shares = shares(at: position)
        let categories = tables[0].low.count
        return (1..<max(2, categories)).map { threshold in
            let betas = shares.map { _, interval, isBad in
                let table = (isBad ? tables[interval].high : tables[interval].low).map { $0 + Self.alpha }
                let worse = table[min(threshold, categories)...].reduce(0, +)
                return (worse: worse, better: table.reduce(0, +) - worse)
            }
            return Self.information(shares.map(\.share), points: samples + 1) { index, count in
                Self.betaBinomial(count, of: samples, betas[index].worse, betas[index].better)
            }
        }.max() ?? 0
    }

    /// Σ over points and hypotheses of w f ln(f / Σ w f), with the density f of a hypothesis at a point.
    private static func information(_ shares: [Double], points: Int, _ density: (Int, Int) -> Double) -> Double {
        guard shares.count > 1 else { return 0 }
        var (total, densities) = (0.0, Array(repeating: 0.0, count: shares.count))
        for point in 0..<points {
            for index in shares.indices { densities[index] = density(index, point) }
            let mixture = zip(shares, densities).reduce(0) { $0 + $1.0 * $1.1 }
            for index in shares.indices where mixture > 1e-300 && densities[index] > 1e-12 {
                total += shares[index] * densities[index] * log(densities[index] / mixture)
            }
        }
        return total
    }

    /// P(k of n), with Beta(a, b) as the distribution of the probability.
    private static func betaBinomial(_ count: Int, of total: Int, _ a: Double, _ b: Double) -> Double {
        guard b > 0 else { return count == total ? 1 : 0 }
        let (k, n) = (Double(count), Double(total))
        let ways = lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)
        return exp(ways + lgamma(k + a) + lgamma(n - k + b) - lgamma(n + a + b) + lgamma(a + b) - lgamma(a) - lgamma(b))
    }

    /// The position with the most information per minute, of equal ones the first; `nil` if none is left. The ends are
    /// positions too. Beyond 64 commits only measured positions count, and those at which the cumulative probability
    /// crosses a 32nd.
    /// - Parameter excluded: The positions that can't be measured.
    /// - Parameter minutes: The minutes of a run at a position, above 0.
    package func next(without excluded: Set<Int> = [], minutes: (Int) -> Double = { _ in 1 }) -> Int? {
        let last = probabilities.count - 1
        var (best, gainOfBest): (Int?, Double) = (nil, -1)
        var cumulative = 0.0
        for position in 0...last {
            let before = cumulative
            if position > 0 { cumulative += probabilities[position] }
            let isMeasured = positions.contains(position)
            guard !excluded.contains(position) else { continue }
            let isMark = (cumulative * 32).rounded(.down) != (before * 32).rounded(.down)
            if last > 64, !isMeasured, position == 0 || !isMark { continue }
            let gain = gain(at: position) / minutes(position)
            if gain > gainOfBest * (1 + 1e-9) { (best, gainOfBest) = (position, gain) }
        }
        return best
    }

    /// The posterior of the counts, which change at the step: Dirichlet–multinomial with α = .5 in each category. A step
    /// after which the mean isn't larger has a hundredth of its likelihood.
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
        let samples = runs.map { Double($0.samples.count) * SampleCategories.weight($0.samples.count) }.mean
        self.init(
            prior, positions, none: Self.logLikelihood(all), intervals: logs,
            prediction: .counts([(all, all)] + splits, samples: max(1, Int(samples.rounded()))))
    }

    static let alpha = 0.5

    /// ln Γ(A)/Γ(A + Σn) Π Γ(α + n)/Γ(α).
    private static func logLikelihood(_ table: [Double]) -> Double {
        let total = alpha * Double(table.count)
        let start = lgamma(total) - lgamma(total + table.reduce(0, +))
        return table.reduce(start) { $0 + lgamma(alpha + $1) - lgamma(alpha) }
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
            for sample in samples { table[edges.lastIndex { sample >= $0 } ?? 0] += Self.weight(samples.count) }
        }
    }

    func mean(of table: [Double]) -> Double {
        let counts = table.map { $0 + StepPosterior.alpha }
        return zip(counts, values).reduce(0) { $0 + $1.0 * $1.1 } / counts.reduce(0, +)
    }
}
