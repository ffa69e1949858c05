/// A sum that carries its own rounding error along.
///
/// A. Neumaier, "Rundungsfehleranalyse einiger Verfahren zur Summation endlicher Summen", ZAMM 54 (1974) 39–51.
/// Feed it in a fixed order (sorted) where the same numbers must give the same bits.
struct CompensatedSum {
    private var sum = 0.0
    private var lost = 0.0

    /// The sum so far; infinite or NaN once it has overflowed.
    var value: Double { sum + lost }

    /// Adds one finite number.
    mutating func add(_ term: Double) {
        let next = sum + term
        lost += abs(sum) >= abs(term) ? (sum - next) + term : (term - next) + sum
        sum = next
    }

    /// The sum of the terms in the order given.
    static func of(_ terms: some Sequence<Double>) -> Double {
        var total = CompensatedSum()
        for term in terms { total.add(term) }
        return total.value
    }
}
