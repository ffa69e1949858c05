#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Numbers of ways to choose.
enum Binomial {
    /// C(n, k) as a `Double`: exact below 2⁵³, beyond it within a few units in the last place per factor,
    /// infinite where it overflows; 0 where k is not in 0…n.
    static func coefficient(_ n: Int, _ k: Int) -> Double {
        guard k >= 0, k <= n else { return 0 }
        var coefficient = 1.0
        // Sizes may come from anybody's file: what has overflowed needs no further step.
        for i in 0..<min(k, n - k) {
            coefficient = coefficient * Double(n - i) / Double(i + 1)
            guard coefficient.isFinite else { break }
        }
        return coefficient
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

    /// C(n, i)·share^i·(1 − share)^(n − i) for i in 0…k: chances where the numbers themselves may overflow.
    ///
    /// Accurate to about 1e-12 of each; `share` is above 0 and below 1.
    static func chances(_ n: Int, upTo k: Int, share: Double) -> [Double] {
        var logarithm = CompensatedSum()
        logarithm.add(Double(n) * log1p(-share))
        let odds = log(share) - log1p(-share)
        var chances = [exp(logarithm.value)]
        for i in 0..<k {
            logarithm.add(odds + log(Double(n - i)) - log(Double(i + 1)))
            chances.append(exp(logarithm.value))
        }
        return chances
    }
}
