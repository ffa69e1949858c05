import LibC

/// Writes numbers with a fixed count of decimal places.
enum Decimal {
    /// `value` (0 or more, and small enough for an `Int` when scaled), rounded to `places` decimal places.
    static func text(_ value: Double, places: Int) -> String {
        let scaled = Int((value * pow(10, Double(places))).rounded())
        let digits = String(scaled)
        let padded = String(repeating: "0", count: max(0, places + 1 - digits.count)) + digits
        return padded.dropLast(places) + "." + padded.suffix(places)
    }
}
