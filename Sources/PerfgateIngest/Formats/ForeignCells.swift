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

    /// Makes a cell from values in the tool's unit, one per iteration, `nil` for an iteration without a sample.
    /// - Parameter first: The number of the first iteration.
    init(
        subject: String, page: String? = nil, test: String? = nil, variant: String? = nil, metric: ForeignMetric,
        values: [Double?], first: Int = 0
    ) {
        (self.subject, self.page, self.test, self.variant) = (subject, page ?? subject, test, variant)
        self.metric = metric.metric
        samples = zip(first..., values).compactMap { iteration, value in
            value.map { Sample(metric.convert($0), iteration: iteration) }
        }
        iterations = Set(first..<first + values.count)
    }

    /// Makes a cell from values in perfgate's unit.
    init(
        subject: String, page: String? = nil, variant: String? = nil, metric: Metric, values: [Double], first: Int = 0
    ) {
        self.init(
            subject: subject, page: page, variant: variant, metric: ForeignMetric(metric), values: values, first: first)
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

/// The measured content of one run, independent of its file: the values by metric and iteration.
struct MeasuredContent {
    struct Entry: Hashable {
        /// The subject: the page or the test, the metric, and its unit.
        let subject: [String]
        let iteration: Int
        /// In ascending order.
        let values: [Double]

        /// Whether an equal set elsewhere is unlikely to be a coincidence: a value has more than one decimal place,
        /// unlike counts and rounded numbers.
        fileprivate var isTelling: Bool { values.contains { ($0 * 10).rounded() != $0 * 10 } }
    }

    let run: String
    let context: Context
    var entries: Set<Entry> = []

    mutating func add(_ subject: [String], _ samples: some Sequence<Sample>, iterations: some Sequence<Int>) {
        let values = Dictionary(grouping: samples, by: \.iteration)
        for iteration in Set(iterations).union(values.keys) {
            let sorted = (values[iteration] ?? []).map(\.value).sorted()
            entries.insert(Entry(subject: subject, iteration: iteration, values: sorted))
        }
    }

    /// A name for the content: equal contents have equal names.
    var identity: String {
        let fields = context.fields.map { "\($0.key)=\($0.value)" }
        let lines = entries.map { entry in
            entry.subject.joined(separator: "\0") + "\0\(entry.iteration)\0\(entry.values)"
        }
        return ForeignFile.identity(ofFilesNamed: fields + lines)
    }

    /// The runs that other runs contain, with the name of the containing run; with several, the first.
    /// - Parameter contents: Runs in an order independent of the file order; identifiers are unique.
    static func held(_ contents: [MeasuredContent]) -> [String: String] {
        let telling = contents.map { $0.entries.filter(\.isTelling) }
        var holders: [Entry: [Int]] = [:]
        for (index, entries) in telling.enumerated() {
            for entry in entries { holders[entry, default: []].append(index) }
        }
        var held: [String: String] = [:]
        for (index, content) in contents.enumerated() {
            // The runs with its rarest entry include every run that contains all of it.
            let rare = telling[index].compactMap { holders[$0] }.min { $0.count < $1.count }
            let holder = rare?.first { $0 != index && contents[$0].holds(content, first: $0 < index) }
            if let holder { held[content.run] = contents[holder].run }
        }
        return held
    }

    /// Whether it contains all values of another run; of two equal runs, the first contains the second.
    private func holds(_ other: MeasuredContent, first: Bool) -> Bool {
        guard entries.count > other.entries.count || first && entries.count == other.entries.count else { return false }
        let agree = context.fields.allSatisfy { name, value in other.context[name].map { $0 == value } ?? true }
        return agree && entries.isSuperset(of: other.entries)
    }
}

extension ForeignRun {
    fileprivate var content: MeasuredContent {
        var content = MeasuredContent(run: id, context: context)
        for cell in cells {
            let names = [cell.subject, cell.page, cell.variant ?? "", cell.metric.id, cell.metric.unit.symbol]
            content.add(names, cell.samples, iterations: cell.iterations)
        }
        return content
    }

    /// The same run, named by its values and conditions, so its name is equal in every file.
    func named(_ format: String) -> ForeignRun {
        var run = self
        run.id = "\(format)-\(content.identity)"
        return run
    }

    /// Whether its values are another run's exact values, rounded to six decimal places. XCTest rounds its console
    /// output this way, but not its results.
    func isRounded(from exact: ForeignRun) -> Bool {
        guard id.hasPrefix("xctest-"), exact.id.hasPrefix("xcresult-"), !cells.isEmpty else { return false }
        let known = Dictionary(grouping: exact.cells) { [$0.subject, $0.metric.id, $0.metric.unit.symbol] }
        var isTelling = false
        for cell in cells {
            let candidates = known[[cell.subject, cell.metric.id, cell.metric.unit.symbol]] ?? []
            // A millisecond was printed in seconds.
            let digits = cell.metric.unit == .milliseconds ? 3 : 6
            let tolerance = (0..<digits).reduce(0.6) { value, _ in value / 10 }
            let samples = cell.samples.sorted()
            let isSame = candidates.contains { other in
                other.samples.count == samples.count
                    && zip(other.samples.sorted(), samples).allSatisfy {
                        $0.iteration == $1.iteration && abs($0.value - $1.value) <= tolerance
                    }
            }
            guard isSame else { return false }
            isTelling = isTelling || samples.contains { $0.value != 0 }
        }
        return isTelling
    }
}

extension [ForeignRun] {
    /// The runs without those that other runs contain, with a note for each dropped run. For example, the export of a
    /// whole suite contains the export of one of its tests.
    func countedOnce() -> (runs: [ForeignRun], diagnostics: [Diagnostic]) {
        let sorted = self.sorted { $0.id == $1.id ? $0.path.precedesInUTF8($1.path) : $0.id.precedesInUTF8($1.id) }
        var paths: [String: String] = [:]
        for run in sorted where paths[run.id] == nil { paths[run.id] = run.path }
        var known: Set<String> = []
        let held = MeasuredContent.held(sorted.filter { known.insert($0.id).inserted }.map(\.content))
        let notes = sorted.compactMap { run in
            held[run.id].map { Diagnostic.repeated(run: $0, of: paths[$0] ?? "", in: run.path) }
        }
        return (sorted.filter { held[$0.id] == nil }, notes)
    }
}

extension Diagnostic {
    static func tooLarge(in cell: Cell) -> Diagnostic {
        let message = "\(cell.metric) of \(cell.page) has a value that is too large to be a number."
        return Diagnostic(.valueNotFinite, message + " It was left out: check what measured it.")
    }

    static func repeated(run: String, of first: String, in path: String) -> Diagnostic {
        let message = path == first ? "It contains run \(run) twice" : "It contains the same run as \(first)"
        return Diagnostic(.repeatedStream, path: path, message + ". The run was counted once.")
    }

    static func conflict(of run: String, in path: String) -> Diagnostic {
        let message = "Run \(run) is in \(path) with different content. Give each run its own name."
        return Diagnostic(.conflictingStream, path: path, message)
    }
}
