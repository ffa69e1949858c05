/// Which character a device writes before fractions and which between thousands, learnt from its numbers: the region
/// that a payload names doesn't say it.
struct NumberStyle: Hashable {
    private var grouping: Set<Character> = []
    private var fraction: Set<Character> = []

    /// Learns from a number that can be read in one way only.
    mutating func learn(from number: LocalisedNumber) {
        guard let last = number.separators.last else { return }
        let kinds = Set(number.separators)
        if kinds.count == 2 {
            grouping.formUnion(number.separators.dropLast())
            fraction.insert(last)
        } else if number.separators.count > 1 {
            grouping.insert(last)
        } else if !number.isGroupedByThousands || number.groups[0] == "0" {
            fraction.insert(last)
        }
    }

    /// The value of a number; `nil` where its separators make none.
    ///
    /// - Parameter limit: Above which a value is impossible, so that `1.234` has to be below 2.
    func value(of number: LocalisedNumber, limit: Double = .infinity) -> Double? {
        let sign = number.isNegative ? -1.0 : 1
        let whole = Double(number.groups.joined()).map { $0 * sign }
        guard let last = number.separators.last else { return whole }
        let head = number.separators.dropLast()
        let hasFraction = Double(number.groups.dropLast().joined() + "." + (number.groups.last ?? ""))
        if isFraction(last, in: number, above: limit, whole) {
            guard !head.contains(last), number.hasGroupedHead else { return nil }
            return hasFraction.map { $0 * sign }
        }
        return number.isGroupedByThousands && Set(number.separators).count == 1 ? whole : nil
    }

    /// Whether the last separator stands before a fraction; where nothing tells, it doesn't: most numbers are whole.
    private func isFraction(
        _ separator: Character, in number: LocalisedNumber, above limit: Double, _ whole: Double?
    ) -> Bool {
        if Set(number.separators).count == 2 || separator == "٫" { return true }
        if number.separators.count > 1 || separator.isWhitespace || "'’٬".contains(separator) { return false }
        if !number.isGroupedByThousands || number.groups[0] == "0" { return true }
        if fraction.contains(separator) != grouping.contains(separator) { return fraction.contains(separator) }
        return (whole ?? 0) > limit
    }
}
