/// Weighted events of real users, counted by the bucket of their value: integers that can be added in any order, and
/// their quantiles.
///
/// The weights make two differently composed groups comparable (`ReleaseDay`). By default each event has weight 1.
package struct WeightedHistogram: Sendable, Hashable {
    package struct Bucket: Sendable, Hashable {
        /// The index of the `QuantumBucket`, 0 … `QuantumBucket.count` − 1.
        package let index: Int
        /// n, the number of events; 0 or more.
        package var count: Int
        /// Σ w, the sum of their weights; 0 or more.
        package var weight: Int
        /// Σ w², the sum of their squares; 0 or more.
        package var squares: Int

        package init(index: Int, count: Int, weight: Int, squares: Int) {
            (self.index, self.count, self.weight, self.squares) = (index, count, weight, squares)
        }

        /// A bucket of events with weight 1.
        package init(index: Int, count: Int) { self.init(index: index, count: count, weight: count, squares: count) }
    }

    /// The buckets, ascending, each index once.
    package let buckets: [Bucket]
    /// n, the number of events.
    package let count: Int
    /// Σ w.
    package let weight: Int
    /// Σ w².
    package let squares: Int

    /// Takes buckets in any order and merges equal indices; invalid indices are dropped.
    ///
    /// Sums saturate at the largest 64-bit integer.
    package init(_ buckets: [Bucket] = []) {
        let isAscending = zip(buckets, buckets.dropFirst()).allSatisfy { $0.index < $1.index }
        let isKnown = (buckets.first?.index ?? 0) >= 0 && (buckets.last?.index ?? 0) < QuantumBucket.count
        self.init(ascending: isAscending && isKnown ? buckets : Self.sums(of: [buckets]))
    }

    /// The events of several histograms together.
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

    package var unweighted: WeightedHistogram {
        WeightedHistogram(buckets.map { Bucket(index: $0.index, count: $0.count) })
    }

    /// (Σ w)² / Σ w², the equivalent number of events of equal weight (L. Kish, "Survey Sampling", 1965, § 11.7); from
    /// 0 to `count`.
    package var effectiveCount: Double { squares > 0 ? Double(weight) / Double(squares) * Double(weight) : 0 }

    /// The weighted quantile in quanta, 0 or more; `nil` without weight.
    ///
    /// Values are assumed to be evenly distributed within a bucket. A quantum represents values from half a quantum
    /// below to half a quantum above it, and so do buckets.
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

extension WeightedHistogram.Bucket {
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
