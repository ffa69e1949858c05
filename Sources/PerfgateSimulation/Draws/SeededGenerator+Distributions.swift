import SeededRandom

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

extension SeededGenerator {
    /// A standard normal number, by G. E. P. Box and M. E. Muller, Ann. Math. Statist. 29 (1958) 610–611.
    public mutating func normal() -> Double {
        let radius = (-2 * log(1 - uniform())).squareRoot()
        return radius * cos(2 * Double.pi * uniform())
    }

    /// A number that is Poisson distributed around `mean`, at least 0: by multiplying uniform numbers (D. E. Knuth),
    /// in time proportional to the mean.
    public mutating func poisson(_ mean: Double) -> Int {
        guard mean > 0 else { return 0 }
        let limit = exp(-mean)
        var (count, product) = (0, uniform())
        while product > limit {
            count += 1
            product *= uniform()
        }
        return count
    }

    /// A number that is gamma distributed with that shape, above 0, and mean 1.
    ///
    /// G. Marsaglia and W. W. Tsang, "A simple method for generating gamma variables", ACM TOMS 26 (2000) 363–372.
    public mutating func gamma(shape: Double) -> Double {
        guard shape >= 1 else { return gamma(shape: shape + 1) * (shape + 1) / shape * pow(1 - uniform(), 1 / shape) }
        let d = shape - 1.0 / 3
        while true {
            let x = normal()
            let root = 1 + x / (9 * d).squareRoot()
            let v = root * root * root
            guard v > 0 else { continue }
            if log(1 - uniform()) < x * x / 2 + d - d * v + d * log(v) { return d * v / shape }
        }
    }

    /// A negative binomial count with that mean and shape: its variance is mean + mean² / shape, at least 0.
    public mutating func negativeBinomial(mean: Double, shape: Double) -> Int {
        poisson(mean * gamma(shape: shape))
    }

    /// A number of that range above 0, its logarithm uniform.
    public mutating func logUniform(_ range: ClosedRange<Double>) -> Double {
        exp(uniform(log(range.lowerBound)...log(range.upperBound)))
    }
}
