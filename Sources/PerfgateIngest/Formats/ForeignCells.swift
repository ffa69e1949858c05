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
        for iteration in cell.iterations.union(samples.map(\.iteration)) {
            page.measured[run, default: [:]][iteration] = MeasuredCounts(iterations: 1)
        }
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

/// What a run says of one metric of one page.
struct ForeignCell: Sendable, Hashable {
    /// What the rules of `map:` are matched against: the test, process, table or event that was measured.
    let subject: String
    /// The page where no rule matches.
    var page: String
    /// The test as reports and re-run lists name it; `nil` where no test is known.
    var test: String?
    /// What keeps it apart from others on the same page, such as a configuration of the test plan: it stands in brackets
    /// behind the page's name, whatever rule gives that; `nil` where there is nothing to keep apart.
    var variant: String?
    /// What was measured, in perfgate's unit.
    let metric: Metric
    /// The samples, in perfgate's unit.
    var samples: [Sample]
    /// The iterations that measured it, with a sample or without.
    var iterations: Set<Int>

    /// Makes a cell of values in perfgate's unit, one an iteration.
    ///
    /// - Parameter first: The number of the first value's iteration.
    init(subject: String, page: String? = nil, test: String? = nil, metric: Metric, values: [Double], first: Int = 0) {
        self.subject = subject
        self.page = page ?? subject
        self.test = test
        self.metric = metric
        samples = values.enumerated().map { Sample($1, iteration: first + $0) }
        iterations = Set(samples.map(\.iteration))
    }
}

/// A metric of another tool: what it is called here, and how its values become values in perfgate's unit.
struct ForeignMetric: Hashable {
    /// The metric in perfgate's unit.
    let metric: Metric
    private let conversion: UnitConversion

    /// A metric that the catalogue knows, of values in its unit.
    init(_ known: Metric) {
        metric = known
        conversion = UnitConversion(from: known.unit.symbol)
    }

    /// A metric with its unit as the tool spells it.
    ///
    /// - Parameter better: What the tool says is good; where it doesn't say, the catalogue does, else smaller is.
    init(id: String, unit: String, better: Better? = nil) {
        conversion = UnitConversion(from: unit)
        let known = MetricCatalog.definition(of: id)?.metric.better
        metric = Metric(id: id, unit: conversion.unit, better: better ?? known ?? .lower)
    }

    /// The values in perfgate's unit.
    func convert(_ values: [Double]) -> [Double] { values.map(conversion.convert) }
}

/// One stretch of measuring on one device, as a file of another tool tells it.
struct ForeignRun: Sendable, Hashable {
    /// The identifier; of a tool that gives none, its format and the name of the content.
    let id: String
    /// The file it was read from, as it was named.
    let path: String
    /// The other files that it was put together from.
    var otherPaths: [String] = []
    /// What the file says of the conditions; what it doesn't say is absent.
    var context: Context
    /// What was measured, in any order; a cell may come in several pieces.
    var cells: [ForeignCell] = []
    /// Why it is bad data, in the order of the file; empty where it is sound.
    var faults: [String] = []
    /// What the owner of its device calls that; `nil` where it isn't known, or not needed.
    var nameOfDevice: String?
    /// The part of the file that it is made of, such as a process, where records of others can be bad; `nil`: all of it.
    var scope: String?
}

/// What files of another tool say.
struct ForeignResult: Sendable {
    /// The runs, in any order.
    var runs: [ForeignRun] = []
    /// What became of the records, a file each.
    var tallies: [RecordTally] = []
    /// What a person should know beside what the tallies tell.
    var diagnostics: [Diagnostic] = []
    /// The files that are sound and give no measurement; they have neither a run nor a tally.
    var faultyInputs: [FaultyInput] = []

    /// Adds what other files say.
    mutating func add(_ other: ForeignResult) {
        runs += other.runs
        tallies += other.tallies
        diagnostics += other.diagnostics
        faultyInputs += other.faultyInputs
    }
}

/// The files of one format in one call.
protocol ForeignBatching: AnyObject {
    /// Reads a file; throws where nothing of it can be used.
    func read(_ file: ForeignFile) throws(IngestError)
    /// What all of them say, the same in whatever order they were read.
    func result() -> ForeignResult
}

/// The files of one format, read by its reader.
final class ForeignBatch<Reader: ForeignReader>: ForeignBatching {
    private typealias Entry = (file: String, identity: String, part: Reader.Part)

    private var parts: [Entry] = []

    init(_ reader: Reader.Type) {}

    func read(_ file: ForeignFile) throws(IngestError) {
        parts.append((file.path, file.identity, try Reader.read(file)))
    }

    func result() -> ForeignResult {
        var known: Set<[String]> = []
        let distinct = parts.sorted(by: Self.precedes).filter { known.insert([$0.file, $0.identity]).inserted }
        return Reader.join(distinct.map(\.part))
    }

    /// By path; a bundle is a path with several texts.
    private static func precedes(_ lhs: Entry, _ rhs: Entry) -> Bool {
        lhs.file == rhs.file ? lhs.identity < rhs.identity : lhs.file.precedesInUTF8(rhs.file)
    }
}
