import LibC

package enum Binomial {
    /// P(X ≤ k) for the heads of n fair coins.
    package static func fair(_ n: Int, atMost k: Int) -> Double {
        row(n, upTo: min(k, n)).reduce(0, +) / exp2(Double(n))
    }

    /// C(n, k) as a `Double`: exact below 2⁵³, beyond it within a few units in the last place per factor; infinite on
    /// overflow; 0 if k is not in 0…n.
    static func coefficient(_ n: Int, _ k: Int) -> Double {
        guard k >= 0, k <= n else { return 0 }
        var coefficient = 1.0
        // Sizes may come from untrusted files: after an overflow, no further step is needed.
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
            // Multiplying first keeps every quotient integral.
            row.append(row[i] * Double(n - i) / Double(i + 1))
        }
        return row
    }

    /// C(n, i)·share^i·(1 − share)^(n − i) for i in 0…k: probabilities for which the coefficients alone may overflow.
    /// Each is accurate to about 1e-12; `share` is above 0 and below 1.
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

/// The number of ways to choose n of L distinct values so that U is 0, 1, 2 ….
///
/// The number of ways with U = u is the coefficient of qᵘ in the Gaussian binomial ∏ (1 − q^(L−i+1)) / (1 − qⁱ), i
/// from 1 to n (H. B. Mann and D. R. Whitney 1947). Its factors are applied one by one in integers modulo 2⁶⁴:
/// intermediate products may wrap around, but the counts, which fit, are exact.
struct GaussianBinomial: ~Copyable {
    let values: Int
    /// n, the number of chosen values; 0…L.
    private(set) var chosen = 0
    /// The largest U that is counted.
    let limit: Int
    /// The counts, plus padding for the last vector that is never read.
    private let counts: UnsafeMutablePointer<Int64>

    /// The number of counts added at once: each of these loops dominates the time of a comparison.
    private static let lanes = 4

    /// Starts with no chosen values: U is 0, in one way.
    init(values: Int, through limit: Int) {
        (self.values, self.limit) = (values, limit)
        counts = .allocate(capacity: limit + Self.lanes)
        counts.initialize(repeating: 0, count: limit + Self.lanes)
        counts[0] = 1
    }

    deinit { counts.deallocate() }

    /// Whether every count for up to n chosen values fits.
    static func fits(values: Int, chosen: Int) -> Bool {
        Binomial.coefficient(values, min(chosen, values / 2)) < 0x1p63
    }

    /// The number of ways with U = `u`, 0…`limit`.
    subscript(u: Int) -> Int64 { counts[u] }

    /// Adds one chosen value; at most all of them.
    mutating func chooseOneMore() {
        chosen += 1
        multiply(power: values - chosen + 1)
        divide(power: chosen)
    }

    /// Replaces each count by the sum up to it: the number of ways with U at most the index.
    mutating func accumulate() { divide(power: 1) }

    private func multiply(power: Int) {
        var u = limit
        if power >= Self.lanes {
            while u &- power >= Self.lanes &- 1 {
                let first = u &- Self.lanes &+ 1
                set(vector(first) &- vector(first &- power), at: first)
                u = first &- 1
            }
        }
        while u >= power {
            counts[u] &-= counts[u &- power]
            u &-= 1
        }
    }

    private func divide(power: Int) {
        // Each chain of sums stays in a register: read back from memory, every sum would wait for the previous one.
        var first = 0
        while first &+ Self.lanes <= min(power, limit &+ 1) {
            var (sum, u) = (vector(first), first &+ power)
            while u <= limit {
                sum &+= vector(u)
                set(sum, at: u)
                u &+= power
            }
            first &+= Self.lanes
        }
        while first < min(power, limit &+ 1) {
            var (sum, u) = (counts[first], first &+ power)
            while u <= limit {
                sum &+= counts[u]
                counts[u] = sum
                u &+= power
            }
            first &+= 1
        }
    }

    @inline(__always)
    private func vector(_ u: Int) -> SIMD4<Int64> { UnsafeRawPointer(counts + u).loadUnaligned(as: SIMD4<Int64>.self) }

    @inline(__always)
    private func set(_ vector: SIMD4<Int64>, at u: Int) {
        UnsafeMutableRawPointer(counts + u).storeBytes(of: vector, as: SIMD4<Int64>.self)
    }
}

/// A sum that tracks its rounding error.
///
/// A. Neumaier, "Rundungsfehleranalyse einiger Verfahren zur Summation endlicher Summen", ZAMM 54 (1974) 39–51.
/// Add terms in a fixed (sorted) order if the same numbers must give the same bits.
struct CompensatedSum {
    private var sum = 0.0
    private var lost = 0.0

    /// The sum so far; infinite or NaN after an overflow.
    var value: Double { sum + lost }

    mutating func add(_ term: Double) {
        let next = sum + term
        lost += abs(sum) >= abs(term) ? (sum - next) + term : (term - next) + sum
        sum = next
    }

    static func of(_ terms: some Sequence<Double>) -> Double {
        var total = CompensatedSum()
        for term in terms { total.add(term) }
        return total.value
    }
}
