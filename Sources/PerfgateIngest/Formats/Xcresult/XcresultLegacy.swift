import PerfgateJSON

/// Reads the objects of a result bundle from `xcresulttool get --format json`, since Xcode 16 with `--legacy`: test
/// summaries, which hold the measurements, and the invocation record, which describes the device.
///
/// Every value is wrapped: `{ "_type" : { "_name" : "Double" }, "_value" : "0.25" }`; a list has `_values`.
enum XcresultLegacy {
    static func recognises(_ outline: JSONOutline) -> Bool {
        guard !outline.isArray, outline.has("_type._name") else { return false }
        return isSummary(outline) || outline.has("actions._values") || outline.has("summaries._values")
    }

    static func read(_ root: JSONNode, _ file: ForeignFile, _ outline: JSONOutline) throws(JSONDocumentError)
        -> XcresultPart
    {
        guard isSummary(outline) else { return .companion(try XcresultCompanion(legacy: root, path: file.path)) }
        var tally = RecordTally(path: file.path, noun: "metrics")
        return .summary(file, try test(root, &tally), tally)
    }

    private static func isSummary(_ outline: JSONOutline) -> Bool {
        outline.has("identifier._value", "testStatus._value")
    }

    private static func test(_ root: JSONNode, _ tally: inout RecordTally) throws(JSONDocumentError) -> XcresultTestRun
    {
        let url = try text(root, "identifierURL")
        let metrics = try list(root, "performanceMetrics")
        if metrics.isEmpty { tally.skip(line: root.line, because: "the test measured nothing") }
        var series: [XcresultTestRun.Series] = []
        for metric in metrics { if let one = self.series(metric, &tally) { series.append(one) } }
        return XcresultTestRun(
            test: try root["identifier"]["_value"].string(), qualifiedTest: url.flatMap(XcresultTestRun.qualifiedName),
            deviceID: nil, deviceName: nil, configuration: nil, series: series)
    }

    private static func series(_ node: JSONNode, _ tally: inout RecordTally) -> XcresultTestRun.Series? {
        do throws(JSONDocumentError) {
            var values: [Double] = []
            for value in try node["measurements"].optional("_values")?.elements() ?? [] {
                let digits = try value["_value"].string()
                guard let number = Double(digits), number.isFinite else {
                    throw value.error(.rule("isn't a number; export it again"))
                }
                values.append(number)
            }
            let shown = try text(node, "displayName")
            guard let name = try text(node, "identifier") ?? shown else { throw node.error(.missingKey("identifier")) }
            return try XcresultTestRun.series(
                name, unit: try text(node, "unitOfMeasurement") ?? "", polarity: try text(node, "polarity"), values,
                node,
                &tally)
        } catch {
            tally.fail(error)
            return nil
        }
    }

    fileprivate static func text(_ node: JSONNode, _ key: String) throws(JSONDocumentError) -> String? {
        try node.optional(key)?["_value"].string()
    }

    /// The elements of a wrapped list; empty if absent.
    fileprivate static func list(_ node: JSONNode, _ key: String) throws(JSONDocumentError) -> [JSONNode] {
        try node.optional(key)?.optional("_values")?.elements() ?? []
    }
}

extension XcresultCompanion {
    /// Reads an invocation record; other objects don't describe devices.
    init(legacy root: JSONNode, path: String) throws(JSONDocumentError) {
        var devices: [XcresultDevice] = []
        var starts: [String] = []
        for action in try XcresultLegacy.list(root, "actions") {
            guard let device = try action.optional("runDestination")?.optional("targetDeviceRecord") else { continue }
            devices.append(try XcresultDevice(legacy: device))
            if let start = try XcresultLegacy.text(action, "startedTime").flatMap(UTCTime.text(of:)) {
                starts.append(start)
            }
        }
        self.init(path: path, devices: devices, start: starts.min())
    }
}

extension XcresultDevice {
    fileprivate init(legacy node: JSONNode) throws(JSONDocumentError) {
        let platform = try node.optional("platformRecord").map { node throws(JSONDocumentError) in
            try XcresultLegacy.text(node, "userDescription")
        }
        try self.init(
            id: XcresultLegacy.text(node, "identifier"), model: XcresultLegacy.text(node, "modelName"),
            platform: platform ?? nil, version: XcresultLegacy.text(node, "operatingSystemVersion"))
    }
}

extension XcresultRuns {
    /// The test summaries by folder; each folder is a result, because no summary names its bundle.
    static func runs(ofSummaries summaries: [(file: ForeignFile, test: XcresultTestRun)]) -> [ForeignRun] {
        let folders = Dictionary(grouping: summaries) { summary in
            summary.file.path.lastIndex(of: "/").map { String(summary.file.path[..<$0]) } ?? ""
        }
        return folders.sorted { $0.key.precedesInUTF8($1.key) }.flatMap { _, summaries in
            let others = summaries.dropFirst().map(\.file.path)
            return XcresultRuns(file: summaries[0].file, tests: summaries.map(\.test)).runs(named: "xcresult").map {
                run in
                var run = run
                run.otherPaths = others
                return run
            }
        }
    }
}
