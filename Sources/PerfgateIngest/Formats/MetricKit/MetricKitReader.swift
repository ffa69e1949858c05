import PagePerformance
import PerfgateJSON
import PerfgateModel

/// Reads MetricKit payloads from `jsonRepresentation()`: one, a list of them, or either inside a server's wrapper.
package enum MetricKitReader: ForeignReader {
    static let name = "metrickit"
    static let title = "payloads of MetricKit"
    static let recipe = "payload.jsonRepresentation() of each payload of MXMetricManager, a file each or one a line"

    static func recognises(_ head: ForeignHead) -> Bool {
        head.outline?.objects.values.contains(where: MetricKitSection.isPayload) ?? false
    }

    static func read(_ file: ForeignFile) throws(IngestError) -> ForeignResult {
        var tally = RecordTally(path: file.path, noun: "metrics")
        let runs = try payloads(in: file, &tally).map { payload in
            ForeignRun(id: "", path: file.path, context: payload.context, cells: payload.cells(&tally))
        }
        return ForeignResult(runs: runs.filter { !$0.cells.isEmpty }.map { $0.named(name) }, tallies: [tally])
    }

    /// The payloads of a file, at least one; refuses simulated ones.
    private static func payloads(
        in file: ForeignFile, _ tally: inout RecordTally
    ) throws(IngestError) -> [MetricKitPayload] {
        let payloads = try nodes(in: file, &tally).map(MetricKitPayload.init)
        guard !payloads.isEmpty else { throw .malformed(line: nil, problem: "it holds no payload of MetricKit") }
        guard !payloads.contains(where: MetricKitSimulation.isSimulated) else {
            throw .refused(reason: MetricKitSimulation.reason)
        }
        return payloads
    }

    /// Passes the hangs of a file to a closure, each of up to a day, in ms; it returns whether a hang has calls.
    /// - Returns: A name for the file's content, and what can't be read or used.
    package static func readHangs(
        of path: String,
        _ body: (_ hang: JSONNode, _ milliseconds: Double, MetricKitPayload) throws(JSONDocumentError) -> Bool
    ) throws(IngestError) -> (identity: String, diagnostics: [Diagnostic]) {
        let log = LogReader(path: path, collector: LogCollector(options: IngestOptions()))
        let router = InputRouter(path: path, format: name, log: log)
        var stream = try ByteStream(path: path)
        while router.error == nil, try stream.next({ router.take($0) }) {}
        guard case .foreign(_, let file) = try router.finish() else {
            throw .malformed(line: nil, problem: "it is empty")
        }
        var tally = RecordTally(path: path, noun: "hangs")
        for payload in try payloads(in: file, &tally) {
            for section in MetricKitSection.hangs {
                tally.attempt { tally throws(JSONDocumentError) in
                    guard let list = try payload.node.optional(section) else { return }
                    for (_, node) in try MetricKitPayload.records(of: section, list) {
                        tally.attempt { tally throws(JSONDocumentError) in
                            let duration = try payload.hangDuration(of: node) ?? -1
                            guard 0...86_400_000 ~= duration else {
                                throw node.error(.rule("has no hangDuration of up to a day; check its writer"))
                            }
                            let isUsed = try body(node, duration.rounded(), payload)
                            if isUsed { tally.countRead() } else { tally.skip(line: node.line, because: noCalls) }
                        }
                    }
                }
            }
        }
        return (file.identity, tally.diagnostics)
    }

    private static let noCalls = "they have no calls"

    /// The payloads of one JSON text, or of one JSON text per line.
    private static func nodes(in file: ForeignFile, _ tally: inout RecordTally) throws(IngestError) -> [JSONNode] {
        guard file.bytes.contains(UInt8(ascii: "\n")), file.outline?.isOneValue == false else {
            return try file.readJSON(raw: MetricKitSection.stacks) { root throws(JSONDocumentError) in
                try nodes(in: root, depth: 0)
            }
        }
        var found: [JSONNode] = []
        try file.readJSONLines(&tally, raw: MetricKitSection.stacks) { node throws(JSONDocumentError) in
            found += try nodes(in: node, depth: 0)
            return false
        }
        return found
    }

    private static func nodes(in node: JSONNode, depth: Int) throws(JSONDocumentError) -> [JSONNode] {
        guard depth <= 4 else { return [] }
        let inner: [JSONNode]
        switch node.value.content {
        case .object(let members):
            if MetricKitSection.isPayload(members.map(\.key)) { return [node] }
            inner = try node.members().map(\.node)
        case .array: inner = try node.elements()
        case .string, .number, .bool, .null: return []
        }
        return try inner.map { node throws(JSONDocumentError) in try nodes(in: node, depth: depth + 1) }.flatMap { $0 }
    }
}

/// One payload: a device's measurements of a day, or since OS 27 one diagnostic.
package struct MetricKitPayload {
    package let node: JSONNode
    let quantities: MetricKitQuantities

    init(_ node: JSONNode) {
        self.node = node
        let members = (try? node.members()) ?? []
        quantities = MetricKitQuantities(
            learningFrom: members.filter { MetricKitSection.measured.contains($0.key) }.map(\.node))
    }

    package var app: String? { said("bundleIdentifier") }
    package var release: String? { string("appVersion") ?? said("appVersion") ?? said("applicationVersion") }
    /// The begin of the measured time in the log's form; OS 27 counts seconds since 2001.
    package var begin: String? {
        let text = string("timeStampBegin") ?? string("timeRange", "begin")
        let seconds = node(at: ["timeRange", "begin"]).flatMap { try? $0.double() + 978_307_200 }
        return text.flatMap(UTCTime.text(of:)) ?? seconds.flatMap(UTCTime.text(secondsSince1970:))
    }

    private func string(_ path: String...) -> String? { node(at: path).flatMap { try? $0.string() } }

    private func said(_ key: String) -> String? {
        string("metaData", key) ?? diagnosticMetaData.flatMap { try? $0.optional(key)?.string() }
            ?? string("environment", key)
    }

    var context: Context {
        var context = Context()
        context["app"] = app.map { .text($0) }
        context["app_version"] = release.map { .text($0) }
        context["device"] = said("deviceType").map { .text($0) }
        context["started_at"] = begin.map { .text($0) }
        // "iPhone OS 14.0.1 (18A393)" is iOS 14.0.1 in other sources.
        let system = said("osVersion")?.replacing("iPhone OS", with: "iOS") ?? ""
        let words = system.split(separator: " ", maxSplits: 1).map(String.init)
        if words.count == 2 { context.setSystem(platform: words[0], version: words[1]) }
        let platform = string("environment", "osVersion", "platform")
        context.setSystem(platform: platform, version: string("environment", "osVersion", "number"))
        return context
    }

    /// The duration of a hang in milliseconds; `nil` if the diagnostic has none.
    func hangDuration(of diagnostic: JSONNode) throws(JSONDocumentError) -> Double? {
        let place = try diagnostic.optional("diagnosticMetaData") ?? diagnostic
        return try place.optional("hangDuration").map { node throws(JSONDocumentError) in try quantities.time(node) }
    }

    /// The conditions from the first diagnostic: a payload belongs to one device.
    private var diagnosticMetaData: JSONNode? {
        for section in MetricKitSection.diagnostics {
            let list = try? node(at: [section])?.elements()
            if let found = list?.lazy.compactMap({ try? $0.optional("diagnosticMetaData") }).first { return found }
        }
        return nil
    }

    package func node(at path: [String]) -> JSONNode? {
        path.reduce(node) { node, key in (try? node?.optional(key)) ?? nil }
    }
}

extension MetricKitPayload {
    /// The cells of the payload; counts unusable records in the tally.
    func cells(_ tally: inout RecordTally) -> [ForeignCell] {
        var cells: [ForeignCell] = []
        for (section, node) in (try? node.members()) ?? [] {
            if MetricKitSection.other.contains(section) {
                tally.skip(line: node.line, because: "they hold nothing that perfgate gates on")
            }
            guard MetricKitSection.read.contains(section) else { continue }
            tally.attempt { tally throws(JSONDocumentError) in
                for (key, record) in try Self.records(of: section, node) {
                    tally.attempt { tally throws(JSONDocumentError) in
                        let measured = try self.cells(of: section, key, record)
                        cells += measured
                        if !measured.isEmpty { return tally.countRead() }
                        tally.skip(line: record.line, because: "it has no data")
                    }
                }
            }
        }
        return cells
    }

    /// The records of a section: its elements or members, or the one hang itself.
    static func records(of section: String, _ node: JSONNode) throws(JSONDocumentError) -> [(String, JSONNode)] {
        if case .array = node.value.content { return try node.elements().map { ("", $0) } }
        if MetricKitSection.hangs.contains(section) { return [("", node)] }
        return try node.members().map { ($0.key, $0.node) }
    }

    /// The cells of a record; none if it holds no data.
    private func cells(of section: String, _ key: String, _ node: JSONNode) throws(JSONDocumentError) -> [ForeignCell] {
        switch section {
        case "animationMetrics": try animation(key, node)
        case "applicationResponsivenessMetrics": try responsiveness(key, node)
        case "applicationLaunchMetrics": try launch(key, node)
        case "signpostMetrics": try signpost(node)
        default:
            // Under the key's own name: a device reports only some of its hangs this way.
            try hangDuration(of: node).map { Self.cell(Self.time("hangDuration"), [$0]) } ?? []
        }
    }

    private func animation(_ key: String, _ node: JSONNode) throws(JSONDocumentError) -> [ForeignCell] {
        let ids = ["scrollHitchTimeRatio": FrameMetric.hitchRatio, "hitchTimeRatio": .hitchRatioScreen]
        guard let id = ids[key] else { return [] }
        return Self.cell(Metric(id), [try quantities.ratio(node)])
    }

    /// The hang rate if the time of use is known; else only the hangs' duration, which grows with the time of use.
    private func responsiveness(_ key: String, _ node: JSONNode) throws(JSONDocumentError) -> [ForeignCell] {
        guard key == "histogrammedAppHangTime" || key == "histogrammedApplicationHangTime" else { return [] }
        let hangs = try MetricKitHistogram(node, quantities).times.filter { $0 > 250 }.reduce(0, +)
        guard let time = self.node(at: ["applicationTimeMetrics", "cumulativeForegroundTime"]) else {
            return Self.cell(.hangDuration, [hangs])
        }
        let use = try quantities.time(time)
        return use > 0 ? Self.cell(Metric(.hangRate), [3_600 * hangs / use]) : []
    }

    private func launch(_ key: String, _ node: JSONNode) throws(JSONDocumentError) -> [ForeignCell] {
        let isFirst = key == "histogrammedTimeToFirstDrawKey" || key == "histogrammedTimeToFirstDraw"
        return Self.cell(isFirst ? .launch : Self.time(key), try MetricKitHistogram(node, quantities).times)
    }

    /// The name and category of a signpost identify the page.
    private func signpost(_ node: JSONNode) throws(JSONDocumentError) -> [ForeignCell] {
        let name = try node["signpostName"].string()
        let category = try node.optional("signpostCategory")?.string()
        let page = category.map { "\($0)/\(name)" } ?? name
        guard let data = try node.optional("signpostIntervalData") else { return [] }
        var cells: [ForeignCell] = []
        if let ratio = try data.optional("signpostCumulativeHitchTimeRatio") {
            cells += Self.cell(Metric(.hitchRatio), [try quantities.ratio(ratio)], of: page)
        }
        if let histogram = try data.optional("histogrammedSignpostDurations") {
            cells += Self.cell(.duration, try MetricKitHistogram(histogram, quantities).times, of: page)
        }
        return cells
    }

    /// A cell with values; none without a value or with a negative value, which means no data.
    private static func cell(
        _ metric: Metric, _ values: [Double], of page: String = ForeignCell.wholeApp
    ) -> [ForeignCell] {
        guard !values.isEmpty, !values.contains(where: { $0 < 0 }) else { return [] }
        return [ForeignCell(subject: page, metric: metric, values: values)]
    }

    private static func time(_ key: String) -> Metric { Metric(id: key, unit: .milliseconds, better: .lower) }
}

enum MetricKitSection {
    static let read = Set(
        ["animationMetrics", "applicationResponsivenessMetrics", "applicationLaunchMetrics", "signpostMetrics"] + hangs)
    static let stacks = "callStackTree"
    /// The keys of hangs: a list, and since OS 27 one.
    static let hangs = ["hangDiagnostics", "hangDiagnostic"]
    /// The keys without data for the gate.
    static let other: Set = [
        "applicationExitMetrics", "cellularConditionMetrics", "cpuMetrics", "diskIOMetrics", "displayMetrics",
        "gpuMetrics", "locationActivityMetrics", "memoryMetrics", "networkTransferMetrics",
        "appLaunchDiagnostics", "cpuExceptionDiagnostics", "crashDiagnostics", "diskWriteExceptionDiagnostics",
        "appLaunchDiagnostic", "cpuExceptionDiagnostic", "crashDiagnostic", "diskWriteExceptionDiagnostic",
        "memoryExceptionDiagnostic",
    ]
    /// The keys of measured values.
    static let measured = sections.union(["applicationTimeMetrics"])
    private static let sections = read.union(other)
    /// The keys whose entries each name their device and app.
    static let diagnostics = [
        "hangDiagnostics", "crashDiagnostics", "cpuExceptionDiagnostics", "diskWriteExceptionDiagnostics",
        "appLaunchDiagnostics",
    ]
    /// The keys for the time and place of the measurement.
    static let frame: Set = [
        "metaData", "timeStampBegin", "timeStampEnd", "appVersion", "applicationTimeMetrics", "timeRange",
        "environment",
    ]

    static func isPayload(_ keys: some Sequence<String>) -> Bool {
        let keys = Set(keys)
        let count = keys.intersection(sections).count
        return count > 0 && count + keys.intersection(frame).count >= 2
    }
}
