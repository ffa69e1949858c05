extension JSONReader {
    /// Steps into an object; its members come from `nextKey()`.
    @inlinable @inline(__always)
    public mutating func enterObject() throws(JSONError) {
        guard nextByte() == JSONByte.openBrace else { throw mismatch(.object) }
        try enter()
    }

    /// Steps into an array; its elements are announced by `nextElement()`.
    @inlinable @inline(__always)
    public mutating func enterArray() throws(JSONError) {
        guard nextByte() == JSONByte.openBracket else { throw mismatch(.array) }
        try enter()
    }

    /// Steps to the next member and gives its key, or leaves the object and gives `nil`.
    ///
    /// A key that comes twice is given twice; `JSONFieldSet` notices it.
    @inlinable @inline(__always)
    public mutating func nextKey() throws(JSONError) -> JSONText? {
        guard try nextItem(closing: JSONByte.closeBrace, else: .expectedCommaOrBrace) else { return nil }
        guard bytes.byteOrZero(at: position) == JSONByte.quote else {
            throw bytes.unexpected(.expectedKey, at: position)
        }
        let key = try text()
        guard nextByte() == JSONByte.colon else { throw bytes.unexpected(.expectedColon, at: position) }
        position &+= 1
        return key
    }

    /// Steps to the next element, or leaves the array and gives `false`.
    @inlinable @inline(__always)
    public mutating func nextElement() throws(JSONError) -> Bool {
        try nextItem(closing: JSONByte.closeBracket, else: .expectedCommaOrBracket)
    }

    /// Steps over an opening byte.
    @inlinable @inline(__always)
    mutating func enter() throws(JSONError) {
        guard depth < Self.depthLimit else { throw JSONError(.tooDeep, at: position) }
        depth &+= 1
        position &+= 1
        needsComma = false
    }

    /// Steps over the comma before an item, or over the closing byte.
    @inlinable @inline(__always)
    mutating func nextItem(closing: UInt8, else kind: JSONError.Kind) throws(JSONError) -> Bool {
        let byte = nextByte()
        if needsComma, byte == JSONByte.comma {
            position &+= 1
            position = bytes.spaceEnd(from: position)
            return true
        }
        if byte == closing {
            position &+= 1
            depth &-= 1
            needsComma = true
            return false
        }
        guard !needsComma else { throw bytes.unexpected(kind, at: position) }
        needsComma = true
        return true
    }
}
