import PerfgateModel
import PerfgateStats

/// The second step: a limit holds from the first run on, without any baseline, and has no hidden slack.
public struct LimitStep: RuleStep {
    /// Decides `over_limit`.
    public func decide(_ cell: CellCase) -> Decision? {
        guard let limit = cell.policy.limit?.value, let value = judged(cell, by: limit.subject) else { return nil }
        let isBroken = cell.metric.better == .lower ? value > limit.value : value < limit.value
        return isBroken ? Decision(.overLimit, because: .limitBroken(value: value, limit: limit)) : nil
    }

    private func judged(_ cell: CellCase, by subject: Limit.Subject) -> Double? {
        guard let samples = cell.candidate?.pooled else { return nil }
        switch (subject, cell.metric.better) {
        case (.median, .lower): return samples.lowerMedian
        case (.median, .higher): return samples.upperMedian
        case (.any, .lower): return samples.values.last
        case (.any, .higher): return samples.values.first
        }
    }
}
