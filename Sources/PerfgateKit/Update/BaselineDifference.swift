import PerfgateBaselines
import PerfgateCompare
import PerfgateFiles
import PerfgateModel

/// The difference of one cell between two states of a store.
package struct BaselineDifference: Sendable, Hashable {
    /// The page, the metric and the environment.
    package let cell: Cell
    /// The older content; `nil` if there is none.
    package let old: StoredCell?
    /// The newer content; `nil` if there is none.
    package let new: StoredCell?

    /// The newer centre minus the older one, in the metric's unit; `nil` if a side has none or the units differ.
    package var change: Double? {
        guard let old, let new, old.metric.unit == new.metric.unit, let before = old.center, let after = new.center
        else { return nil }
        return after - before
    }

    /// The runs that only the newer state contains, oldest first.
    package var addedRuns: [String] { (new?.runs ?? []).filter { !(old?.runs.contains($0) ?? false) } }

    /// The runs that only the older state contains, oldest first.
    package var removedRuns: [String] { (old?.runs ?? []).filter { !(new?.runs.contains($0) ?? false) } }

    /// Every cell that differs, sorted by page, metric and environment.
    package static func between(_ old: Baselines, _ new: Baselines) -> [BaselineDifference] {
        let before = Dictionary(old.storedCells.map { ($0.cell, $0) }) { first, _ in first }
        let after = Dictionary(new.storedCells.map { ($0.cell, $0) }) { first, _ in first }
        return Set(before.keys).union(after.keys).sorted().compactMap { cell in
            before[cell] == after[cell] ? nil : BaselineDifference(cell: cell, old: before[cell], new: after[cell])
        }
    }
}

/// The stored content of one page × metric × environment, for a list.
package struct StoredCell: Sendable, Hashable {
    /// The page, the metric and the environment.
    package let cell: Cell
    /// The metric with its unit and direction.
    package let metric: Metric
    /// The mean of counts and rates, else the median, in the metric's unit; `nil` without samples.
    package let center: Double?
    /// The number of samples.
    package let count: Int
    /// The identifiers of the samples' runs, oldest first.
    package let runs: [String]
    /// The stored runs that aren't used for comparison, sorted.
    package let provisional: [String]
    /// The limit imported from another tool, in the metric's unit; `nil`: none.
    package let limit: Double?

    init(_ cell: Cell, _ entry: Reference.Entry, provisional: Set<String>) {
        let side = CellResult.Side(entry.runs, of: entry.metric)
        self.cell = cell
        metric = entry.metric
        center = side?.center
        count = side?.count ?? 0
        runs = entry.runs.map(\.run)
        self.provisional = provisional.sorted { $0.precedesInUTF8($1) }
        limit = entry.limit?.value.value
    }
}

extension Baselines {
    /// All stored cells, sorted by page, metric and environment.
    package var storedCells: [StoredCell] {
        Reference(self).cells.map { cell, entry in
            StoredCell(cell, entry, provisional: self[cell.place]?.metrics[cell.metric]?.provisional ?? [])
        }.sorted { $0.cell < $1.cell }
    }
}

extension Page {
    /// Whether an argument names the page: by its name, or by its baseline file name, which is safe to type.
    package func isNamed(_ word: String) -> Bool {
        name == word || FileName(for: name).text == word
    }
}
