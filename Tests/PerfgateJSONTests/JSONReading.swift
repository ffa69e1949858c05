import PerfgateJSON

/// Runs `body` with a reader of `text`.
func read<Value>(_ text: String, _ body: (inout JSONReader) throws -> Value) throws -> Value {
    try read(Array(text.utf8), body)
}

/// Runs `body` with a reader of a copy of `bytes` at the end of its memory.
func read<Value>(_ bytes: [UInt8], _ body: (inout JSONReader) throws -> Value) throws -> Value {
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
    defer { copy.deallocate() }
    copy.copyBytes(from: bytes)
    var reader = JSONReader(UnsafeRawBufferPointer(copy))
    return try body(&reader)
}

/// The error of validating a whole text without reading it, or `nil`.
func skipError(_ bytes: [UInt8]) -> JSONError? {
    do {
        try read(bytes) { reader in
            try reader.skipValue()
            try reader.finish()
        }
        return nil
    } catch {
        return error as? JSONError
    }
}

/// The error of reading a whole text as a tree, or `nil`.
func treeError(_ bytes: [UInt8]) -> JSONDocumentError? {
    do throws(JSONDocumentError) {
        _ = try JSONDocument(bytes)
        return nil
    } catch {
        return error
    }
}

/// The kind of error that `body` throws, or `nil`.
func errorKind(_ text: String, _ body: (inout JSONReader) throws -> Void) -> JSONError.Kind? {
    do {
        try read(text, body)
        return nil
    } catch {
        return (error as? JSONError)?.kind
    }
}
