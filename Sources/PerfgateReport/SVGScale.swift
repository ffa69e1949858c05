import Foundation

/// A linear axis: from values to places in a drawing, with ticks at round values.
struct SVGScale: Equatable {
    /// The least value shown.
    let lower: Double
    /// The greatest value shown; more than `lower`.
    let upper: Double
    /// Where `lower` stands, in the drawing's units.
    let start: Double
    /// Where `upper` stands, in the drawing's units.
    let end: Double
    /// The values at the ticks, ascending.
    let ticks: [Double]

    /// Makes an axis that shows all values, between round ends.
    ///
    /// - Parameter values: Any, NaN counting as 0; without any the axis goes from 0 to 1.
    /// - Parameter tickCount: About how many ticks.
    init(showing values: some Sequence<Double>, from start: Double, to end: Double, tickCount: Int = 5) {
        let shown = values.map(Self.drawable)
        let (least, greatest) = Self.widened(shown.min() ?? 0, shown.max() ?? 1)
        let step = Self.roundStep((greatest / Double(tickCount)) - (least / Double(tickCount)))
        let first = (least / step).rounded(.down)
        let last = (greatest / step).rounded(.up)
        ticks = last - first < 100 ? stride(from: first, through: last, by: 1).map { $0 * step } : [least, greatest]
        lower = min(ticks.first ?? least, least)
        upper = max(ticks.last ?? greatest, greatest)
        self.start = start
        self.end = end
    }

    /// The place of a value; values beyond the axis stand at its ends, and what is no number at its beginning.
    func place(of value: Double) -> Double {
        // Halves, because the difference of two large values may be infinite.
        let share = (value / 2 - lower / 2) / (upper / 2 - lower / 2)
        return share.isNaN ? start : start + min(max(share, 0), 1) * (end - start)
    }

    /// The value where steps between such values are neither 0 nor infinite, as they are at the edges of `Double`.
    private static func drawable(_ value: Double) -> Double {
        abs(value) < 1e-305 || value.isNaN ? 0 : min(max(value, -1e305), 1e305)
    }

    /// 1, 2 or 5 times a power of ten, at least the wanted step.
    private static func roundStep(_ wanted: Double) -> Double {
        let power = pow(10, log10(wanted).rounded(.down))
        let factor = [1.0, 2, 5, 10].first { $0 * power >= wanted * 0.999 } ?? 10
        return factor * power
    }

    private static func widened(_ least: Double, _ greatest: Double) -> (Double, Double) {
        guard greatest / 2 - least / 2 <= abs(greatest) * 1e-9 else { return (least, greatest) }
        let margin = max(abs(greatest) * 0.05, greatest == 0 ? 1 : 0)
        // A count that never moved keeps its zero.
        return least >= 0 && least < margin ? (0, greatest + margin) : (least - margin, greatest + margin)
    }
}
