import PerfgateBaselines
import PerfgateCompare
import PerfgateFiles
import PerfgateModel

/// How one cell differs between two states of a store.
package struct BaselineDifference: Sendable, Hashable {
    /// The page, the metric and the environment.
    package let cell: Cell
    /// What the older state holds; `nil` where it holds nothing.
    package let old: StoredCell?
    /// What the newer state holds; `nil` where it holds nothing.
    package let new: StoredCell?

    /// The newer centre less the older one, in the metric's unit; `nil` where a side has none or the units differ.
    package var change: Double? {
        guard let old, let new, old.metric.unit == new.metric.unit, let before = old.center, let after = new.center
        else { return nil }
        return after - before
    }

    /// The runs that only the newer state holds, oldest first.
    package var addedRuns: [String] { (new?.runs ?? []).filter { !(old?.runs.contains($0) ?? false) } }

    /// The runs that only the older state holds, oldest first.
    package var removedRuns: [String] { (old?.runs ?? []).filter { !(new?.runs.contains($0) ?? false) } }

    /// Every cell that differs, by page, metric, then environment.
    package static func between(_ old: Baselines, _ new: Baselines) -> [BaselineDifference] {
        let before = Dictionary(old.storedCells.map { ($0.cell, $0) }) { first, _ in first }
        let after = Dictionary(new.storedCells.map { ($0.cell, $0) }) { first, _ in first }
        return Set(before.keys).union(after.keys).sorted().compactMap { cell in
            before[cell] == after[cell] ? nil : BaselineDifference(cell: cell, old: before[cell], new: after[cell])
        }
    }
}

/// What a store holds of one page × metric × environment, in the words of a list.
package struct StoredCell: Sendable, Hashable {
    /// The page, the metric and the environment.
    package let cell: Cell
    /// The metric with its unit and direction.
    package let metric: Metric
    /// The mean of counts and rates, else the median, in the metric's unit; `nil` without samples.
    package let center: Double?
    /// How many samples there are.
    package let count: Int
    /// The identifiers of the runs that they come from, oldest first.
    package let runs: [String]
    /// The runs that are held and not compared with, sorted.
    package let provisional: [String]
    /// The limit that another tool stored, in the metric's unit; `nil`: none.
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
    /// Everything that is held, by page, metric, then environment.
    package var storedCells: [StoredCell] {
        Reference(self).cells.map { cell, entry in
            StoredCell(cell, entry, provisional: self[cell.place]?.metrics[cell.metric]?.provisional ?? [])
        }.sorted { $0.cell < $1.cell }
    }
}

extension Page {
    /// Whether a person's word names the page: by its name, or by the name of its baseline's file, which is safe to
    /// type.
    package func isNamed(_ word: String) -> Bool {
        name == word || FileName(for: name).text == word
    }
}
