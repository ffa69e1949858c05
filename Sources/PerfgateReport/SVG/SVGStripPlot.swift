import PerfgateCompare
import PerfgateModel

/// Every sample of a comparison as a mark, the baseline above the candidate, with centres, interval and limit.
struct SVGStripPlot {
    private let result: CellResult
    private let text: ComparisonText
    private let scale: SVGScale
    private let isLimitShown: Bool

    /// Makes a plot; `nil` where there is nothing to show.
    init?(_ result: CellResult) {
        let values = Self.values(of: result.baseline) + Self.values(of: result.candidate) + Self.interval(of: result)
        guard !values.isEmpty else { return nil }
        self.result = result
        text = ComparisonText(result)
        isLimitShown = result.limit.map { Self.isNear($0.value, values) } ?? false
        let limit = isLimitShown ? [result.limit?.value].compactMap(\.self) : []
        scale = SVGScale(showing: values + limit, from: Self.left, to: Self.width - Self.right)
    }

    /// The drawing, to stand within HTML.
    var markup: String {
        SVGElement.drawing(
            width: Self.width, height: Self.height, title: summary, axis + baseline + candidate + interval + limit
        ).markup
    }

    private static let width = 480.0
    private static let height = 176.0
    private static let left = 84.0
    private static let right = 24.0
    private static let axisY = 140.0
    private static let baselineY = 44.0
    private static let candidateY = 88.0
    private static let intervalY = 122.0

    private var summary: String {
        "\(text.result.metric.id): baseline \(text.baseline), candidate \(text.candidate), limit \(text.limit)"
    }

    private static func values(of side: CellResult.Side?) -> [Double] {
        guard let side else { return [] }
        return (side.samples ?? []) + (side.quantiles ?? []) + [side.center].compactMap(\.self)
    }

    /// The baseline's centre moved by the ends of the shift's interval.
    private static func interval(of result: CellResult) -> [Double] {
        guard let center = result.baseline?.center, let bounds = result.numbers?.interval else { return [] }
        return bounds.map { center + $0 }
    }

    /// Whether a limit is close enough to be drawn without pressing the samples together.
    private static func isNear(_ limit: Double, _ values: [Double]) -> Bool {
        guard let least = values.min(), let greatest = values.max() else { return true }
        let span = max(greatest / 2 - least / 2, abs(greatest) * 0.05, 0.5)
        return limit / 2 <= greatest / 2 + 3 * span && limit / 2 >= least / 2 - 3 * span
    }

    private var axis: [SVGElement] {
        [.line(Self.left, Self.axisY, Self.width - Self.right, Self.axisY)] + scale.horizontalTicks(y: Self.axisY)
            + [.label(result.metric.unit.symbol, 0, Self.axisY + 19)]
    }

    private var baseline: [SVGElement] {
        lane(result.baseline, y: Self.baselineY, name: "baseline", isFilled: false)
    }

    private var candidate: [SVGElement] {
        lane(result.candidate, y: Self.candidateY, name: "candidate", isFilled: true)
    }

    private func lane(_ side: CellResult.Side?, y: Double, name: String, isFilled: Bool) -> [SVGElement] {
        guard let side, let center = side.center else { return [] }
        let marks = side.samples.map { samples($0, y: y, name: name, isFilled: isFilled) }
        let x = scale.place(of: center)
        let middle = SVGElement.line(x, y - 19, x, y + 19, width: 2.5, title: "\(name): centre \(text.number(center))")
        return [.label(name, 0, y + 4)] + (marks ?? quantiles(side.quantiles ?? [], y: y, name: name)) + [middle]
    }

    /// Marks that would cover each other are put above and below in turn, as far as the lane reaches.
    private func samples(_ samples: [Double], y: Double, name: String, isFilled: Bool) -> [SVGElement] {
        var taken: [Int: Int] = [:]
        let marks = samples.map { value in
            let x = scale.place(of: value)
            let rank = taken[Int(x / 6), default: 0]
            taken[Int(x / 6), default: 0] += 1
            let offset = Double((rank + 1) / 2 % 4) * (rank.isMultiple(of: 2) ? 5 : -5)
            return mark(x, y + offset, isOneOfMany: samples.count > 100, title: text.number(value))
        }
        return [group(marks, name: name, isFilled: isFilled, opacity: samples.count > 100 ? "0.5" : "1")]
    }

    private func group(_ marks: [SVGElement], name: String, isFilled: Bool, opacity: String = "1") -> SVGElement {
        let fill = isFilled ? "currentColor" : "none"
        return SVGElement(
            "g", ["stroke": "currentColor", "stroke-opacity": opacity, "fill": fill, "fill-opacity": "0.6"],
            title: name, marks)
    }

    private func mark(_ x: Double, _ y: Double, isOneOfMany: Bool = false, title: String) -> SVGElement {
        let radius = isOneOfMany ? "1.6" : "3.2"
        return SVGElement(
            "circle", ["cx": SVGElement.length(x), "cy": SVGElement.length(y), "r": radius], title: title)
    }

    /// A box from the first to the third quartile and whiskers from 5 to 95 %, with marks at both ends.
    private func quantiles(_ values: [Double], y: Double, name: String) -> [SVGElement] {
        guard values.count == CellResult.Side.quantileProbabilities.count else { return [] }
        let title = zip(["least", "5 %", "25 %", "50 %", "75 %", "95 %", "greatest"], values)
            .map { "\($0) \(text.number($1))" }.joined(separator: ", ")
        let x = values.map(scale.place)
        let box = SVGElement(
            "rect",
            [
                "x": SVGElement.length(x[2]), "y": SVGElement.length(y - 9), "height": "18",
                "width": SVGElement.length(x[4] - x[2]), "stroke": "currentColor", "fill": "none",
            ], title: "\(name): \(title)")
        let whiskers = [SVGElement.line(x[1], y, x[2], y), .line(x[4], y, x[5], y)]
        let ends = [x[0], x[6]].map { mark($0, y, title: title) }
        return [box] + whiskers + [group(ends, name: name, isFilled: false)]
    }

    private var interval: [SVGElement] {
        let ends = Self.interval(of: result).map(scale.place)
        guard ends.count == 2, let shift = text.shift else { return [] }
        let title = "shift of the candidate \(shift), from the baseline's centre"
        let y = Self.intervalY
        return [
            .label("interval", 0, y + 4), .line(ends[0], y, ends[1], y, width: 2.5, title: title),
            .line(ends[0], y - 5, ends[0], y + 5), .line(ends[1], y - 5, ends[1], y + 5),
        ]
    }

    private var limit: [SVGElement] {
        guard let limit = result.limit else { return [] }
        let name = "limit " + text.limit
        guard isLimitShown else { return [.label(name + ", beyond this axis", Self.width, 14, anchor: "end")] }
        let x = scale.place(of: limit.value)
        let anchor = x < Self.width / 2 ? "start" : "end"
        return [.line(x, 19, x, Self.axisY, dashes: "6 3", title: name), .label(name, x, 14, anchor: anchor)]
    }
}
