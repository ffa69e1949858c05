import PerfgateJSON
import PerfgateModel

/// A device that tests ran on, as the companions of the metrics describe it.
struct XcresultDevice: Sendable, Hashable {
    /// The identifier that the metrics use too; `nil` where the file doesn't say.
    let id: String?
    /// What is known of it: `device`, `device_id`, `os` and `simulator`.
    let context: Context

    /// Reads a device of `summary`, `tests` or `test-details`.
    init(_ node: JSONNode) throws(JSONDocumentError) {
        id = try node.optional("deviceId")?.string()
        let platform = try node.optional("platform")?.string()
        let version = try node.optional("osVersion")?.string()
        var context = Context()
        context["device"] = try node.optional("modelName").map { node throws(JSONDocumentError) in
            .text(try node.string())
        }
        context["device_id"] = id.map { .text($0) }
        context["os"] = Self.system(platform, version).map { .text($0) }
        context["simulator"] = platform.map { .flag($0.hasSuffix(Self.simulator)) }
        self.context = context
    }

    private static let simulator = " Simulator"

    /// Such as `iOS 17.5`; a version alone says nothing that could be compared.
    private static func system(_ platform: String?, _ version: String?) -> String? {
        guard let platform, let version, !version.isEmpty else { return nil }
        let name = platform.hasSuffix(simulator) ? String(platform.dropLast(simulator.count)) : platform
        return "\(name) \(version)"
    }
}
