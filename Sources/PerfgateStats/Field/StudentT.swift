import LibC

/// Student's t distribution.
enum StudentT {
    /// P(|T| ≥ t) for t of 0 or more, and degrees of freedom above 0; 0…1.
    static func twoSided(_ t: Double, freedom: Double) -> Double {
        guard t.isFinite else { return 0 }
        return IncompleteBeta.regularized(freedom / (freedom + t * t), freedom / 2, 0.5)
    }
}

/// The regularized incomplete beta function I_x(a, b).
private enum IncompleteBeta {
    /// I_x(a, b) for 0 ≤ x ≤ 1 and a, b > 0, to about twelve digits.
    ///
    /// By the continued fraction 26.5.8 of M. Abramowitz and I. A. Stegun, "Handbook of mathematical functions" (1964),
    /// evaluated by W. J. Lentz's method (Applied Optics 15 (1976) 668–671).
    static func regularized(_ x: Double, _ a: Double, _ b: Double) -> Double {
        guard x > 0 else { return 0 }
        guard x < 1 else { return 1 }
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
