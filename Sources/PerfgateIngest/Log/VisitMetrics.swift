import PagePerformance
import PerfgateJSON
import PerfgateModel

/// The numbers of the metrics that visits give, kept so that no line has to look them up by their names.
struct VisitMetrics {
    /// A metric of visits with its number.
    typealias Numbered = (metric: PageMetric, number: Int32)

    private var byFormula: [[Numbered]] = []
    private var candidateNames = ByteInterner()
    private var candidates: [Int32] = []
    private var hang: Int32?
    /// Which metric of visits each metric is, by its number and whatever its formula; `nil` for another metric.
    private(set) var kinds: [PageMetric?] = []

    /// The metrics of visits by a formula, which is known by its number; `nil`: the first.
    mutating func numbers(
        formula: Int32?, _ formulas: ByteInterner, _ metrics: inout MetricTable
    ) -> [Numbered] {
        let index = formula.map { Int($0) + 1 } ?? 0
        if index < byFormula.count, !byFormula[index].isEmpty { return byFormula[index] }
        let name = formula.map { formulas[$0] } ?? "1"
        let numbers = PageMetric.allCases.map { metric in
            (metric: metric, number: metrics.index(known: metric.rawValue, formula: name))
        }
        for (metric, number) in numbers {
            while kinds.count <= Int(number) { kinds.append(nil) }
            kinds[Int(number)] = metric
        }
        while byFormula.count <= index { byFormula.append([]) }
        byFormula[index] = numbers
        return numbers
    }

    /// The number of the metric of the main thread's hangs.
    mutating func mainThreadHang(_ metrics: inout MetricTable) -> Int32 {
        if let hang { return hang }
        let number = metrics.index(known: "mth")
        hang = number
        return number
    }

    /// The number of the metric of a formula that is only tried.
    mutating func candidate(_ key: JSONText, _ metrics: inout MetricTable) -> Int32 {
        let index = Int(candidateNames.index(of: key))
        if index == candidates.count {
            let key = candidateNames[Int32(index)]
            let name = key.hasSuffix("_ms") ? String(key.dropLast(3)) : key
            let metric = Metric(id: "candidates.\(name)", unit: .milliseconds, better: .lower)
            candidates.append(metrics.index(metric))
        }
        return candidates[index]
    }
}
