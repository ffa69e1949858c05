/// A number of any length, converted exactly: the cases that `shortDouble` and `shortInteger` don't handle.
struct JSONDecimal {
    let bytes: JSONBytes
    let syntax: JSONNumberSyntax
    /// The power of ten of the last digit of integer and fraction.
    let scale: Int

    init(_ bytes: JSONBytes, from start: Int) throws(JSONError) {
        let start = bytes.spaceEnd(from: start)
        let byte = bytes.byteOrZero(at: start)
        guard byte == JSONByte.minus || JSONByte.isDigit(byte) else { throw bytes.mismatch(.number, at: start) }
        self.bytes = bytes
        syntax = try JSONNumberSyntax(bytes, from: start)
        var exponent = 0
        // Larger exponents don't change a result, however many digits the input has.
        for position in syntax.exponent where exponent < 1_000_000_000_000 {
            exponent = exponent * 10 + Int(bytes[position] - JSONByte.zero)
        }
        scale = (syntax.exponentIsNegative ? -exponent : exponent) - syntax.fraction.count
    }

    func magnitude() throws(JSONError) -> UInt64 {
        var value: UInt64 = 0
        var zeros = 0
        for position in digitPositions {
            let digit = bytes[position] - JSONByte.zero
            zeros += 1
            guard digit != 0 else { continue }
            value = try Self.shift(value, by: zeros, adding: digit, at: syntax)
            zeros = 0
        }
        guard value != 0 else { return 0 }
        guard scale + zeros >= 0 else { throw JSONError(.notAnInteger, at: syntax.start) }
        return try Self.shift(value, by: scale + zeros, adding: 0, at: syntax)
    }

    /// `value` times ten to the power `places`, plus a digit.
    private static func shift(
        _ value: UInt64, by places: Int, adding digit: UInt8, at syntax: JSONNumberSyntax
    ) throws(JSONError) -> UInt64 {
        let outOfRange = JSONError(.numberOutOfRange, at: syntax.start)
        guard value != 0 else { return UInt64(digit) }
        guard places <= 19 else { throw outOfRange }
        let (product, overflows) = value.multipliedReportingOverflow(by: integerPower(ofTen: places))
        let (sum, carries) = product.addingReportingOverflow(UInt64(digit))
        guard !overflows, !carries else { throw outOfRange }
        return sum
    }

    /// The nearest double, ties to even.
    func double() throws(JSONError) -> Double {
        let magnitude = shortMagnitude() ?? longMagnitude()
        guard magnitude.isFinite else { throw JSONError(.numberOutOfRange, at: syntax.start) }
        return syntax.isNegative ? -magnitude : magnitude
    }

    /// The positions of the digits of integer and fraction, with only the point between them.
    private var digitPositions: some Sequence<Int> {
        (syntax.integer.lowerBound..<syntax.fraction.upperBound).lazy.filter { $0 != syntax.integer.upperBound }
    }

    /// The magnitude by exact arithmetic, or `nil` if more than 19 digits or a large exponent need `longMagnitude`.
    private func shortMagnitude() -> Double? { significand().flatMap { Self.nearest(to: $0, scale: scale) } }

    /// All digits as one integer, or `nil` if there are more than 19, without leading zeros.
    private func significand() -> UInt64? {
        var value: UInt64 = 0
        var count = 0
        for position in digitPositions {
            let digit = bytes[position] &- JSONByte.zero
            if count > 0 || digit != 0 { count += 1 }
            guard count <= 19 else { return nil }
            value = value &* 10 &+ UInt64(digit)
        }
        return value
    }

    /// The power of ten for exponents 0 to 19.
    static func integerPower(ofTen exponent: Int) -> UInt64 { UInt64(JSONBytes.power(ofTen: exponent)) }

    /// The double nearest to an integer times a power of ten, or `nil` if that takes more than one operation.
    static func nearest(to significand: UInt64, scale: Int) -> Double? {
        let isExact = significand <= 1 << 53
        switch scale {
        case 0: return Double(significand)
        case 1...22 where isExact: return Double(significand) * JSONBytes.power(ofTen: scale)
        case -22 ... -1 where isExact: return Double(significand) / JSONBytes.power(ofTen: -scale)
        case -19 ... -1: return quotient(significand, by: integerPower(ofTen: -scale))
        default: return significand == 0 ? 0 : nil
        }
    }

    /// The double nearest to the quotient of two nonzero integers, with a divisor below 10^20; ties to even. Both are
    /// shifted until their top bits are set; 64 bits of the quotient and whether there is a remainder determine how the
    /// upper 53 are rounded. The result is at least 1e-19, so it is never subnormal.
    static func quotient(_ dividend: UInt64, by divisor: UInt64) -> Double {
        let a = dividend << dividend.leadingZeroBitCount
        let b = divisor << divisor.leadingZeroBitCount
        let isLarge = a >= b
        let halves = isLarge ? (high: a >> 1, low: a << 63) : (high: a, low: 0)
        let (bits, remainder) = b.dividingFullWidth(halves)
        let shift = divisor.leadingZeroBitCount - dividend.leadingZeroBitCount - 64 + (isLarge ? 1 : 0)
        // The lowest of the eleven dropped bits can represent everything that follows.
        let significand = Double(remainder == 0 ? bits : bits | 1)
        return significand * Double(sign: .plus, exponent: shift, significand: 1)
    }

    /// The magnitude by the standard library's conversion, which rounds correctly and ignores locales.
    func longMagnitude() -> Double {
        let (digits, dropped) = significantDigits()
        let exponent = min(max(scale + dropped, -100_000), 100_000)
        return Double(String(decoding: digits, as: UTF8.self) + "e\(exponent)") ?? .infinity
    }

    /// The digits from the first nonzero one, and the number of further digits. A tie between two doubles has fewer
    /// than 800 digits. Of the rest only matters whether it is 0, which one more digit represents, so a number of any
    /// length is converted in bounded space.
    private func significantDigits() -> (kept: [UInt8], dropped: Int) {
        let limit = 800
        var kept: [UInt8] = []
        var dropped = 0
        var restIsZero = true
        for position in digitPositions where !kept.isEmpty || bytes[position] != JSONByte.zero {
            if kept.count < limit {
                kept.append(bytes[position])
            } else {
                dropped += 1
                restIsZero = restIsZero && bytes[position] == JSONByte.zero
            }
        }
        guard restIsZero else { return (kept + [UInt8(ascii: "1")], dropped - 1) }
        return (kept.isEmpty ? [JSONByte.zero] : kept, dropped)
    }
}
