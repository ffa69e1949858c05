import Foundation
import PerfgateJSON
import PerfgateModel

/// Makes measurements from other tools' files: pages by the rules of `map:`, environments by the conditions.
struct ForeignAssembly {
    /// The measurements, with the pages that the rules gave, in any order.
    private(set) var placed: [PlacedCell] = []
    private(set) var tallies: [RecordTally] = []

    private let options: IngestOptions
    private var runs: [Run] = []
    private var diagnostics: [Diagnostic] = []
    private var faultyInputs: [FaultyInput] = []
    private var environmentsOfRun: [String: Set<Environment>] = [:]
    private var exactRuns: [ForeignRun] = []
    private var infinite: Set<Cell> = []

    init(options: IngestOptions) { self.options = options }

    mutating func add(_ result: ForeignResult, format: String) {
        var mapper = PageMapper(rules: options.mapping, format: format)
        diagnostics += result.diagnostics + result.tallies.flatMap(\.diagnostics)
        faultyInputs += result.faultyInputs
        tallies += result.tallies
        let faults = faults(of: result)
        let (once, notes) = result.runs.countedOnce()
        diagnostics += notes
        for var run in distinct(once) {
            if let exact = exactRuns.first(where: { run.isRounded(from: $0) }) {
                diagnostics.append(.repeated(run: run.id, of: exact.path, in: run.path))
                continue
            }
            exactRuns.append(run)
            for path in [run.path] + run.otherPaths {
                let places = [FaultPlace(path: path)] + (run.scope.map { [FaultPlace(path: path, scope: $0)] } ?? [])
                run.faults += places.compactMap { faults[$0] }
            }
            add(run, format: format, &mapper)
        }
        tellRules(mapper, path: result.runs.map(\.path).min { $0.precedesInUTF8($1) })
    }

    func measurements() -> Measurements {
        var measurements = Measurements(
            runs: runs.sorted { $0.id.precedesInUTF8($1.id) }, pages: pages,
            faultyInputs: faultyInputs.sorted { $0.path.precedesInUTF8($1.path) },
            diagnostics: diagnostics + infinite.map(Diagnostic.tooLarge))
        var leftOut: [(cell: Cell, measurement: CellMeasurement)] = []
        for (cell, parts) in Dictionary(grouping: placed, by: \.cell) {
            for (metric, parts) in Dictionary(grouping: parts, by: \.metric) {
                let runs = Dictionary(grouping: parts, by: \.run)
                let samples = runs.mapValues { $0.flatMap(\.samples).sorted() }.filter { !$0.value.isEmpty }
                let measurement = CellMeasurement(
                    metric: metric,
                    runs: samples.sorted { $0.key.precedesInUTF8($1.key) }.map { RunSamples(run: $0, samples: $1) },
                    iterations: runs.mapValues { Set($0.flatMap(\.iterations)).sorted() })
                leftOut += measurements.cells.add(measurement, to: cell)
            }
        }
        measurements.tell(leftOut: leftOut)
        measurements.diagnostics.sort()
        return measurements
    }

    /// The pages with the tests that visited them.
    private var pages: [PageInEnvironment: PageMeasurement] {
        Dictionary(grouping: placed, by: \.place).mapValues { cells in
            var page = PageMeasurement(tests: Set(cells.compactMap(\.test)).sorted { $0.precedesInUTF8($1) })
            for cell in cells {
                for iteration in cell.iterations.union(cell.samples.map(\.iteration)) {
                    page.measured[cell.run, default: [:]][iteration] = MeasuredCounts(iterations: 1)
                }
            }
            return page
        }
    }

    /// The scope of faults: a file, or a part of it.
    private struct FaultPlace: Hashable {
        let path: String
        var scope: String?
    }

    /// The faults of a file's runs. A file or part without a run, and a run without a record, is itself faulty.
    private mutating func faults(of result: ForeignResult) -> [FaultPlace: String] {
        let places = Set(
            result.runs.flatMap { run in ([run.path] + run.otherPaths).map { FaultPlace(path: $0, scope: run.scope) } })
        let paths = Set(places.map(\.path))
        var faults: [FaultPlace: String] = [:]
        for tally in result.tallies {
            if tally.total == 0, !paths.contains(tally.path) {
                let message = "It holds no \(tally.noun). Check that the tests ran and measured something."
                faultyInputs.append(FaultyInput(path: tally.path, fault: .notFound, message: message))
            }
            for (scope, omissions) in Dictionary(grouping: tally.notUnderstood, by: \.scope)
            where omissions.count > options.badLines {
                let place = FaultPlace(path: tally.path, scope: scope)
                let of = scope.map { " of \($0)" } ?? ""
                let message = "\(omissions.count) of its \(tally.total) \(tally.noun)\(of) can't be read."
                faults[place] = message
                guard scope == nil ? !paths.contains(tally.path) : !places.contains(place) else { continue }
                faultyInputs.append(
                    FaultyInput(path: tally.path, fault: .badData, message: message + " Export it again."))
            }
        }
        return faults
    }

    /// The runs by identifier: a repeated run with the same content counts once; with other content it is bad data.
    private mutating func distinct(_ runs: [ForeignRun]) -> [ForeignRun] {
        Dictionary(grouping: runs, by: \.id).sorted { $0.key.precedesInUTF8($1.key) }.map { id, group in
            let ordered = group.sorted { $0.path.precedesInUTF8($1.path) }
            var first = ordered[0]
            for other in ordered.dropFirst() {
                if other.cells == first.cells, other.context == first.context {
                    diagnostics.append(.repeated(run: id, of: first.path, in: other.path))
                } else {
                    let conflict = Diagnostic.conflict(of: id, in: other.path)
                    diagnostics.append(conflict)
                    first.faults.append(conflict.message)
                }
            }
            return first
        }
    }

    private mutating func add(_ run: ForeignRun, format: String, _ mapper: inout PageMapper) {
        var (nameless, overlong, count) = (0, 0, 0)
        var contradictions: Set<String> = []
        for cell in run.cells {
            let finding = mapper.finding(in: cell.subject)
            let context = context(of: run, finding)
            guard options.conditions.allSatisfy({ context.text($0.field) == $0.value }) else { continue }
            let page = (finding?.page ?? cell.page) + (cell.variant.map { " (\($0))" } ?? "")
            guard let name = page.contains(where: { !$0.isWhitespace }) ? page : options.defaultPage else {
                nameless += 1
                continue
            }
            guard max(name.utf8.count, cell.metric.id.utf8.count) <= JSONReader.nameLimit else {
                overlong += 1
                continue
            }
            let environment = options.environmentKey.environment(of: context)
            environmentsOfRun[run.id, default: []].insert(environment)
            let place = PageInEnvironment(
                page: Page(name.precomposedStringWithCanonicalMapping), environment: environment)
            let metric = metric(of: cell, finding)
            if let problem = options.known.contradiction(metric) { contradictions.insert(problem) }
            let samples = cell.samples.filter(\.value.isFinite)
            if samples.count < cell.samples.count { infinite.insert(place.cell(metric.id)) }
            count += samples.count
            placed.append(
                PlacedCell(
                    format: format, run: run.id, subject: cell.subject, pattern: finding?.pattern, place: place,
                    test: cell.test, metric: metric, context: context, samples: samples, iterations: cell.iterations))
        }
        if nameless > 0 {
            let message = "\(nameless) values name no page and were left out."
            diagnostics.append(Diagnostic(.pageWithoutName, path: run.path, message))
        }
        if overlong > 0 {
            let message =
                "\(overlong) values were left out, whose page or metric has a name of more than \(JSONReader.nameLimit) "
                + "bytes: give it a shorter one."
            diagnostics.append(Diagnostic(.pageWithoutName, severity: .error, path: run.path, message))
        }
        let context = context(of: run, nil)
        let faults = run.faults + contradictions.sorted().map { "\($0): correct the rule of map:, or what exports it." }
        let stream = Run.Stream(path: run.path, context: context, faults: faults)
        runs.append(Run(id: run.id, context: context, streams: [stream], sampleCount: count))
        let unknown = (environmentsOfRun[run.id] ?? []).flatMap { $0.fields.filter { $0.value == nil }.map(\.name) }
        diagnostics += Diagnostic.unknownFields(Set(unknown), of: run.id, path: run.path, advice: "give")
    }

    /// The conditions: values from a rule come first, then from the file, then from the command line.
    private func context(of run: ForeignRun, _ finding: PageMapper.Finding?) -> Context {
        var context = run.context
        for (name, value) in finding?.fields ?? [:] { context[name] = value }
        for (name, value) in options.context.fields where context[name] == nil { context[name] = value }
        return context
    }

    private func metric(of cell: ForeignCell, _ finding: PageMapper.Finding?) -> Metric {
        guard let id = finding?.metric else { return cell.metric }
        return Metric(id: id, unit: cell.metric.unit, better: options.known.facts(of: id)?.better ?? cell.metric.better)
    }

    private mutating func tellRules(_ mapper: PageMapper, path: String?) {
        for pattern in mapper.unusedPatterns where path != nil {
            let near = mapper.nearest(to: pattern).map { "the nearest name is '\($0)'" } ?? "check it"
            diagnostics.append(
                Diagnostic(.unmatchedRule, path: path, "The rule '\(pattern)' of map: matches nothing: \(near)."))
        }
        for subject in mapper.unmatchable {
            let message = "\"\(subject.prefix(60))\" is too long or too costly to match: simplify the rules of map:."
            diagnostics.append(Diagnostic(.unmatchedRule, path: path, message))
        }
    }
}

/// The files of other tools in one call, by format.
final class ForeignCollector {
    private let options: IngestOptions
    private var batches: [String: any ForeignBatching] = [:]

    init(options: IngestOptions) { self.options = options }

    func read<Reader: ForeignReader>(_ file: ForeignFile, with reader: Reader.Type) throws(IngestError) {
        let batch = batches[reader.name] ?? ForeignBatch(reader)
        batches[reader.name] = batch
        try batch.read(file)
    }

    func assembly() -> ForeignAssembly {
        var assembly = ForeignAssembly(options: options)
        for (name, batch) in batches.sorted(by: { $0.key.precedesInUTF8($1.key) }) {
            assembly.add(batch.result(), format: name)
        }
        return assembly
    }
}

/// The files of one format in one call.
private protocol ForeignBatching: AnyObject {
    func read(_ file: ForeignFile) throws(IngestError)
    /// The combined content of all files, independent of their order.
    func result() -> ForeignResult
}

final class ForeignBatch<Reader: ForeignReader>: ForeignBatching {
    private var parts: [(path: String, identity: String, part: Reader.Part)] = []

    init(_ reader: Reader.Type) {}

    func read(_ file: ForeignFile) throws(IngestError) {
        parts.append((file.path, file.identity, try Reader.read(file)))
    }

    func result() -> ForeignResult {
        // A bundle is a path with several texts.
        let sorted = parts.sorted { $0.path == $1.path ? $0.identity < $1.identity : $0.path.precedesInUTF8($1.path) }
        var known: Set<[String]> = []
        return Reader.join(sorted.filter { known.insert([$0.path, $0.identity]).inserted }.map(\.part))
    }
}

extension Context {
    /// Sets system and simulator from Apple's platform name, such as `iOS Simulator`, and its version, optionally with
    /// the build: `17.5 (21F79)`. Missing parts change nothing; a version alone isn't comparable.
    mutating func setSystem(platform: String?, version: String?) {
        guard let platform, !platform.isEmpty else { return }
        let isSimulator = platform.hasSuffix(Self.simulator)
        self["simulator"] = .flag(isSimulator)
        guard let version = version?.split(separator: " ").first else { return }
        let name = isSimulator ? String(platform.dropLast(Self.simulator.count)) : platform
        self["os"] = .text("\(name) \(version)")
    }

    private static let simulator = " Simulator"
}
