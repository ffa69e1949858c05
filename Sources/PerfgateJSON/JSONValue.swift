/// A value of a JSON document, with its place.
public struct JSONValue: Sendable {
    /// What the value is.
    public let content: Content
    /// Where its first byte stands.
    public let location: JSONLocation

    /// The six kinds of values.
    public enum Content: Sendable {
        /// An object's members, in the order in which their keys first came.
        case object([JSONMember])
        /// An array's elements.
        case array([JSONValue])
        /// A string, decoded.
        case string(String)
        /// A number, as its text with every digit.
        case number(String)
        /// `true` or `false`.
        case bool(Bool)
        /// `null`.
        case null
    }

    /// The kind of the value.
    public var kind: JSONKind {
        switch content {
        case .object: .object
        case .array: .array
        case .string: .string
        case .number: .number
        case .bool: .bool
        case .null: .null
        }
    }
}

/// A key of an object and its value.
public struct JSONMember: Sendable {
    /// The key, decoded.
    public let key: String
    /// The value; where the key came several times, the last one.
    public internal(set) var value: JSONValue
}
