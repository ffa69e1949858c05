import Foundation
import PerfgateJSON

/// Foundation's reader as an oracle, with its known differences from RFC 8259 (swift-foundation of 6.3):
///
/// - It accepts a comma after the last element or member. We don't: the grammar has none, and other tools reject it.
/// - It accepts a byte order mark, and UTF-16 and UTF-32, which it detects by NUL bytes. RFC 8259 requires UTF-8.
/// - It rejects a number beyond the range of doubles. Here reading it is an error too, but skipping it isn't.
/// - It merges keys that Unicode calls equivalent ("é" in one scalar or two). Their bytes differ, so we keep both.
/// - Numbers of many digits become `NSDecimalNumber`s, with a `doubleValue` that isn't always the nearest double. Ours
///   is; the C library's `strtod` is the oracle for them.
enum FoundationOracle {
    /// The value that Foundation reads, or `nil` if it rejects the text.
    static func value(_ bytes: [UInt8]) -> Any? {
        try? JSONSerialization.jsonObject(with: Data(bytes), options: [.fragmentsAllowed])
    }

    /// Whether one of the differences above can explain that only Foundation accepts a text.
    static func isKnownToBeLenient(_ bytes: [UInt8], _ error: JSONError) -> Bool {
        if bytes.contains(0) || bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return true }
        guard bytes.indices.contains(error.offset) else { return false }
        let closes = bytes[error.offset] == UInt8(ascii: "]") || bytes[error.offset] == UInt8(ascii: "}")
        return closes && (error.kind == .expectedValue || error.kind == .expectedKey)
    }

    /// The path of the first difference between our value and Foundation's, or `nil`.
    static func difference(_ node: JSONNode, _ other: Any) -> String? {
        switch node.value.content {
        case .null: return other is NSNull ? nil : "\(node.path)"
        case .bool(let bool): return other as? Bool == bool ? nil : "\(node.path)"
        case .string(let string):
            return (other as? String).map { Array($0.utf8) } == Array(string.utf8) ? nil : "\(node.path)"
        case .number(let text): return isEqual(text, node, other) ? nil : "\(node.path)"
        case .array:
            guard let elements = try? node.elements(), let others = other as? [Any], elements.count == others.count
            else {
                return "\(node.path)"
            }
            return zip(elements, others).lazy.compactMap { difference($0, $1) }.first
        case .object:
            guard let members = try? node.members(), let others = other as? [String: Any] else { return "\(node.path)" }
            // A dictionary can't distinguish members with equivalent keys.
            let unique = Dictionary(grouping: members, by: \.key).values.filter { $0.count == 1 }.map { $0[0] }
            return unique.lazy.compactMap { key, node in others[key].map { difference(node, $0) } ?? "\(node.path)" }
                .first
        }
    }

    private static func isEqual(_ text: String, _ node: JSONNode, _ other: Any) -> Bool {
        guard let number = other as? NSNumber, let double = try? node.double() else { return false }
        let expected = number is NSDecimalNumber ? strtod(text, nil) : number.doubleValue
        if expected == 0 { return double == 0 }
        let integer = Int64(text).map { $0 == number.int64Value && (try? node.int64()) == $0 } ?? true
        return double == expected && integer
    }
}
