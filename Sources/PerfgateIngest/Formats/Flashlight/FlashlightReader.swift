import PerfgateJSON
import PerfgateModel

/// Reads results of Flashlight, which samples an Android app twice a second: frames, memory and load of threads.
///
/// An iteration is one sample: the mean of its measurements, as in the tool's own report.
enum FlashlightReader: ForeignReader {
    static let name = "flashlight"
    static let title = "results of Flashlight"
    static let recipe = "flashlight test --bundleId com.example.app --testCommand … --resultsFilePath results.json"

    static func recognises(_ head: ForeignHead) -> Bool {
        guard let outline = head.outline else { return false }
        return outline.has("iterations[].measures") || outline.has("[].iterations[].measures")
    }

    static func read(_ file: ForeignFile) throws(IngestError) -> ForeignResult {
        var tally = RecordTally(path: file.path, noun: "iterations")
        var run = ForeignRun(id: "", path: file.path, context: Context())
        var names = NamesOfTests(path: file.path)
        try file.readJSON { root throws(JSONDocumentError) in
            var tests = [root]
            if case .array = root.value.content { tests = try root.elements() }
            for test in tests {
                let name = try test["name"].string()
                let iterations = try test["iterations"].elements()
                let first = names.add(name, iterations: iterations.count)
                for (number, node) in iterations.enumerated() {
                    do throws(JSONDocumentError) {
                        run.cells += try cells(of: node, test: name, first + number, &tally)
                    } catch {
                        tally.fail(error)
                    }
                }
            }
        }
        return ForeignResult(
            runs: run.cells.isEmpty ? [] : [run.named("flashlight")], tallies: [tally], diagnostics: names.diagnostics)
    }

    private static func cells(
        of node: JSONNode, test: String, _ number: Int, _ tally: inout RecordTally
    ) throws(JSONDocumentError) -> [ForeignCell] {
        if try node.optional("status")?.string() == "FAILURE" {
            tally.skip(line: node.line, because: "the test failed in them")
            return []
        }
        var values: [Quantity: [Double]] = [:]
        for measure in try node["measures"].elements() {
            // On iOS, Instruments samples times of call stacks.
            guard case .object = measure.value.content else { continue }
            for quantity in Quantity.allCases {
                if let value = try quantity.value(in: measure) { values[quantity, default: []].append(value) }
            }
        }
        guard !values.isEmpty else {
            tally.skip(line: node.line, because: "nothing was sampled in them")
            return []
        }
        tally.countRead()
        return values.sorted { $0.key.rawValue < $1.key.rawValue }.map { quantity, values in
            let mean = values.reduce(0, +) / Double(values.count)
            return ForeignCell(subject: test, metric: quantity.metric, values: [mean], first: number)
        }
    }

    private enum Quantity: Int, CaseIterable {
        case framesPerSecond, processor, memory

        var metric: Metric {
            switch self {
            case .framesPerSecond: .averageFPS
            case .processor: Metric(id: "average_cpu", unit: Unit("%"), better: .lower)
            case .memory: Metric(id: "average_ram", unit: Unit("MB"), better: .lower)
            }
        }

        /// The sampled values; `nil` if it wasn't sampled.
        func value(in measure: JSONNode) throws(JSONDocumentError) -> Double? {
            let node: JSONNode?
            switch self {
            case .framesPerSecond: node = try measure.optional("fps")
            case .memory: node = try measure.optional("ram")
            case .processor:
                // The sum of all threads; it can exceed 100 %.
                guard let threads = try measure.optional("cpu")?.optional("perName") else { return nil }
                var sum = 0.0
                // A thread that began or ended during the interval has none.
                for (_, thread) in try threads.members() where !thread.isNull { sum += try thread.double() }
                return sum
            }
            guard let value = try node?.double() else { return nil }
            guard value >= 0 else { throw measure.error(.rule("measured less than nothing; run the test again")) }
            return value
        }
    }
}
