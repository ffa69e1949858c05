extension JSONBytes {
    /// The end of a string: the position of its closing quote, and whether it contains an escape sequence.
    @usableFromInline typealias StringEnd = (position: Int, isEscaped: Bool)

    /// Finds the closing quote of a plain ASCII string, from the byte after its opening quote. `nil` sends other
    /// strings, and strings within eight bytes of the input's end, to `stringEnd`.
    @inlinable @inline(__always) func plainStringEnd(from start: Int) -> Int? {
        var position = start
        while hasWord(at: position) {
            let word = word(at: position)
            let stops = JSONWord.stringStops(in: word)
            if stops != 0 {
                position &+= JSONWord.firstIndex(stops)
                return self[position] == JSONByte.quote ? position : nil
            }
            position &+= 8
        }
        return nil
    }

    /// Finds the closing quote of any string, from the byte after its opening quote, and validates the content.
    @usableFromInline func stringEnd(from start: Int) throws(JSONError) -> StringEnd {
        var position = start
        var isEscaped = false
        while true {
            position = plainEnd(from: position)
            guard position < count else { throw JSONError(.unexpectedEnd, at: count) }
            switch self[position] {
            case JSONByte.quote: return (position, isEscaped)
            case JSONByte.backslash:
                isEscaped = true
                position = try escapeEnd(from: position)
            case 0..<0x20: throw JSONError(.controlCharacter, at: position)
            default: position = try multibyteEnd(from: position)
            }
        }
    }

    /// The position of the next byte that isn't a plain character of a string, or `count`.
    func plainEnd(from start: Int) -> Int {
        var position = start
        while hasWord(at: position) {
            let stops = JSONWord.stringStops(in: word(at: position))
            if stops != 0 { return position &+ JSONWord.firstIndex(stops) }
            position &+= 8
        }
        while position < count, isPlain(self[position]) { position &+= 1 }
        return position
    }

    /// Whether a byte is an ASCII character that needs no escape in a string.
    private func isPlain(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte < 0x80 && byte != JSONByte.quote && byte != JSONByte.backslash
    }

    /// Validates one non-ASCII character and returns the position after it. The ranges are table 3-7 of the Unicode
    /// standard, "Well-Formed UTF-8 Byte Sequences".
    private func multibyteEnd(from start: Int) throws(JSONError) -> Int {
        let (length, second): (Int, ClosedRange<UInt8>) =
            switch self[start] {
            case 0xC2...0xDF: (2, 0x80...0xBF)
            case 0xE0: (3, 0xA0...0xBF)
            case 0xED: (3, 0x80...0x9F)
            case 0xE1...0xEF: (3, 0x80...0xBF)
            case 0xF0: (4, 0x90...0xBF)
            case 0xF1...0xF3: (4, 0x80...0xBF)
            case 0xF4: (4, 0x80...0x8F)
            default: throw JSONError(.invalidUTF8, at: start)
            }
        let end = start + length
        guard end <= count, second.contains(self[start + 1]),
            (start + 2..<max(start + 2, end)).allSatisfy({ self[$0] & 0xC0 == 0x80 })
        else { throw JSONError(.invalidUTF8, at: start) }
        return end
    }

    /// Validates the escape sequence whose backslash is at `start`, with surrogate pairs as one, and returns its end.
    func escapeEnd(from start: Int) throws(JSONError) -> Int {
        guard start + 1 < count else { throw JSONError(.unexpectedEnd, at: count) }
        guard self[start + 1] == JSONByte.lowerU else {
            guard Self.unescaped(self[start + 1]) != nil else { throw JSONError(.invalidEscape, at: start) }
            return start + 2
        }
        let unit = try codeUnit(at: start)
        guard UTF16.isSurrogate(unit) else { return start + 6 }
        guard UTF16.isLeadSurrogate(unit), start + 7 < count, self[start + 6] == JSONByte.backslash,
            self[start + 7] == JSONByte.lowerU, UTF16.isTrailSurrogate(try codeUnit(at: start + 6))
        else { throw JSONError(.loneSurrogate, at: start) }
        return start + 12
    }

    /// The UTF-16 code unit of the escape at `start`: a backslash, `u` and four hexadecimal digits.
    private func codeUnit(at start: Int) throws(JSONError) -> UInt16 {
        var unit: UInt16 = 0
        for position in start + 2..<start + 6 {
            guard position < count else { throw JSONError(.unexpectedEnd, at: count) }
            guard let digit = Self.hexValue(self[position]) else { throw JSONError(.invalidEscape, at: start) }
            unit = unit << 4 | UInt16(digit)
        }
        return unit
    }

    /// The decoded text of these bytes, which were validated as a string.
    var unescaped: [UInt8] {
        var decoded: [UInt8] = []
        appendUnescaped(to: &decoded)
        return decoded
    }

    func appendUnescaped(to buffer: inout [UInt8]) {
        var position = 0
        while position < count {
            let start = position
            while position < count, self[position] != JSONByte.backslash { position += 1 }
            buffer.append(contentsOf: slice(start, position).buffer)
            if position < count { position = appendEscape(at: position, to: &buffer) }
        }
    }

    /// Appends the character of a validated escape sequence and returns the position after it.
    private func appendEscape(at start: Int, to buffer: inout [UInt8]) -> Int {
        if let byte = Self.unescaped(self[start + 1]) {
            buffer.append(byte)
            return start + 2
        }
        guard let end = try? escapeEnd(from: start), let lead = try? codeUnit(at: start) else { return count }
        var units = [lead]
        if end == start + 12, let trail = try? codeUnit(at: start + 6) { units.append(trail) }
        buffer.append(contentsOf: String(decoding: units, as: UTF16.self).utf8)
        return end
    }

    /// The character for a backslash and `byte`, or `nil`.
    private static func unescaped(_ byte: UInt8) -> UInt8? {
        switch byte {
        case JSONByte.quote, JSONByte.backslash, UInt8(ascii: "/"): byte
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0C
        case UInt8(ascii: "n"): JSONByte.lineFeed
        case UInt8(ascii: "r"): JSONByte.carriageReturn
        case UInt8(ascii: "t"): JSONByte.tab
        default: nil
        }
    }

    private static func hexValue(_ byte: UInt8) -> UInt8? {
        switch byte {
        case JSONByte.zero...JSONByte.nine: byte - JSONByte.zero
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// Validates the next value, inside `depth` open containers, and returns the position after it.
    @usableFromInline func valueEnd(from start: Int, depth: Int) throws(JSONError) -> Int {
        let start = spaceEnd(from: start)
        let byte = byteOrZero(at: start)
        guard byte == JSONByte.openBrace || byte == JSONByte.openBracket else { return try scalarEnd(from: start) }
        return try containerEnd(from: start, depth: depth)
    }

    /// Validates a container and returns the position after it, with a loop and without allocations.
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
                    if nesting.isObject { position = try key(from: position).end }
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

    /// Steps over the closing bytes after a value and the white space around them.
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

    /// Steps over a comma, and in an object over a key, to the next value, without white space or anything unusual.
    @inline(__always) private func plainItemStart(from start: Int, isMember: Bool) -> Int? {
        guard isMember else { return byteOrZero(at: start) == JSONByte.comma ? start &+ 1 : nil }
        guard isCommaAndQuote(at: start), let end = plainStringEnd(from: start &+ 2),
            byteOrZero(at: end &+ 1) == JSONByte.colon
        else { return nil }
        return end &+ 2
    }

    /// Steps over a comma, and in an object over a key, to the next value.
    private func itemStart(from start: Int, isMember: Bool) throws(JSONError) -> Int {
        guard byteOrZero(at: start) == JSONByte.comma else {
            throw unexpected(isMember ? .expectedCommaOrBrace : .expectedCommaOrBracket, at: start)
        }
        let next = spaceEnd(from: start &+ 1)
        return isMember ? try key(from: next).end : next
    }

    /// Validates a string or number without unusual parts.
    @inline(__always) private func plainScalarEnd(from start: Int, firstByte: UInt8) -> Int? {
        firstByte == JSONByte.quote ? plainStringEnd(from: start &+ 1).map { $0 &+ 1 } : plainNumberEnd(from: start)
    }

    private func scalarEnd(from start: Int) throws(JSONError) -> Int {
        switch byteOrZero(at: start) {
        case JSONByte.quote: try stringEnd(from: start &+ 1).position &+ 1
        case JSONByte.minus, JSONByte.zero...JSONByte.nine: try JSONNumberSyntax(self, from: start).end
        default: try wordEnd(from: start)
        }
    }

    /// Validates `true`, `false` or `null` and returns the position after it.
    @usableFromInline func wordEnd(from start: Int) throws(JSONError) -> Int {
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
    func spaceEnd(from start: Int) -> Int { byteOrZero(at: start) > JSONByte.space ? start : longSpaceEnd(from: start) }

    /// `spaceEnd` if there is white space, or if the input ends.
    @usableFromInline @inline(never) func longSpaceEnd(from start: Int) -> Int {
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

/// The kind of the open container at each level, one bit per level; it only allocates beyond 64 levels.
struct JSONNesting {
    /// The innermost 1 to 64 levels, the innermost in the lowest bit; set for an object.
    private var objects: UInt64 = 0
    /// The levels around them, 64 per word.
    private var outer: [UInt64] = []
    private(set) var depth = 0

    var isObject: Bool { objects & 1 == 1 }

    mutating func open(isObject: Bool) {
        if depth > 0, depth & 63 == 0 { outer.append(objects) }
        objects = objects << 1 | (isObject ? 1 : 0)
        depth &+= 1
    }

    /// Closes the innermost container, which must exist.
    mutating func close() {
        depth &-= 1
        objects >>= 1
        if depth > 0, depth & 63 == 0 { objects = outer.removeLast() }
    }
}
