import PerfgateModel

/// Metrics that changed by a factor of about 1000 everywhere in an environment: seconds where milliseconds were meant, or the
/// other way round. Nothing gets a thousand times better everywhere.
package struct UnitSlips {
    /// A metric of an environment, with the factor that all of its centres changed by, roughly.
    package struct Slip: Sendable, Hashable {
        /// The environment.
        package let environment: Environment
        /// The metric.
        package let metric: Metric
        /// 1000, or a thousandth.
        package let factor: Double
    }

    private struct Key: Hashable {
        let environment: Environment
        let metric: Metric
    }

    /// How many times as much or as little as 1000 or a thousandth the factor of a cell may be: a few samples stray, and
    /// what got worse or better beside the unit must not hide it.
    private static let slack = 2.0

    /// The slips, by environment, then metric.
    package let all: [Slip]

    /// Looks through finished comparisons: every cell of a metric with something else than 0 on both sides counts.
    package init(_ results: [CellResult]) {
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

    /// Takes back that such a metric passed or improved.
    func doubt(_ results: inout [CellResult]) {
        let slips = Set(all.map { Key(environment: $0.environment, metric: $0.metric) })
        for (index, result) in results.enumerated() {
            guard result.isGated, result.numbers != nil, [.passed, .improved].contains(result.verdict),
                slips.contains(Key(environment: result.environment, metric: result.metric))
            else { continue }
            results[index].verdict = .inconclusive
            results[index].detail = .unitSlip
            results[index].reason += " It changed a thousandfold everywhere, as where a unit is mistaken."
        }
    }
}

extension UnitSlips.Slip {
    /// The slip as a question.
    package var sentence: String {
        let time = metric.unit == .milliseconds
        let question =
            factor > 1
            ? (time ? "microseconds for milliseconds?" : "a smaller unit than before?")
            : (time ? "seconds for milliseconds?" : "a greater unit than before?")
        let change = factor > 1 ? "about 1000 times as large" : "about a thousandth"
        return "\(metric.id) is \(change) everywhere in \(environment): \(question) Correct what measures it."
    }
}
