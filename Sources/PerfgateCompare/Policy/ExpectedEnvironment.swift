import PerfgateModel

/// An environment that runs are expected to measure.
public struct ExpectedEnvironment: Sendable, Hashable {
    /// The fields that it must have, by name; other fields may have any value. Not empty.
    public let fields: [String: FieldValue]
    /// Whether a run without any line of it fails as `missing`.
    public let isRequired: Bool
    /// Where it was configured.
    public let origin: Origin

    /// Makes an expectation of its parts.
    public init(_ fields: [String: FieldValue], isRequired: Bool, from origin: Origin = .builtIn) {
        self.fields = fields
        self.isRequired = isRequired
        self.origin = origin
    }
}

extension Environment {
    /// Whether it has all these values, by their name in the log or in the environment's key.
    public func has(_ fields: [String: FieldValue]) -> Bool {
        fields.allSatisfy { name, value in
            self[EnvironmentKey.storedName(of: name)]?.description == value.description
        }
    }
}
