import PerfgateModel

/// Reads the files of one format of another tool.
///
/// A reader has a folder, a line in `ForeignFormats.all` and a table of tests. It reports the file's own identifiers,
/// units and positions. `ForeignAssembly` handles pages, environments and duplicate runs. Runs with equal identifiers
/// are one, so they derive from measurements or `ForeignFile.identity`, never from the path.
protocol ForeignReader: SendableMetatype {
    /// The content of one file; a `ForeignResult`, unless files are only meaningful together.
    associatedtype Part = ForeignResult

    /// The name for `--format` and the rules of `map:`, such as `xcresult-metrics`.
    static var name: String { get }
    /// The human-readable name, such as `metrics of xcresulttool`.
    static var title: String { get }
    /// The command or call that writes such a file, in one line.
    static var recipe: String { get }

    /// Whether a text looks like this format, wherever its marks are; independent of the file's name.
    static func recognises(_ head: ForeignHead) -> Bool
    /// Reads one whole file; throws if nothing in it is usable.
    static func read(_ file: ForeignFile) throws(IngestError) -> Part
    /// Combines the contents of the files in one call, in the order of their paths; a duplicate path counts once.
    static func join(_ parts: [Part]) -> ForeignResult
}

extension ForeignReader where Part == ForeignResult {
    /// Each file is independent.
    static func join(_ parts: [ForeignResult]) -> ForeignResult { parts.reduce(into: ForeignResult()) { $0.add($1) } }
}

/// Collects the measurements of other tools' files by cell and run, independent of their order.
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
    private var infinite: Set<Cell> = []

    /// Adds a cell, and returns the number of its samples that are finite.
    mutating func add(_ cell: ForeignCell, metric: Metric, run: String, at place: PageInEnvironment) -> Int {
        let key = Key(cell: Cell(page: place.page, metric: metric.id, environment: place.environment), metric: metric)
        let samples = cell.samples.filter(\.value.isFinite)
        if samples.count < cell.samples.count { infinite.insert(key.cell) }
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

    var diagnostics: [Diagnostic] {
        infinite.map { cell in
            let message = "\(cell.metric) of \(cell.page) has a value that is too large to be a number."
            return Diagnostic(.valueNotFinite, message + " It was left out: check what measured it.")
        }
    }

    /// The cells, without the measurements that conflict with others in their cell.
    func cells() -> ([Cell: CellMeasurement], leftOut: [(cell: Cell, measurement: CellMeasurement)]) {
        var cells: [Cell: CellMeasurement] = [:]
        var leftOut: [(cell: Cell, measurement: CellMeasurement)] = []
        for (key, runs) in collected {
            let samples = runs.filter { !$0.value.samples.isEmpty }.map { run, collected in
                RunSamples(run: run, samples: collected.samples.sorted())
            }
            let measurement = CellMeasurement(
                metric: key.metric, runs: samples.sorted { $0.run.precedesInUTF8($1.run) },
                iterations: runs.mapValues { $0.iterations.sorted() })
            leftOut += cells.add(measurement, to: key.cell)
        }
        return (cells, leftOut)
    }
}

/// The values of one metric on one page in a run.
struct ForeignCell: Sendable, Hashable {
    /// The page of values that are of an app as a whole.
    static let wholeApp = "App"

    /// The input of the `map:` rules: the measured test, process, table or event.
    let subject: String
    var page: String
    /// The test as reports and rerun lists name it; `nil` if it is unknown.
    var test: String?
    /// The variant that separates it from others on the same page, such as a test plan configuration. It follows the
    /// page's name in brackets, also if a rule sets the name; `nil` without a variant.
    var variant: String?
    let metric: Metric
    /// The samples, in perfgate's unit.
    var samples: [Sample]
    /// The measured iterations, with or without a sample.
    var iterations: Set<Int>

    /// Makes a cell from values in perfgate's unit, one per iteration; the number of the first iteration is `first`.
    init(
        subject: String, page: String? = nil, test: String? = nil, variant: String? = nil, metric: Metric,
        values: [Double], first: Int = 0
    ) {
        (self.subject, self.page, self.test, self.variant) = (subject, page ?? subject, test, variant)
        self.metric = metric
        samples = values.enumerated().map { Sample($1, iteration: first + $0) }
        iterations = Set(samples.map(\.iteration))
    }
}

extension [[String]: Int] {
    /// The number of a subject's next iteration, from 0, if the numbers of iterations so far are its values; counts it,
    /// or several.
    mutating func next(_ subject: String..., count: Int = 1) -> Int {
        defer { self[subject, default: 0] += count }
        return self[subject, default: 0]
    }
}

/// The names of the tests in one file. Tests of one name are one page, whose iterations follow each other.
struct NamesOfTests {
    let path: String

    private var iterations: [[String]: Int] = [:]
    private var tests: [String: Int] = [:]

    init(path: String) { self.path = path }

    /// Adds a test, and returns the number of its first iteration, from 0.
    mutating func add(_ name: String, iterations count: Int) -> Int {
        tests[name, default: 0] += 1
        return iterations.next(name, count: count)
    }

    /// A warning for each name of several tests.
    var diagnostics: [Diagnostic] {
        tests.filter { $0.value > 1 }.sorted { $0.key.precedesInUTF8($1.key) }.map { name, count in
            Diagnostic(
                .repeatedTest, path: path,
                "\(count) tests are called '\(name.prefix(60))' and are judged as one page, in which one can hide another: "
                    + "give each a name of its own.")
        }
    }
}

/// Another tool's metric: its name in perfgate, and the conversion of its values to perfgate's unit.
struct ForeignMetric: Hashable {
    let metric: Metric
    private let conversion: UnitConversion

    init(_ known: Metric) {
        metric = known
        conversion = UnitConversion(from: known.unit.symbol)
    }

    /// A metric with its unit in the tool's spelling.
    /// - Parameter better: The tool's better direction; if `nil`, the catalogue's, else smaller.
    init(id: String, unit: String, better: Better? = nil) {
        conversion = UnitConversion(from: unit)
        let known = MetricCatalog.definition(of: id)?.metric.better
        metric = Metric(id: id, unit: conversion.unit, better: better ?? known ?? .lower)
    }

    /// A value in perfgate's unit.
    func convert(_ value: Double) -> Double { conversion.convert(value) }

    func convert(_ values: [Double]) -> [Double] { values.map(conversion.convert) }
}

/// One measurement session on one device, as another tool's file describes it.
struct ForeignRun: Sendable, Hashable {
    /// The identifier; for tools without identifiers, the format and the name of the content.
    var id: String
    let path: String
    /// The other files that contributed to it.
    var otherPaths: [String] = []
    /// The conditions in the file; unknown fields are absent.
    var context = Context()
    /// The values, in any order; a cell may be in several parts.
    var cells: [ForeignCell] = []
    /// The reasons why it is bad data, in file order; empty for a sound run.
    var faults: [String] = []
    /// The owner's name for the device; `nil` if unknown or not needed.
    var nameOfDevice: String?
    /// The part of the file that it comes from, such as a process, if bad records may affect only parts; `nil`: all.
    var scope: String?

    /// A run for each app with cells: the app is its scope and its only known condition.
    static func ofApps(_ cells: [String: [ForeignCell]], in file: ForeignFile, named format: String) -> [ForeignRun] {
        let measured = cells.filter { !$0.value.isEmpty }.sorted { $0.key.precedesInUTF8($1.key) }
        return measured.map { app, cells in
            let id = [format, file.identity] + (measured.count == 1 ? [] : [app])
            let context = Context(app.isEmpty ? [:] : ["app": .text(app)])
            return ForeignRun(
                id: id.joined(separator: "-"), path: file.path, context: context, cells: cells, scope: app)
        }
    }
}

/// The content of another tool's files.
struct ForeignResult: Sendable {
    var runs: [ForeignRun] = []
    var tallies: [RecordTally] = []
    var diagnostics: [Diagnostic] = []
    /// The sound files without measurements; they have no run and no tally.
    var faultyInputs: [FaultyInput] = []

    mutating func add(_ other: ForeignResult) {
        runs += other.runs
        tallies += other.tallies
        diagnostics += other.diagnostics
        faultyInputs += other.faultyInputs
    }
}

extension ForeignResult {
    /// The content of a file with one run, or with none if that has no cells.
    init(_ run: ForeignRun, _ tally: RecordTally, _ diagnostics: [Diagnostic] = []) {
        self.init(runs: run.cells.isEmpty ? [] : [run], tallies: [tally], diagnostics: diagnostics)
    }
}
