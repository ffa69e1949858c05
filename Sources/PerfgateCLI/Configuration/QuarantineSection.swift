import PerfgateCompare

/// Reads the entries of `quarantine`.
enum QuarantineSection {
    /// The keys of an entry; all must be there.
    enum Key: String, YAMLKey {
        case deviceID = "device_id"
        case until, reason
    }

    /// An entry; `nil` where a part of it is missing or wrong.
    static func device(_ value: YAMLValue) -> QuarantinedDevice? {
        let fields = value.fields(Key.self)
        for key in Key.allCases where fields[key] == nil { value.lacks(key, advice(key)) }
        let id = fields[.deviceID]?.text(advice(.deviceID))
        let until = fields[.until]?.day(advice(.until))
        let reason = fields[.reason]?.text(advice(.reason))
        guard let id, let until, let reason else { return nil }
        return QuarantinedDevice(id: id, until: until, reason: reason, from: value.origin)
    }

    private static func advice(_ key: Key) -> String {
        switch key {
        case .deviceID: "write the device_id of its runs"
        case .until: "write the day on which the device gates again, such as 2026-12-24"
        case .reason: "write why, so that the next reader knows"
        }
    }
}
