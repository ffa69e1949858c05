import PerfgateModel

/// The numbers of a result in the words of an explanation.
struct ExplainedNumbers {
    private let result: ComparisonResult

    init(_ result: ComparisonResult) {
        self.result = result
    }

    /// A value with the metric's unit.
    func figure(_ value: Double) -> String { Figure.text(value, result.metric.unit.symbol) }

    /// A side's samples and runs: `10 samples of 1 run`.
    func count(_ side: ComparisonResult.Side?) -> String {
        "\(Figure.count(side?.count ?? 0, "sample")) of \(Figure.count(side?.runs ?? 0, "run"))"
    }

    /// What stands for the middle: `mean` or `median`.
    var centre: String { result.metric.centre.rawValue }

    /// Δ: `The change of +266.1 ms (+52.2 %)`.
    var change: String {
        guard let delta = result.numbers?.delta else { return "The change" }
        let share = result.baseline?.center.flatMap { $0 > 0 ? " (\(Figure.percentage(delta / $0)))" : nil } ?? ""
        return "The change of \(Figure.signed(delta, result.metric.unit.symbol))\(share)"
    }

    /// m and where it comes from, a sentence.
    var tolerance: String {
        guard let tolerance = result.tolerance else { return "" }
        guard let terms = result.toleranceTerms else { return "The tolerance is \(figure(tolerance))." }
        let share = "\(Figure.text(terms.relative * 100)) % of the baseline's median (\(terms.relativeOrigin))"
        let least = "\(figure(terms.minChange)) (\(terms.minChangeOrigin))"
        return "The tolerance is \(figure(tolerance)), the larger of \(share) and \(least)."
    }

    /// α and where it comes from, a sentence.
    var alpha: String {
        guard let numbers = result.numbers else { return "" }
        return "α is the smaller of 0.005 and 0.1 by \(Figure.count(numbers.comparisons, "comparison"))."
    }
}
