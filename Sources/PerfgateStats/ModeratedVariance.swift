import LibC

enum Gamma {
    /// ψ(x), the derivative of ln Γ, for x above 0.
    static func digamma(_ x: Double) -> Double {
        var (x, sum) = (x, 0.0)
        while x < 10 { (x, sum) = (x + 1, sum - 1 / x) }
        let r = 1 / (x * x)
        return sum + log(x) - 0.5 / x - r * (1.0 / 12 - r * (1.0 / 120 - r * (1.0 / 252 - r * (1.0 / 240 - r / 132))))
    }

    /// ψ′(x), for x above 0. Both are the asymptotic series 6.3.18 and 6.4.12 of M. Abramowitz and I. A. Stegun, "Handbook
    /// of mathematical functions" (1964), after a shift of x to at least 10: about 13 digits.
    static func trigamma(_ x: Double) -> Double {
        var (x, sum) = (x, 0.0)
        while x < 10 { (x, sum) = (x + 1, sum + 1 / (x * x)) }
        let r = 1 / (x * x)
        let series = 1.0 / 6 - r * (1.0 / 30 - r * (1.0 / 42 - r * (1.0 / 30 - r * (5.0 / 66))))
        return sum + 1 / x + r / 2 + series * r / x
    }

    /// The x with ψ′(x) = y, for y above 0: ψ′ falls, so by bisection of logarithms.
    static func inverseTrigamma(_ y: Double) -> Double { exp(bisected(-20...20, steps: 100) { trigamma(exp($0)) > y }) }

    /// P(a, x), the regularized lower incomplete gamma function, for a and x above 0: its series 6.5.29.
    static func lower(_ a: Double, _ x: Double) -> Double {
        var (term, sum, n) = (1 / a, 1 / a, a)
        while term > sum * 1e-16, n < a + 10_000 {
            n += 1
            term *= x / n
            sum += term
        }
        return sum * exp(a * log(x) - x - lgamma(a))
    }

    /// The median of χ² with `freedom` degrees of freedom, 1 or more.
    static func medianOfChiSquared(freedom: Double) -> Double {
        bisected(0...(freedom + 1), steps: 80) { lower(freedom / 2, $0 / 2) < 0.5 }
    }

    private static func bisected(_ range: ClosedRange<Double>, steps: Int, isTooSmall: (Double) -> Bool) -> Double {
        var (low, high) = (range.lowerBound, range.upperBound)
        for _ in 0..<steps {
            let middle = (low + high) / 2
            if isTooSmall(middle) { low = middle } else { high = middle }
        }
        return (low + high) / 2
    }
}

/// The growth of many quantities from base to head, each measured a few times a side, such as times of functions.
///
/// With three measurements a side, a quantity's own variance tells little. So it is moderated by a prior v₀ that all
/// quantities share: a counting part a·m of the mean m, with the value a of one sample, and a relative part b²·m². Its
/// degrees of freedom and location are fitted by the moments of ln s²/v₀: G. K. Smyth, "Linear models and empirical Bayes
/// methods for assessing differential expression", Stat. Appl. Genet. Mol. Biol. 3 (2004).
package struct ModeratedGrowth: Sendable {
    package struct Quantity: Sendable {
        /// The means of both sides, 0 or more.
        package let base, head: Double
        /// The standard error of their difference, above 0: a side with a larger mean varies more.
        package let spread: Double
        /// P(t ≥ t observed) if the quantity grew by `smallest` or less; 0…1.
        package let p: Double

        /// By how much the head's mean is larger.
        package var growth: Double { head - base }
    }

    package let quantities: [Quantity]
    /// The degrees of freedom of the t statistics, those of the prior included; above 0.
    package let freedom: Double

    /// - Parameter values: For each quantity, the base's measurements and then the head's; 0 or more, and not all 0.
    /// - Parameter baseCount: The number of the base's measurements; both sides have 2 or more.
    /// - Parameter unit: The value of one counted sample, a; above 0.
    /// - Parameter smallest: The growth that doesn't matter; 0 or more.
    package init(_ values: [[Double]], baseCount: Int, unit: Double, smallest: Double) {
        let headCount = (values.first?.count ?? 0) - baseCount
        let own = Double(baseCount + headCount - 2)
        let sides = values.map { row in
            let (base, head) = (row[..<baseCount], row[baseCount...])
            return (base.mean, head.mean, (base.squares + head.squares) / own)
        }
        let prior = Prior(sides.map { (($0 + $1) / 2, $2) }, freedom: own, unit: unit)
        freedom = own + prior.freedom
        let scale = 1 / Double(baseCount) + 1 / Double(headCount)
        quantities = sides.map { [freedom] base, head, variance in
            let mean = (base + head) / 2
            let moderated = (prior.freedom * prior.variance(of: mean) + own * variance) / freedom
            let larger = max(moderated, unit * mean)
            // The standard error if the growth is at most the smallest, and as it is.
            let error = (larger * scale).squareRoot()
            let sides = prior.variance(of: base) / Double(baseCount) + prior.variance(of: head) / Double(headCount)
            let spread = (larger / prior.variance(of: mean) * sides).squareRoot()
            let p = StudentT.upperTail((head - base - smallest) / error, freedom: freedom)
            return Quantity(base: base, head: head, spread: spread, p: p)
        }
    }

    /// Half the width of the 95 % interval around a quantity's growth.
    package func margin(of quantity: Quantity) -> Double {
        StudentT.upperQuantile(0.025, freedom: freedom) * quantity.spread
    }

    /// The indices of the quantities that grew by more than `smallest`, by S. Holm's step-down procedure: the chance to
    /// name any that didn't is at most `alpha` (Scandinavian Journal of Statistics 6 (1979) 65–70). In order of p.
    package func grown(alpha: Double) -> [Int] {
        let order = quantities.indices.sorted { (quantities[$0].p, $0) < (quantities[$1].p, $1) }
        let count = order.enumerated().prefix { quantities[$1].p * Double(order.count - $0) <= alpha }.count
        return Array(order.prefix(count))
    }

    /// The 95 % interval of the growth of a single quantity's mean, by Student's t with a pooled variance; each side has
    /// 2 or more values.
    package static func interval(of base: [Double], _ head: [Double]) -> (low: Double, high: Double) {
        let (freedom, growth) = (Double(base.count + head.count - 2), head.mean - base.mean)
        let variance = (base.squares + head.squares) / freedom
        let error = (variance * (1 / Double(base.count) + 1 / Double(head.count))).squareRoot()
        let margin = StudentT.upperQuantile(0.025, freedom: freedom) * error
        return (growth - margin, growth + margin)
    }
}

/// The variance that a quantity of a given mean is expected to have.
private struct Prior {
    /// How much it counts, in degrees of freedom: 1…20.
    private(set) var freedom = 20.0
    private var unit: Double
    /// b², the square of the relative deviation; at least 2 % squared.
    private var relative = 0.02 * 0.02
    /// At least 1: a prior is never more certain than the quantities' own variances.
    private var scale = 1.0

    init(_ quantities: [(mean: Double, variance: Double)], freedom own: Double, unit: Double) {
        self.unit = unit
        let median = Gamma.medianOfChiSquared(freedom: own) / own
        relative = max(relative, quantities.map { ($1 / median - unit * $0) / ($0 * $0) }.median ?? 0)
        let logs = quantities.map { mean, variance in log(max(variance, 1e-12) / self.variance(of: mean)) }
        let spread = logs.count > 1 ? logs.squares / Double(logs.count - 1) : 0
        let excess = spread - Gamma.trigamma(own / 2)
        if excess > 1e-3 { freedom = min(max(2 * Gamma.inverseTrigamma(excess), 1), 20) }
        scale = max(1, exp(logs.mean - Self.bias(own) + Self.bias(freedom)))
    }

    func variance(of mean: Double) -> Double { scale * (unit * mean + relative * mean * mean) }

    /// The mean of ln(χ²/d) for d degrees of freedom.
    private static func bias(_ freedom: Double) -> Double { Gamma.digamma(freedom / 2) - log(freedom / 2) }
}
