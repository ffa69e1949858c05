import PerfgateModel

/// One of the runs that many logs hold together, with what it measured.
public struct CollectedRun: Sendable {
    /// The run.
    public let run: Run
    /// When it began.
    public let start: Timestamp
    /// What it measured, and nothing else.
    public let measurements: Measurements
}

extension Measurements {
    /// What each run measured by itself.
    func cellsByRun() -> [String: [Cell: CellMeasurement]] {
        var result: [String: [Cell: CellMeasurement]] = [:]
        for (cell, measurement) in cells {
            for run in Set(measurement.runs.map(\.run)).union(measurement.iterations.keys) {
                result[run, default: [:]][cell] = measurement.only(run)
            }
        }
        return result
    }

    /// What one run measured, without what was said of the logs as a whole.
    func only(_ run: Run, _ cells: [Cell: CellMeasurement]) -> Measurements {
        let places = Set(cells.keys.map(\.place))
        return Measurements(runs: [run], cells: cells, pages: pages.filter { places.contains($0.key) })
    }

    /// The measurements with no other cells than those wanted.
    func keeping(_ isWanted: (Cell) -> Bool) -> Measurements {
        let kept = cells.filter { isWanted($0.key) }
        guard kept.count < cells.count else { return self }
        var result = self
        result.cells = kept
        let places = Set(kept.keys.map(\.place))
        result.pages = pages.filter { places.contains($0.key) }
        return result
    }
}

extension CellMeasurement {
    /// What one run measured.
    fileprivate func only(_ run: String) -> CellMeasurement {
        CellMeasurement(
            metric: metric, counting: counting, formula: formula, runs: runs.filter { $0.run == run },
            iterations: iterations.filter { $0.key == run }, coverages: coverages.filter { $0.key == run },
            silentIterations: silentIterations.filter { $0.key == run })
    }
}
