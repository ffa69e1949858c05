import LibC

package enum Normal {
    /// φ(z), the density.
    package static func density(_ z: Double) -> Double { exp(-z * z / 2) / (2 * Double.pi).squareRoot() }

    /// P(Z ≥ z), accurate in the far tail; 0…1.
    package static func upperTail(_ z: Double) -> Double { erfc(z / 2.0.squareRoot()) / 2 }

    /// The z with P(Z ≤ z) = p: −∞ for p ≤ 0, +∞ for p ≥ 1. M. J. Wichura, "Algorithm AS 241: The percentage points of
    /// the normal distribution", Applied Statistics 37 (1988) 477–484, function PPND16: about 16 correct digits.
    package static func quantile(_ p: Double) -> Double {
        guard p > 0, p < 1 else { return p > 0 ? .infinity : -.infinity }
        let q = p - 0.5
        if abs(q) <= 0.425 { return q * ratio(central, 0.180625 - q * q) }
        let r = (-log(min(p, 1 - p))).squareRoot()
        let z = r <= 5 ? ratio(middle, r - 1.6) : ratio(far, r - 5)
        return q < 0 ? -z : z
    }

    /// The coefficients of a quotient of two polynomials, constant terms first.
    private typealias Coefficients = (numerator: [Double], denominator: [Double])

    private static func ratio(_ coefficients: Coefficients, _ x: Double) -> Double {
        func polynomial(_ terms: [Double]) -> Double { terms.reversed().reduce(0) { $0 * x + $1 } }
        return polynomial(coefficients.numerator) / polynomial(coefficients.denominator)
    }

    private static let central: Coefficients = (
        [
            3.3871328727963666080, 1.3314166789178437745e2, 1.9715909503065514427e3, 1.3731693765509461125e4,
            4.5921953931549871457e4, 6.7265770927008700853e4, 3.3430575583588128105e4, 2.5090809287301226727e3,
        ],
        [
            1, 4.2313330701600911252e1, 6.8718700749205790830e2, 5.3941960214247511077e3,
            2.1213794301586595867e4, 3.9307895800092710610e4, 2.8729085735721942674e4, 5.2264952788528545610e3,
        ]
    )

    private static let middle: Coefficients = (
        [
            1.42343711074968357734, 4.63033784615654529590, 5.76949722146069140550, 3.64784832476320460504,
            1.27045825245236838258, 2.41780725177450611770e-1, 2.27238449892691845833e-2, 7.74545014278341407640e-4,
        ],
        [
            1, 2.05319162663775882187, 1.67638483018380384940, 6.89767334985100004550e-1,
            1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4, 1.05075007164441684324e-9,
        ]
    )

    private static let far: Coefficients = (
        [
            6.65790464350110377720, 5.46378491116411436990, 1.78482653991729133580, 2.96560571828504891230e-1,
            2.65321895265761230930e-2, 1.24266094738807843860e-3, 2.71155556874348757815e-5, 2.01033439929228813265e-7,
        ],
        [
            1, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
            7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7, 2.04426310338993978564e-15,
        ]
    )
}

extension Double {
    /// The value, or the largest finite number of its sign after an overflow.
    var saturated: Double { min(max(self, -Double.greatestFiniteMagnitude), Double.greatestFiniteMagnitude) }

    /// The midpoint to another finite number, without overflow.
    func midpoint(to other: Double) -> Double {
        let sum = self + other
        return sum.isFinite ? sum / 2 : self / 2 + other / 2
    }
}

extension Range<Int> {
    /// The first number that matches, if all after it match too; without any, the upper bound.
    package func bisected(_ matches: (Int) -> Bool) -> Int {
        var (low, high) = (lowerBound, upperBound)
        while low < high {
            let middle = (low + high) / 2
            if matches(middle) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

enum StudentT {
    /// P(|T| ≥ t) for t of 0 or more, and degrees of freedom above 0; 0…1.
    static func twoSided(_ t: Double, freedom: Double) -> Double {
        t.isFinite ? incompleteBeta(freedom / (freedom + t * t), freedom / 2, 0.5) : 0
    }

    /// P(T ≥ t); 0…1, accurate in the far tail.
    static func upperTail(_ t: Double, freedom: Double) -> Double {
        let tail = twoSided(abs(t), freedom: freedom) / 2
        return t > 0 ? tail : 1 - tail
    }

    /// The t with P(T ≥ t) = p, for p above 0 and up to ½, by bisection; 0 or more.
    static func upperQuantile(_ p: Double, freedom: Double) -> Double {
        var (low, high) = (0.0, 1.0)
        while upperTail(high, freedom: freedom) > p, high < 1e9 { (low, high) = (high, 2 * high) }
        while high - low > 1e-12 * high {
            let middle = low + (high - low) / 2
            if upperTail(middle, freedom: freedom) > p { low = middle } else { high = middle }
        }
        return high
    }

    /// The regularized incomplete beta function I_x(a, b) for 0 ≤ x ≤ 1 and a, b > 0, to about twelve digits: by the
    /// continued fraction 26.5.8 of M. Abramowitz and I. A. Stegun, "Handbook of mathematical functions" (1964),
    /// evaluated by W. J. Lentz's method (Applied Optics 15 (1976) 668–671).
    private static func incompleteBeta(_ x: Double, _ a: Double, _ b: Double) -> Double {
        guard x > 0, x < 1 else { return x > 0 ? 1 : 0 }
        let front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x))
        return x < (a + 1) / (a + b + 2) ? front * fraction(x, a, b) / a : 1 - front * fraction(1 - x, b, a) / b
    }

    private static func fraction(_ x: Double, _ a: Double, _ b: Double) -> Double {
        var (c, d) = (1.0, bounded(1 - (a + b) * x / (a + 1)))
        d = 1 / d
        var value = d
        for step in 1...500 {
            let m = Double(step)
            let even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
            let odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
            for term in [even, odd] {
                d = 1 / bounded(1 + term * d)
                c = bounded(1 + term / c)
                value *= d * c
            }
            if abs(d * c - 1) < 1e-14 { break }
        }
        return value
    }

    private static func bounded(_ value: Double) -> Double { abs(value) < 1e-300 ? 1e-300 : value }
}

package enum Binomial {
    /// P(X ≤ k) for the heads of n fair coins.
    package static func fair(_ n: Int, atMost k: Int) -> Double {
        row(n, upTo: min(k, n)).reduce(0, +) / exp2(Double(n))
    }

    /// C(n, k): exact below 2⁵³, beyond it within a few last places per factor; infinite on overflow; 0 for other k.
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
        // Multiplying first keeps every quotient integral.
        for i in 0..<k { row.append(row[i] * Double(n - i) / Double(i + 1)) }
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

/// The number of ways to choose n of L distinct values with U = u: the coefficient of qᵘ in the Gaussian binomial
/// ∏ (1 − q^(L−i+1)) / (1 − qⁱ), i from 1 to n (H. B. Mann and D. R. Whitney 1947). Its factors are applied one by one in
/// integers modulo 2⁶⁴: intermediate products may wrap around, but the counts, which fit, are exact.
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

    @inline(__always) private func set(_ vector: SIMD4<Int64>, at u: Int) {
        UnsafeMutableRawPointer(counts + u).storeBytes(of: vector, as: SIMD4<Int64>.self)
    }
}
