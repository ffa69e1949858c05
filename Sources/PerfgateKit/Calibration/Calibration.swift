import PerfgateCompare
import PerfgateModel
import PerfgateStats

/// What runs without any change in the code say of a gate: its noise, its sight, and its false alarms.
public struct Calibration: Sendable {
    /// The cells with samples, by page, metric, then environment.
    public let cells: [CellCalibration]
    /// Each run judged by the others, in the order of their identifiers.
    public let trials: [RunTrial]

    /// Calibrates by runs between which nothing was changed: logs of one build, or a baseline's own.
    public init(_ reference: Reference, policy: Policy) throws(StatsError) {
        let gated = Judge(policy: policy).gatedCells(of: reference, in: reference.environments)
        var cells: [CellCalibration] = []
        for (cell, entry) in reference.cells.sorted(by: { $0.key < $1.key }) {
            let significance = Significance(comparisons: gated[cell.environment] ?? 1)
            let calibrated = try CellCalibration(
                cell, entry, policy: policy.cellPolicy(of: cell, entry), significance: significance)
            if let calibrated { cells.append(calibrated) }
        }
        self.cells = cells
        trials = try RunTrial.all(of: reference, policy: policy)
    }

    /// How many gated cells a run without any change fails on average, at least 0: times by their noise, counts by
    /// comparisons that were drawn from the runs.
    public var expectedFalseAlarms: Double {
        cells.reduce(0) { $0 + ($1.isGated ? $1.falseAlarms ?? 0 : 0) }
    }

    /// The gated cells that can't gate a change.
    public var blind: [CellCalibration] { cells.filter { $0.isGated && $0.obstacle != nil } }

    /// The gated cells whose runs differ too much.
    public var unstable: [CellCalibration] { cells.filter { $0.isGated && $0.isUnstable } }
}
