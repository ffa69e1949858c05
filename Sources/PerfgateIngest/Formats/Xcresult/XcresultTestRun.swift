import PerfgateJSON
import PerfgateModel

/// The measurements of one test on one device: an element of `testRuns`.
struct XcresultTestRun: Sendable {
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
    let deviceID: String?
    /// The owner's name for the device; `nil` if the file has none.
    let deviceName: String?
    /// The configuration of the test plan; `nil` if the file has none.
    let configuration: String?
    /// The metrics in file order.
    let series: [Series]
}

extension XcresultTestRun {
    static func read(_ node: JSONNode, _ tally: inout RecordTally) -> [XcresultTestRun] {
        do throws(JSONDocumentError) {
            let test = try node["testIdentifier"].string()
            let qualified = try node.optional("testIdentifierURL")?.string()
            let runs = try node.optional("testRuns")?.elements() ?? []
            if runs.isEmpty { tally.skip(line: node.line, because: "the test measured nothing") }
            return runs.compactMap { run in
                read(run, test: test, qualified: qualified.flatMap(qualifiedName), &tally)
            }
        } catch {
            tally.fail(error)
            return []
        }
    }

    private static func read(
        _ node: JSONNode, test: String, qualified: String?, _ tally: inout RecordTally
    ) -> XcresultTestRun? {
        do throws(JSONDocumentError) {
            let device = try node.optional("device")?.optional("deviceId")?.string()
            let name = try node.optional("device")?.optional("deviceName")?.string()
            let plan = try node.optional("testPlanConfiguration")?.optional("configurationName")?.string()
            let metrics = try node.optional("metrics")?.elements() ?? []
            if metrics.isEmpty { tally.skip(line: node.line, because: "the test measured nothing") }
            var series: [Series] = []
            for metric in metrics { if let one = self.series(metric, &tally) { series.append(one) } }
            return XcresultTestRun(
                test: test, qualifiedTest: qualified, deviceID: device, deviceName: name, configuration: plan,
                series: series)
        } catch {
            tally.fail(error)
            return nil
        }
    }

    private static func series(_ node: JSONNode, _ tally: inout RecordTally) -> Series? {
        do throws(JSONDocumentError) {
            return try series(
                try identifier(of: node), unit: try node.optional("unitOfMeasurement")?.string() ?? "",
                polarity: try node.optional("polarity")?.string(), try node["measurements"].doubles(), node, &tally)
        } catch {
            tally.fail(error)
            return nil
        }
    }

    /// A metric from its parts; `nil` without a value, which the tally counts.
    static func series(
        _ identifier: String, unit: String, polarity: String?, _ values: [Double], _ node: JSONNode,
        _ tally: inout RecordTally
    ) throws(JSONDocumentError) -> Series? {
        guard !values.isEmpty else {
            tally.skip(line: node.line, because: "it has no measurements")
            return nil
        }
        let series = Series(identifier: identifier, unit: unit, better: Better(polarity: polarity), values: values)
        if values.contains(where: { $0 < 0 }), XcresultMetric(series).isKnown {
            throw node.error(.rule("measured less than nothing; run the test again"))
        }
        tally.countRead()
        return series
    }

    private static func identifier(of node: JSONNode) throws(JSONDocumentError) -> String {
        if let identifier = try node.optional("identifier") { return try identifier.string() }
        return try node["displayName"].string()
    }

    /// The last three parts of `test://com.apple.xcode/Project/Target/Class/test`.
    static func qualifiedName(_ url: String) -> String? {
        let parts = url.split(separator: "/")
        return parts.count >= 5 ? parts.suffix(3).joined(separator: "/") : nil
    }
}

/// The meaning of an XCTest metric's identifier.
///
///     com.apple.dt.XCTMetric_OSSignpost-Scroll_Deceleration.animation.hitch.time.ratio
///                            family     label               quantity
struct XcresultMetric {
    /// perfgate's identifier; the tool's own identifier for a metric that perfgate doesn't know.
    let metric: ForeignMetric
    /// The subject: the signpost or application with the family, such as `OSSignpost-Scroll_Deceleration`; `nil`
    /// if the identifier has none.
    let label: String?

    /// Takes the unit in the file's spelling; a known quantity of another dimension stays foreign.
    init(identifier: String, unit: String, better: Better?) {
        let parts = Self.parts(of: identifier)
        label = parts.flatMap { $0.label.map { label in "\(parts?.family ?? "")-\(label)" } }
        if let known = parts?.metric {
            let metric = ForeignMetric(id: known.id, unit: unit, better: known.better)
            if metric.metric == known {
                self.metric = metric
                return
            }
        }
        metric = ForeignMetric(id: identifier, unit: unit, better: better ?? Self.guess(identifier))
    }

    init(_ series: XcresultTestRun.Series) {
        self.init(identifier: series.identifier, unit: series.unit, better: series.better)
    }

    var isKnown: Bool { MetricCatalog.definition(of: metric.metric.id) != nil }

    private struct Parts {
        let family: String
        let label: String?
        let metric: Metric
    }

    /// A label may contain dots, like a bundle identifier, so the quantity is matched at the end.
    private static func parts(of identifier: String) -> Parts? {
        if blocks.contains(identifier) { return Parts(family: "Clock", label: nil, metric: .measuredTime) }
        guard identifier.hasPrefix(prefix), !identifier.contains("normalized") else { return nil }
        let text = identifier.dropFirst(prefix.count)
        for (family, quantities) in known where text.hasPrefix(family) {
            let rest = text.dropFirst(family.count)
            for (quantity, metric) in quantities where rest.hasSuffix("." + quantity) {
                let label = rest.dropLast(quantity.count + 1)
                guard label.isEmpty || label.hasPrefix("-") else { continue }
                return Parts(family: family, label: label.isEmpty ? nil : String(label.dropFirst()), metric: metric)
            }
        }
        return nil
    }

    private static func guess(_ identifier: String) -> Better? {
        identifier.hasSuffix("frame.rate") || identifier.hasSuffix("frame.count") ? .higher : nil
    }

    static let prefix = "com.apple.dt.XCTMetric_"

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
