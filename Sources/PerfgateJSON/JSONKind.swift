/// The six kinds of JSON values.
public enum JSONKind: UInt8, Sendable, Hashable, CaseIterable {
    case object, array, string, number, bool, null

    /// The kind of a value that begins with `byte`, or `nil` where no value begins so.
    @usableFromInline
    init?(firstByte byte: UInt8) {
        switch byte {
        case JSONByte.openBrace: self = .object
        case JSONByte.openBracket: self = .array
        case JSONByte.quote: self = .string
        case JSONByte.minus, JSONByte.zero...JSONByte.nine: self = .number
        case JSONByte.lowerT, JSONByte.lowerF: self = .bool
        case JSONByte.lowerN: self = .null
        default: return nil
        }
    }
}

extension JSONKind: CustomStringConvertible {
    /// The kind with its article, as an error message says it.
    public var description: String {
        switch self {
        case .object: "an object"
        case .array: "an array"
        case .string: "a string"
        case .number: "a number"
        case .bool: "true or false"
        case .null: "null"
        }
    }
}
