import PerfgateModel

extension ComparisonResult {
    /// The value that the verdict was about: what the limit was held against where it is broken, else the centre.
    /// `nil` where nothing was measured.
    public var judgedValue: Double? {
        guard verdict == .overLimit, let value = judgedByLimit else { return candidate?.center }
        return value
    }

    /// The value that the limit judges: the worst sample, or the median, of an even count the better one of the middle
    /// two; `nil` without a limit or samples.
    var judgedByLimit: Double? {
        guard let limit, let candidate else { return nil }
        let sorted = (candidate.samples ?? candidate.quantiles ?? []).sorted()
        guard let least = sorted.first, let greatest = sorted.last else { return nil }
        switch (limit.subject, metric.better) {
        case (.any, .lower): return greatest
        case (.any, .higher): return least
        case (.median, .lower): return sorted[(sorted.count - 1) / 2]
        case (.median, .higher): return sorted[sorted.count / 2]
        }
    }

    /// Δ with its sign turned where higher is better, in the metric's unit: above 0 is worse.
    var worsening: Double? {
        numbers.map { metric.better == .lower ? $0.delta : 0 - $0.delta }
    }

    /// How far the candidate's best sample is beyond the baseline's worst, in the metric's unit; `nil` without samples.
    var gap: Double? {
        let sides = [baseline, candidate].map { ($0?.samples ?? $0?.quantiles ?? []).sorted() }
        guard let old = sides[0].first, let worst = sides[0].last, let best = sides[1].first, let new = sides[1].last
        else { return nil }
        return metric.better == .lower ? best - worst : old - new
    }

    /// Whether the value that the limit judges breaks it.
    var isOverLimit: Bool {
        guard let limit, let value = judgedByLimit else { return false }
        return metric.better == .lower ? value > limit.value : value < limit.value
    }
}
