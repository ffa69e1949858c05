import PerfgateCompare
import PerfgateModel

/// The numbers of a comparison in the words of a table, the same in Markdown and HTML.
struct ComparisonText {
    /// The comparison.
    let result: ComparisonResult

    /// Makes the words of a comparison.
    init(_ result: ComparisonResult) {
        self.result = result
    }

    /// From the baseline's centre to the candidate's: `512.9 → 700.2 ms`.
    var values: String {
        switch (result.baseline?.center, result.candidate?.center) {
        case (let baseline?, let candidate?): "\(ReportNumber.text(baseline)) → \(number(candidate))"
        case (let baseline?, nil): "\(number(baseline)) → \(candidate)"
        case (nil, _): candidate
        }
    }

    /// The baseline's centre; a dash where there is none.
    var baseline: String { result.baseline?.center.map(number) ?? "–" }

    /// The candidate's centre, or why there is none.
    var candidate: String {
        if let center = result.candidate?.center { return number(center) }
        return result.candidate == nil ? "not measured" : "no events"
    }

    /// The difference of the centres and the shift's interval: `+187.3 [+150.1, +220.9]`; a dash without a comparison.
    var change: String {
        guard let numbers = result.numbers else { return "–" }
        return ([ReportNumber.signed(numbers.delta)] + [interval].compactMap(\.self)).joined(separator: " ")
    }

    /// The shift's 95 % interval; `nil` where the samples are too few.
    var interval: String? { result.numbers?.interval.map(ReportNumber.interval) }

    /// The limit with its direction: `≤ 1200 ms`, `every sample ≥ 50 fps`; a dash where there is none.
    var limit: String {
        guard let limit = result.limit else { return "–" }
        let bound = (result.metric.better == .lower ? "≤ " : "≥ ") + number(limit.value)
        return limit.subject == .any ? "every sample " + bound : bound
    }

    /// The verdict's word with a mark, so that it is told by more than a colour.
    var verdict: String { result.isGated ? gatedVerdict : gatedVerdict + " (not gated)" }

    private var gatedVerdict: String {
        switch result.verdict {
        case .regressed: "▲ worse"
        case .overLimit: "▲ worse: over its limit"
        case .missing: "○ not measured"
        case .inconclusive: "? can't tell"
        case .noBaseline: "? can't tell: no baseline"
        case .waived: "△ waived"
        case .improved: "▼ improved"
        case .passed: "✓ passed"
        }
    }

    /// A value in the metric's unit.
    func number(_ value: Double) -> String {
        ReportNumber.text(value, result.metric.unit.symbol)
    }
}

extension ComparisonResult.Side {
    /// The quantiles of a side whose samples are left out: `0 %: 480, 5 %: 490`.
    var quantileText: String {
        zip(Self.quantileProbabilities, quantiles ?? [])
            .map { "\(ReportNumber.text($0 * 100)) %: \(ReportNumber.text($1))" }.joined(separator: ", ")
    }
}
