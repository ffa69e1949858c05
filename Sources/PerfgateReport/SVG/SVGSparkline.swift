import PerfgateCompare
import PerfgateModel

/// A history as a small drawing in a row: a line for the baseline's runs, a mark for each of the candidate's.
///
/// It has no bars, because the scale doesn't start at zero.
struct SVGSparkline {
    private let history: MedianHistory

    init(_ history: MedianHistory) { self.history = history }

    var markup: Markup {
        let width: Markup = "\(length: place(history.baseline.count + history.candidate.count) + Self.step)"
        return """
            <svg viewBox="0 0 \(width) \(Int(Self.height))" width="\(width)" height="\(Int(Self.height))" role="img">\
            <title>\(history.sentence)</title>
            <path d="\(line)" fill="none" stroke="currentColor" stroke-width="1.5"/>
            \(marks)</svg>
            """
    }

    private static let step = 6.0
    private static let height = 22.0

    private var line: Markup {
        var line = Markup()
        for (index, value) in history.baseline.enumerated() {
            line += "\(index == 0 ? "M" : "L")\(length: place(index)) \(length: height(of: value))"
        }
        return line
    }

    private var marks: Markup {
        var marks = Markup()
        for (index, value) in history.candidate.enumerated() {
            let x = place(history.baseline.count + index) + Self.step
            marks += "<circle cx=\"\(length: x)\" cy=\"\(length: height(of: value))\" r=\"3\" fill=\"currentColor\"/>\n"
        }
        return marks
    }

    private func place(_ index: Int) -> Double { Self.step / 2 + Double(index) * Self.step }

    private func height(of value: Double) -> Double { 4 + (1 - history.share(of: value)) * (Self.height - 8) }
}

/// The history of a metric: the baseline's centres ordered by time, then the candidate's.
struct MedianHistory {
    /// The baseline's centres, oldest first; at least two.
    let baseline: [Double]
    /// The candidate's centres, oldest first; at least one.
    let candidate: [Double]
    private let unit: String
    /// The nouns for the baseline's centres and the candidate: runs, or the days of releases.
    private let names: (baseline: String, candidate: String)
    private let middle: Double
    private let reach: Double

    /// The history of a comparison; `nil` with fewer than two baseline runs, or if nothing was measured.
    init?(_ result: CellResult) {
        guard let baseline = result.baseline?.history, let candidate = result.candidate?.history,
            baseline.count > 1, !candidate.isEmpty
        else { return nil }
        let all = baseline + candidate
        guard let least = all.min(), let greatest = all.max() else { return nil }
        (self.baseline, self.candidate) = (baseline, candidate)
        unit = result.metric.unit.symbol
        let days = Figure.count(baseline.count, "day")
        names =
            result.releases.map { ("\(days) of \($0.base.release)", $0.candidate.release) }
            ?? (Figure.count(baseline.count, "baseline run"), "candidate")
        // Halves, because the sum and the difference of two large values may overflow.
        middle = least / 2 + greatest / 2
        reach = max(greatest / 2 - least / 2, result.tolerance ?? 0)
    }

    /// The position of a value between the smallest shown, 0, and the largest, 1. The range is at least two
    /// tolerances, so small variations look flat.
    func share(of value: Double) -> Double {
        guard reach > 0 else { return 0.5 }
        let share = (value / 2 - middle / 2) / reach + 0.5
        return share.isNaN ? 0.5 : min(max(share, 0), 1)
    }

    /// The history as block characters, with an arrow before the candidate: `▃▃▂▃→▇`.
    var blocks: String { row(baseline) + "→" + row(candidate) }

    var sentence: String {
        let runs = names.baseline
        let least = baseline.min() ?? 0
        let greatest = baseline.max() ?? 0
        let range =
            least == greatest
            ? "\(runs), all \(number(least))" : "\(runs) from \(Figure.text(least)) to \(number(greatest))"
        let now = candidate.map { Figure.text($0) }.joined(separator: ", ") + (unit.isEmpty ? "" : " " + unit)
        return "\(range); \(names.candidate) \(now)\(place(least, greatest))"
    }

    private func place(_ least: Double, _ greatest: Double) -> String {
        if candidate.allSatisfy({ $0 > greatest }) { return ", above all of them" }
        if candidate.allSatisfy({ $0 < least }) { return ", below all of them" }
        return ""
    }

    private func number(_ value: Double) -> String { Figure.text(value, unit) }

    /// The block characters that are on the baseline in every font; half and full blocks aren't.
    private static let levels: [Character] = ["▁", "▂", "▃", "▅", "▇"]

    private func row(_ values: [Double]) -> String {
        String(values.map { Self.levels[min(Int(share(of: $0) * 5), 4)] })
    }
}
