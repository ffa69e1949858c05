/// The values below which a share of others lie.
enum Quantile {
    /// The quantiles that Android's tools report, with the endings of their metrics.
    static let reported: [(ending: String, share: Double)] = [
        ("p50", 0.5), ("p90", 0.9), ("p95", 0.95), ("p99", 0.99),
    ]

    /// The quantile of values, between neighbours by linear interpolation, as `androidx.benchmark` has it
    /// (`MetricResult.getPercentile`); `nil` where there is none.
    static func of(_ values: [Double], share: Double) -> Double? {
        guard let last = values.indices.last else { return nil }
        let sorted = values.sorted()
        let position = Double(last) * share
        let low = Int(position)
        let high = min(low + 1, last)
        return sorted[low] + (sorted[high] - sorted[low]) * (position - Double(low))
    }
}
