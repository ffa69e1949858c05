import PerfgateJSON
import PerfgateModel

/// Reads the output of `xcrun xcresulttool get test-results metrics`, with its companions `summary`, `tests` and
/// `test-details`, which describe the devices.
enum XcresultMetricsReader: ForeignReader {
    static let name = "xcresult-metrics"
    static let title = "metrics of xcresulttool"
    static let recipe = "xcrun xcresulttool get test-results metrics --path T.xcresult > metrics.json"

    /// The content of one file of xcresulttool.
    enum Part {
        case metrics([XcresultTestRun], RecordTally)
        /// The measurements of one test in the tool's older form, with one file per test.
        case summary(XcresultTestRun, RecordTally)
        case companion(XcresultCompanion)
    }

    static func recognises(_ head: ForeignHead) -> Bool {
        guard let outline = head.outline else { return false }
        guard outline.isArray else {
            return XcresultCompanion.recognises(outline) || XcresultLegacy.recognises(outline)
        }
        if outline.has("[].testIdentifier", "[].testRuns") { return true }
        // The tool's output if no test has a measurement.
        return head.isWhole && head.bytes.filter { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == Array("[]".utf8)
    }

    static func read(_ file: ForeignFile) throws(IngestError) -> Part {
        try file.readJSON { root throws(JSONDocumentError) in
            if case .object = root.value.content, let outline = file.outline {
                if XcresultLegacy.recognises(outline) { return try XcresultLegacy.read(root, outline, path: file.path) }
                if XcresultCompanion.recognises(outline) {
                    return .companion(try XcresultCompanion(root, path: file.path))
                }
            }
            var tally = RecordTally(path: file.path, noun: "metrics")
            let tests = try root.elements().flatMap { XcresultTestRun.read($0, &tally) }
            return .metrics(tests, tally)
        }
    }

    static func join(_ parts: [Part]) -> ForeignResult {
        var result = ForeignResult()
        var companions: [XcresultCompanion] = []
        var summaries: [(path: String, test: XcresultTestRun)] = []
        for part in parts {
            switch part {
            case .companion(let companion): companions.append(companion)
            case .metrics(let tests, let tally):
                result.runs += tests.runs(of: tally.path, named: "xcresult")
                result.tallies.append(tally)
            case .summary(let test, let tally):
                summaries.append((tally.path, test))
                result.tallies.append(tally)
            }
        }
        let (once, notes) = (result.runs + runs(ofSummaries: summaries)).countedOnce()
        result.runs = companions.describe(once)
        result.diagnostics = notes + companions.diagnostics(of: result.runs)
        if result.tallies.isEmpty {
            let message = """
                It says which tests ran on which device, and nothing that they measured. Give the file of xcresulttool \
                get test-results metrics too.
                """
            result.faultyInputs = companions.map { FaultyInput(path: $0.path, fault: .notFound, message: message) }
        }
        return result
    }

    /// The runs of test summaries by folder; each folder is a result, because no summary names its bundle.
    private static func runs(ofSummaries summaries: [(path: String, test: XcresultTestRun)]) -> [ForeignRun] {
        let folders = Dictionary(grouping: summaries) { ForeignFile.folder(of: $0.path) }
        return folders.sorted { $0.key.precedesInUTF8($1.key) }.flatMap { _, summaries in
            var runs = summaries.map(\.test).runs(of: summaries[0].path, named: "xcresult")
            for index in runs.indices { runs[index].otherPaths = summaries.dropFirst().map(\.path) }
            return runs
        }
    }
}

extension [XcresultTestRun] {
    /// The runs of the tests in one file, one for each device and configuration, whose identifiers begin with a name.
    /// Their only possible condition is the device's identifier.
    func runs(of path: String, named name: String) -> [ForeignRun] {
        let groups = Dictionary(grouping: filter { !$0.series.isEmpty }) { [$0.deviceID, $0.configuration] }
        let hasSeveralDevices = Set(groups.values.map { $0[0].deviceID }).count > 1
        let hasSeveralConfigurations = Set(groups.values.map { $0[0].configuration }).count > 1
        let split = testsToSplit
        return groups.values.map { tests in
            var run = ForeignRun(id: "", path: path, cells: tests.cells(splitting: split))
            run.context["device_id"] = tests[0].deviceID.map(FieldValue.text)
            if hasSeveralConfigurations {
                for index in run.cells.indices { run.cells[index].variant = tests[0].configuration }
            }
            // With several devices, each is a separate environment, even without its model.
            if hasSeveralDevices { run.nameOfDevice = tests.lazy.compactMap(\.deviceName).first }
            return run.named(name)
        }
    }

    /// The cells; the values of a repeated test continue the count of the previous repetition.
    private func cells(splitting split: Set<String>) -> [ForeignCell] {
        var iterations: [[String]: Int] = [:]
        return flatMap { test in
            test.series.map { series in
                let metric = XcresultMetric(series)
                let label = split.contains(test.test) ? metric.label : nil
                return ForeignCell(
                    subject: test.test, page: label.map { "\(test.test) (\($0))" },
                    test: test.qualifiedTest ?? test.test, metric: metric.metric, values: series.values,
                    first: iterations.next(test.test, series.identifier, count: series.values.count))
            }
        }
    }

    /// The tests that measured the same quantity of several signposts or applications. Each of these is a page then,
    /// because values of different subjects don't belong in one cell.
    private var testsToSplit: Set<String> {
        var identifiers: [[String]: Set<String>] = [:]
        for test in self {
            for series in test.series {
                identifiers[[test.test, XcresultMetric(series).metric.metric.id], default: []].insert(series.identifier)
            }
        }
        return Set(identifiers.filter { $0.value.count > 1 }.map { $0.key[0] })
    }
}

/// The content of `xcresulttool get test-results summary`, `tests` or `test-details` beside the metrics: the
/// devices and the time of the tests.
struct XcresultCompanion {
    let path: String
    /// The devices in file order.
    var devices: [XcresultDevice] = []
    /// The start of the tests in the log's form; `nil` if the file has none.
    var start: String?

    static func recognises(_ outline: JSONOutline) -> Bool {
        !outline.isArray
            && (outline.has("devicesAndConfigurations", "totalTestCount")
                || outline.has("testPlanConfigurations", "devices") || outline.has("testNodes", "devices")
                || outline.has("testNodes[].nodeType"))
    }
}

extension XcresultCompanion {
    fileprivate init(_ root: JSONNode, path: String) throws(JSONDocumentError) {
        self.path = path
        for entry in try root.optional("devicesAndConfigurations")?.elements() ?? [] {
            if let device = try entry.optional("device") { devices.append(try XcresultDevice(device)) }
        }
        for device in try root.optional("devices")?.elements() ?? [] { devices.append(try XcresultDevice(device)) }
        start = (try root.optional("startTime")?.double()).flatMap(UTCTime.text(secondsSince1970:))
    }
}

/// The companions of some runs, which know at most their device's identifier.
extension [XcresultCompanion] {
    /// The runs with their devices, and with the start time if it can only be theirs.
    fileprivate func describe(_ runs: [ForeignRun]) -> [ForeignRun] {
        runs.map { run in
            var described = run
            guard let device = device(of: run) else {
                if let name = run.nameOfDevice ?? run.context.text("device_id"), isOneOfSeveral(run, in: runs) {
                    described.context["device"] = .text(name)
                }
                return described
            }
            for (name, value) in device.context.fields where run.context[name] == nil {
                described.context[name] = value
            }
            let own = companions(of: run)
            let isOnlyOne = !runs.contains {
                $0 != run && self.device(of: $0) == device && companions(of: $0).map(\.path) == own.map(\.path)
            }
            let starts = own.filter { $0.devices.contains(device) }.compactMap(\.start)
            described.context["started_at"] = isOnlyOne ? starts.min().map { .text($0) } : nil
            return described
        }
    }

    /// A warning that devices are identified only by name, because no file has their models.
    fileprivate func diagnostics(of runs: [ForeignRun]) -> [Diagnostic] {
        let unknown = runs.filter { device(of: $0) == nil && isOneOfSeveral($0, in: runs) }
        return Set(unknown.map(\.path)).map { path in
            let message = """
                It is of several devices and doesn't say their models, so each is an environment by its name. Give the \
                file of xcresulttool get test-results summary too.
                """
            return Diagnostic(.unknownField, path: path, message)
        }
    }

    private func isOneOfSeveral(_ run: ForeignRun, in runs: [ForeignRun]) -> Bool {
        Set(runs.filter { $0.path == run.path }.map { $0.context.text("device_id") }).count > 1
    }

    /// The companions from the same bundle if there are any, else all companions.
    private func companions(of run: ForeignRun) -> [XcresultCompanion] {
        let own = filter { $0.path == run.path }
        return own.isEmpty ? self : own
    }

    /// The device that a run names; for a run without a name, the only device.
    private func device(of run: ForeignRun) -> XcresultDevice? {
        let devices = companions(of: run).flatMap(\.devices)
        if let id = run.context.text("device_id") { return devices.first { $0.id == id } }
        return Set(devices).count == 1 ? devices.first : nil
    }
}

/// A device that ran tests, as the companions of the metrics describe it.
struct XcresultDevice: Hashable {
    /// The identifier, shared with the metrics; `nil` if the file has none.
    let id: String?
    /// The known conditions: `device`, `device_id`, `os` and `simulator`.
    private(set) var context = Context()

    init(id: String?, model: String?, platform: String?, version: String?) {
        self.id = id
        context["device"] = model.map { .text($0) }
        context["device_id"] = id.map { .text($0) }
        context.setSystem(platform: platform, version: version)
    }

    /// Reads a device of `summary`, `tests` or `test-details`.
    fileprivate init(_ node: JSONNode) throws(JSONDocumentError) {
        try self.init(
            id: node.optional("deviceId")?.string(), model: node.optional("modelName")?.string(),
            platform: node.optional("platform")?.string(), version: node.optional("osVersion")?.string())
    }
}
