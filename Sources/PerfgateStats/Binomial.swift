/// Numbers of ways to choose.
enum Binomial {
    /// C(n, k) as a `Double`: exact below 2⁵³, beyond it within a few units in the last place per factor,
    /// infinite where it overflows; 0 where k is not in 0…n.
    static func coefficient(_ n: Int, _ k: Int) -> Double {
        guard k >= 0, k <= n else { return 0 }
        return row(n, upTo: min(k, n - k)).last ?? 1
    }

    /// C(n, 0) … C(n, k), for k in 0…n.
    static func row(_ n: Int, upTo k: Int) -> [Double] {
        var row = [1.0]
        row.reserveCapacity(k + 1)
        for i in 0..<k {
            // Multiplying first keeps every quotient a whole number.
            row.append(row[i] * Double(n - i) / Double(i + 1))
        }
        return row
    }
}
