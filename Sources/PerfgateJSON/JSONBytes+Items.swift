/// The whole grammar of containers, for what the reader's short ways leave over: white space, first and last items,
/// keys that aren't plain, and errors.
extension JSONBytes {
    /// Whether a comma and a quote stand at `position`, eight bytes or more before the end.
    @inlinable @inline(__always)
    func isCommaAndQuote(at position: Int) -> Bool { hasWord(at: position) && pair(at: position) == 0x222C }

    /// Steps to an object's next member and gives its key and the position behind the colon, or a `nil` key and the
    /// position behind the object.
    @usableFromInline @inline(never)
    func nextKey(from start: Int, needsComma: Bool) throws(JSONError) -> (key: JSONKey?, end: Int) {
        let item = try nextItem(
            from: start, needsComma: needsComma, closing: JSONByte.closeBrace, else: .expectedCommaOrBrace)
        guard item.isThere else { return (nil, item.end) }
        let key = try key(from: item.end)
        return (key.key, key.end)
    }

    /// Steps to an array's next element, or behind the array.
    @usableFromInline @inline(never)
    func nextElement(from start: Int, needsComma: Bool) throws(JSONError) -> (isThere: Bool, end: Int) {
        try nextItem(from: start, needsComma: needsComma, closing: JSONByte.closeBracket, else: .expectedCommaOrBracket)
    }

    /// Reads a key and gives the position behind its colon.
    func key(from start: Int) throws(JSONError) -> (key: JSONKey, end: Int) {
        guard byteOrZero(at: start) == JSONByte.quote else { throw unexpected(.expectedKey, at: start) }
        let end = try stringEnd(from: start + 1)
        let colon = spaceEnd(from: end.position + 1)
        guard byteOrZero(at: colon) == JSONByte.colon else { throw unexpected(.expectedColon, at: colon) }
        return (JSONKey(self, start + 1, end.position, isEscaped: end.isEscaped), colon + 1)
    }

    /// Reads a string and gives the position behind it.
    @usableFromInline @inline(never)
    func text(from start: Int) throws(JSONError) -> (text: JSONText, end: Int) {
        let start = spaceEnd(from: start)
        guard byteOrZero(at: start) == JSONByte.quote else { throw mismatch(.string, at: start) }
        let end = try stringEnd(from: start + 1)
        return (JSONText(slice(start + 1, end.position), isEscaped: end.isEscaped), end.position + 1)
    }

    /// Steps over the comma before an item, or over the closing byte.
    private func nextItem(
        from start: Int, needsComma: Bool, closing: UInt8, else kind: JSONError.Kind
    ) throws(JSONError) -> (isThere: Bool, end: Int) {
        let start = spaceEnd(from: start)
        let byte = byteOrZero(at: start)
        if byte == closing { return (false, start + 1) }
        guard needsComma else { return (true, start) }
        guard byte == JSONByte.comma else { throw unexpected(kind, at: start) }
        return (true, spaceEnd(from: start + 1))
    }
}
