/// Integers that represent measured values, so sums are exact and equal in every engine, even where division is that of
/// IEEE doubles. A quantum is a thousandth of a metric's unit (µs for ms), for hang rates a hundredth.
package enum Quantum {
    /// The largest quantum: an hour in µs. Larger values are clamped.
    package static let most = 3_600_000_000

    /// The quantum of a value, ⌊value · scale + ½⌋ and at most `most`; `nil` if it isn't finite, or is below 0 when rounded.
    /// - Parameter scale: The number of quanta per unit, a power of ten from 1 to 1,000.
    package static func of(_ value: Double, scale: Double = 1_000) -> Int? {
        let rounded = (value * scale + 0.5).rounded(.down)
        guard value.isFinite, rounded >= 0 else { return nil }
        return rounded > Double(most) ? most : Int(rounded)
    }

    /// The quantum of a quotient of integers, ⌊(2·factor·numerator + denominator) / (2·denominator)⌋ and at most
    /// `most`; `nil` for a denominator of 0.
    /// - Parameter factor: The quanta of a quotient of 1; 2·factor·numerator + denominator must be below 2⁵³, and both at
    ///   least 0.
    package static func ratio(_ numerator: Int, per denominator: Int, factor: Int = 1) -> Int? {
        guard denominator > 0, numerator >= 0 else { return nil }
        return min(most, (2 * factor * numerator + denominator) / (2 * denominator))
    }
}

/// The bucket of a quantum: 64 per doubling, each at most 1/64 of its values wide. With s = max(0, bit length − 7) the
/// index is 64·s + ⌊quantum / 2ˢ⌋, without gaps: 0 … 127 represent themselves. The middle of a bucket is within 1/128
/// of every value in it.
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

/// Weighted events of real users, counted by the bucket of their value: integers that can be added in any order, and
/// their quantiles. The weights make two differently composed groups comparable (`ReleaseDay`). By default each event
/// has weight 1.
package struct WeightedHistogram: Sendable, Hashable {
    package struct Bucket: Sendable, Hashable {
        /// The index of the `QuantumBucket`, 0 … `QuantumBucket.count` − 1.
        package let index: Int
        /// n, the number of events; Σ w, the sum of their weights; and Σ w², the sum of the squares. 0 or more.
        package var count, weight, squares: Int

        package init(index: Int, count: Int, weight: Int, squares: Int) {
            (self.index, self.count, self.weight, self.squares) = (index, count, weight, squares)
        }

        /// A bucket of events with weight 1.
        package init(index: Int, count: Int) { self.init(index: index, count: count, weight: count, squares: count) }

        /// The value at a fraction of the bucket's events, in quanta, 0 or more.
        fileprivate func value(at share: Double) -> Double {
            guard let bucket = QuantumBucket(index: index) else { return 0 }
            return max(0, Double(bucket.low) - 0.5 + Double(bucket.width) * share)
        }

        /// The fraction of the bucket's events below a value, 0 … 1.
        fileprivate func share(below value: Double) -> Double {
            guard let bucket = QuantumBucket(index: index) else { return 0 }
            return min(max((value - Double(bucket.low) + 0.5) / Double(bucket.width), 0), 1)
        }
    }

    /// The buckets, ascending, each index once.
    package let buckets: [Bucket]
    /// n, Σ w and Σ w² of all events.
    package let count, weight, squares: Int

    /// Takes buckets in any order and merges equal indices; invalid indices are dropped. Sums saturate at the largest
    /// 64-bit integer.
    package init(_ buckets: [Bucket] = []) {
        let isAscending = zip(buckets, buckets.dropFirst()).allSatisfy { $0.index < $1.index }
        let isKnown = (buckets.first?.index ?? 0) >= 0 && (buckets.last?.index ?? 0) < QuantumBucket.count
        self.init(ascending: isAscending && isKnown ? buckets : Self.sums(of: [buckets]))
    }

    package init(merging histograms: [WeightedHistogram]) {
        self.init(ascending: histograms.count == 1 ? histograms[0].buckets : Self.sums(of: histograms.map(\.buckets)))
    }

    private init(ascending buckets: [Bucket]) {
        self.buckets = buckets
        count = buckets.reduce(0) { $0.saturatingSum($1.count) }
        weight = buckets.reduce(0) { $0.saturatingSum($1.weight) }
        squares = buckets.reduce(0) { $0.saturatingSum($1.squares) }
    }

    private static func sums(of parts: [[Bucket]]) -> [Bucket] {
        var sums = (0..<QuantumBucket.count).map { Bucket(index: $0, count: 0) }
        var isUsed = Array(repeating: false, count: sums.count)
        for part in parts {
            for bucket in part where sums.indices ~= bucket.index {
                isUsed[bucket.index] = true
                sums[bucket.index].count = sums[bucket.index].count.saturatingSum(bucket.count)
                sums[bucket.index].weight = sums[bucket.index].weight.saturatingSum(bucket.weight)
                sums[bucket.index].squares = sums[bucket.index].squares.saturatingSum(bucket.squares)
            }
        }
        return sums.indices.filter { isUsed[$0] }.map { sums[$0] }
    }

    package var unweighted: WeightedHistogram { .init(buckets.map { Bucket(index: $0.index, count: $0.count) }) }

    /// (Σ w)² / Σ w², the equivalent number of events of equal weight (L. Kish, "Survey Sampling", 1965, § 11.7); from
    /// 0 to `count`.
    package var effectiveCount: Double { squares > 0 ? Double(weight) / Double(squares) * Double(weight) : 0 }

    /// The weighted quantile in quanta, 0 or more; `nil` without weight. Values are taken as evenly distributed within a
    /// bucket, which reaches from half a quantum below it to half a quantum above.
    /// - Parameter share: The fraction of the weight below the quantile, 0 … 1.
    package func quantile(_ share: Double) -> Double? {
        guard weight > 0 else { return nil }
        let sought = min(max(share, 0), 1) * Double(weight)
        var below = 0.0
        var last: Bucket?
        for bucket in buckets where bucket.weight > 0 {
            last = bucket
            let own = Double(bucket.weight)
            if below + own >= sought { return bucket.value(at: (sought - below) / own) }
            below += own
        }
        return last?.value(at: 1)
    }

    /// The fractions of the weight below ascending values in quanta, 0…1: the inverse of `quantile`. 0 without weight.
    package func shares(upTo values: [Double]) -> [Double] {
        var (below, place) = (0.0, 0)
        return values.map { value in
            while place < buckets.count, buckets[place].value(at: 1) <= value {
                below += Double(buckets[place].weight)
                place += 1
            }
            let part = place < buckets.count ? Double(buckets[place].weight) * buckets[place].share(below: value) : 0
            return weight > 0 ? min(1, (below + part) / Double(weight)) : 0
        }
    }

    /// The mean and the variance of the events' bucket indices, without weights; `nil` without events.
    var indexMoments: (mean: Double, variance: Double)? {
        guard count > 0 else { return nil }
        let mean = buckets.reduce(0) { $0 + Double($1.count) * Double($1.index) } / Double(count)
        let squares = buckets.reduce(0) { sum, bucket in
            let deviation = Double(bucket.index) - mean
            return sum + Double(bucket.count) * deviation * deviation
        }
        return (mean, squares / Double(count))
    }
}
