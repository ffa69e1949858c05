import PerfgateJSON

/// Reads payloads of MetricKit as `jsonRepresentation()` writes them: one, a list of them, or either inside what a
/// server put around them.
enum MetricKitReader: ForeignReader {
    static let name = "metrickit"
    static let title = "payloads of MetricKit"

    static func recognises(_ head: ForeignHead) -> Bool {
        head.outline?.objects.values.contains(where: MetricKitSection.isPayload) ?? false
    }

    static func read(_ file: ForeignFile) throws(IngestError) -> ForeignResult {
        var tally = RecordTally(path: file.path, noun: "metrics")
        var runs: [ForeignRun] = []
        let payloads = try file.readJSON { root throws(JSONDocumentError) in try Self.payloads(in: root, depth: 0) }
        guard !payloads.isEmpty else { throw .malformed(line: nil, problem: "it holds no payload of MetricKit") }
        for (index, node) in payloads.enumerated() {
            let payload = MetricKitPayload(node)
            if MetricKitSimulation.isSimulated(payload) { throw .refused(reason: MetricKitSimulation.reason) }
            let id = "metrickit-\(file.identity)" + (payloads.count == 1 ? "" : "-\(index + 1)")
            let read = MetricKitCells(payload, tally: tally)
            tally = read.tally
            guard !read.cells.isEmpty else { continue }
            runs.append(ForeignRun(id: id, path: file.path, context: payload.context, cells: read.cells))
        }
        return ForeignResult(runs: runs, tallies: [tally])
    }

    private static let depthLimit = 4

    private static func payloads(in node: JSONNode, depth: Int) throws(JSONDocumentError) -> [JSONNode] {
        guard depth <= depthLimit else { return [] }
        var inner: [JSONNode] = []
        switch node.value.content {
        case .object(let members):
            if MetricKitSection.isPayload(members.map(\.key)) { return [node] }
            inner = try node.members().map(\.node)
        case .array: inner = try node.elements()
        default: return []
        }
        var found: [JSONNode] = []
        for node in inner { found += try payloads(in: node, depth: depth + 1) }
        return found
    }
}
