import PerfgateJSON
import PerfgateModel

/// Reads the `.perf` files of Reassure, which measures the number and duration of React Native's renders: one JSON text
/// per line; the first line may describe the run.
enum ReassureReader: ForeignReader {
    static let name = "reassure"
    static let title = "results of Reassure"
    static let recipe = "yarn reassure, which writes .reassure/current.perf"

    static func recognises(_ head: ForeignHead) -> Bool {
        guard let outline = head.object else { return false }
        let isHeader = ["metadata.branch", "metadata.commitHash", "metadata.creationDate"].contains { outline.has($0) }
        return outline.has("name", "durations", "counts") || outline.outermostKeys == ["metadata"] && isHeader
    }

    static func read(_ file: ForeignFile) throws(IngestError) -> ForeignResult {
        var tally = RecordTally(path: file.path, noun: "tests")
        var run = ForeignRun(id: "", path: file.path)
        var names = NamesOfTests(path: file.path)
        var unmeasured = 0
        try file.readJSONLines(&tally) { node throws(JSONDocumentError) in
            if let metadata = try node.optional("metadata"), try node.find("name") == nil {
                let commit = try metadata.optional("commitHash")?.string()
                let date = try metadata.optional("creationDate")?.string()
                run.context["commit"] = commit.map { .text($0) }
                run.context["started_at"] = date.flatMap(UTCTime.text(of:)).map { .text($0) }
                return false
            }
            let cells = try cells(of: node, &names)
            run.cells += cells
            if cells.isEmpty { unmeasured += 1 }
            return !cells.isEmpty
        }
        for _ in 0..<unmeasured { tally.skip(because: "no run of them was measured") }
        return ForeignResult(run.named(name), tally, names.diagnostics)
    }

    /// The metrics of one test, with one value per run of it; warm-up runs are excluded. None without a measured run.
    private static func cells(
        of node: JSONNode, _ names: inout NamesOfTests
    ) throws(JSONDocumentError) -> [ForeignCell] {
        let test = try node["name"].string()
        let isFunction = try node.optional("type")?.string() == "function"
        let durations = try node["durations"].doubles()
        let counts = try node["counts"].doubles()
        let runs = try node.optional("runs")?.int() ?? durations.count
        let outliers = try node.optional("outlierDurations")?.elements().count ?? 0
        guard durations.count + outliers >= runs, counts.count >= durations.count else {
            let problem = "has \(durations.count) times and \(counts.count) counts of \(runs) runs"
            throw node.error(.rule("\(problem); run the tests again"))
        }
        guard !(durations + counts).contains(where: { $0 < 0 }) else { throw node.belowZero(rerun: "tests") }
        guard !durations.isEmpty else { return [] }
        let first = names.add(test, iterations: durations.count)
        // A function is called once per run.
        let measured: [(Metric, [Double])] =
            isFunction ? [(.measuredTime, durations)] : [(.renderDuration, durations), (.renderCount, counts)]
        return measured.map { ForeignCell(subject: test, metric: $0, values: $1, first: first) }
    }
}

/// Reads results of Flashlight, which samples an Android app twice a second: frames, memory and load of threads.
///
/// An iteration is one sample: the mean of its measurements, as in the tool's own report.
enum FlashlightReader: ForeignReader {
    static let name = "flashlight"
    static let title = "results of Flashlight"
    static let recipe = "flashlight test --bundleId com.example.app --testCommand … --resultsFilePath results.json"

    static func recognises(_ head: ForeignHead) -> Bool {
        head.outline.map { $0.has("iterations[].measures") || $0.has("[].iterations[].measures") } ?? false
    }

    static func read(_ file: ForeignFile) throws(IngestError) -> ForeignResult {
        var tally = RecordTally(path: file.path, noun: "iterations")
        var run = ForeignRun(id: "", path: file.path)
        var names = NamesOfTests(path: file.path)
        try file.readJSON { root throws(JSONDocumentError) in
            var tests = [root]
            if case .array = root.value.content { tests = try root.elements() }
            for test in tests {
                let name = try test["name"].string()
                let iterations = try test["iterations"].elements()
                let first = names.add(name, iterations: iterations.count)
                for (number, node) in iterations.enumerated() {
                    let measured = tally.attempt { tally throws(JSONDocumentError) in
                        try cells(of: node, test: name, first + number, &tally)
                    }
                    run.cells += measured ?? []
                }
            }
        }
        return ForeignResult(run.named(name), tally, names.diagnostics)
    }

    private static func cells(
        of node: JSONNode, test: String, _ number: Int, _ tally: inout RecordTally
    ) throws(JSONDocumentError) -> [ForeignCell] {
        if try node.optional("status")?.string() == "FAILURE" {
            tally.skip(line: node.line, because: "the test failed in them")
            return []
        }
        var values: [[Double]] = metrics.map { _ in [] }
        for measure in try node["measures"].elements() {
            // On iOS, Instruments samples times of call stacks.
            guard case .object = measure.value.content else { continue }
            let sampled = try [value("fps", in: measure), load(in: measure), value("ram", in: measure)]
            for (index, value) in sampled.enumerated() { if let value { values[index].append(value) } }
        }
        guard values.contains(where: { !$0.isEmpty }) else {
            tally.skip(line: node.line, because: "nothing was sampled in them")
            return []
        }
        tally.countRead()
        return zip(metrics, values).filter { !$1.isEmpty }.map { metric, values in
            let mean = values.reduce(0, +) / Double(values.count)
            return ForeignCell(subject: test, metric: metric, values: [mean], first: number)
        }
    }

    /// The metrics of frames, processors and memory.
    private static let metrics = [
        Metric.averageFPS, Metric(id: "average_cpu", unit: Unit("%"), better: .lower),
        Metric(id: "average_ram", unit: Unit("MB"), better: .lower),
    ]

    private static func value(_ key: String, in measure: JSONNode) throws(JSONDocumentError) -> Double? {
        guard let value = try measure.optional(key)?.double() else { return nil }
        guard value >= 0 else { throw measure.belowZero(rerun: "test") }
        return value
    }

    /// The load of all threads in percent; it can exceed 100.
    private static func load(in measure: JSONNode) throws(JSONDocumentError) -> Double? {
        guard let threads = try measure.optional("cpu")?.optional("perName") else { return nil }
        var sum = 0.0
        // A thread that began or ended during the interval has none.
        for (_, thread) in try threads.members() where !thread.isNull { sum += try thread.double() }
        return sum
    }
}
