extension JSONError: CustomStringConvertible {
    /// The error as one line that ends in what to do.
    public var description: String { "byte \(offset): \(kind)" }
}

extension JSONError.Kind: CustomStringConvertible {
    /// What is wrong and what to do, without the place.
    public var description: String {
        switch self {
        case .unexpectedEnd: "the JSON ends in the middle of a value; write it again, it was cut"
        case .expectedValue: "expected a value; put one here or remove the comma before"
        case .expectedKey: "expected a key; put it in double quotes, and no comma after the last member"
        case .expectedColon: "expected ':' after the key; put one"
        case .expectedCommaOrBrace: "expected ',' or '}' after the member; put one"
        case .expectedCommaOrBracket: "expected ',' or ']' after the element; put one"
        case .trailingContent: "expected nothing after the value; remove what follows"
        case .mismatch(let expected, let found): "expected \(expected), found \(found); change it to \(expected)"
        case .invalidNumber: "not a number of JSON; write it like 0.5, -12 or 1e3"
        case .numberOutOfRange: "the number is out of range here; write one that fits"
        case .notAnInteger: "expected a whole number; write it without a fraction"
        case .controlCharacter: "a control character in a string; escape it, as \\n or \\u0000"
        case .invalidEscape: "not an escape sequence of JSON; write a backslash as \\\\"
        case .loneSurrogate: "half of a surrogate pair; write both \\u escapes or the character itself"
        case .invalidUTF8: "not UTF-8; save the text as UTF-8"
        case .tooDeep: "nested deeper than \(JSONReader.depthLimit) levels; flatten it"
        }
    }
}
