import PerfgateCompare
import PerfgateModel

/// How a metric went from run to run: the baseline's centres in the order of time, then the candidate's.
struct RunHistory {
    /// The baseline's centres, oldest first; at least two.
    let baseline: [Double]
    /// The candidate's centres, oldest first; at least one.
    let candidate: [Double]
    private let unit: String
    private let middle: Double
    private let reach: Double

    /// The history of a comparison; `nil` where a baseline of one run, or nothing measured, makes none.
    init?(_ result: ComparisonResult) {
        guard let baseline = result.baseline?.history, let candidate = result.candidate?.history,
            baseline.count > 1, !candidate.isEmpty
        else { return nil }
        let all = baseline + candidate
        guard let least = all.min(), let greatest = all.max() else { return nil }
        self.baseline = baseline
        self.candidate = candidate
        unit = result.metric.unit.symbol
        // Halves, because the sum and the difference of two large values may be infinite.
        middle = least / 2 + greatest / 2
        reach = max(greatest / 2 - least / 2, result.tolerance ?? 0)
    }

    /// Where a value stands between the least shown, 0, and the greatest, 1. All shown is at least two tolerances wide, so
    /// that what doesn't matter looks flat.
    func share(of value: Double) -> Double {
        guard reach > 0 else { return 0.5 }
        let share = (value / 2 - middle / 2) / reach + 0.5
        return share.isNaN ? 0.5 : min(max(share, 0), 1)
    }

    /// The history as block characters, an arrow before the candidate: `▃▃▂▃→▇`.
    var blocks: String { row(baseline) + "→" + row(candidate) }

    /// The history in words.
    var sentence: String {
        let runs = Figure.count(baseline.count, "baseline run")
        let least = baseline.min() ?? 0
        let greatest = baseline.max() ?? 0
        let range =
            least == greatest
            ? "\(runs), all \(number(least))" : "\(runs) from \(ReportNumber.text(least)) to \(number(greatest))"
        let now = candidate.map(ReportNumber.text).joined(separator: ", ") + (unit.isEmpty ? "" : " " + unit)
        return "\(range); candidate \(now)\(place(least, greatest))"
    }

    private func place(_ least: Double, _ greatest: Double) -> String {
        if candidate.allSatisfy({ $0 > greatest }) { return ", above them all" }
        if candidate.allSatisfy({ $0 < least }) { return ", below them all" }
        return ""
    }

    private func number(_ value: Double) -> String { ReportNumber.text(value, unit) }

    /// The eighths that stand on the line in every font: half and whole blocks don't.
    private static let levels: [Character] = ["▁", "▂", "▃", "▅", "▇"]

    private func row(_ values: [Double]) -> String {
        String(values.map { Self.levels[min(Int(share(of: $0) * 5), 4)] })
    }
}
