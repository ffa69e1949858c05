/// Integers that represent measured values, so sums over any number of events are exact and the same in every engine.
///
/// A quantum is a thousandth of a metric's unit (µs for ms), for hang rates a hundredth. IEEE doubles represent every
/// intermediate integer exactly, so an engine without integer division gets the same result.
package enum Quantum {
    /// The largest quantum: an hour in µs. Larger values are clamped.
    package static let most = 3_600_000_000

    /// The quantum of a value, ⌊value · scale + ½⌋ and at most `most`; `nil` if the value isn't finite, or is negative
    /// after rounding.
    /// - Parameter scale: The number of quanta per unit, a power of ten from 1 to 1,000.
    package static func of(_ value: Double, scale: Double = 1_000) -> Int? {
        let rounded = (value * scale + 0.5).rounded(.down)
        guard value.isFinite, rounded >= 0 else { return nil }
        return rounded > Double(most) ? most : Int(rounded)
    }

    /// The quantum of a quotient of integers, ⌊(2·factor·numerator + denominator) / (2·denominator)⌋ and at most
    /// `most`; `nil` for a denominator of 0.
    /// - Parameter factor: The quanta of a quotient of 1; 2·factor·numerator + denominator must be below 2⁵³.
    /// - Parameter numerator: At least 0.
    /// - Parameter denominator: At least 0.
    package static func ratio(_ numerator: Int, per denominator: Int, factor: Int = 1) -> Int? {
        guard denominator > 0, numerator >= 0 else { return nil }
        return min(most, (2 * factor * numerator + denominator) / (2 * denominator))
    }
}

/// The bucket of a quantum: 64 per doubling, each at most 1/64 of its values wide.
///
/// With s = max(0, bit length − 7) the index is 64·s + ⌊quantum / 2ˢ⌋, without gaps: 0 … 127 represent themselves. The
/// middle of a bucket is within 1/128 of every value in it.
package struct QuantumBucket: Sendable, Hashable {
    /// The index, 0 … `count` − 1, ascending with the quanta.
    package let index: Int

    /// The number of buckets up to `Quantum.most`.
    package static let count = QuantumBucket(of: Quantum.most).index + 1

    private static let precision = 6

    /// The number of buckets of the values between a value and twice as much.
    package static let perDoubling = 1 << precision

    /// The bucket of a quantum of at least 0.
    package init(of quantum: Int) {
        let bits = Int.bitWidth - quantum.leadingZeroBitCount
        let shift = max(0, bits - 1 - Self.precision)
        index = shift << Self.precision + quantum >> shift
    }

    /// The bucket with an index; `nil` for an index without quanta.
    package init?(index: Int) {
        guard 0..<Self.count ~= index else { return nil }
        self.index = index
    }

    package var low: Int { (index - shift << Self.precision) << shift }

    package var width: Int { 1 << shift }

    package var middle: Double { Double(low) + Double(width - 1) / 2 }

    private var shift: Int { max(0, index >> Self.precision - 1) }
}

extension Int {
    /// The sum with a product, saturating at the largest integer; all operands are at least 0.
    package func saturatingSum(_ factor: Int, times other: Int = 1) -> Int {
        let (product, overflows) = factor.multipliedReportingOverflow(by: other)
        let (sum, carries) = addingReportingOverflow(product)
        return overflows || carries ? .max : sum
    }
}
