/// Finds the outermost element of an XML text without parsing it.
enum XMLProlog {
    /// The name of the first element; `nil` where the text doesn't begin like XML.
    static func rootElement(of bytes: [UInt8]) -> String? {
        var rest = bytes[...]
        while true {
            rest = rest.drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
            guard rest.first == UInt8(ascii: "<") else { return nil }
            if rest.starts(with: "<?".utf8) {
                guard skip(past: "?>", in: &rest) else { return nil }
            } else if rest.starts(with: "<!--".utf8) {
                guard skip(past: "-->", in: &rest) else { return nil }
            } else if rest.starts(with: "<!".utf8) {
                guard skip(past: ">", in: &rest) else { return nil }
            } else {
                let name = rest.dropFirst().prefix(while: isPartOfName)
                return name.isEmpty ? nil : String(decoding: name, as: UTF8.self)
            }
        }
    }

    private static func skip(past end: String, in rest: inout ArraySlice<UInt8>) -> Bool {
        let end = Array(end.utf8)
        while !rest.isEmpty, !rest.starts(with: end) { rest.removeFirst() }
        guard !rest.isEmpty else { return false }
        rest.removeFirst(end.count)
        return true
    }

    private static func isPartOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), 0x80...: true
        default: [UInt8(ascii: "_"), UInt8(ascii: ":"), UInt8(ascii: "-"), UInt8(ascii: ".")].contains(byte)
        }
    }
}
