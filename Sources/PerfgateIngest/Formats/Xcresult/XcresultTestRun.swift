import PerfgateJSON
import PerfgateModel

/// The measurements of one test on one device: an element of `testRuns`.
struct XcresultTestRun: Sendable, Hashable {
    struct Series: Sendable, Hashable {
        /// The identifier; if the file has none, the display name.
        let identifier: String
        let unit: String
        let better: Better?
        /// One value per repetition, in that unit; never empty.
        let values: [Double]
    }

    /// The test, as `Class/test()`.
    let test: String
    /// The test with its target, as `Target/Class/test()`; `nil` if the file has none.
    let qualifiedTest: String?
    /// The device, the owner's name for it, and the configuration of the test plan; `nil` if the file has none.
    var deviceID, deviceName, configuration: String?
    /// The metrics in file order.
    var series: [Series]
}

extension XcresultTestRun {
    static func read(_ node: JSONNode, _ tally: inout RecordTally) -> [XcresultTestRun] {
        let tests = tally.attempt { tally throws(JSONDocumentError) in
            let test = try node["testIdentifier"].string()
            let url = try node.optional("testIdentifierURL")?.string()
            let runs = try node.optional("testRuns")?.elements() ?? []
            if runs.isEmpty { tally.skip(line: node.line, because: "the test measured nothing") }
            return runs.compactMap { run in
                tally.attempt { tally throws(JSONDocumentError) in
                    try XcresultTestRun(run, test: test, qualifiedTest: url.flatMap(qualifiedName), &tally)
                }
            }
        }
        return tests ?? []
    }

    private init(
        _ node: JSONNode, test: String, qualifiedTest: String?, _ tally: inout RecordTally
    ) throws(JSONDocumentError) {
        (self.test, self.qualifiedTest) = (test, qualifiedTest)
        deviceID = try node.optional("device")?.optional("deviceId")?.string()
        deviceName = try node.optional("device")?.optional("deviceName")?.string()
        configuration = try node.optional("testPlanConfiguration")?.optional("configurationName")?.string()
        let metrics = try node.optional("metrics")?.elements() ?? []
        if metrics.isEmpty { tally.skip(line: node.line, because: "the test measured nothing") }
        series = metrics.compactMap { metric in
            let series = tally.attempt { tally throws(JSONDocumentError) in
                try Self.series(
                    try Self.identifier(of: metric), unit: try metric.optional("unitOfMeasurement")?.string(),
                    polarity: try metric.optional("polarity")?.string(), try metric["measurements"].doubles(), metric,
                    &tally)
            }
            return series ?? nil
        }
    }

    private static func identifier(of node: JSONNode) throws(JSONDocumentError) -> String {
        if let identifier = try node.optional("identifier") { return try identifier.string() }
        return try node["displayName"].string()
    }

    /// A metric from its parts; `nil` without a value, which the tally counts.
    fileprivate static func series(
        _ identifier: String, unit: String?, polarity: String?, _ values: [Double], _ node: JSONNode,
        _ tally: inout RecordTally
    ) throws(JSONDocumentError) -> Series? {
        guard !values.isEmpty else {
            tally.skip(line: node.line, because: "it has no measurements")
            return nil
        }
        let better = Better(polarity: polarity)
        let series = Series(identifier: identifier, unit: unit ?? "", better: better, values: values)
        guard !series.isImpossible else { throw node.belowZero(rerun: "test") }
        tally.countRead()
        return series
    }

    /// The last three parts of `test://com.apple.xcode/Project/Target/Class/test`.
    fileprivate static func qualifiedName(_ url: String) -> String? {
        let parts = url.split(separator: "/")
        return parts.count >= 5 ? parts.suffix(3).joined(separator: "/") : nil
    }
}

/// Reads the objects of a result bundle from `xcresulttool get --format json`, since Xcode 16 with `--legacy`: test
/// summaries, which hold the measurements, and the invocation record, which describes the device.
///
/// Every value is wrapped: `{ "_type" : { "_name" : "Double" }, "_value" : "0.25" }`; a list has `_values`.
enum XcresultLegacy {
    static func recognises(_ outline: JSONOutline) -> Bool {
        guard !outline.isArray, outline.has("_type._name") else { return false }
        return isSummary(outline) || outline.has("actions._values") || outline.has("summaries._values")
    }

    static func read(
        _ root: JSONNode, _ outline: JSONOutline, path: String
    ) throws(JSONDocumentError) -> XcresultMetricsReader.Part {
        guard isSummary(outline) else { return .companion(try companion(root, path: path)) }
        var tally = RecordTally(path: path, noun: "metrics")
        return .summary(try test(root, &tally), tally)
    }

    private static func isSummary(_ outline: JSONOutline) -> Bool {
        outline.has("identifier._value", "testStatus._value")
    }

    private static func test(
        _ root: JSONNode, _ tally: inout RecordTally
    ) throws(JSONDocumentError) -> XcresultTestRun {
        let url = try root.wrapped("identifierURL")
        let metrics = try root.wrappedList("performanceMetrics")
        if metrics.isEmpty { tally.skip(line: root.line, because: "the test measured nothing") }
        let series = metrics.compactMap { node in
            let series = tally.attempt { tally throws(JSONDocumentError) in
                let values = try node["measurements"].optional("_values")?.elements() ?? []
                let numbers = try values.map { value throws(JSONDocumentError) in
                    guard let number = Double(try value["_value"].string()), number.isFinite else {
                        throw value.error(.rule("isn't a number; export it again"))
                    }
                    return number
                }
                let shown = try node.wrapped("displayName")
                guard let name = try node.wrapped("identifier") ?? shown else {
                    throw node.error(.missingKey("identifier"))
                }
                return try XcresultTestRun.series(
                    name, unit: try node.wrapped("unitOfMeasurement"), polarity: try node.wrapped("polarity"), numbers,
                    node, &tally)
            }
            return series ?? nil
        }
        return XcresultTestRun(
            test: try root["identifier"]["_value"].string(),
            qualifiedTest: url.flatMap(XcresultTestRun.qualifiedName), series: series)
    }

    /// Reads an invocation record; other objects don't describe devices.
    private static func companion(_ root: JSONNode, path: String) throws(JSONDocumentError) -> XcresultCompanion {
        var companion = XcresultCompanion(path: path)
        for action in try root.wrappedList("actions") {
            guard let device = try action.optional("runDestination")?.optional("targetDeviceRecord") else { continue }
            let platform = try device.optional("platformRecord")?.wrapped("userDescription")
            companion.devices.append(
                try XcresultDevice(
                    id: device.wrapped("identifier"), model: device.wrapped("modelName"), platform: platform,
                    version: device.wrapped("operatingSystemVersion")))
            if let start = try action.wrapped("startedTime").flatMap(UTCTime.text(of:)) {
                companion.start = min(companion.start ?? start, start)
            }
        }
        return companion
    }
}

extension JSONNode {
    /// The text of a wrapped value; `nil` if absent.
    fileprivate func wrapped(_ key: String) throws(JSONDocumentError) -> String? {
        try optional(key)?["_value"].string()
    }

    /// The elements of a wrapped list; empty if absent.
    fileprivate func wrappedList(_ key: String) throws(JSONDocumentError) -> [JSONNode] {
        try optional(key)?.optional("_values")?.elements() ?? []
    }
}

/// The meaning of an XCTest metric's identifier.
///
///     com.apple.dt.XCTMetric_OSSignpost-Scroll_Deceleration.animation.hitch.time.ratio
///                            family     label               quantity
struct XcresultMetric {
    static let prefix = "com.apple.dt.XCTMetric_"

    /// perfgate's identifier; the tool's own identifier for a metric that perfgate doesn't know.
    let metric: ForeignMetric
    /// The subject: the signpost or application with the family, such as `OSSignpost-Scroll_Deceleration`; `nil`
    /// if the identifier has none.
    let label: String?

    /// Takes the unit in the file's spelling; a known quantity of another dimension stays foreign.
    init(identifier: String, unit: String, better: Better?) {
        let known = Self.parts(of: identifier)
        label = known?.label
        if let known = known?.metric {
            let metric = ForeignMetric(id: known.id, unit: unit, better: known.better)
            if metric.metric == known {
                self.metric = metric
                return
            }
        }
        let isHigherBetter = identifier.hasSuffix("frame.rate") || identifier.hasSuffix("frame.count")
        metric = ForeignMetric(id: identifier, unit: unit, better: better ?? (isHigherBetter ? .higher : nil))
    }

    init(_ series: XcresultTestRun.Series) {
        self.init(identifier: series.identifier, unit: series.unit, better: series.better)
    }

    /// A label may contain dots, like a bundle identifier, so the quantity is matched at the end.
    private static func parts(of identifier: String) -> (label: String?, metric: Metric)? {
        if blocks.contains(identifier) { return (nil, .measuredTime) }
        guard identifier.hasPrefix(prefix), !identifier.contains("normalized") else { return nil }
        let text = identifier.dropFirst(prefix.count)
        for (family, quantities) in known where text.hasPrefix(family) {
            for (quantity, metric) in quantities where text.dropFirst(family.count).hasSuffix("." + quantity) {
                let label = text.dropLast(quantity.count + 1)
                if label == family { return (nil, metric) }
                if label.hasPrefix(family + "-") { return (String(label), metric) }
            }
        }
        return nil
    }

    /// The families with their quantities, longer endings first.
    private static let known: [(family: String, quantities: [(end: String, metric: Metric)])] = [
        (
            "OSSignpost",
            [
                ("animation.hitch.time.ratio", Metric(.hitchRatio)), ("animation.hitch.number", .hitches),
                ("animation.hitches.total.duration", .hitchDuration), ("animation.frame.rate", Metric(.fpsMean)),
                ("animation.frame.count", .frameCount), ("duration", .duration),
            ]
        ),
        ("Hitch", [("time.ratio", Metric(.hitchRatio)), ("number", .hitches), ("total.duration", .hitchDuration)]),
        ("ApplicationLaunch", [("duration", .launch)]),
        ("Clock", [("time.monotonic", .measuredTime)]),
    ]

    /// The metric of `measure { }` before `XCTMetric`, and on Linux.
    private static let blocks = [XcbaselineUnit.wallClock, "org.swift.XCTPerformanceMetric_WallClockTime"]
}

extension XcresultTestRun.Series {
    /// Whether a metric that perfgate knows has a negative value; other metrics may be margins.
    var isImpossible: Bool {
        values.contains { $0 < 0 } && MetricCatalog.definition(of: XcresultMetric(self).metric.metric.id) != nil
    }
}

extension Better {
    /// Xcode's better direction: `prefers smaller` or `prefers larger`; `nil` for anything else.
    init?(polarity: String?) {
        switch polarity {
        case "prefers smaller": self = .lower
        case "prefers larger": self = .higher
        default: return nil
        }
    }
}
