/// What must be equal for two measurements to be comparable: some fields of their contexts, in the configured order.
public struct Environment: Sendable, Hashable {
    /// One field of an environment.
    public struct Field: Sendable, Hashable {
        /// The name under which it is stored: the key, but `os` for `os_major`.
        public let name: String
        /// The value; `nil` where it is unknown.
        public let value: FieldValue?

        /// Makes a field of its parts.
        public init(name: String, value: FieldValue?) {
            self.name = name
            self.value = value
        }

        /// The value as a person writes it, `unknown` where it is.
        public var text: String { value?.description ?? "unknown" }
    }

    /// The fields in the configured order.
    public let fields: [Field]

    /// Makes an environment of fields in their configured order.
    public init(_ fields: [Field]) {
        self.fields = fields
    }

    /// The value of a field by its stored name; `nil` where it is unknown or not part of the environment.
    public subscript(_ name: String) -> FieldValue? {
        fields.first { $0.name == name }?.value
    }

    /// The display's highest refresh rate in Hz, positive; `nil` where it is unknown or not part of the environment.
    public var maxFPS: Double? {
        guard case .number(let rate) = self["max_fps"], rate > 0 else { return nil }
        return rate
    }

    /// What a simulator's device ends in.
    public static let simulatorSuffix = " (simulator)"

    /// Whether the device is a simulator.
    public var isSimulator: Bool {
        guard case .text(let device) = self["device"] else { return false }
        return device.hasSuffix(Self.simulatorSuffix)
    }
}

extension Environment: Comparable {
    /// The order of the values' UTF-8 bytes, field by field.
    public static func < (lhs: Environment, rhs: Environment) -> Bool {
        for (left, right) in zip(lhs.fields, rhs.fields) where left != right {
            return left.text.precedesInUTF8(right.text)
        }
        return lhs.fields.count < rhs.fields.count
    }
}

extension Environment: CustomStringConvertible {
    /// The values in the configured order, such as `com.example.app, iPhone12,1, iOS 17, 60, Release`.
    public var description: String {
        fields.map(\.text).joined(separator: ", ")
    }
}
