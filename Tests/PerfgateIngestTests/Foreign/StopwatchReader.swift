import PerfgateJSON
import PerfgateModel

@testable import PerfgateIngest

/// Reads what Stopwatch writes.
enum StopwatchReader: ForeignReader {
    static let name = "stopwatch"
    static let title = "files of Stopwatch"
    static let recipe = "stopwatch --json > scrolls.json"

    static func recognises(_ head: ForeignHead) -> Bool {
        head.outline?.has("stopwatch", "scrolls[].page") ?? false
    }

    static func read(_ file: ForeignFile) throws(IngestError) -> ForeignResult {
        try file.readJSON { root throws(JSONDocumentError) in
            let context = Context(["device": .text(try root["device"].string())])
            var run = ForeignRun(id: "stopwatch-\(file.identity)", path: file.path, context: context)
            var tally = RecordTally(path: file.path, noun: "scrolls")
            for scroll in try root["scrolls"].elements() {
                tally.attempt { tally throws(JSONDocumentError) in
                    run.cells.append(try cell(scroll))
                    tally.countRead()
                }
            }
            return ForeignResult(runs: [run], tallies: [tally])
        }
    }

    private static func cell(_ scroll: JSONNode) throws(JSONDocumentError) -> ForeignCell {
        let ratio = ForeignMetric(id: "hitch_ratio", unit: "ms/s")
        let values = try scroll["hitch_ms_per_s"].doubles()
        return ForeignCell(subject: try scroll["page"].string(), metric: ratio, values: values)
    }
}
