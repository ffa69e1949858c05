extension ComparisonResult {
    /// The value that the verdict was about: what the limit was held against where it is broken, else the centre.
    /// `nil` where nothing was measured.
    public var judgedValue: Double? {
        guard let candidate, verdict == .overLimit, let limit else { return candidate?.center }
        let sorted = (candidate.samples ?? candidate.quantiles ?? []).sorted()
        guard let first = sorted.first, let last = sorted.last else { return candidate.center }
        switch (limit.subject, metric.better) {
        case (.median, .lower): return sorted[(sorted.count - 1) / 2]
        case (.median, .higher): return sorted[sorted.count / 2]
        case (.any, .lower): return last
        case (.any, .higher): return first
        }
    }
}
