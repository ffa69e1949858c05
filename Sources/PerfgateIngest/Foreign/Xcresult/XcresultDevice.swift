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
        context.setSystem(platform: platform, version: version)
        self.context = context
    }
}
