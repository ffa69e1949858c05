import PerfgateModel

/// Collects what files of other tools measured, by cell and run, independent of the order in which it comes.
struct ForeignCells {
    private struct Key: Hashable {
        let cell: Cell
        let metric: Metric
    }

    private struct Collected {
        var samples: [Sample] = []
        var iterations: Set<Int> = []
    }

    /// The pages with the tests that visited them.
    private(set) var pages: [PageInEnvironment: PageMeasurement] = [:]

    private var collected: [Key: [String: Collected]] = [:]
    private var infinite: Set<Key> = []

    /// Adds a cell of a run, and gives the number of its samples.
    mutating func add(_ cell: ForeignCell, metric: Metric, run: String, at place: PageInEnvironment) -> Int {
        let key = Key(cell: Cell(page: place.page, metric: metric.id, environment: place.environment), metric: metric)
        let samples = cell.samples.filter(\.value.isFinite)
        if samples.count < cell.samples.count { infinite.insert(key) }
        collected[key, default: [:]][run, default: Collected()].samples += samples
        collected[key]?[run]?.iterations.formUnion(cell.iterations)
        var page = pages[place] ?? PageMeasurement()
        if let test = cell.test, !page.tests.contains(test) {
            page.tests = (page.tests + [test]).sorted { $0.precedesInUTF8($1) }
        }
        page.iterations[run, default: []].formUnion(cell.iterations.union(samples.map(\.iteration)))
        pages[place] = page
        return samples.count
    }

    /// What a person should know of the values.
    var diagnostics: [Diagnostic] {
        Set(infinite.map(\.cell)).map { cell in
            let message = "\(cell.metric) of \(cell.page) has a value that is too large to be a number."
            return Diagnostic(.valueNotFinite, message + " It was left out: check what measured it.")
        }
    }

    /// The cells, and the measurements that others of their cells exclude.
    func cells() -> ([Cell: CellMeasurement], leftOut: [(cell: Cell, measurement: CellMeasurement)]) {
        var cells: [Cell: CellMeasurement] = [:]
        var leftOut: [(cell: Cell, measurement: CellMeasurement)] = []
        for (key, runs) in collected {
            let measurement = Self.measurement(key.metric, runs)
            guard let other = cells[key.cell] else {
                cells[key.cell] = measurement
                continue
            }
            let isOtherKept = other.isPreferred(to: measurement)
            cells[key.cell] = isOtherKept ? other : measurement
            leftOut.append((key.cell, isOtherKept ? measurement : other))
        }
        return (cells, leftOut)
    }

    private static func measurement(_ metric: Metric, _ runs: [String: Collected]) -> CellMeasurement {
        let samples = runs.filter { !$0.value.samples.isEmpty }.map { run, collected in
            RunSamples(run: run, samples: collected.samples.sorted())
        }
        return CellMeasurement(
            metric: metric, runs: samples.sorted { $0.run.precedesInUTF8($1.run) },
            iterations: runs.mapValues { $0.iterations.sorted() })
    }
}
