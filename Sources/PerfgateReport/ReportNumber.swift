import Foundation
import PerfgateCompare

/// Numbers as a person reads them: four figures, no exponent where it can be avoided, no needless zero.
enum ReportNumber {
    /// The number alone, such as `512.9`, `1200` or `−0.25`.
    static func text(_ value: Double) -> String {
        guard value.isFinite, abs(value) < 1e15 else { return "\(value)" }
        return rounded(value, decimals: decimals(of: abs(value)))
    }

    /// The number with the decimals that tell it from another one a step away: ticks of an axis never look the same.
    static func text(_ value: Double, step: Double) -> String {
        guard step > 0, step.isFinite else { return text(value) }
        let decimals = -Int(log10(step).rounded(.down))
        guard abs(value) < 1e9, (0..<powers.count).contains(decimals) else { return text(value) }
        return rounded(value, decimals: decimals)
    }

    private static func rounded(_ value: Double, decimals: Int) -> String {
        let scale = powers[decimals]
        let scaled = (abs(value) * scale).rounded()
        guard scaled > 0 else { return value == 0 ? "0" : small(value) }
        let whole = Int(scaled / scale)
        let fraction = Int(scaled) - whole * Int(scale)
        return (value < 0 ? minus : "") + "\(whole)" + fractionText(fraction, decimals)
    }

    /// The number with its sign, also where it is positive: `+187.3`; `0` has none.
    static func signed(_ value: Double) -> String {
        value > 0 ? "+" + text(value) : text(value)
    }

    /// The number with its unit: `512.9 ms`.
    static func text(_ value: Double, _ unit: String) -> String {
        Figure.withUnit(text(value), unit)
    }

    /// An interval: `[150.1, 220.9]`.
    static func interval(_ bounds: [Double]) -> String {
        "[" + bounds.map(signed).joined(separator: ", ") + "]"
    }

    private static let minus = "−"
    private static let powers: [Double] = [1, 10, 100, 1_000, 10_000]

    private static func decimals(of magnitude: Double) -> Int {
        switch magnitude {
        case 1_000...: 0
        case 100...: 1
        case 10...: 2
        case 1...: 3
        default: 4
        }
    }

    private static func small(_ value: Double) -> String {
        (value < 0 ? minus : "") + "\(abs(value))"
    }

    private static func fractionText(_ fraction: Int, _ decimals: Int) -> String {
        guard fraction > 0 else { return "" }
        let digits = String(fraction)
        let padded = String(repeating: "0", count: max(0, decimals - digits.count)) + digits
        return "." + String(padded.reversed().drop { $0 == "0" }.reversed())
    }
}
