import LibC

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
