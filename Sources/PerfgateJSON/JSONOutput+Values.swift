extension JSONOutput {
    /// Writes a value without parts.
    mutating func scalar(_ scalar: JSONScalar) {
        switch scalar {
        case .string(let text): string(text)
        case .number(let number): bytes.append(contentsOf: Self.text(of: number).utf8)
        case .integer(let integer): bytes.append(contentsOf: String(integer).utf8)
        case .unsigned(let integer): bytes.append(contentsOf: String(integer).utf8)
        case .bool(let bool): bytes.append(contentsOf: (bool ? "true" : "false").utf8)
        case .null: bytes.append(contentsOf: "null".utf8)
        }
    }

    /// Writes a value that was read.
    mutating func value(_ value: JSONValue, lists: JSONWriter.ContainerLayout) {
        switch value.content {
        case .object(let members):
            object(.lines) { object in
                for member in members { object.write(member.key, member.value, lists: lists) }
            }
        case .array(let elements):
            let isList = !elements.contains { $0.kind == .object || $0.kind == .array }
            array(isList ? lists : .lines) { array in
                for element in elements { array.write(element, lists: lists) }
            }
        case .string(let text): string(text)
        case .number(let text): bytes.append(contentsOf: text.utf8)
        case .bool(let bool): scalar(.bool(bool))
        case .null: scalar(.null)
        }
    }

    /// Writes a string, escaping only what JSON demands: quotes, backslashes and control characters.
    mutating func string(_ text: String) {
        bytes.append(JSONByte.quote)
        for byte in text.utf8 {
            switch byte {
            case JSONByte.quote, JSONByte.backslash: bytes += [JSONByte.backslash, byte]
            case 0..<JSONByte.space: escape(byte)
            default: bytes.append(byte)
            }
        }
        bytes.append(JSONByte.quote)
    }

    private mutating func escape(_ control: UInt8) {
        switch control {
        case 0x08: bytes.append(contentsOf: "\\b".utf8)
        case 0x0C: bytes.append(contentsOf: "\\f".utf8)
        case JSONByte.lineFeed: bytes.append(contentsOf: "\\n".utf8)
        case JSONByte.carriageReturn: bytes.append(contentsOf: "\\r".utf8)
        case JSONByte.tab: bytes.append(contentsOf: "\\t".utf8)
        default: bytes.append(contentsOf: "\\u00\(control < 16 ? "0" : "")\(String(control, radix: 16))".utf8)
        }
    }

    /// The shortest text that is read as the same double, `5` and not `5.0`; `null` where there is none.
    private static func text(of number: Double) -> String {
        guard number.isFinite else { return "null" }
        let text = number.description
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}
