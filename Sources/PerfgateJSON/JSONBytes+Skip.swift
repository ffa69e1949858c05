extension JSONBytes {
    /// Validates the value that comes next and gives the position behind it.
    ///
    /// - Parameter depth: The number of containers that stand open around the value.
    @usableFromInline
    func valueEnd(from start: Int, depth: Int) throws(JSONError) -> Int {
        let start = spaceEnd(from: start)
        let byte = byteOrZero(at: start)
        guard byte == JSONByte.openBrace || byte == JSONByte.openBracket else { return try scalarEnd(from: start) }
        return try containerEnd(from: start, depth: depth)
    }

    /// Validates a container and gives the position behind it, by a loop and without allocating.
    private func containerEnd(from start: Int, depth: Int) throws(JSONError) -> Int {
        var position = start
        var nesting = JSONNesting()
        while true {
            position = spaceEnd(from: position)
            let byte = byteOrZero(at: position)
            if byte == JSONByte.openBrace || byte == JSONByte.openBracket {
                guard depth &+ nesting.depth < JSONReader.depthLimit else { throw JSONError(.tooDeep, at: position) }
                nesting.open(isObject: byte == JSONByte.openBrace)
                position = spaceEnd(from: position &+ 1)
                // Each closing byte is its opening one plus two.
                if byteOrZero(at: position) != byte &+ 2 {
                    if nesting.isObject { position = try keyEnd(from: position) }
                    continue
                }
            } else if let end = plainScalarEnd(from: position, firstByte: byte) {
                position = end
            } else {
                position = try scalarEnd(from: position)
            }
            if let next = plainItemStart(from: position, isMember: nesting.isObject) {
                position = next
                continue
            }
            position = closersEnd(from: position, &nesting)
            if nesting.depth == 0 { return position }
            position = try itemStart(from: position, isMember: nesting.isObject)
        }
    }

    /// Steps over the closing bytes behind a value, as many as there are, and the white space around them.
    private func closersEnd(from start: Int, _ nesting: inout JSONNesting) -> Int {
        var position = spaceEnd(from: start)
        while byteOrZero(at: position) == (nesting.isObject ? JSONByte.closeBrace : JSONByte.closeBracket) {
            nesting.close()
            position &+= 1
            if nesting.depth == 0 { break }
            position = spaceEnd(from: position)
        }
        return position
    }

    /// Steps over a comma, and a key where the container is an object, to the next value, where no white space and
    /// nothing out of the ordinary stands among them.
    @inline(__always)
    private func plainItemStart(from start: Int, isMember: Bool) -> Int? {
        guard isMember else { return byteOrZero(at: start) == JSONByte.comma ? start &+ 1 : nil }
        guard isCommaAndQuote(at: start), let end = plainStringEnd(from: start &+ 2),
            byteOrZero(at: end &+ 1) == JSONByte.colon
        else { return nil }
        return end &+ 2
    }

    /// Steps over a comma, and a key where the container is an object, to the next value.
    private func itemStart(from start: Int, isMember: Bool) throws(JSONError) -> Int {
        guard byteOrZero(at: start) == JSONByte.comma else {
            throw unexpected(isMember ? .expectedCommaOrBrace : .expectedCommaOrBracket, at: start)
        }
        let next = spaceEnd(from: start &+ 1)
        return isMember ? try keyEnd(from: next) : next
    }

    /// Validates a key and its colon and gives the position behind them.
    private func keyEnd(from start: Int) throws(JSONError) -> Int { try key(from: start).end }

    /// Validates a string or number where nothing out of the ordinary stands in it.
    @inline(__always)
    private func plainScalarEnd(from start: Int, firstByte: UInt8) -> Int? {
        firstByte == JSONByte.quote ? plainStringEnd(from: start &+ 1).map { $0 &+ 1 } : plainNumberEnd(from: start)
    }

    /// Validates a value that is no container and gives the position behind it.
    private func scalarEnd(from start: Int) throws(JSONError) -> Int {
        switch byteOrZero(at: start) {
        case JSONByte.quote: try stringEnd(from: start &+ 1).position &+ 1
        case JSONByte.minus, JSONByte.zero...JSONByte.nine: try JSONNumberSyntax(self, from: start).end
        default: try wordEnd(from: start)
        }
    }

    /// Validates `true`, `false` or `null` and gives the position behind it.
    @usableFromInline
    func wordEnd(from start: Int) throws(JSONError) -> Int {
        let word: JSONBytes
        switch byteOrZero(at: start) {
        case JSONByte.lowerT: word = JSONBytes("true")
        case JSONByte.lowerF: word = JSONBytes("false")
        case JSONByte.lowerN: word = JSONBytes("null")
        default: throw unexpected(.expectedValue, at: start)
        }
        for offset in 0..<word.count where byteOrZero(at: start + offset) != word[offset] {
            throw unexpected(.expectedValue, at: start + offset)
        }
        return start + word.count
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

/// Which kind of container stands open at each level, a bit a level; it allocates only beyond 64 levels.
struct JSONNesting {
    /// The innermost 1 to 64 levels, the innermost in the lowest bit, set for an object.
    private var objects: UInt64 = 0
    /// The levels around them, 64 a word.
    private var outer: [UInt64] = []
    /// The number of containers that stand open.
    private(set) var depth = 0

    /// Whether the innermost container is an object.
    var isObject: Bool { objects & 1 == 1 }

    /// Opens a container.
    mutating func open(isObject: Bool) {
        if depth > 0, depth & 63 == 0 { outer.append(objects) }
        objects = objects << 1 | (isObject ? 1 : 0)
        depth &+= 1
    }

    /// Closes the innermost container, of which there has to be one.
    mutating func close() {
        depth &-= 1
        objects >>= 1
        if depth > 0, depth & 63 == 0 { objects = outer.removeLast() }
    }
}
