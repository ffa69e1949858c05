import PerfgateJSON
import PerfgateModel

/// Reads what `xcrun xcresulttool get test-results metrics` writes.
enum XcresultMetricsReader: ForeignReader {
    static let name = "xcresult-metrics"
    static let title = "metrics of xcresulttool"

    static func recognises(_ head: ForeignHead) -> Bool {
        guard let outline = head.outline, outline.isArray else { return false }
        return outline.has("[].testIdentifier", "[].testRuns") || head.isWhole && outline.keys.isEmpty
    }

    static func read(_ file: ForeignFile) throws(IngestError) -> ForeignResult {
        var tally = RecordTally(path: file.path, noun: "metrics")
        let tests = try file.readJSON { root throws(JSONDocumentError) in
            try root.elements().flatMap { XcresultTestRun.read($0, &tally) }
        }
        return ForeignResult(runs: XcresultRuns(file: file, tests: tests).runs, tallies: [tally])
    }
}
