extension JSONReader {
    /// Steps into an object; its members come from `nextKey()`.
    @inlinable @inline(__always)
    public mutating func enterObject() throws(JSONError) {
        guard nextByte() == JSONByte.openBrace else { throw bytes.mismatch(.object, at: position) }
        try enter()
    }

    /// Steps into an array; its elements are announced by `nextElement()`.
    @inlinable @inline(__always)
    public mutating func enterArray() throws(JSONError) {
        guard nextByte() == JSONByte.openBracket else { throw bytes.mismatch(.array, at: position) }
        try enter()
    }

    /// Steps to the next member and gives its key, or leaves the object and gives `nil`.
    ///
    /// A key that comes twice is given twice; `JSONFieldSet` notices it.
    @inlinable @inline(__always)
    public mutating func nextKey() throws(JSONError) -> JSONKey? {
        if needsComma, bytes.isCommaAndQuote(at: position), let end = bytes.plainStringEnd(from: position &+ 2),
            bytes.byteOrZero(at: end &+ 1) == JSONByte.colon
        {
            let start = position &+ 2
            position = end &+ 2
            return JSONKey(bytes, start, end, isEscaped: false)
        }
        let next = try bytes.nextKey(from: position, needsComma: needsComma)
        step(to: next.end, isInside: next.key != nil)
        return next.key
    }

    /// Steps to the next element, or leaves the array and gives `false`.
    @inlinable @inline(__always)
    public mutating func nextElement() throws(JSONError) -> Bool {
        if needsComma, bytes.byteOrZero(at: position) == JSONByte.comma {
            position &+= 1
            return true
        }
        let next = try bytes.nextElement(from: position, needsComma: needsComma)
        step(to: next.end, isInside: next.isThere)
        return next.isThere
    }

    /// Steps over an opening byte.
    @inlinable @inline(__always)
    mutating func enter() throws(JSONError) {
        guard depth < Self.depthLimit else { throw JSONError(.tooDeep, at: position) }
        depth &+= 1
        position &+= 1
        needsComma = false
    }

    /// Steps to an item, or out of the container; either way a comma has to come before the next.
    @inlinable @inline(__always)
    mutating func step(to end: Int, isInside: Bool) {
        position = end
        needsComma = true
        if !isInside { depth &-= 1 }
    }
}
