import PerfgateJSON

/// What `xcresulttool get test-results summary`, `tests` or `test-details` says beside the metrics: on which devices
/// the tests ran, and when.
struct XcresultCompanion: Sendable {
    /// The file it was read from, as it was named.
    let path: String
    /// The devices, in the order of the file.
    let devices: [XcresultDevice]
    /// When the tests began, in seconds since 1970; `nil` where the file doesn't say.
    let start: Double?

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
        start = try root.optional("startTime")?.double()
    }

    /// Whether the beginning of a file looks like one of them.
    static func recognises(_ outline: JSONOutline) -> Bool {
        guard !outline.isArray else { return false }
        return outline.has("devicesAndConfigurations", "totalTestCount")
            || outline.has("testPlanConfigurations", "devices") || outline.has("testNodes[].nodeType")
    }
}
