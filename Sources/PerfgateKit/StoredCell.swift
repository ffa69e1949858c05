import PerfgateBaselines
import PerfgateCompare
import PerfgateModel

/// What a store holds of one page × metric × environment, in the words of a list.
public struct StoredCell: Sendable, Hashable {
    /// The page, the metric and the environment.
    public let cell: Cell
    /// The metric with its unit and direction.
    public let metric: Metric
    /// The mean of counts and rates, else the median, in the metric's unit; `nil` without samples.
    public let center: Double?
    /// How many samples there are.
    public let count: Int
    /// The identifiers of the runs that they come from, oldest first.
    public let runs: [String]
    /// The limit that another tool stored, in the metric's unit; `nil`: none.
    public let limit: Double?

    init(_ cell: Cell, _ entry: Reference.Entry) {
        let side = ComparisonResult.Side(entry.runs, of: entry.metric)
        self.cell = cell
        metric = entry.metric
        center = side?.center
        count = side?.count ?? 0
        runs = entry.runs.map(\.run)
        limit = entry.limit?.value.value
    }
}

extension Baselines {
    /// Everything that is held, by page, metric, then environment.
    public var storedCells: [StoredCell] {
        Reference(self).cells.map { StoredCell($0, $1) }.sorted { $0.cell < $1.cell }
    }
}

extension Page {
    /// Whether a person's word names the page: by its name, or by the name of its baseline's file, which is safe to
    /// type.
    public func isNamed(_ word: String) -> Bool {
        name == word || FileName(for: name).text == word
    }
}
