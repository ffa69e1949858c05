extension JSONBytes {
    /// The end of a string: the position of its closing quote, and whether an escape sequence was met on the way.
    @usableFromInline
    typealias StringEnd = (position: Int, isEscaped: Bool)

    /// Finds the closing quote of a string of plain ASCII, from the byte after its opening quote.
    ///
    /// `nil` sends a string that holds anything else, or ends within eight bytes of the input's end, to `stringEnd`.
    @inlinable @inline(__always)
    func plainStringEnd(from start: Int) -> Int? {
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

    /// Finds the closing quote of any string, from the byte after its opening quote, and validates what lies between.
    @usableFromInline
    func stringEnd(from start: Int) throws(JSONError) -> StringEnd {
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

    /// Whether a byte is an ASCII character that a string may hold as it is.
    private func isPlain(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte < 0x80 && byte != JSONByte.quote && byte != JSONByte.backslash
    }

    /// Validates one character beyond ASCII and gives the position behind it.
    ///
    /// The ranges are table 3-7 of the Unicode standard, "Well-Formed UTF-8 Byte Sequences".
    private func multibyteEnd(from start: Int) throws(JSONError) -> Int {
        let lead = self[start]
        let length: Int
        var second: ClosedRange<UInt8> = 0x80...0xBF
        switch lead {
        case 0xC2...0xDF: length = 2
        case 0xE0...0xEF: length = 3
        case 0xF0...0xF4: length = 4
        default: throw JSONError(.invalidUTF8, at: start)
        }
        switch lead {
        case 0xE0: second = 0xA0...0xBF
        case 0xED: second = 0x80...0x9F
        case 0xF0: second = 0x90...0xBF
        case 0xF4: second = 0x80...0x8F
        default: break
        }
        let end = start + length
        guard end <= count, second.contains(self[start + 1]),
            (start + 2..<max(start + 2, end)).allSatisfy({ self[$0] & 0xC0 == 0x80 })
        else { throw JSONError(.invalidUTF8, at: start) }
        return end
    }
}
