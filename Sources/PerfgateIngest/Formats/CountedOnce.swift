import PerfgateModel

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
    static func repeated(run: String, of first: String, in path: String) -> Diagnostic {
        let message = path == first ? "It contains run \(run) twice" : "It contains the same run as \(first)"
        return Diagnostic(.repeatedStream, path: path, message + ". The run was counted once.")
    }

    static func conflict(of run: String, in path: String) -> Diagnostic {
        let message = "Run \(run) is in \(path) with different content. Give each run its own name."
        return Diagnostic(.conflictingStream, path: path, message)
    }
}
