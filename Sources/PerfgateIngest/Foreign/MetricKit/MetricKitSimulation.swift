import PerfgateJSON

/// Tells the payloads that Xcode makes up ("Simulate MetricKit Payloads") from those of devices: their numbers are
/// always the same.
enum MetricKitSimulation {
    /// Why such a payload can't be used.
    static let reason = """
        It is the payload that Xcode simulates, whose numbers are always the same. Give one that a device delivered.
        """

    /// Whether a payload is made up.
    static func isSimulated(_ payload: MetricKitPayload) -> Bool {
        isHistogram(payload, payload.hangs, [(0, 100, 50), (100, 400, 60), (400, 700, 30)])
            || isHistogram(payload, payload.launches, [(1_000, 1_010, 50), (2_000, 2_010, 60), (3_000, 3_010, 30)])
            || payload.scrollHitchRatio.flatMap { try? payload.quantities.ratio($0) } == 1_000
            || names(in: payload.node.value, depth: 0).contains("testBinaryName")
    }

    private static func isHistogram(
        _ payload: MetricKitPayload, _ node: JSONNode?, _ expected: [(start: Double, end: Double, count: Int)]
    ) -> Bool {
        guard let node, let histogram = try? MetricKitHistogram(node, payload.quantities) else { return false }
        return histogram.buckets == expected.map { .init(start: $0.start, end: $0.end, count: $0.count) }
    }

    /// The names of the binaries in call stacks, whose outermost frames are enough.
    private static func names(in value: JSONValue, depth: Int) -> [String] {
        guard depth < 12 else { return [] }
        switch value.content {
        case .object(let members):
            return members.flatMap { member -> [String] in
                if member.key == "binaryName", case .string(let name) = member.value.content { return [name] }
                return names(in: member.value, depth: depth + 1)
            }
        case .array(let elements): return elements.flatMap { names(in: $0, depth: depth + 1) }
        default: return []
        }
    }
}
