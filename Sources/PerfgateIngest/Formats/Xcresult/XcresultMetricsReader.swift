import PerfgateJSON
import PerfgateModel

/// Reads the output of `xcrun xcresulttool get test-results metrics`, with its companions `summary`, `tests` and
/// `test-details`, which describe the devices.
enum XcresultMetricsReader: ForeignReader {
    static let name = "xcresult-metrics"
    static let title = "metrics of xcresulttool"
    static let recipe = "xcrun xcresulttool get test-results metrics --path T.xcresult > metrics.json"

    static func recognises(_ head: ForeignHead) -> Bool {
        guard let outline = head.outline else { return false }
        guard outline.isArray else {
            return XcresultCompanion.recognises(outline) || XcresultLegacy.recognises(outline)
        }
        return outline.has("[].testIdentifier", "[].testRuns") || head.isWhole && isEmptyArray(head.bytes)
    }

    /// The tool's output if no test has a measurement.
    private static func isEmptyArray(_ bytes: [UInt8]) -> Bool {
        bytes.filter { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == Array("[]".utf8)
    }

    static func read(_ file: ForeignFile) throws(IngestError) -> XcresultPart {
        try file.readJSON { root throws(JSONDocumentError) in
            if case .object = root.value.content, let outline = file.outline, XcresultLegacy.recognises(outline) {
                return try XcresultLegacy.read(root, file, outline)
            }
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
            result.runs += XcresultRuns(file: file, tests: tests).runs(named: "xcresult")
            result.tallies.append(tally)
        }
        var summaries: [(file: ForeignFile, test: XcresultTestRun)] = []
        for case .summary(let file, let test, let tally) in parts {
            summaries.append((file, test))
            result.tallies.append(tally)
        }
        result.runs += XcresultRuns.runs(ofSummaries: summaries)
        let (once, notes) = result.runs.countedOnce()
        let devices = XcresultDevices(companions)
        result.runs = devices.describe(once)
        result.diagnostics = notes + devices.diagnostics(of: result.runs)
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

/// The content of one file of xcresulttool.
enum XcresultPart: Sendable {
    case metrics(ForeignFile, [XcresultTestRun], RecordTally)
    /// The measurements of one test in the tool's older form, with one file per test.
    case summary(ForeignFile, XcresultTestRun, RecordTally)
    case companion(XcresultCompanion)
}

/// Combines the tests of one file: a run for each device and configuration.
struct XcresultRuns {
    private struct Key: Hashable {
        let device: String?
        let configuration: String?
    }

    let file: ForeignFile
    let tests: [XcresultTestRun]

    /// The runs, whose identifiers begin with a name; their only possible condition is the device's identifier.
    func runs(named name: String) -> [ForeignRun] {
        let groups = Dictionary(grouping: tests.filter { !$0.series.isEmpty }) {
            Key(device: $0.deviceID, configuration: $0.configuration)
        }
        let configurations = Set(groups.keys.map(\.configuration))
        return groups.map { key, tests in
            var context = Context()
            context["device_id"] = key.device.map(FieldValue.text)
            var run = ForeignRun(id: "", path: file.path, context: context, cells: cells(tests))
            if configurations.count > 1 {
                for index in run.cells.indices { run.cells[index].variant = key.configuration }
            }
            // With several devices, each is a separate environment, even without its model.
            if Set(groups.keys.map(\.device)).count > 1 { run.nameOfDevice = tests.lazy.compactMap(\.deviceName).first }
            return run.named(name)
        }
    }

    /// The cells; the values of a repeated test continue the count of the previous repetition.
    private func cells(_ tests: [XcresultTestRun]) -> [ForeignCell] {
        let split = testsToSplit
        var next: [[String]: Int] = [:]
        return tests.flatMap { test in
            test.series.map { series in
                let metric = XcresultMetric(series)
                let first = next[[test.test, series.identifier], default: 0]
                next[[test.test, series.identifier]] = first + series.values.count
                let label = split.contains(test.test) ? metric.label : nil
                return ForeignCell(
                    subject: test.test, page: label.map { "\(test.test) (\($0))" },
                    test: test.qualifiedTest ?? test.test, metric: metric.metric.metric,
                    values: metric.metric.convert(series.values), first: first)
            }
        }
    }

    /// The tests that measured the same quantity of several signposts or applications. Each of these is a page then,
    /// because values of different subjects don't belong in one cell.
    private var testsToSplit: Set<String> {
        var identifiers: [[String]: Set<String>] = [:]
        for test in tests {
            for series in test.series {
                identifiers[[test.test, XcresultMetric(series).metric.metric.id], default: []].insert(series.identifier)
            }
        }
        return Set(identifiers.filter { $0.value.count > 1 }.map { $0.key[0] })
    }
}

/// The content of `xcresulttool get test-results summary`, `tests` or `test-details` beside the metrics: the
/// devices and the time of the tests.
struct XcresultCompanion: Sendable {
    let path: String
    /// The devices in file order.
    let devices: [XcresultDevice]
    /// The start of the tests in the log's form; `nil` if the file has none.
    let start: String?

    init(path: String, devices: [XcresultDevice], start: String?) {
        (self.path, self.devices, self.start) = (path, devices, start)
    }

    init(_ root: JSONNode, path: String) throws(JSONDocumentError) {
        self.path = path
        var devices: [XcresultDevice] = []
        for entry in try root.optional("devicesAndConfigurations")?.elements() ?? [] {
            if let device = try entry.optional("device") { devices.append(try XcresultDevice(device)) }
        }
        for device in try root.optional("devices")?.elements() ?? [] { devices.append(try XcresultDevice(device)) }
        self.devices = devices
        start = try root.optional("startTime").flatMap { node throws(JSONDocumentError) in
            UTCTime.text(secondsSince1970: try node.double())
        }
    }

    static func recognises(_ outline: JSONOutline) -> Bool {
        guard !outline.isArray else { return false }
        return outline.has("devicesAndConfigurations", "totalTestCount")
            || outline.has("testPlanConfigurations", "devices") || outline.has("testNodes", "devices")
            || outline.has("testNodes[].nodeType")
    }
}

/// Completes runs, which know at most their device's identifier, from the companions.
struct XcresultDevices {
    private let companions: [XcresultCompanion]

    init(_ companions: [XcresultCompanion]) { self.companions = companions }

    /// The runs with their devices, and with the start time if it can only be theirs.
    func describe(_ runs: [ForeignRun]) -> [ForeignRun] {
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
            let isOnlyOne = !runs.contains { $0 != run && self.device(of: $0) == device && sharesCompanions($0, run) }
            described.context["started_at"] = isOnlyOne ? start(of: run, on: device).map { .text($0) } : nil
            return described
        }
    }

    /// A warning that devices are identified only by name, because no file has their models.
    func diagnostics(of runs: [ForeignRun]) -> [Diagnostic] {
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
        let own = companions.filter { $0.path == run.path }
        return own.isEmpty ? companions : own
    }

    private func sharesCompanions(_ one: ForeignRun, _ other: ForeignRun) -> Bool {
        companions(of: one).map(\.path) == companions(of: other).map(\.path)
    }

    /// The device that a run names; for a run without a name, the only device.
    private func device(of run: ForeignRun) -> XcresultDevice? {
        let devices = companions(of: run).flatMap(\.devices)
        if let id = run.context.text("device_id") { return devices.first { $0.id == id } }
        return Set(devices).count == 1 ? devices.first : nil
    }

    private func start(of run: ForeignRun, on device: XcresultDevice) -> String? {
        let starts = companions(of: run).filter { $0.devices.contains(device) }.compactMap(\.start)
        return starts.min()
    }
}

/// A device that ran tests, as the companions of the metrics describe it.
struct XcresultDevice: Sendable, Hashable {
    /// The identifier, shared with the metrics; `nil` if the file has none.
    let id: String?
    /// The known conditions: `device`, `device_id`, `os` and `simulator`.
    let context: Context

    /// Reads a device of `summary`, `tests` or `test-details`.
    init(_ node: JSONNode) throws(JSONDocumentError) {
        try self.init(
            id: node.optional("deviceId")?.string(), model: node.optional("modelName")?.string(),
            platform: node.optional("platform")?.string(), version: node.optional("osVersion")?.string())
    }

    init(id: String?, model: String?, platform: String?, version: String?) {
        self.id = id
        var context = Context()
        context["device"] = model.map { .text($0) }
        context["device_id"] = id.map { .text($0) }
        context.setSystem(platform: platform, version: version)
        self.context = context
    }
}
