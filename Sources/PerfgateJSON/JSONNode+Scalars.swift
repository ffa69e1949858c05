extension JSONNode {
    /// Whether the value is `null`.
    public var isNull: Bool { value.kind == .null }

    /// The value as a string.
    public func string() throws(JSONDocumentError) -> String {
        guard case .string(let string) = value.content else { throw mismatch(.string) }
        return string
    }

    /// The value as `true` or `false`.
    public func bool() throws(JSONDocumentError) -> Bool {
        guard case .bool(let bool) = value.content else { throw mismatch(.bool) }
        return bool
    }

    /// The value as the nearest double.
    public func double() throws(JSONDocumentError) -> Double {
        try number { reader throws(JSONError) in try reader.readDouble() }
    }

    /// The value as an integer that fits the machine's word.
    public func int() throws(JSONDocumentError) -> Int {
        try number { reader throws(JSONError) in try reader.readInt() }
    }

    /// The value as an integer from −2^63 to 2^63 − 1.
    public func int64() throws(JSONDocumentError) -> Int64 {
        try number { reader throws(JSONError) in try reader.readInt64() }
    }

    /// The value as an integer from 0 to 2^64 − 1.
    public func uint64() throws(JSONDocumentError) -> UInt64 {
        try number { reader throws(JSONError) in try reader.readUInt64() }
    }

    /// Converts the text of a number as the streaming reader does.
    private func number<Value>(
        _ read: (inout JSONReader) throws(JSONError) -> Value
    ) throws(JSONDocumentError) -> Value {
        guard case .number(let text) = value.content else { throw mismatch(.number) }
        do throws(JSONError) {
            return try JSONBytes.with(Array(text.utf8)) { bytes throws(JSONError) in
                var reader = JSONReader(bytes.buffer)
                return try read(&reader)
            }
        } catch {
            throw self.error(.syntax(error.kind))
        }
    }
}
