import PerfgateCompare
import Foundation
import PerfgateJSON

enum SVGElement {
    /// A position or a length with two decimals, at most a million; 0 for NaN.
    static func append(length value: Double, to bytes: inout [UInt8]) {
        let hundredths = value.isNaN ? 0 : Int((min(max(value, -1e6), 1e6) * 100).rounded())
        let (whole, rest) = abs(hundredths).quotientAndRemainder(dividingBy: 100)
        if hundredths < 0 { bytes.append(UInt8(ascii: "-")) }
        bytes.append(decimal: whole)
        guard rest > 0 else { return }
        bytes.append(UInt8(ascii: "."))
        bytes.append(UInt8(ascii: "0") + UInt8(rest / 10))
        bytes.append(UInt8(ascii: "0") + UInt8(rest % 10))
    }
}

extension SVGScale {
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

extension Markup {
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
    /// The smallest value shown.
    let lower: Double
    /// The largest value shown; more than `lower`.
    let upper: Double
    /// The position of `lower`, in the drawing's units.
    let start: Double
    /// The position of `upper`, in the drawing's units.
    let end: Double
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
}
