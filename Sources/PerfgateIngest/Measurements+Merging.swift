import PerfgateModel

extension Measurements {
    /// Adds measurements of other tools' files, which have no traces. Known content of a run isn't added again.
    mutating func merge(_ others: Measurements) {
        let content = KnownContent(self, beside: others)
        let other = content.other
        add(other.runs, of: other)
        diagnostics += other.diagnostics + content.diagnostics
        for index in runs.indices where !runs[index].streams.isEmpty {
            if let fault = content.faults[runs[index].id] { runs[index].streams[0].faults.append(fault) }
        }
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
        leaveHeldRunsOut()
        diagnostics.sort()
    }

    /// Adds runs; for a known run, only new content.
    private mutating func add(_ others: [Run], of measurements: Measurements) {
        for run in others {
            guard let index = runs.firstIndex(where: { $0.id == run.id }) else {
                runs.append(run)
                continue
            }
            let added = measurements.cells.values.reduce(0) { count, cell in
                count + cell.runs.filter { $0.run == run.id }.reduce(0) { $0 + $1.samples.count }
            }
            runs[index].sampleCount += added
            runs[index].streams += added > 0 ? run.streams : run.streams.filter { !$0.faults.isEmpty }
        }
        runs.sort { $0.id.precedesInUTF8($1.id) }
    }

    /// Removes runs of other tools that others contain completely, such as a log converted from part of the inputs.
    private mutating func leaveHeldRunsOut() {
        let held = heldRuns(Set(ForeignFormats.all.map { String($0.name.prefix { $0 != "-" }) }))
        let paths = Dictionary(runs.map { ($0.id, $0.streams.first?.path ?? "") }) { first, _ in first }
        for (run, holder) in held {
            diagnostics.append(.repeated(run: run, of: paths[holder] ?? "", in: paths[run] ?? ""))
        }
        remove(Set(held.keys))
    }

    /// Reports measurements that were left out, and makes their runs bad data, because the rest is incomplete.
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
    /// Both measurements merged; `nil` if unit, direction, formula or counting differ.
    fileprivate func merged(with other: CellMeasurement) -> CellMeasurement? {
        guard metric == other.metric, formula == other.formula, counting == other.counting else { return nil }
        return CellMeasurement(
            metric: metric, counting: counting, formula: formula,
            runs: Dictionary(grouping: runs + other.runs, by: \.run).map { run, parts in
                parts.count == 1 ? parts[0] : RunSamples(run: run, samples: parts.flatMap(\.samples).sorted())
            }.sorted { $0.run.precedesInUTF8($1.run) },
            iterations: iterations.merging(other.iterations) { ($0 + $1).sorted() },
            coverages: coverages.merging(other.coverages) { $0.merging($1, uniquingKeysWith: min) },
            silentIterations: silentIterations.merging(other.silentIterations) { $0.union($1) })
    }

    /// Whether this one is kept of two incompatible ones: by newer formula, exact counting, unit, then direction.
    func isPreferred(to other: CellMeasurement) -> Bool {
        if formula != other.formula { return NaturalOrder.precedes(other.formula, formula) }
        if counting != other.counting { return counting == .exact }
        if metric.unit != other.metric.unit { return metric.unit.symbol.precedesInUTF8(other.metric.unit.symbol) }
        return metric.better == .lower
    }
}

extension Diagnostic {
    static func conflict(in cell: Cell) -> Diagnostic {
        let message =
            "\(cell.metric) of \(cell.page) has values with different formulas, ways to count frames, or units, which can't "
            + "be compared. Only one kind was used: measure all runs with one version of the recorder."
        return Diagnostic(.conflictingMetric, message)
    }
}
