import PerfgateModel

extension Measurements {
    /// Adds measurements of other tools' files, which have no traces. Known content of a run isn't added again.
    mutating func merge(_ others: Measurements) {
        let content = KnownContent(self, beside: others)
        let other = content.other
        add(other.runs, of: other)
        diagnostics += other.diagnostics + content.diagnostics
        fail(content.faults)
        var leftOut: [(cell: Cell, measurement: CellMeasurement)] = []
        for (cell, measurement) in other.cells {
            if let both = cells[cell]?.merged(with: measurement) {
                cells[cell] = both
            } else {
                leftOut += cells.add(measurement, to: cell)
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
            let parts = measurements.cells.values.lazy.flatMap(\.runs).filter { $0.run == run.id }
            let added = parts.reduce(0) { $0 + $1.samples.count }
            runs[index].sampleCount += added
            runs[index].streams += added > 0 ? run.streams : run.streams.filter { !$0.faults.isEmpty }
        }
        runs.sort { $0.id.precedesInUTF8($1.id) }
    }

    /// Removes runs of other tools that others contain completely, such as a log converted from part of the inputs.
    private mutating func leaveHeldRunsOut() {
        let held = heldRuns(Set(ForeignFormats.all.map { String($0.name.prefix { $0 != "-" }) }))
        guard !held.isEmpty else { return }
        let paths = Dictionary(runs.map { ($0.id, $0.streams.first?.path ?? "") }) { first, _ in first }
        for (run, holder) in held {
            diagnostics.append(.repeated(run: run, of: paths[holder] ?? "", in: paths[run] ?? ""))
        }
        runs.removeAll { held[$0.id] != nil }
        let names = Set(held.keys)
        for cell in cells.keys { cells.takeOut(names, of: cell) }
        for place in pages.keys { pages.takeOut(names, at: place) }
    }

    /// The runs of other tools' files that others contain completely, with the containing runs.
    private func heldRuns(_ formats: Set<String>) -> [String: String] {
        let isForeign = { (id: String) in formats.contains { id.hasPrefix($0 + "-") } }
        let foreign = runs.filter { isForeign($0.id) && !$0.isSpread }
        guard foreign.count > 1 else { return [:] }
        var contents = Dictionary(
            foreign.map { ($0.id, MeasuredContent(run: $0.id, context: $0.context)) }
        ) { first, _ in first }
        for (cell, measured) in cells {
            let subject = [cell.page.name, cell.metric, measured.metric.unit.symbol]
            for run in measured.measuringRuns where contents[run] != nil {
                let samples = measured.runs.filter { $0.run == run }.flatMap(\.samples)
                contents[run]?.add(subject, samples, iterations: measured.iterations[run] ?? [])
            }
        }
        return MeasuredContent.held(contents.values.sorted { $0.run.precedesInUTF8($1.run) })
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
        fail(faults)
    }

    /// Makes runs bad data, with the reasons by run.
    private mutating func fail(_ faults: [String: Set<String>]) {
        for index in runs.indices where !runs[index].streams.isEmpty {
            guard let own = faults[runs[index].id] else { continue }
            runs[index].streams[0].faults += own.sorted { $0.precedesInUTF8($1) }
        }
    }
}

extension [Cell: CellMeasurement] {
    /// Adds a measurement to a cell. Of two incompatible ones, keeps the preferred one and returns the other.
    mutating func add(_ new: CellMeasurement, to cell: Cell) -> [(cell: Cell, measurement: CellMeasurement)] {
        guard let known = self[cell] else {
            self[cell] = new
            return []
        }
        let isKnownKept = known.isPreferred(to: new)
        self[cell] = isKnownKept ? known : new
        return [(cell, isKnownKept ? new : known)]
    }

    fileprivate mutating func takeOut(_ runs: Set<String>, of cell: Cell) {
        self[cell]?.remove(runs)
        if self[cell]?.measuringRuns.isEmpty == true { self[cell] = nil }
    }
}

extension [PageInEnvironment: PageMeasurement] {
    fileprivate mutating func takeOut(_ runs: Set<String>, at place: PageInEnvironment) {
        for run in runs { self[place]?.measured[run] = nil }
        if self[place]?.measured.isEmpty == true { self[place] = nil }
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
    fileprivate func isPreferred(to other: CellMeasurement) -> Bool {
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

/// Removes from measurements what others contain of the same runs.
private struct KnownContent {
    let known: Measurements
    private(set) var other: Measurements
    private(set) var diagnostics: [Diagnostic] = []
    private(set) var faults: [String: Set<String>] = [:]

    init(_ known: Measurements, beside other: Measurements) {
        (self.known, self.other) = (known, other)
        let runs = Dictionary(known.runs.map { ($0.id, $0) }) { first, _ in first }
        for run in other.runs { if let same = runs[run.id], !same.isSpread { takeOut(run, same) } }
    }

    private mutating func takeOut(_ run: Run, _ same: Run) {
        let path = run.streams.first?.path ?? ""
        var differs = false
        for (cell, measured) in other.cells where measured.measuringRuns.contains(run.id) {
            guard let place = place(of: cell, measured.metric, run: run.id), let own = known.cells[place],
                !areOtherTests(other.pages[cell.place]?.tests ?? [], than: known.pages[place.place]?.tests ?? [])
            else { continue }
            var rest = RunContent(measured, run.id)
            if !rest.remove(RunContent(own, run.id)) { differs = true }
            other.cells.takeOut([run.id], of: cell)
            rest.add(to: &other.cells[place], measured.metric, run.id)
            takeOutPage(cell.place, run.id, as: place.place)
        }
        diagnostics.append(.repeated(run: run.id, of: same.streams.first?.path ?? "", in: path))
        guard differs else { return }
        let conflict = Diagnostic.conflict(of: run.id, in: path)
        diagnostics.append(conflict)
        faults[run.id] = [conflict.message]
    }

    private mutating func takeOutPage(_ place: PageInEnvironment, _ run: String, as own: PageInEnvironment) {
        guard let page = other.pages[place], let counts = page.measured[run] else { return }
        other.pages.takeOut([run], at: place)
        let known = known.pages[own]?.measured[run] ?? [:]
        let rest = counts.filter { known[$0.key] == nil }
        guard !rest.isEmpty else { return }
        other.pages[own, default: PageMeasurement(tests: page.tests)].measured[run, default: [:]].merge(rest) { $1 }
    }

    /// The known cell with a cell's values of a run, in an environment without contradictions.
    private func place(of cell: Cell, _ metric: Metric, run: String) -> Cell? {
        let isSame = { (measured: CellMeasurement) in
            measured.metric == metric && measured.measuringRuns.contains(run)
        }
        if let own = known.cells[cell], isSame(own) { return cell }
        return known.cells.filter { place, measured in
            place.page == cell.page && place.metric == cell.metric && isSame(measured)
                && place.environment.agrees(with: cell.environment)
        }.keys.min()
    }

    /// Whether two pages are measured by different tests; not if one doesn't name its tests.
    private func areOtherTests(_ tests: [String], than known: [String]) -> Bool {
        !tests.isEmpty && !known.isEmpty && Set(tests).isDisjoint(with: known)
    }
}

/// One run's measurements of one cell, by iteration.
private struct RunContent {
    var values: [Int: [Double]]

    init(_ measured: CellMeasurement, _ run: String) {
        values = Dictionary((measured.iterations[run] ?? []).map { ($0, []) }) { first, _ in first }
        for sample in measured.runs.filter({ $0.run == run }).flatMap(\.samples) {
            values[sample.iteration, default: []].append(sample.value)
        }
    }

    /// Removes another's content; `false` if both have values of an iteration that the other lacks.
    mutating func remove(_ other: RunContent) -> Bool {
        var agree = true
        for (iteration, known) in other.values {
            guard var rest = values[iteration] else { continue }
            var missing = 0
            for value in known {
                if let index = rest.firstIndex(of: value) { rest.remove(at: index) } else { missing += 1 }
            }
            if missing > 0, !rest.isEmpty { agree = false }
            values[iteration] = missing > 0 || rest.isEmpty ? nil : rest
        }
        return agree
    }

    func add(to cell: inout CellMeasurement?, _ metric: Metric, _ run: String) {
        guard !values.isEmpty else { return }
        let samples = values.sorted { $0.key < $1.key }.flatMap { key, values in
            values.sorted().map { Sample($0, iteration: key) }
        }
        var measured = cell ?? CellMeasurement(metric: metric, runs: [])
        if !samples.isEmpty { measured.runs.append(RunSamples(run: run, samples: samples)) }
        measured.iterations[run] = values.keys.sorted()
        cell = measured
    }
}

extension Run {
    /// Whether it consists of launches or shards, so other content beside them is separate.
    fileprivate var isSpread: Bool { streams.contains { $0.part != nil || $0.shard != nil } }
}

extension Environment {
    /// Whether no field is known in both with different values.
    fileprivate func agrees(with other: Environment) -> Bool {
        zip(fields, other.fields).allSatisfy { $0.value == nil || $1.value == nil || $0.value == $1.value }
    }
}
