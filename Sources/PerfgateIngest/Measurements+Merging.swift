import PerfgateModel

extension Measurements {
    /// Adds measurements of other inputs, whose runs are other runs and which have no traces.
    mutating func merge(_ other: Measurements) {
        runs = (runs + other.runs).sorted { $0.id.precedesInUTF8($1.id) }
        diagnostics += other.diagnostics
        var leftOut: [(cell: Cell, measurement: CellMeasurement)] = []
        for (cell, measurement) in other.cells {
            guard let known = cells[cell] else {
                cells[cell] = measurement
                continue
            }
            if let both = known.merged(with: measurement) {
                cells[cell] = both
            } else {
                let isKnownKept = known.isPreferred(to: measurement)
                cells[cell] = isKnownKept ? known : measurement
                leftOut.append((cell, isKnownKept ? measurement : known))
            }
        }
        tell(leftOut: leftOut)
        pages.merge(other.pages) { known, new in
            let tests = Set(known.tests + new.tests).sorted { $0.precedesInUTF8($1) }
            return PageMeasurement(
                seconds: known.seconds + new.seconds, tests: tests,
                measured: known.measured.merging(new.measured) { $0.merging($1, uniquingKeysWith: +) })
        }
        faultyInputs = (faultyInputs + other.faultyInputs).sorted { $0.path.precedesInUTF8($1.path) }
        diagnostics.sort()
    }

    /// Tells of measurements that were left out, and makes their runs bad data: what is kept isn't all they measured.
    mutating func tell(leftOut: [(cell: Cell, measurement: CellMeasurement)]) {
        var faults: [String: Set<String>] = [:]
        diagnostics += Set(leftOut.map(\.cell)).map(Diagnostic.conflict)
        for (cell, measurement) in leftOut {
            let conflict = Diagnostic.conflict(in: cell)
            for run in Set(measurement.runs.map(\.run)).union(measurement.iterations.keys) {
                faults[run, default: []].insert(conflict.message)
            }
        }
        for index in runs.indices where !runs[index].streams.isEmpty {
            guard let own = faults[runs[index].id] else { continue }
            runs[index].streams[0].faults += own.sorted { $0.precedesInUTF8($1) }
        }
    }
}

extension CellMeasurement {
    /// Both measurements as one; `nil` where unit, direction, formula or counting keep them apart.
    fileprivate func merged(with other: CellMeasurement) -> CellMeasurement? {
        guard metric == other.metric, formula == other.formula, counting == other.counting else { return nil }
        return CellMeasurement(
            metric: metric, counting: counting, formula: formula,
            runs: (runs + other.runs).sorted { $0.run.precedesInUTF8($1.run) },
            iterations: iterations.merging(other.iterations) { $0 + $1 },
            coverages: coverages.merging(other.coverages) { $0.merging($1, uniquingKeysWith: min) },
            silentIterations: silentIterations.merging(other.silentIterations) { $0.union($1) })
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
