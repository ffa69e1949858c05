import PerfgateJSON
import PerfgateModel

/// Reads what `xcrun xcresulttool get test-results metrics` writes, with its companions `summary`, `tests` and
/// `test-details`, which know the devices.
enum XcresultMetricsReader: ForeignReader {
    static let name = "xcresult-metrics"
    static let title = "metrics of xcresulttool"

    static func recognises(_ head: ForeignHead) -> Bool {
        guard let outline = head.outline else { return false }
        guard outline.isArray else { return XcresultCompanion.recognises(outline) }
        return outline.has("[].testIdentifier", "[].testRuns") || head.isWhole && isEmptyArray(head.bytes)
    }

    /// What it writes where no test measured anything.
    private static func isEmptyArray(_ bytes: [UInt8]) -> Bool {
        bytes.filter { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == Array("[]".utf8)
    }

    static func read(_ file: ForeignFile) throws(IngestError) -> XcresultPart {
        try file.readJSON { root throws(JSONDocumentError) in
            if case .object = root.value.content, let outline = file.outline, XcresultCompanion.recognises(outline) {
                return .companion(try XcresultCompanion(root, path: file.path))
            }
            var tally = RecordTally(path: file.path, noun: "metrics")
            let tests = try root.elements().flatMap { XcresultTestRun.read($0, &tally) }
            return .metrics(file, tests, tally)
        }
    }

    static func join(_ parts: [XcresultPart]) -> ForeignResult {
        var companions: [XcresultCompanion] = []
        for case .companion(let companion) in parts { companions.append(companion) }
        var result = ForeignResult()
        for case .metrics(let file, let tests, let tally) in parts {
            result.runs += XcresultRuns(file: file, tests: tests).runs
            result.tallies.append(tally)
        }
        let devices = XcresultDevices(companions)
        result.runs = devices.describe(result.runs)
        if result.tallies.isEmpty { result.faultyInputs = companions.map(alone) }
        return result
    }

    private static func alone(_ companion: XcresultCompanion) -> FaultyInput {
        let message = """
            It says which tests ran on which device, and nothing that they measured. Give the file of xcresulttool \
            get test-results metrics too.
            """
        return FaultyInput(path: companion.path, fault: .notFound, message: message)
    }
}
