import LibC

/// Numbers as text, the same in every report: few digits, no locale, no trailing zeros, one minus sign (−).
package enum Figure {
    /// A value with one decimal from 100 on, two from 1 on, else three significant digits; below 10⁻⁹ a power of ten.
    package static func text(_ value: Double) -> String {
        guard value.isFinite else { return value.isNaN ? "not a number" : value > 0 ? "∞" : "\(minus)∞" }
        let places = places(of: value)
        return abs(value) >= 1e15 || places > mostPlaces ? powerOfTen(value) : decimal(value, places: places)
    }

    package static func text(_ value: Double, _ symbol: String) -> String { withUnit(text(value), symbol) }

    /// A value with enough decimals to distinguish it from another one a step away: ticks of an axis never look alike.
    package static func text(_ value: Double, step: Double) -> String {
        guard step > 0, step.isFinite else { return text(value) }
        let places = -Int(log10(step).rounded(.down))
        return abs(value) < 1e9 && (0...4).contains(places) ? decimal(value, places: places) : text(value)
    }

    /// A formatted number with its unit, singular for one: `1 frame`, `+1 hitch`.
    package static func withUnit(_ number: String, _ symbol: String) -> String {
        guard !symbol.isEmpty else { return number }
        let isOne = number == "1" || number == "+1" || number == minus + "1"
        return number + " " + (isOne ? singulars[symbol] ?? symbol : symbol)
    }

    private static let singulars = [
        "frames": "frame", "events": "event", "hitches": "hitch", "iterations": "iteration", "points": "point",
        "visits": "visit", "runs": "run",
    ]

    /// A difference can't be more precise than its operands.
    package struct Resolution: Sendable, Hashable {
        fileprivate let places: Int

        /// The resolution of the largest value, or of the tolerance if that is finer.
        package init(of values: [Double?], tolerance: Double? = nil) {
            let greatest = values.reduce(0) { max($0, abs($1 ?? 0)) }
            let tolerance = tolerance ?? 0
            let finest = greatest > 0 && tolerance > 0 ? min(greatest, tolerance) : max(greatest, tolerance)
            places = finest > 0 ? Figure.places(of: finest) : Figure.mostPlaces
        }
    }

    /// A signed difference, with `+` too, rounded to a resolution.
    package static func signed(_ difference: Double, _ resolution: Resolution) -> String {
        guard difference.isFinite, abs(difference) < 1e15
        else { return difference > 0 ? "+\(text(difference))" : text(difference) }
        let places = min(places(of: difference), resolution.places, mostPlaces)
        let number = decimal(difference, places: places)
        return difference > 0 && number != "0" ? "+\(number)" : number
    }

    package static func signed(_ difference: Double, _ resolution: Resolution, _ symbol: String) -> String {
        withUnit(signed(difference, resolution), symbol)
    }

    /// A fraction as a signed percentage with at most one decimal.
    package static func percentage(_ share: Double) -> String {
        // Beyond 10¹² there is no decimal to round, and the product could overflow.
        let percent = abs(share) < 1e12 ? (share * 1_000).rounded() / 10 : share * 100
        return (percent > 0 ? "+" : "") + decimal(percent, places: 1) + " %"
    }

    /// A probability with two significant digits, below 0.001 as a power of ten.
    package static func probability(_ chance: Double) -> String {
        guard chance > 0, chance.isFinite else { return text(chance) }
        return chance < 0.001 ? powerOfTen(chance) : decimal(chance, places: max(0, places(of: chance, figures: 2)))
    }

    /// Odds against from their logarithm: `1 : 340`, from 10⁵ on as a power of ten.
    static func odds(_ logarithm: Double) -> String {
        let value = exp(min(max(0, logarithm), 700))
        return "1 : \(value < 1e5 ? decimal(value, places: max(0, places(of: value, figures: 2))) : powerOfTen(value))"
    }

    static func times(_ factor: Double) -> String { factor == 2 ? "twice" : "\(text(factor)) times" }

    /// A count with a noun: `1 sample`, `3 samples`.
    package static func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
}

extension Figure {
    private static let minus = "−", mostPlaces = 12

    private static func places(of value: Double) -> Int {
        guard value.isFinite, value != 0 else { return 0 }
        return abs(value) >= 100 ? 1 : abs(value) >= 1 ? 2 : places(of: value, figures: 3)
    }

    /// The number of decimals that gives a nonzero value this many significant digits.
    private static func places(of value: Double, figures: Int) -> Int {
        figures - 1 - Int(log10(abs(value)).rounded(.down))
    }

    /// Two significant digits and an exponent: `1.3e−11`.
    private static func powerOfTen(_ value: Double) -> String {
        let exponent = Int(log10(abs(value)).rounded(.down))
        // In two steps, because ten to the power of the smallest exponents is no normal number.
        let half = -exponent / 2
        let mantissa = (value * pow(10, Double(half)) * pow(10, Double(-exponent - half)) * 10).rounded() / 10
        let (digits, power) = abs(mantissa) >= 10 ? (mantissa / 10, exponent + 1) : (mantissa, exponent)
        return "\(decimal(digits, places: 1))e\(power < 0 ? minus : "")\(abs(power))"
    }

    /// The value rounded half away from zero to 0 to 15 decimals, without trailing zeros; one too large as in `text`.
    private static func decimal(_ value: Double, places: Int) -> String {
        let scale = powers[places]
        let scaled = (abs(value) * scale).rounded()
        guard scaled < 1e17 else { return text(value) }
        let sign = value < 0 && scaled > 0 ? minus : ""
        let (whole, rest) = Int(scaled).quotientAndRemainder(dividingBy: Int(scale))
        guard rest > 0 else { return sign + String(whole) }
        var (fraction, places) = (rest, places)
        while fraction.isMultiple(of: 10) { (fraction, places) = (fraction / 10, places - 1) }
        return sign + String(whole) + "." + String(fraction).padded(toWidth: places)
    }

    private static let powers = (0...15).map { pow(10, Double($0)) }
}
