#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The standard normal distribution.
enum NormalDistribution {
    /// Φ(x) = erfc(−x / √2) / 2: the share of the distribution below `x`, accurate in both tails.
    static func cumulative(_ x: Double) -> Double {
        erfc(-x / 2.0.squareRoot()) / 2
    }

    /// The natural logarithm.
    static func logarithm(_ x: Double) -> Double {
        log(x)
    }
}
