import PerfgateBaselines
import PerfgateModel

/// How one cell differs between two states of a store.
public struct BaselineDifference: Sendable, Hashable {
    /// The page, the metric and the environment.
    public let cell: Cell
    /// What the older state holds; `nil` where it holds nothing.
    public let old: StoredCell?
    /// What the newer state holds; `nil` where it holds nothing.
    public let new: StoredCell?

    /// The newer centre less the older one, in the metric's unit; `nil` where a side has none or the units differ.
    public var change: Double? {
        guard let old, let new, old.metric.unit == new.metric.unit, let before = old.center, let after = new.center
        else { return nil }
        return after - before
    }

    /// The runs that only the newer state holds, oldest first.
    public var addedRuns: [String] { (new?.runs ?? []).filter { !(old?.runs.contains($0) ?? false) } }

    /// The runs that only the older state holds, oldest first.
    public var removedRuns: [String] { (old?.runs ?? []).filter { !(new?.runs.contains($0) ?? false) } }

    /// Every cell that differs, by page, metric, then environment.
    public static func between(_ old: Baselines, _ new: Baselines) -> [BaselineDifference] {
        let before = Dictionary(old.storedCells.map { ($0.cell, $0) }) { first, _ in first }
        let after = Dictionary(new.storedCells.map { ($0.cell, $0) }) { first, _ in first }
        return Set(before.keys).union(after.keys).sorted().compactMap { cell in
            before[cell] == after[cell] ? nil : BaselineDifference(cell: cell, old: before[cell], new: after[cell])
        }
    }
}
