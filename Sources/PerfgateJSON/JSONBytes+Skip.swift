extension JSONBytes {
    /// Validates the value at `start` and gives the position behind it, by a loop and without allocating.
    ///
    /// - Parameter depth: The number of containers that stand open around the value.
    @usableFromInline
    func valueEnd(from start: Int, depth: Int) throws(JSONError) -> Int {
        var position = start
        var nesting = JSONNesting()
        while true {
            let byte = byteOrZero(at: position)
            if byte == JSONByte.openBrace || byte == JSONByte.openBracket {
                guard depth + nesting.depth < JSONNesting.limit else { throw JSONError(.tooDeep, at: position) }
                nesting.open(isObject: byte == JSONByte.openBrace)
                position = spaceEnd(from: position &+ 1)
                // Each closing byte is its opening one plus two.
                if byteOrZero(at: position) != byte &+ 2 {
                    if nesting.isObject { position = try keyEnd(from: position) }
                    continue
                }
            } else {
                position = try scalarEnd(from: position, firstByte: byte)
                if nesting.depth == 0 { return position }
                position = spaceEnd(from: position)
            }
            position = try closersEnd(from: position, &nesting)
            if nesting.depth == 0 { return position }
            position = try nextItem(from: position, isMember: nesting.isObject)
        }
    }

    /// Steps over the closing bytes behind a value, as many as there are.
    @inline(__always)
    private func closersEnd(from start: Int, _ nesting: inout JSONNesting) throws(JSONError) -> Int {
        var position = start
        while byteOrZero(at: position) == (nesting.isObject ? JSONByte.closeBrace : JSONByte.closeBracket) {
            nesting.close()
            position &+= 1
            if nesting.depth == 0 { return position }
            position = spaceEnd(from: position)
        }
        return position
    }

    /// Steps over a comma, and a key where the container is an object, to the next value.
    @inline(__always)
    private func nextItem(from start: Int, isMember: Bool) throws(JSONError) -> Int {
        guard byteOrZero(at: start) == JSONByte.comma else {
            throw unexpected(isMember ? .expectedCommaOrBrace : .expectedCommaOrBracket, at: start)
        }
        let next = spaceEnd(from: start &+ 1)
        return isMember ? try keyEnd(from: next) : next
    }

    /// Validates a key and its colon and gives the position of the member's value.
    @inline(__always)
    private func keyEnd(from start: Int) throws(JSONError) -> Int {
        guard byteOrZero(at: start) == JSONByte.quote else { throw unexpected(.expectedKey, at: start) }
        let colon = spaceEnd(from: try stringEnd(from: start &+ 1).position &+ 1)
        guard byteOrZero(at: colon) == JSONByte.colon else { throw unexpected(.expectedColon, at: colon) }
        return spaceEnd(from: colon &+ 1)
    }

    /// Validates a value that is no container and gives the position behind it.
    @inline(__always)
    private func scalarEnd(from start: Int, firstByte: UInt8) throws(JSONError) -> Int {
        switch firstByte {
        case JSONByte.quote: return try stringEnd(from: start &+ 1).position &+ 1
        case JSONByte.minus, JSONByte.zero...JSONByte.nine: return try numberEnd(from: start)
        default: return try wordEnd(from: start)
        }
    }

    /// Validates `true`, `false` or `null` and gives the position behind it.
    @usableFromInline
    func wordEnd(from start: Int) throws(JSONError) -> Int {
        let words: [StaticString] = ["true", "false", "null"]
        for word in words.map(JSONBytes.init) where word[0] == byteOrZero(at: start) {
            let end = min(start + word.count, count)
            if let wrong = (start..<end).first(where: { self[$0] != word[$0 - start] }) {
                throw JSONError(.expectedValue, at: wrong)
            }
            guard end == start + word.count else { throw JSONError(.unexpectedEnd, at: count) }
            return end
        }
        throw unexpected(.expectedValue, at: start)
    }

    /// An error at `position`, or that of an input that ends there.
    @usableFromInline @inline(never)
    func unexpected(_ kind: JSONError.Kind, at position: Int) -> JSONError {
        JSONError(position < count ? kind : .unexpectedEnd, at: position)
    }

    /// The position of the first byte from `start` on that isn't white space.
    @inlinable @inline(__always)
    func spaceEnd(from start: Int) -> Int {
        byteOrZero(at: start) > JSONByte.space ? start : longSpaceEnd(from: start)
    }

    /// `spaceEnd` where there is some, or where the input ends.
    @usableFromInline @inline(never)
    func longSpaceEnd(from start: Int) -> Int {
        var position = start
        while position < count {
            switch self[position] {
            case JSONByte.space, JSONByte.tab, JSONByte.lineFeed, JSONByte.carriageReturn: position &+= 1
            default: return position
            }
        }
        return position
    }
}
