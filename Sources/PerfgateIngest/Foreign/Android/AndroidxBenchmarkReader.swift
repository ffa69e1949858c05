import PerfgateJSON
import PerfgateModel

/// Reads the `benchmarkData.json` of androidx.benchmark: Macrobenchmark and Microbenchmark.
enum AndroidxBenchmarkReader: ForeignReader {
    static let name = "androidx-benchmark"
    static let title = "results of androidx.benchmark"

    static func recognises(_ head: ForeignHead) -> Bool {
        guard let outline = head.outline, !outline.isArray else { return false }
        return outline.has("benchmarks[].className", "benchmarks[].name") || outline.has("benchmarks", "context.build")
    }

    static func read(_ file: ForeignFile) throws(IngestError) -> ForeignResult {
        try file.readJSON { root throws(JSONDocumentError) in
            var tally = RecordTally(path: file.path, noun: "metrics")
            var cells: [ForeignCell] = []
            var next: [[String]: Int] = [:]
            for node in try root["benchmarks"].elements() {
                for measured in AndroidxBenchmark.read(node, &tally) { cells += measured.cells(next: &next) }
            }
            let context = try AndroidxDevice.context(root.optional("context"))
            let id = "androidx-benchmark-\(file.identity)"
            let run = ForeignRun(id: id, path: file.path, context: context, cells: cells)
            return ForeignResult(runs: cells.isEmpty ? [] : [run], tallies: [tally])
        }
    }
}
