import PerfgateModel

extension Measurements {
    /// Adds measurements of other inputs, whose runs are other runs; the result doesn't depend on which is added to
    /// which.
    mutating func merge(_ other: Measurements) {
        runs = (runs + other.runs).sorted { $0.id.precedesInUTF8($1.id) }
        diagnostics += other.diagnostics
        for (cell, measurement) in other.cells {
            guard let known = cells[cell] else {
                cells[cell] = measurement
                continue
            }
            if let both = known.merged(with: measurement) {
                cells[cell] = both
            } else {
                cells[cell] = known.isPreferred(to: measurement) ? known : measurement
                diagnostics.append(.conflict(in: cell))
            }
        }
        pages.merge(other.pages) { known, new in
            let tests = Set(known.tests + new.tests).sorted { $0.precedesInUTF8($1) }
            return PageMeasurement(seconds: known.seconds + new.seconds, tests: tests)
        }
        faultyInputs = (faultyInputs + other.faultyInputs).sorted { $0.path.precedesInUTF8($1.path) }
        diagnostics.sort()
    }
}

extension CellMeasurement {
    /// Both measurements as one; `nil` where unit, direction, formula or counting keep them apart.
    fileprivate func merged(with other: CellMeasurement) -> CellMeasurement? {
        guard metric == other.metric, formula == other.formula, counting == other.counting else { return nil }
        return CellMeasurement(
            metric: metric, counting: counting, formula: formula,
            runs: (runs + other.runs).sorted { $0.run.precedesInUTF8($1.run) },
            iterations: iterations.merging(other.iterations) { $0 + $1 }, coverage: coverage ?? other.coverage)
    }

    /// Whether this is kept of two that exclude each other: the newer formula, then exact counting, then the unit's
    /// name, then where smaller is better.
    func isPreferred(to other: CellMeasurement) -> Bool {
        if formula != other.formula { return NaturalOrder.precedes(other.formula, formula) }
        if counting != other.counting { return counting == .exact }
        if metric.unit != other.metric.unit { return metric.unit.symbol.precedesInUTF8(other.metric.unit.symbol) }
        return metric.better == .lower
    }
}

extension Diagnostic {
    /// A cell comes in ways that exclude each other.
    static func conflict(in cell: Cell) -> Diagnostic {
        let message = "\(cell.metric) of \(cell.page) comes in several formulas, countings or units; one was kept."
        return Diagnostic(.conflictingMetric, message)
    }
}
