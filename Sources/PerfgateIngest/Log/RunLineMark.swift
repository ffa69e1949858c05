/// What makes a line a `run` line, even where the line can't be read: the key `type` with the value `run`.
enum RunLineMark {
    /// Whether the bytes of a line hold it anywhere.
    static func isIn(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var rest = bytes[...]
        while let quote = rest.firstIndex(of: UInt8(ascii: "\"")) {
            rest = rest[quote...]
            if let value = value(behind: rest), value.starts(with: "\"run\"".utf8) { return true }
            rest = rest.dropFirst()
        }
        return false
    }

    /// What follows the key and its colon; `nil` where the bytes don't begin with them.
    private static func value(
        behind bytes: Slice<UnsafeRawBufferPointer>
    ) -> Slice<UnsafeRawBufferPointer>? {
        guard bytes.starts(with: "\"type\"".utf8) else { return nil }
        let rest = bytes.dropFirst(6).drop(while: isBlank)
        guard rest.first == UInt8(ascii: ":") else { return nil }
        return rest.dropFirst().drop(while: isBlank)
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    }
}
