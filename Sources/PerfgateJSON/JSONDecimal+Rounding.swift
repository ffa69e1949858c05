extension JSONDecimal {
    /// The double nearest to an integer times a power of ten, or `nil` where that takes more than one operation.
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

    /// The double nearest to the quotient of two integers other than 0, the divisor below 10^20; ties to even.
    ///
    /// Both are shifted until their top bits are set; 64 bits of their quotient and whether anything remains decide
    /// how the upper 53 are rounded. The result is at least 1e-19, so that it is never subnormal.
    static func quotient(_ dividend: UInt64, by divisor: UInt64) -> Double {
        let a = dividend << dividend.leadingZeroBitCount
        let b = divisor << divisor.leadingZeroBitCount
        let isLarge = a >= b
        let halves = isLarge ? (high: a >> 1, low: a << 63) : (high: a, low: 0)
        let (bits, remainder) = b.dividingFullWidth(halves)
        let shift = divisor.leadingZeroBitCount - dividend.leadingZeroBitCount - 64 + (isLarge ? 1 : 0)
        // The lowest of the eleven bits that rounding drops can stand for all that follows.
        let significand = Double(remainder == 0 ? bits : bits | 1)
        return significand * Double(sign: .plus, exponent: shift, significand: 1)
    }

    /// The magnitude by the standard library's conversion, which rounds correctly and knows no locale.
    func longMagnitude() -> Double {
        let (digits, dropped) = significantDigits()
        let exponent = min(max(scale + dropped, -100_000), 100_000)
        return Double(String(decoding: digits, as: UTF8.self) + "e\(exponent)") ?? .infinity
    }

    /// The digits from the first that isn't 0, and how many more there are behind them.
    ///
    /// A tie between two doubles has fewer than 800 digits. Of what follows only counts whether it is 0, which one
    /// more digit says, so that a number of any length is converted in bounded space.
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
