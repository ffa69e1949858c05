import PerfgateJSON
import PerfgateModel

/// Reads the `.perf` files of Reassure, which measures the number and duration of React Native's renders: one JSON text
/// per line; the first line may describe the run.
enum ReassureReader: ForeignReader {
    static let name = "reassure"
    static let title = "results of Reassure"
    static let recipe = "yarn reassure, which writes .reassure/current.perf"

    static func recognises(_ head: ForeignHead) -> Bool {
        guard let outline = head.outline, !outline.isArray else { return false }
        let isHeader = ["metadata.branch", "metadata.commitHash", "metadata.creationDate"].contains { outline.has($0) }
        return outline.has("name", "durations", "counts") || outline.outermostKeys == ["metadata"] && isHeader
    }

    static func read(_ file: ForeignFile) throws(IngestError) -> ForeignResult {
        var tally = RecordTally(path: file.path, noun: "tests")
        var run = ForeignRun(id: "", path: file.path, context: Context())
        var names = NamesOfTests(path: file.path)
        var unmeasured = 0
        try file.readJSONLines(&tally) { node throws(JSONDocumentError) in
            if let metadata = try node.optional("metadata"), try node.find("name") == nil {
                let text = { (key: String) throws(JSONDocumentError) in try metadata.optional(key)?.string() }
                run.context["commit"] = try text("commitHash").map { .text($0) }
                run.context["started_at"] = try text("creationDate").flatMap(UTCTime.text(of:)).map { .text($0) }
                return false
            }
            let cells = try cells(of: node, &names)
            run.cells += cells
            if cells.isEmpty { unmeasured += 1 }
            return !cells.isEmpty
        }
        for _ in 0..<unmeasured { tally.skip(because: "no run of them was measured") }
        return ForeignResult(
            runs: run.cells.isEmpty ? [] : [run.named("reassure")], tallies: [tally], diagnostics: names.diagnostics)
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
        guard !(durations + counts).contains(where: { $0 < 0 }) else {
            throw node.error(.rule("measured less than nothing; run the tests again"))
        }
        guard !durations.isEmpty else { return [] }
        let first = names.add(test, iterations: durations.count)
        let time = ForeignCell(
            subject: test, metric: isFunction ? .measuredTime : .renderDuration, values: durations, first: first)
        // A function is called once per run.
        return isFunction
            ? [time] : [time, ForeignCell(subject: test, metric: .renderCount, values: counts, first: first)]
    }
}
