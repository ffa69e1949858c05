import PerfgateCompare
import PerfgateModel

/// What to do next about one page, or about the whole run.
struct NextBlock {
    /// The page; `nil`: the whole run.
    let page: Page?
    /// The steps, in the order in which to try them; not empty.
    private(set) var steps: [NextStep]

    /// The blocks of a report in the order of its steps.
    static func all(of report: GateReport) -> [NextBlock] {
        report.next.reduce(into: []) { blocks, step in
            if let last = blocks.last, last.page == step.page {
                blocks[blocks.count - 1].steps.append(step)
            } else {
                blocks.append(NextBlock(page: step.page, steps: [step]))
            }
        }
    }

    /// What to say of the pages that fail and have no block; `nil` where there is none.
    static func remainder(of report: GateReport) -> String? {
        let told = Set(report.next.compactMap(\.page))
        let failing = report.comparisons.filter { result in
            result.isGated && result.verdict != .noBaseline
                && ExitStatus(of: result, failing: report.failing) != .passed
        }
        let left = Set(failing.map(\.page)).subtracting(told).count
        guard !told.isEmpty, left > 0 else { return nil }
        return "\(Figure.count(left, "more page")) fail\(left == 1 ? "s" : ""): the same commands hold for "
            + "\(left == 1 ? "its page and metric" : "their pages and metrics")."
    }
}
