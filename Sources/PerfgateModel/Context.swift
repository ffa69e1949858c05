/// Under which conditions something was measured: the fields of a `run` line, with those that a line carries itself.
///
/// The names of the fields are those of the log (`app`, `device`, `os`, `max_fps`, `simulator`, …).
public struct Context: Sendable, Hashable {
    /// The known fields by name; an unknown field is absent.
    public private(set) var fields: [String: FieldValue]

    /// Makes a context of fields.
    public init(_ fields: [String: FieldValue] = [:]) {
        self.fields = fields
    }

    /// The value of a field, `nil` where it is unknown.
    public subscript(_ name: String) -> FieldValue? {
        get { fields[name] }
        set { fields[name] = newValue }
    }

    /// The text of a field, `nil` where it is unknown.
    public func text(_ name: String) -> String? {
        fields[name]?.description
    }

    /// Whether the device is a simulator; an unknown one isn't.
    public var isSimulator: Bool { fields["simulator"] == .flag(true) }

    /// The display's highest refresh rate in Hz, positive; `nil` where it is unknown.
    public var maxFPS: Double? {
        guard case .number(let rate) = fields["max_fps"], rate > 0 else { return nil }
        return rate
    }

    /// The fields of a run line that describe the conditions, in the order of the documentation.
    public static let names = [
        "app", "app_version", "build", "commit", "device", "device_id", "simulator", "os", "max_fps",
        "low_power_mode", "thermal_state", "network", "started_at", "pair",
    ]
}
