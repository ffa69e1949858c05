import Foundation
import PerfgateCompare
import PerfgateModel

/// The distributions of two releases on a logarithmic axis: the older one as a dashed outline, the newer one filled,
/// both with their quantiles below, and the limit.
struct SVGReleasePlot {
    private let result: CellResult
    private let releases: ReleaseNumbers
    private let spread: ReleaseNumbers.Spread
    private let text: ComparisonText
    private let scale: SVGLogScale

    /// Makes a plot; `nil` if there is nothing to show.
    init?(_ result: CellResult) {
        let count = ReleaseNumbers.Spread.parts + 2
        guard let releases = result.releases, let spread = releases.spread, spread.base.count == count,
            spread.candidate.count == count,
            let scale = SVGLogScale(
                from: spread.lower, to: spread.upper, start: Self.left, end: Self.width - Self.right)
        else { return nil }
        self.result = result
        self.releases = releases
        self.spread = spread
        self.scale = scale
        text = ComparisonText(result)
    }

    /// The drawing for HTML.
    var markup: String {
        SVGElement.drawing(width: Self.width, height: Self.height, title: summary, axis + shapes + lanes + limit).markup
    }

    private static let width = 560.0
    private static let height = 216.0
    private static let left = 104.0
    private static let right = 56.0
    private static let top = 24.0
    private static let baseY = 140.0
    private static let laneYs = [160.0, 178]
    private static let axisY = 190.0

    private var names: [String] {
        [releases.base.release, releases.candidate.release].map { name in
            let line = CleanText.line(name, most: 200)
            return line.count > 12 ? "\(line.prefix(11))…" : line
        }
    }

    private var summary: String {
        let sides = [releases.base, releases.candidate].map { side in
            "\(side.release) \(Self.quantiles(side).map { "\($0) \(text.number($1))" }.joined(separator: ", "))"
        }
        return "\(result.metric.id): \(sides.joined(separator: "; ")); limit \(text.limit)"
    }

    private static func quantiles(_ side: ReleaseNumbers.Side) -> [(String, Double)] {
        zip(ReleaseNumbers.Side.percentages.map { "p\($0)" }, side.quantiles).map { ($0, $1) }
    }

    private var axis: [SVGElement] {
        [.line(Self.left, Self.axisY, Self.width - Self.right, Self.axisY)]
            + scale.ticks.flatMap { value -> [SVGElement] in
                let x = scale.place(of: value)
                return [
                    .line(x, Self.axisY, x, Self.axisY + 5),
                    .label(Figure.text(value), x, Self.axisY + 19, anchor: "middle"),
                ]
            } + [.label(result.metric.unit.symbol, Self.width, Self.axisY + 4, anchor: "end")]
    }

    /// Both distributions at the same scale; values beyond the axis are a number beside it.
    private var shapes: [SVGElement] {
        let parts = ReleaseNumbers.Spread.parts
        let highest = Double((spread.base[1...parts] + spread.candidate[1...parts]).max() ?? 1)
        let drawn = [(spread.candidate, releases.candidate, true), (spread.base, releases.base, false)]
        return drawn.map { shares, side, isFilled in
            shape(Array(shares[1...parts]), highest, name: side.release, isFilled: isFilled)
        } + beyond
    }

    private func shape(_ shares: [Int], _ highest: Double, name: String, isFilled: Bool) -> SVGElement {
        let step = (Self.width - Self.right - Self.left) / Double(shares.count)
        let points = shares.enumerated().map { index, share in
            let y = Self.baseY - Double(share) / max(highest, 1) * (Self.baseY - Self.top)
            return "\(SVGElement.length(Self.left + (Double(index) + 0.5) * step)) \(SVGElement.length(y))"
        }
        let (start, end) = (SVGElement.length(Self.left), SVGElement.length(Self.width - Self.right))
        let floor = SVGElement.length(Self.baseY)
        return SVGElement(
            "path",
            [
                "d": "M\(start) \(floor)L\(points.joined(separator: "L"))L\(end) \(floor)",
                "fill": isFilled ? "currentColor" : "none", "fill-opacity": "0.2", "stroke": "currentColor",
                "stroke-width": isFilled ? "1.5" : "2", "stroke-dasharray": isFilled ? "none" : "5 4",
            ], title: "how the values of \(name) spread")
    }

    /// The shares below the axis, including zeros, if they matter.
    private var beyond: [SVGElement] {
        let shares = [spread.base, spread.candidate].map { Double($0.first ?? 0) / Double(ReleaseNumbers.Spread.whole) }
        guard shares.contains(where: { $0 > 0.01 }) else { return [] }
        let told = shares.map { "\(Figure.text(($0 * 100).rounded())) %" }
        return [
            .label("lower:", 0, Self.baseY - 56), .label("\(names[0]) \(told[0])", 0, Self.baseY - 38),
            .label("\(names[1]) \(told[1])", 0, Self.baseY - 20),
        ]
    }

    /// One row of quantiles per release; the compared quantile is a line through the drawing.
    private var lanes: [SVGElement] {
        let judged = MetricQuantile.parts(of: result.metric.id)?.percent
        let sides = zip(zip([releases.base, releases.candidate], names), Self.laneYs)
        return sides.enumerated().flatMap { index, lane -> [SVGElement] in
            let ((side, name), y) = lane
            let marks = zip(ReleaseNumbers.Side.percentages, side.quantiles).flatMap { percent, value -> [SVGElement] in
                let x = scale.place(of: value)
                let title = "p\(percent) of \(side.release): \(text.number(value))"
                guard percent == judged else { return [.line(x, y - 6, x, y + 4, width: 2, title: title)] }
                return [.line(x, Self.top, x, y + 4, width: 2.5, dashes: index == 0 ? "5 4" : "none", title: title)]
            }
            return [.label(name, 0, y + 4)] + marks
        }
    }

    private var limit: [SVGElement] {
        guard let limit = result.limit else { return [] }
        let name = "limit " + text.limit
        guard (scale.lower...scale.upper).contains(limit.value) else {
            return [.label(name + ", beyond this axis", Self.width, 14, anchor: "end")]
        }
        let x = scale.place(of: limit.value)
        let anchor = x < Self.width / 2 ? "start" : "end"
        return [.line(x, 19, x, Self.axisY, dashes: "2 3", title: name), .label(name, x, 14, anchor: anchor)]
    }
}

/// A logarithmic axis: maps values above 0 to positions, with ticks at 1, 2 and 5 times powers of ten.
struct SVGLogScale: Equatable {
    /// The smallest value shown, above 0.
    let lower: Double
    /// The largest value shown; more than `lower`.
    let upper: Double
    /// The position of `lower`, in the drawing's units.
    let start: Double
    /// The position of `upper`, in the drawing's units.
    let end: Double

    /// The approximate largest number of ticks.
    private static let mostTicks = 9

    /// Makes an axis; `nil` if the values don't form one.
    init?(from lower: Double, to upper: Double, start: Double, end: Double) {
        guard lower > 1e-300, upper > lower, upper < 1e300 else { return nil }
        (self.lower, self.upper, self.start, self.end) = (lower, upper, start, end)
    }

    /// The position of a value; values beyond the axis are at its ends.
    func place(of value: Double) -> Double {
        guard value > lower else { return start }
        guard value < upper else { return end }
        return start + (log(value) - log(lower)) / (log(upper) - log(lower)) * (end - start)
    }

    /// The values at the ticks, ascending: fewer per decade if there are many decades, and the ends if no round value
    /// is between them.
    var ticks: [Double] {
        let decades = Int(log10(lower).rounded(.down))...Int(log10(upper).rounded(.up))
        for factors in [[1, 1.5, 2, 3, 4, 5, 7], [1, 2, 5], [1, 3], [1]] {
            let ticks = decades.flatMap { decade in factors.map { $0 * pow(10, Double(decade)) } }
                .filter { (lower...upper).contains($0) }
            if ticks.count <= Self.mostTicks { return ticks.count > 1 ? ticks : [lower, upper] }
        }
        return [lower, upper]
    }
}
