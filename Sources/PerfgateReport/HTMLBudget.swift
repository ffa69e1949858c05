import PerfgateCompare
import PerfgateModel

/// Which comparisons are shown with plot, samples and numbers, so that the page stays small enough to open at once.
///
/// All of them, while there is room; else what isn't well first, and of the rest as many as fit, in the report's order.
/// Those left out keep their rows. Sizes are estimated from what is in them, not rendered twice.
struct HTMLBudget {
    /// How long the page may become, in bytes.
    static let bytes = 4_600_000

    private let whole: Set<Cell>

    /// Deals out the room.
    init(_ report: GateReport) {
        let rows = report.comparisons.reduce(0) { $0 + Self.rowSize($1) }
        var left = Self.bytes - rows - report.pages.count * 400 - (report.diagnostics.count + report.runs.count) * 300
        var whole: Set<Cell> = []
        for result in report.comparisons.filter(\.isRemarkable) + report.comparisons.filter({ !$0.isRemarkable }) {
            left -= Self.partSize(result)
            guard left >= 0 else { break }
            whole.insert(result.cell)
        }
        self.whole = whole
    }

    /// Whether a comparison is shown whole.
    func allows(_ result: ComparisonResult) -> Bool { whole.contains(result.cell) }

    /// The row among all comparisons, and the one at the page.
    private static func rowSize(_ result: ComparisonResult) -> Int {
        let environment = result.environment.fields.reduce(0) { $0 + $1.text.utf8.count + 2 }
        return 560 + result.page.name.utf8.count + 2 * result.metric.id.utf8.count + environment
    }

    /// The plot with a mark a sample, the values, the numbers of the rule.
    private static func partSize(_ result: ComparisonResult) -> Int {
        let marks = [result.baseline, result.candidate].reduce(0) { $0 + ($1?.samples?.count ?? 10) }
        return 3_600 + 80 * marks + result.reason.utf8.count
    }
}

extension ComparisonResult {
    /// Whether a reader is to look at it: whatever isn't simply well.
    fileprivate var isRemarkable: Bool { verdict != .passed && isGated }
}
