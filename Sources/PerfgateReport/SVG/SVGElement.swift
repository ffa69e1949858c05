import Foundation
import PerfgateCompare
import PerfgateJSON
import PerfgateModel

extension Markup.StringInterpolation {
    /// A position or a length with two decimals, at most a million; 0 for NaN.
    mutating func appendInterpolation(length: Double) {
        let hundredths = length.isNaN ? 0 : Int((min(max(length, -1e6), 1e6) * 100).rounded())
        let (whole, rest) = abs(hundredths).quotientAndRemainder(dividingBy: 100)
        if hundredths < 0 { bytes.append(UInt8(ascii: "-")) }
        bytes.append(decimal: whole)
        guard rest > 0 else { return }
        bytes += [UInt8(ascii: "."), UInt8(ascii: "0") + UInt8(rest / 10), UInt8(ascii: "0") + UInt8(rest % 10)]
    }
}

extension Markup {
    /// A line of a drawing; `x` are percentages of its width.
    static func line(x: (Double, Double), y: (Double, Double), _ style: Markup, title: String? = nil) -> Markup {
        let end: Markup = title.map { "><title>\($0)</title></line>" } ?? "/>"
        return """
            <line x1="\(length: x.0)%" x2="\(length: x.1)%" y1="\(length: y.0)" y2="\(length: y.1)" \(style)\(end)
            """
    }

    /// A text of a drawing, centred at a percentage of its width; at an edge it starts or ends there.
    static func label(_ text: String, x: Double, y: Double) -> Markup {
        let anchor: Markup = x < 8 ? "start" : x > 92 ? "end" : "middle"
        return """
            <text x="\(length: x)%" y="\(length: y)" text-anchor="\(anchor)" fill="currentColor" font-size="13">\(text)\
            </text>
            """
    }

    /// The extent of a label, in percent of the drawing's width.
    static func labelSpan(width: Double, x: Double) -> ClosedRange<Double> {
        let start = x < 8 ? x : x > 92 ? x - width : x - width / 2
        return start...start + width
    }
}

/// A linear axis: maps values to positions, with ticks at round values.
struct SVGScale: Equatable {
    /// The smallest and the largest value shown; `upper` is more than `lower`.
    let lower, upper: Double
    /// Their positions, in the drawing's units.
    let start, end: Double
    /// The values at the ticks, ascending.
    let ticks: [Double]

    /// Makes an axis that shows all values, with round ends; NaN counts as 0. Without values it goes from 0 to 1.
    init(showing values: some Sequence<Double>, from start: Double, to end: Double, tickCount: Int = 5) {
        let shown = values.map(Self.drawable)
        let (least, greatest) = Self.widened(shown.min() ?? 0, shown.max() ?? 1)
        let step = Self.roundStep((greatest / Double(tickCount)) - (least / Double(tickCount)))
        let first = (least / step).rounded(.down)
        let last = (greatest / step).rounded(.up)
        ticks = last - first < 100 ? stride(from: first, through: last, by: 1).map { $0 * step } : [least, greatest]
        lower = min(ticks.first ?? least, least)
        upper = max(ticks.last ?? greatest, greatest)
        (self.start, self.end) = (start, end)
    }

    /// The position of a value; values beyond the axis are at its ends, NaN is at its start.
    func place(of value: Double) -> Double {
        // Halves, because the difference of two large values may overflow.
        let share = (value / 2 - lower / 2) / (upper / 2 - lower / 2)
        return share.isNaN ? start : start + min(max(share, 0), 1) * (end - start)
    }

    /// The value limited to where steps between values are neither 0 nor infinite.
    private static func drawable(_ value: Double) -> Double {
        abs(value) < 1e-305 || value.isNaN ? 0 : min(max(value, -1e305), 1e305)
    }

    /// 1, 2 or 5 times a power of ten; at least the wanted step.
    private static func roundStep(_ wanted: Double) -> Double {
        let power = pow(10, log10(wanted).rounded(.down))
        let factor = [1.0, 2, 5, 10].first { $0 * power >= wanted * 0.999 } ?? 10
        return factor * power
    }

    private static func widened(_ least: Double, _ greatest: Double) -> (Double, Double) {
        guard greatest / 2 - least / 2 <= abs(greatest) * 1e-9 else { return (least, greatest) }
        let margin = max(abs(greatest) * 0.05, greatest == 0 ? 1 : 0)
        // An axis of a constant count keeps its zero.
        return least >= 0 && least < margin ? (0, greatest + margin) : (least - margin, greatest + margin)
    }

    /// The distance between ticks, more than 0; 1 with fewer than two.
    var step: Double { zip(ticks, ticks.dropFirst()).map { $1 - $0 }.first ?? 1 }

    /// A line over the whole width for each tick of a vertical axis, with its value; the uppermost one has the unit.
    func grid(_ unit: String) -> Markup {
        let lines = ticks.map { value -> Markup in
            let y: Markup = "\(length: place(of: value))"
            let text = Figure.text(value, step: step)
            return """
                <line x1="0" x2="100%" y1="\(y)" y2="\(y)" stroke="currentColor" stroke-opacity="0.18"/>\
                <text x="0" y="\(y)" dy="-3" fill="currentColor" font-size="12">\(value == ticks.last ? Figure.withUnit(text, unit) : text)</text>
                """
        }
        return Markup(lines)
    }
}

/// A history as a small drawing in a row: a line for the baseline's runs, a mark for each of the candidate's. It has no
/// bars, because the scale doesn't start at zero.
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

    private static let (step, height) = (6.0, 22.0)

    private var line: [Markup] {
        history.baseline.enumerated().map { index, value in
            "\(index == 0 ? "M" : "L")\(length: place(index)) \(length: height(of: value))"
        }
    }

    private var marks: [Markup] {
        history.candidate.enumerated().map { index, value in
            let x = place(history.baseline.count + index) + Self.step
            return "<circle cx=\"\(length: x)\" cy=\"\(length: height(of: value))\" r=\"3\" fill=\"currentColor\"/>\n"
        }
    }

    private func place(_ index: Int) -> Double { Self.step / 2 + Double(index) * Self.step }

    private func height(of value: Double) -> Double { 4 + (1 - history.share(of: value)) * (Self.height - 8) }
}

/// The history of a metric: the baseline's centres ordered by time, then the candidate's.
struct MedianHistory {
    /// The centres, oldest first; at least two of the baseline, and one of the candidate.
    let baseline, candidate: [Double]
    private let unit: String
    /// The nouns for the baseline's centres and the candidate: runs, or the days of releases.
    private let names: (baseline: String, candidate: String)
    private let middle, reach: Double

    /// The history of a comparison; `nil` with fewer than two baseline runs, or if nothing was measured.
    init?(_ result: CellResult) {
        guard let baseline = result.baseline?.history, let candidate = result.candidate?.history, baseline.count > 1,
            !candidate.isEmpty, let least = (baseline + candidate).min(), let greatest = (baseline + candidate).max()
        else { return nil }
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
        let (least, greatest) = (baseline.min() ?? 0, baseline.max() ?? 0)
        let range = least == greatest ? ", all " : " from \(Figure.text(least)) to "
        let now = candidate.map { Figure.text($0) }.joined(separator: ", ") + (unit.isEmpty ? "" : " " + unit)
        let isAbove = candidate.allSatisfy { $0 > greatest }
        let isBelow = candidate.allSatisfy { $0 < least }
        let place = isAbove ? ", above all of them" : isBelow ? ", below all of them" : ""
        return "\(names.baseline)\(range)\(Figure.text(greatest, unit)); \(names.candidate) \(now)\(place)"
    }

    /// The block characters that are on the baseline in every font; half and full blocks aren't.
    private static let marks: [Character] = ["▁", "▂", "▃", "▅", "▇"]

    private func row(_ values: [Double]) -> String { String(values.map { Self.marks[min(Int(share(of: $0) * 5), 4)] }) }
}
