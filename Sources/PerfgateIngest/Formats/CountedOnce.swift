import PerfgateModel

/// What one run measured, whatever it stands in: which values of which metric, by iteration.
struct MeasuredContent {
    /// The values of one metric of one thing in one iteration.
    struct Entry: Hashable {
        /// What was measured: the page or the test, the metric, and its unit.
        let subject: [String]
        let iteration: Int
        /// In ascending order.
        let values: [Double]

        /// Whether another run has the same by chance only: it has a value with more digits than one behind the point, as
        /// a count or a rounded number has none.
        fileprivate var isTelling: Bool { values.contains { ($0 * 10).rounded() != $0 * 10 } }
    }

    /// The identifier of the run.
    let run: String
    /// What is known of the conditions.
    let context: Context
    /// What was measured.
    var entries: Set<Entry> = []

    /// Adds the samples of one metric, and the iterations that measured it without one.
    mutating func add(_ subject: [String], _ samples: some Sequence<Sample>, iterations: some Sequence<Int>) {
        let values = Dictionary(grouping: samples, by: \.iteration)
        for iteration in Set(iterations).union(values.keys) {
            let sorted = (values[iteration] ?? []).map(\.value).sorted()
            entries.insert(Entry(subject: subject, iteration: iteration, values: sorted))
        }
    }

    /// A name for the content: equal content gives equal names.
    var identity: String {
        let fields = context.fields.map { "\($0.key)=\($0.value)" }
        let lines = entries.map { entry in
            entry.subject.joined(separator: "\0") + "\0\(entry.iteration)\0\(entry.values)"
        }
        return ForeignFile.identity(ofFilesNamed: fields + lines)
    }

    /// Of runs that other runs hold whole, the names of both; a run that two hold is of the first.
    ///
    /// - Parameter contents: Runs in an order that doesn't depend on that of the files, each identifier once.
    static func held(_ contents: [MeasuredContent]) -> [String: String] {
        let telling = contents.map { $0.entries.filter(\.isTelling) }
        var holders: [Entry: [Int]] = [:]
        for (index, entries) in telling.enumerated() {
            for entry in entries { holders[entry, default: []].append(index) }
        }
        var held: [String: String] = [:]
        for (index, content) in contents.enumerated() {
            // Whoever holds all of it holds this one, too.
            guard let mark = telling[index].min(by: { holders[$0, default: []].count < holders[$1, default: []].count })
            else { continue }
            let holder = holders[mark, default: []].first { other in
                other != index && contents[other].holds(content, first: other < index)
            }
            if let holder { held[content.run] = contents[holder].run }
        }
        return held
    }

    /// Whether it has all that another has; of two that have the same the first.
    private func holds(_ other: MeasuredContent, first: Bool) -> Bool {
        guard entries.count > other.entries.count || first && entries.count == other.entries.count else { return false }
        let agree = context.fields.allSatisfy {
            other.context[$0.key].map { [value = $0.value] in $0 == value } ?? true
        }
        return agree && entries.isSuperset(of: other.entries)
    }
}

extension MeasuredContent {
    /// What a run of another tool measured.
    init(_ run: ForeignRun) {
        self.init(run: run.id, context: run.context)
        for cell in run.cells {
            let names = [cell.subject, cell.page, cell.variant ?? "", cell.metric.id, cell.metric.unit.symbol]
            add(names, cell.samples, iterations: cell.iterations)
        }
    }
}

extension ForeignRun {
    /// The same run, named by what it measured and under which conditions, so that it is the same run in another file.
    func named(_ format: String) -> ForeignRun {
        ForeignRun(
            id: "\(format)-\(MeasuredContent(self).identity)", path: path, otherPaths: otherPaths, context: context,
            cells: cells, faults: faults, nameOfDevice: nameOfDevice, scope: scope)
    }
}

extension ForeignRun {
    /// How many digits behind the point tools print that round what they measured: `0.250123` seconds.
    private static let printedDigits = 6

    /// Whether it says with six digits behind the point what another run says exactly, as what XCTest prints is of the
    /// results of the same tests.
    func isRounded(from exact: ForeignRun) -> Bool {
        guard id.hasPrefix("xctest-"), exact.id.hasPrefix("xcresult-"), !cells.isEmpty else { return false }
        let known = Dictionary(grouping: exact.cells) { [$0.subject, $0.metric.id, $0.metric.unit.symbol] }
        var isTelling = false
        for cell in cells {
            let candidates = known[[cell.subject, cell.metric.id, cell.metric.unit.symbol]] ?? []
            // A millisecond was printed as a thousandth of a second.
            let digits = cell.metric.unit == .milliseconds ? Self.printedDigits - 3 : Self.printedDigits
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
    /// The runs without those that others hold whole, as the export of one test is held by that of the whole suite, with
    /// a note for each that is left out.
    func countedOnce() -> (runs: [ForeignRun], diagnostics: [Diagnostic]) {
        let sorted = self.sorted { $0.id == $1.id ? $0.path.precedesInUTF8($1.path) : $0.id.precedesInUTF8($1.id) }
        var paths: [String: String] = [:]
        for run in sorted where paths[run.id] == nil { paths[run.id] = run.path }
        var known: Set<String> = []
        let held = MeasuredContent.held(sorted.filter { known.insert($0.id).inserted }.map { MeasuredContent($0) })
        let notes = sorted.compactMap { run in
            held[run.id].map { Diagnostic.repeated(run: $0, of: paths[$0] ?? "", in: run.path) }
        }
        return (sorted.filter { held[$0.id] == nil }, notes)
    }
}

extension Diagnostic {
    /// A file holds what another one holds, too.
    static func repeated(run: String, of first: String, in path: String) -> Diagnostic {
        let message = path == first ? "It holds run \(run) twice" : "It holds the same run as \(first)"
        return Diagnostic(.repeatedStream, path: path, message + ", which was counted once.")
    }

    /// A file holds a run with other values than another one.
    static func conflict(of run: String, in path: String) -> Diagnostic {
        let message = "Run \(run) is in \(path) with other content. Give each run a name of its own."
        return Diagnostic(.conflictingStream, path: path, message)
    }
}
