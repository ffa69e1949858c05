/// Where the parts of a number stand, by the grammar of RFC 8259, section 6.
struct JSONNumberSyntax {
    /// The position of the first byte.
    let start: Int
    /// Whether a minus leads.
    let isNegative: Bool
    /// The digits before the point; at least one.
    let integer: Range<Int>
    /// The digits behind the point; empty where there is none.
    let fraction: Range<Int>
    /// The exponent's digits; empty where there is none.
    let exponent: Range<Int>
    /// Whether a minus leads the exponent.
    let exponentIsNegative: Bool
    /// The position behind the number.
    let end: Int

    /// Finds the parts of the number that begins at `start`.
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

extension JSONBytes {
    /// Steps over a byte where it is the one named, and says whether it was.
    func take(_ byte: UInt8, at position: inout Int) -> Bool {
        guard byteOrZero(at: position) == byte else { return false }
        position += 1
        return true
    }

    /// Steps over one or more digits.
    func takeDigits(at position: inout Int) throws(JSONError) -> Range<Int> {
        let start = position
        position = digitsEnd(from: start)
        guard position > start else {
            throw JSONError(start < count ? .invalidNumber : .unexpectedEnd, at: start)
        }
        return start..<position
    }
}
