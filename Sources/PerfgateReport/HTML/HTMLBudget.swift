import PerfgateCompare
import PerfgateModel

/// Which comparisons are shown with plot, samples and numbers, so that the page stays small enough to open at once.
///
/// All of them, while there is room; else what got worse first, then what else isn't well, and of the rest as many as fit, in the report's order.
/// Those left out keep their rows. Sizes are estimated from what is in them, not rendered twice.
struct HTMLBudget {
    /// How long the page may become, in bytes.
    static let bytes = 4_600_000
    /// How many comparisons stand in one table; of more, only the worst `fewRows`, and the others at their pages.
    private static let mostRows = 4_000
    private static let fewRows = 1_000

    /// How many rows the table of all comparisons has.
    static func rows(of report: GateReport) -> Int {
        report.comparisons.count <= mostRows ? report.comparisons.count : fewRows
    }

    private var left: Int
    private var whole: Set<Cell> = []
    private var withHistory: Set<Cell> = []
    private var traced: Set<PageInEnvironment> = []

    /// Deals out the room.
    init(_ report: GateReport) {
        let count = Self.rows(of: report)
        let told = report.comparisons.prefix(count) + (report.pinned?.comparisons ?? [])
        let rows =
            told.reduce(0) { $0 + Self.rowSize($1) }
            + report.comparisons.dropFirst(count).reduce(0) { $0 + Self.rowSize($1) / 2 }
        let leads = report.pages.reduce(0) { $0 + $1.leads.reduce(0) { $0 + 2 * $1.utf8.count + 60 } }
        let traffic = report.environments.reduce(0) { $0 + HTMLTraffic.size($1) }
        left =
            Self.bytes - rows - leads - traffic - report.pages.count * 400
            - (report.diagnostics.count + report.runs.count) * 300
        let pages = PageIndex(report)
        let rowed = Array(report.comparisons.prefix(count))
        let isWorse: (CellResult) -> Bool = { $0.isRemarkable && $0.isWorse }
        let isDoubtful: (CellResult) -> Bool = { $0.isRemarkable && !$0.isWorse }
        let isWell: (CellResult) -> Bool = { !$0.isRemarkable }
        for isOfGroup in [isWorse, isDoubtful] {
            for result in rowed where isOfGroup(result) { dealHistory(to: result) }
            for result in report.comparisons where isOfGroup(result) { deal(to: result) }
        }
        let remarkable = report.comparisons.filter(\.isRemarkable)
        for result in remarkable + report.comparisons.filter(isWell) { dealTrace(to: result, pages) }
        for result in rowed where isWell(result) { dealHistory(to: result) }
        for result in report.comparisons where isWell(result) { deal(to: result) }
    }

    private mutating func deal(to result: CellResult) {
        let size = Self.partSize(result)
        guard size <= left else { return left = 0 }
        left -= size
        whole.insert(result.cell)
    }

    private mutating func dealTrace(to result: CellResult, _ pages: PageIndex) {
        guard !traced.contains(result.place), let trace = pages[result]?.trace else { return }
        let size = Self.traceSize(trace)
        guard size <= left else { return }
        left -= size
        traced.insert(result.place)
    }

    private mutating func dealHistory(to result: CellResult) {
        let runs = (result.baseline?.history.count ?? 0) + (result.candidate?.history.count ?? 0)
        let size = runs > 2 ? 420 + 12 * runs : 0
        guard size <= left else { return }
        left -= size
        withHistory.insert(result.cell)
    }

    /// Whether a comparison's row shows how it went from run to run.
    func allowsHistory(of result: CellResult) -> Bool { withHistory.contains(result.cell) }

    /// Whether a comparison is shown whole.
    func allows(_ result: CellResult) -> Bool { whole.contains(result.cell) }

    /// Whether the frames and the visit of a page are shown.
    func allowsTrace(of place: PageInEnvironment) -> Bool { traced.contains(place) }

    /// A bar a stretch of time, of which few find a place, a mark a hitch, a row a scroll, and the phases.
    private static func traceSize(_ trace: PageTrace) -> Int {
        let scrolls = trace.frames?.scrolls ?? []
        let buckets = (scrolls.compactMap(\.timeline) + [trace.frames?.screen].compactMap(\.self)).flatMap(\.buckets)
        let hitches = buckets.count { bucket in bucket.map { $0.hitches + $0.droppedFrames > 0 } ?? false }
        return 4_000 + scrolls.count * 600 + min(buckets.count, 320) * 16 + min(hitches, 320) * 330
            + (trace.visit?.phases.count ?? 0) * 450
    }

    /// The row among all comparisons, and the one at the page.
    private static func rowSize(_ result: CellResult) -> Int {
        let environment = result.environment.fields.reduce(0) { $0 + $1.text.utf8.count + 2 }
        return 560 + result.page.name.utf8.count + 2 * result.metric.id.utf8.count + environment
    }

    /// The plot with a mark a sample, the values, the steps of the rule and its numbers.
    private static func partSize(_ result: CellResult) -> Int {
        let marks = [result.baseline, result.candidate].reduce(0) { $0 + ($1?.samples?.count ?? 10) }
        let spread = result.releases?.spread.map { 4_000 + 28 * $0.base.count } ?? 0
        return 3_600 + spread + 80 * marks + 200 * result.rule.count + result.reason.utf8.count
    }
}

extension CellResult {
    /// Whether a reader is to look at it: whatever isn't simply well.
    fileprivate var isRemarkable: Bool { verdict != .passed && isGated }
}

/// What a report knows of its pages, found by comparison.
struct PageIndex {
    private let pages: [PageInEnvironment: PageSummary]
    /// The worst comparison of each page that got worse.
    private let worst: Set<Cell>

    /// Indexes the pages of a report; of a page that is there twice the first counts.
    init(_ report: GateReport) {
        pages = Dictionary(report.pages.map { ($0.place, $0) }) { first, _ in first }
        let worse = (report.comparisons + (report.pinned?.comparisons ?? [])).filter(\.isWorse)
        worst = Set(Dictionary(worse.map { ($0.place, $0.cell) }) { first, _ in first }.values)
    }

    /// What is known of a place; `nil` where nothing is.
    subscript(place: PageInEnvironment) -> PageSummary? { pages[place] }

    /// What is known of a comparison's page.
    subscript(result: CellResult) -> PageSummary? { pages[result.place] }

    /// Where to look for the cause of what a comparison says; empty where it isn't worse, or nobody knows.
    func leads(of result: CellResult) -> [String] { result.isWorse ? self[result]?.leads ?? [] : [] }

    /// The same for tables, in which only the first row of a page says it.
    func leads(ofRow result: CellResult) -> [String] { worst.contains(result.cell) ? leads(of: result) : [] }

    /// The sentence of a comparison with its leads behind it, where a line is all that there is.
    func reason(of result: CellResult) -> String {
        ([result.reason] + leads(of: result).map { "\(Self.lookAt) \($0)." }).joined(separator: " ")
    }

    /// What a lead follows.
    static let lookAt = "Where to look:"

    /// Who answers for a comparison's page; `nil` where nobody said.
    func owner(of result: CellResult) -> String? {
        self[result]?.owner.flatMap { $0.isEmpty ? nil : $0 }
    }
}

extension PageSummary {
    /// Where it is implemented: `Search.swift:12`, or the file alone; `nil` where the configuration doesn't know.
    var position: String? { file.map { file in line.map { "\(file):\($0)" } ?? file } }
}
