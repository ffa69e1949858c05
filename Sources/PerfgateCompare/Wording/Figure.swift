import LibC

/// Numbers as people read them: few digits, no locale, no needless zeros.
package enum Figure {
    /// A value with at most one decimal from 100 on, two from 1 on, else three significant digits; below a thousand
    /// millionth as a power of ten.
    package static func text(_ value: Double) -> String {
        guard value.isFinite else { return value.isNaN ? "not a number" : value > 0 ? "∞" : "-∞" }
        let magnitude = abs(value)
        if magnitude == 0 { return "0" }
        if magnitude >= 1e15 { return powerOfTen(value) }
        if magnitude >= 100 { return decimal(value, places: 1) }
        if magnitude >= 1 { return decimal(value, places: 2) }
        let places = 2 - Int(log10(magnitude).rounded(.down))
        return places > 12 ? powerOfTen(value) : decimal(value, places: places)
    }

    /// A value with its unit.
    package static func text(_ value: Double, _ symbol: String) -> String {
        withUnit(text(value), symbol)
    }

    /// A number that is written already with its unit, of one thing in the singular: `1 frame`, `+1 hitch`.
    package static func withUnit(_ number: String, _ symbol: String) -> String {
        guard !symbol.isEmpty else { return number }
        let isOne = number.hasSuffix("1") && number.dropLast().allSatisfy { "+-−".contains($0) }
        return "\(number) \(isOne ? singulars[symbol] ?? symbol : symbol)"
    }

    private static let singulars = ["frames": "frame", "events": "event", "hitches": "hitch", "points": "point"]

    /// A difference with its sign, also a positive one; below a thousand millionth it is what rounding leaves of none.
    package static func signed(_ value: Double) -> String {
        if abs(value) < 1e-9 { return "0" }
        return value > 0 ? "+\(text(value))" : text(value)
    }

    /// A difference with its sign and unit.
    package static func signed(_ value: Double, _ symbol: String) -> String {
        withUnit(signed(value), symbol)
    }

    /// A share as a percentage with at most one decimal, signed.
    package static func percentage(_ share: Double) -> String {
        // Beyond a million million there is no decimal to round, and the product could overflow.
        let percent = abs(share) < 1e12 ? (share * 1_000).rounded() / 10 : share * 100
        return (percent > 0 ? "+" : "") + decimal(percent, places: 1) + " %"
    }

    /// A probability: as it is from 0.001 on, else as a power of ten.
    package static func probability(_ chance: Double) -> String {
        chance < 0.001 && chance > 0 ? powerOfTen(chance) : text(chance)
    }

    private static func powerOfTen(_ value: Double) -> String {
        guard value.isNormal else { return "\(value)" }
        let exponent = Int(log10(abs(value)).rounded(.down))
        return "\(decimal(value / pow(10, Double(exponent)), places: 1))e\(exponent)"
    }

    /// The value rounded half away from zero to so many decimals, 0 to 15, without zeros at the end; one that is too
    /// great for that as `text` writes it.
    private static func decimal(_ value: Double, places: Int) -> String {
        let scale = pow(10, Double(places))
        let scaled = (abs(value) * scale).rounded()
        guard scaled < 1e17 else { return text(value) }
        let sign = value < 0 && scaled > 0 ? "-" : ""
        let whole = (scaled / scale).rounded(.down)
        let fraction = Int(scaled - whole * scale)
        guard fraction > 0 else { return "\(sign)\(Int(whole))" }
        var digits = String(fraction)
        digits = String(repeating: "0", count: max(0, places - digits.count)) + digits
        while digits.hasSuffix("0") { digits.removeLast() }
        return "\(sign)\(Int(whole)).\(digits)"
    }
}

extension Figure {
    /// A number of things, as `1 sample` and `3 samples`.
    package static func count(_ number: Int, _ noun: String) -> String {
        "\(number) \(noun)\(number == 1 ? "" : "s")"
    }
}
