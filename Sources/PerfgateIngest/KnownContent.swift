import PerfgateModel

/// Removes from measurements what others contain of the same runs.
struct KnownContent {
    let known: Measurements
    private(set) var other: Measurements
    private(set) var diagnostics: [Diagnostic] = []
    private(set) var faults: [String: String] = [:]

    init(_ known: Measurements, beside other: Measurements) {
        (self.known, self.other) = (known, other)
        let runs = Dictionary(known.runs.map { ($0.id, $0) }) { first, _ in first }
        for run in other.runs { if let same = runs[run.id], !same.isSpread { takeOut(run, same) } }
    }

    private mutating func takeOut(_ run: Run, _ same: Run) {
        let path = run.streams.first?.path ?? ""
        var differs = false
        for (cell, measured) in other.cells where measured.measuringRuns.contains(run.id) {
            guard let place = known.place(of: cell, measured.metric, run: run.id), let own = known.cells[place] else {
                continue
            }
            guard !known.areOtherTests(place, than: other.pages[cell.place]?.tests) else { continue }
            var rest = RunContent(measured, run.id)
            if !rest.remove(RunContent(own, run.id)) { differs = true }
            other.cells[cell]?.remove([run.id])
            if other.cells[cell]?.measuringRuns.isEmpty == true { other.cells[cell] = nil }
            rest.add(to: &other.cells[place], measured.metric, run.id)
            takeOutPage(cell.place, run.id, as: place.place)
        }
        diagnostics.append(.repeated(run: run.id, of: same.streams.first?.path ?? "", in: path))
        guard differs else { return }
        let conflict = Diagnostic.conflict(of: run.id, in: path)
        diagnostics.append(conflict)
        faults[run.id] = conflict.message
    }

    private mutating func takeOutPage(_ place: PageInEnvironment, _ run: String, as own: PageInEnvironment) {
        guard var page = other.pages[place], let counts = page.measured[run] else { return }
        page.measured[run] = nil
        if page.measured.isEmpty { other.pages[place] = nil } else { other.pages[place] = page }
        let known = known.pages[own]?.measured[run] ?? [:]
        let rest = counts.filter { known[$0.key] == nil }
        guard !rest.isEmpty else { return }
        other.pages[own, default: PageMeasurement(tests: page.tests)].measured[run, default: [:]].merge(rest) { $1 }
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

extension Measurements {
    /// The cell with a cell's values of a run, in an environment without contradictions.
    fileprivate func place(of cell: Cell, _ metric: Metric, run: String) -> Cell? {
        let isSame = { (place: Cell, measured: CellMeasurement) in
            measured.metric == metric && measured.measuringRuns.contains(run)
        }
        if let own = cells[cell], isSame(cell, own) { return cell }
        return cells.filter { place, measured in
            place.page == cell.page && place.metric == cell.metric && isSame(place, measured)
                && place.environment.agrees(with: cell.environment)
        }.keys.min()
    }

    /// Whether a page is measured by other tests than the given ones.
    fileprivate func areOtherTests(_ place: Cell, than tests: [String]?) -> Bool {
        let own = pages[place.place]?.tests ?? []
        guard let tests, !tests.isEmpty, !own.isEmpty else { return false }
        return Set(tests).isDisjoint(with: own)
    }

    /// The runs of other tools' files that others contain completely, with the containing runs.
    func heldRuns(_ formats: Set<String>) -> [String: String] {
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

    mutating func remove(_ runs: Set<String>) {
        guard !runs.isEmpty else { return }
        self.runs.removeAll { runs.contains($0.id) }
        for cell in cells.keys {
            cells[cell]?.remove(runs)
            if cells[cell]?.measuringRuns.isEmpty == true { cells[cell] = nil }
        }
        for place in pages.keys {
            for run in runs { pages[place]?.measured[run] = nil }
            if pages[place]?.measured.isEmpty == true { pages[place] = nil }
        }
    }
}

extension Environment {
    /// Whether no field is known in both with different values.
    fileprivate func agrees(with other: Environment) -> Bool {
        zip(fields, other.fields).allSatisfy { $0.value == nil || $1.value == nil || $0.value == $1.value }
    }
}
