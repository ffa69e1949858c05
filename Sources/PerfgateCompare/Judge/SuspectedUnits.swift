import PerfgateModel

/// Metrics that changed by a factor of about 1000 everywhere in an environment: seconds instead of milliseconds, or
/// the reverse. No change makes everything a thousand times faster.
package struct SuspectedUnits {
    /// A metric in an environment, with the approximate factor of all its centres.
    package struct Slip: Sendable, Hashable {
        package let environment: Environment
        package let metric: Metric
        /// 1000 or 0.001.
        package let factor: Double
    }

    private struct Key: Hashable {
        let environment: Environment
        let metric: Metric
    }

    /// The factor by which a cell's change may deviate from 1000 or 0.001: a few samples scatter, and a real change
    /// must not hide the unit.
    private static let slack = 2.0

    /// The slips, sorted by environment, then metric.
    package let all: [Slip]

    /// Searches finished comparisons; every cell of a metric with nonzero values on both sides counts.
    package init(_ results: [CellResult.Facts]) {
        let groups = Dictionary(grouping: results) { Key(environment: $0.environment, metric: $0.metric) }
        all = groups.compactMap { key, results in
            let factors = results.compactMap { result -> Double? in
                guard let old = result.baseline?.center, let new = result.candidate?.center, old != 0, new != 0
                else { return nil }
                return new / old
            }
            let slip = [1_000, 0.001].first { meant in
                !factors.isEmpty && factors.allSatisfy { (1 / Self.slack...Self.slack).contains($0 / meant) }
            }
            return slip.map { Slip(environment: key.environment, metric: key.metric, factor: $0) }
        }.sorted { ($0.environment, $0.metric.id) < ($1.environment, $1.metric.id) }
    }

    /// Makes passed or improved results of such metrics inconclusive.
    func doubt(_ results: inout [CellResult.Facts]) {
        guard !all.isEmpty else { return }
        let slips = Set(all.map { Key(environment: $0.environment, metric: $0.metric) })
        for (index, result) in results.enumerated() {
            guard result.isGated, result.numbers != nil, result.verdict == .passed || result.verdict == .improved,
                slips.contains(Key(environment: result.environment, metric: result.metric))
            else { continue }
            results[index].verdict = .inconclusive
            results[index].detail = .unitSlip
            results[index].remarks.append(.unitSlip)
        }
    }
}

extension SuspectedUnits.Slip {
    /// The slip as a question.
    package var sentence: String {
        let time = metric.unit == .milliseconds
        let question =
            factor > 1
            ? (time ? "microseconds for milliseconds?" : "a smaller unit than before?")
            : (time ? "seconds for milliseconds?" : "a greater unit than before?")
        let change = factor > 1 ? "about 1000 times as large" : "about a thousandth"
        return "\(metric.id) is \(change) everywhere in \(environment): \(question) Correct the measurement."
    }
}
