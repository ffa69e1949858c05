import PerfgateJSON
import PerfgateModel

/// Reads what `xcrun xcresulttool get test-results metrics` writes, with its companions `summary`, `tests` and
/// `test-details`, which know the devices.
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

    /// What it writes where no test measured anything.
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

/// What one file of xcresulttool says.
enum XcresultPart: Sendable {
    /// What tests measured.
    case metrics(ForeignFile, [XcresultTestRun], RecordTally)
    /// What one test measured, as the older form of the tool says it, a file a test.
    case summary(ForeignFile, XcresultTestRun, RecordTally)
    /// On which devices they ran.
    case companion(XcresultCompanion)
}

/// Puts the tests of one file together: a run for each device and configuration.
struct XcresultRuns {
    private struct Key: Hashable {
        let device: String?
        let configuration: String?
    }

    let file: ForeignFile
    let tests: [XcresultTestRun]

    /// The runs, whose identifiers begin with a name; their conditions know the device's identifier at most.
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
            // Where several devices ran, each is an environment of its own, also where nothing says its model.
            if Set(groups.keys.map(\.device)).count > 1 { run.nameOfDevice = tests.lazy.compactMap(\.deviceName).first }
            return run.named(name)
        }
    }

    /// The cells; the values of a test that was repeated count on from those of the repetition before.
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

    /// The tests that measured the same quantity of several signposts or applications: each is a page of its own then,
    /// because values of different things are no samples of one cell.
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

/// What `xcresulttool get test-results summary`, `tests` or `test-details` says beside the metrics: on which devices
/// the tests ran, and when.
struct XcresultCompanion: Sendable {
    /// The file it was read from, as it was named.
    let path: String
    /// The devices, in the order of the file.
    let devices: [XcresultDevice]
    /// When the tests began, as a log writes it; `nil` where the file doesn't say.
    let start: String?

    /// Makes a companion of what it says.
    init(path: String, devices: [XcresultDevice], start: String?) {
        self.path = path
        self.devices = devices
        self.start = start
    }

    /// Reads a file.
    init(_ root: JSONNode, path: String) throws(JSONDocumentError) {
        self.path = path
        var devices: [XcresultDevice] = []
        for entry in try root.optional("devicesAndConfigurations")?.elements() ?? [] {
            if let device = try entry.optional("device") { devices.append(try XcresultDevice(device)) }
        }
        for device in try root.optional("devices")?.elements() ?? [] {
            devices.append(try XcresultDevice(device))
        }
        self.devices = devices
        start = try root.optional("startTime").flatMap { node throws(JSONDocumentError) in
            UTCTime.text(secondsSince1970: try node.double())
        }
    }

    /// Whether the beginning of a file looks like one of them.
    static func recognises(_ outline: JSONOutline) -> Bool {
        guard !outline.isArray else { return false }
        return outline.has("devicesAndConfigurations", "totalTestCount")
            || outline.has("testPlanConfigurations", "devices") || outline.has("testNodes", "devices")
            || outline.has("testNodes[].nodeType")
    }
}

/// Tells runs, which know the identifier of their device at most, what the companions say of it.
struct XcresultDevices {
    private let companions: [XcresultCompanion]

    init(_ companions: [XcresultCompanion]) {
        self.companions = companions
    }

    /// The runs with their devices, and with the time of their beginning where it can only be theirs.
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

    /// That devices are known by their names only, because nothing says their models.
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

    /// Whether the file of a run is of several devices.
    private func isOneOfSeveral(_ run: ForeignRun, in runs: [ForeignRun]) -> Bool {
        Set(runs.filter { $0.path == run.path }.map { $0.context.text("device_id") }).count > 1
    }

    /// The companions of the same bundle, where there are any; else all of them.
    private func companions(of run: ForeignRun) -> [XcresultCompanion] {
        let own = companions.filter { $0.path == run.path }
        return own.isEmpty ? companions : own
    }

    private func sharesCompanions(_ one: ForeignRun, _ other: ForeignRun) -> Bool {
        companions(of: one).map(\.path) == companions(of: other).map(\.path)
    }

    /// The device that a run names, or where it names none the only one there is.
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

/// A device that tests ran on, as the companions of the metrics describe it.
struct XcresultDevice: Sendable, Hashable {
    /// The identifier that the metrics use too; `nil` where the file doesn't say.
    let id: String?
    /// What is known of it: `device`, `device_id`, `os` and `simulator`.
    let context: Context

    /// Reads a device of `summary`, `tests` or `test-details`.
    init(_ node: JSONNode) throws(JSONDocumentError) {
        try self.init(
            id: node.optional("deviceId")?.string(), model: node.optional("modelName")?.string(),
            platform: node.optional("platform")?.string(), version: node.optional("osVersion")?.string())
    }

    /// Makes a device of what is known of it.
    init(id: String?, model: String?, platform: String?, version: String?) {
        self.id = id
        var context = Context()
        context["device"] = model.map { .text($0) }
        context["device_id"] = id.map { .text($0) }
        context.setSystem(platform: platform, version: version)
        self.context = context
    }
}
