extension JSONBytes {
    /// Validates the escape sequence whose backslash stands at `start`, a surrogate pair as one, and gives its end.
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

    /// The UTF-16 code unit that the sequence `\uXXXX` at `start` stands for.
    private func codeUnit(at start: Int) throws(JSONError) -> UInt16 {
        var unit: UInt16 = 0
        for position in start + 2..<start + 6 {
            guard position < count else { throw JSONError(.unexpectedEnd, at: count) }
            guard let digit = Self.hexValue(self[position]) else { throw JSONError(.invalidEscape, at: start) }
            unit = unit << 4 | UInt16(digit)
        }
        return unit
    }

    /// Appends the decoded text of these bytes, which were validated as a string's.
    func appendUnescaped(to buffer: inout [UInt8]) {
        var position = 0
        while position < count {
            let start = position
            while position < count, self[position] != JSONByte.backslash { position += 1 }
            slice(start, position).append(to: &buffer)
            if position < count { position = appendEscape(at: position, to: &buffer) }
        }
    }

    /// Appends the character of a validated escape sequence and gives the position behind it.
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

    /// The character that a backslash and `byte` stand for, or `nil`.
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

    /// The value of a hexadecimal digit, or `nil`.
    private static func hexValue(_ byte: UInt8) -> UInt8? {
        switch byte {
        case JSONByte.zero...JSONByte.nine: byte - JSONByte.zero
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
