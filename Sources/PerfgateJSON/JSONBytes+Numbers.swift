extension JSONBytes {
    /// Reads the next number as the nearest double and returns the position after it. It isn't inlined: the code at
    /// each call stays small, at no cost in speed.
    @usableFromInline func double(from start: Int) throws(JSONError) -> (value: Double, end: Int) {
        if let number = tinyDouble(from: start) ?? shortDouble(from: start) ?? plainDouble(from: start) {
            return number
        }
        return try longDouble(from: start)
    }

    /// Reads a number without a sign that ends within eight bytes, such as `1589.3`: all digits at once. Digits and
    /// power of ten are exact as doubles, so the single division rounds correctly, as in `shortDouble`.
    @inline(__always) func tinyDouble(from start: Int) -> (value: Double, end: Int)? {
        guard hasWord(at: start) else { return nil }
        let word = word(at: start)
        let stops = JSONWord.nonDigits(in: word)
        let point = JSONWord.firstIndex(stops)
        guard UInt(bitPattern: point &- 1) < 7, point == 1 || word & 0xFF != UInt64(JSONByte.zero) else { return nil }
        let stop = self[start &+ point]
        guard stop == JSONByte.point else {
            guard stop | 0x20 != JSONByte.lowerE else { return nil }
            return (Double(JSONWord.value(ofDigits: point, in: word)), start &+ point)
        }
        let end = JSONWord.firstIndex(stops & (stops &- 1))
        let places = end &- point &- 1
        guard end < 8, places > 0, self[start &+ end] | 0x20 != JSONByte.lowerE else { return nil }
        let before = (1 as UInt64) &<< UInt64(truncatingIfNeeded: 8 &* point) &- 1
        let digits = word & before | word &>> 8 & ~before
        let value = JSONWord.value(ofDigits: end &- 1, in: digits)
        return (Double(value) / Self.power(ofTen: places), start &+ end)
    }

    /// Reads typical measurements: at most seven digits before and seven after the point. Both parts and the power of
    /// ten are exact as doubles, so the single division rounds correctly (W. D. Clinger, "How to read floating point
    /// numbers accurately", 1990). `nil` sends every other number, valid or not, and numbers within 24 bytes of the
    /// end, to `JSONDecimal`.
    @inline(__always) func shortDouble(from start: Int) -> (value: Double, end: Int)? {
        guard start &+ 24 <= count else { return nil }
        let isNegative = self[start] == JSONByte.minus
        let first = start &+ (isNegative ? 1 : 0)
        guard let integer = shortDigits(from: first), integer.count == 1 || self[first] != JSONByte.zero else {
            return nil
        }
        var value = Double(integer.value)
        var end = first &+ integer.count
        if self[end] == JSONByte.point {
            guard let fraction = shortDigits(from: end &+ 1) else { return nil }
            let scale = Self.power(ofTen: fraction.count)
            value = (value * scale + Double(fraction.value)) / scale
            end = end &+ 1 &+ fraction.count
        }
        guard self[end] | 0x20 != JSONByte.lowerE else { return nil }
        return (isNegative ? -value : value, end)
    }

    /// Reads a fraction of at most 19 digits without an exponent, as computed doubles are printed.
    private func plainDouble(from start: Int) -> (value: Double, end: Int)? {
        let isNegative = byteOrZero(at: start) == JSONByte.minus
        let first = start &+ (isNegative ? 1 : 0)
        let point = digitsEnd(from: first)
        let isInteger = point == first &+ 1 || (point > first && self[first] != JSONByte.zero)
        guard isInteger, hasWord(at: point &+ 1), self[point] == JSONByte.point else { return nil }
        let end = digitsEnd(from: point &+ 1)
        let places = end &- point &- 1
        guard places > 0, end &- first <= 20, byteOrZero(at: end) | 0x20 != JSONByte.lowerE else { return nil }
        let integer = digits(first, point) &* JSONDecimal.integerPower(ofTen: places)
        let value = JSONDecimal.nearest(to: integer &+ digits(point &+ 1, end), scale: -places)
        return value.map { (isNegative ? -$0 : $0, end) }
    }

    /// Reads one to seven digits; `nil` if there are none or more.
    @inline(__always) func shortDigits(from start: Int) -> (value: Int64, count: Int)? {
        let word = word(at: start)
        let length = JSONWord.firstIndex(JSONWord.nonDigits(in: word))
        guard UInt(bitPattern: length &- 1) < 7 else { return nil }
        return (Int64(truncatingIfNeeded: JSONWord.value(ofDigits: length, in: word)), length)
    }

    /// Reads an integer of at most 19 digits without a sign, which always fits a UInt64. `nil` sends every other
    /// number, valid or not, and numbers within eight bytes of the end, to `JSONDecimal`.
    @inlinable @inline(__always) func shortInteger(from start: Int) -> (value: UInt64, end: Int)? {
        guard hasWord(at: start) else { return nil }
        let end = digitsEnd(from: start)
        let length = end &- start
        guard UInt(bitPattern: length &- 1) < 19, length == 1 || self[start] != JSONByte.zero,
            !JSONByte.continuesInteger(byteOrZero(at: end))
        else { return nil }
        return (digits(start, end), end)
    }

    /// Reads an integer of exactly `length` digits, 9 to 15, directly followed by a comma; else `nil`.
    @inline(__always) func listedInteger(from start: Int, length: Int) -> UInt64? {
        guard 9...15 ~= length, hasWord(at: start &+ 8) else { return nil }
        let (first, last) = (word(at: start), word(at: start &+ length &- 8))
        guard JSONWord.nonDigits(in: first) | JSONWord.nonDigits(in: last) == 0,
            self[start &+ length] == JSONByte.comma, first & 0xFF != UInt64(JSONByte.zero)
        else { return nil }
        return JSONWord.value(ofDigits: length &- 8, in: first) &* 100_000_000 &+ JSONWord.value(ofDigits: 8, in: last)
    }

    /// The value of the digits `start ..< end`, 1 to 19 of them, at least eight bytes before the input's end.
    @inlinable @inline(__always) func digits(_ start: Int, _ end: Int) -> UInt64 {
        let first = word(at: start)
        let length = end &- start
        if length <= 8 { return JSONWord.value(ofDigits: length, in: first) }
        let low = JSONWord.value(ofDigits: 8, in: word(at: end &- 8))
        if length <= 16 { return JSONWord.value(ofDigits: length &- 8, in: first) &* 100_000_000 &+ low }
        let middle = JSONWord.value(ofDigits: 8, in: word(at: end &- 16))
        let high = JSONWord.value(ofDigits: length &- 16, in: first) &* 100_000_000 &+ middle
        return high &* 100_000_000 &+ low
    }

    /// Validates a number without an exponent and returns the position after it; `nil` sends others to
    /// `JSONNumberSyntax`.
    @inline(__always) func plainNumberEnd(from start: Int) -> Int? {
        let first = start &+ (byteOrZero(at: start) == JSONByte.minus ? 1 : 0)
        var end = digitsEnd(from: first)
        guard end == first &+ 1 || (end > first && self[first] != JSONByte.zero) else { return nil }
        if byteOrZero(at: end) == JSONByte.point {
            let fraction = end &+ 1
            end = digitsEnd(from: fraction)
            guard end > fraction else { return nil }
        }
        return byteOrZero(at: end) | 0x20 == JSONByte.lowerE ? nil : end
    }

    @inlinable @inline(__always) func digitsEnd(from start: Int) -> Int {
        var position = start
        while hasWord(at: position) {
            let stops = JSONWord.nonDigits(in: word(at: position))
            if stops != 0 { return position &+ JSONWord.firstIndex(stops) }
            position &+= 8
        }
        while position < count, JSONByte.isDigit(self[position]) { position &+= 1 }
        return position
    }

    @inline(never) func longDouble(from start: Int) throws(JSONError) -> (value: Double, end: Int) {
        let decimal = try JSONDecimal(self, from: start)
        return (try decimal.double(), decimal.syntax.end)
    }

    @usableFromInline @inline(never)
    func longUInt64(from start: Int) throws(JSONError) -> (value: UInt64, end: Int) { try longInteger(from: start) }

    @usableFromInline @inline(never)
    func longInt64(from start: Int) throws(JSONError) -> (value: Int64, end: Int) { try longInteger(from: start) }

    private func longInteger<Integer: FixedWidthInteger>(
        from start: Int
    ) throws(JSONError) -> (value: Integer, end: Int) {
        let decimal = try JSONDecimal(self, from: start)
        let magnitude = try decimal.magnitude()
        let isNegative = decimal.syntax.isNegative
        guard magnitude <= UInt64(isNegative ? Integer.min.magnitude : Integer.max.magnitude) else {
            throw JSONError(.numberOutOfRange, at: decimal.syntax.start)
        }
        return (Integer(truncatingIfNeeded: isNegative ? 0 &- magnitude : magnitude), decimal.syntax.end)
    }

    /// Steps over a byte if it matches, and returns whether it did.
    func take(_ byte: UInt8, at position: inout Int) -> Bool {
        guard byteOrZero(at: position) == byte else { return false }
        position += 1
        return true
    }

    func takeDigits(at position: inout Int) throws(JSONError) -> Range<Int> {
        let start = position
        position = digitsEnd(from: start)
        guard position > start else { throw JSONError(start < count ? .invalidNumber : .unexpectedEnd, at: start) }
        return start..<position
    }

    /// The power of ten as an exact double, for exponents 0 to 22; the compiler makes a table of it.
    @inline(__always) static func power(ofTen exponent: Int) -> Double {
        switch exponent {
        case 0: 1e0
        case 1: 1e1
        case 2: 1e2
        case 3: 1e3
        case 4: 1e4
        case 5: 1e5
        case 6: 1e6
        case 7: 1e7
        case 8: 1e8
        case 9: 1e9
        case 10: 1e10
        case 11: 1e11
        case 12: 1e12
        case 13: 1e13
        case 14: 1e14
        case 15: 1e15
        case 16: 1e16
        case 17: 1e17
        case 18: 1e18
        case 19: 1e19
        case 20: 1e20
        case 21: 1e21
        default: 1e22
        }
    }
}

/// The positions of a number's parts, by the grammar of RFC 8259, section 6.
struct JSONNumberSyntax {
    let start: Int
    let isNegative: Bool
    /// The digits before the point; at least one.
    let integer: Range<Int>
    /// The digits after the point; empty without a point.
    let fraction: Range<Int>
    /// The exponent's digits; empty without an exponent.
    let exponent: Range<Int>
    let exponentIsNegative: Bool
    let end: Int

    init(_ bytes: JSONBytes, from start: Int) throws(JSONError) {
        self.start = start
        var position = start
        isNegative = bytes.take(JSONByte.minus, at: &position)
        integer = try bytes.takeDigits(at: &position)
        guard integer.count == 1 || bytes[integer.lowerBound] != JSONByte.zero else {
            throw JSONError(.invalidNumber, at: integer.lowerBound)
        }
        let hasFraction = bytes.take(JSONByte.point, at: &position)
        fraction = hasFraction ? try bytes.takeDigits(at: &position) : position..<position
        guard bytes.byteOrZero(at: position) | 0x20 == JSONByte.lowerE else {
            exponent = position..<position
            exponentIsNegative = false
            end = position
            return
        }
        position += 1
        exponentIsNegative = bytes.take(JSONByte.minus, at: &position)
        if !exponentIsNegative { _ = bytes.take(JSONByte.plus, at: &position) }
        exponent = try bytes.takeDigits(at: &position)
        end = position
    }
}
