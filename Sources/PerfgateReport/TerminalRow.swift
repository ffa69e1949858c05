import PerfgateCompare
import PerfgateModel

/// What one row of the summary is about.
enum TerminalRow {
    /// One comparison.
    case comparison(ComparisonResult)
    /// So many comparisons of an environment that has no baseline at all: one row, not one a page.
    case environment(Environment, count: Int)

    /// The rows of comparisons that are worth telling, in their order.
    static func all(of told: [ComparisonResult], among comparisons: [ComparisonResult]) -> [TerminalRow] {
        let known = Set(comparisons.filter { $0.baseline != nil }.map(\.environment))
        let strange = told.filter { $0.verdict == .noBaseline && !known.contains($0.environment) }
        let counts = Dictionary(strange.map { ($0.environment, 1) }, uniquingKeysWith: +).filter { $0.value > 1 }
        var seen: Set<Environment> = []
        return told.compactMap { result in
            guard result.verdict == .noBaseline, let count = counts[result.environment] else {
                return .comparison(result)
            }
            return seen.insert(result.environment).inserted ? .environment(result.environment, count: count) : nil
        }
    }
}
