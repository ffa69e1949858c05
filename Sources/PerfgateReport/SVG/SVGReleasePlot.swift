import Foundation
import PerfgateCompare
import PerfgateModel

/// The distributions of two releases on a logarithmic axis: the older one as a dashed outline, the newer one filled,
/// both with their quantiles below, and the limit. Horizontal positions are percentages, so the drawing fills the
/// available width and its text keeps its size.
struct SVGReleasePlot {
    private let result: CellResult
    private let releases: ReleaseNumbers
    private let spread: ReleaseNumbers.Spread
    private let text: ComparisonText
    private let scale: SVGLogScale

    init?(_ result: CellResult) {
        let count = ReleaseNumbers.Spread.parts + 2
        guard let releases = result.releases, let spread = releases.spread, spread.base.count == count,
            spread.candidate.count == count,
            let scale = SVGLogScale(from: spread.lower, to: spread.upper, start: Self.left, end: Self.right)
        else { return nil }
        (self.result, self.releases, self.spread, self.scale) = (result, releases, spread, scale)
        text = ComparisonText(result)
    }

    var markup: Markup {
        let height = Int(Self.height)
        return """
            <svg width="100%" height="\(height)" role="img"><title>\(summary)</title>
            <svg width="100%" height="\(height)" viewBox="0 0 100 \(height)" preserveAspectRatio="none" \
            stroke="currentColor">\(shapes)</svg>
            \(axis)\(lanes)\(limit)</svg>
            """
    }

    var legend: Markup {
        let limit: Markup? = result.limit.map { limit in
            "<span>dotted: limit \(text.limit)\(isShown(limit) ? "" : ", beyond this axis")</span> "
        }
        let unit = result.metric.unit.symbol
        return """
            <span class="baseline">\(name(releases.base)): dashed, upper marks\(below(spread.base))</span> \
            <span class="candidate">\(name(releases.candidate)): filled, lower marks\(below(spread.candidate))</span> \
            \(limit)<span>\(Self.marks)</span> <span>logarithmic axis\(unit.isEmpty ? "" : " in \(unit)")</span>
            """
    }

    private static let marks =
        "marks: \(ReleaseNumbers.Side.percentages.map { "p\($0)" }.joined(separator: ", ")); the compared one is long"
    private static let (height, top, baseY, laneYs, axisY) = (192.0, 8.0, 120.0, [136.0, 154], 166.0)
    /// The ends of the axis, in percent of the width.
    private static let (left, right) = (1.0, 99.0)

    private func name(_ side: ReleaseNumbers.Side) -> String { CleanText.line(side.release, most: 40) }

    /// The share below the axis, including zeros, if one of both shares matters.
    private func below(_ shares: [Int]) -> String {
        func share(_ shares: [Int]) -> Double { Double(shares.first ?? 0) / Double(ReleaseNumbers.Spread.whole) }
        guard max(share(spread.base), share(spread.candidate)) > 0.01 else { return "" }
        return ", \(Figure.text((share(shares) * 100).rounded())) % below this axis"
    }

    private var summary: String {
        let sides = [releases.base, releases.candidate].map { side in
            let quantiles = zip(ReleaseNumbers.Side.percentages, side.quantiles).map { "p\($0) \(text.number($1))" }
            return "\(side.release) \(quantiles.joined(separator: ", "))"
        }
        return "\(result.metric.id): \(sides.joined(separator: "; ")); limit \(text.limit)"
    }

    private var axis: Markup {
        let ticks = scale.ticks.map { value -> Markup in
            let x = scale.place(of: value)
            let tick = Markup.line(x: (x, x), y: (Self.axisY, Self.axisY + 5), "stroke=\"currentColor\"")
            return "\(tick)\(.label(Figure.text(value), x: x, y: Self.axisY + 19))"
        }
        let y: Markup = "\(length: Self.axisY)"
        return "<line x1=\"0\" x2=\"100%\" y1=\"\(y)\" y2=\"\(y)\" stroke=\"currentColor\"/>\(ticks)"
    }

    private var shapes: Markup {
        let parts = ReleaseNumbers.Spread.parts
        let highest = Double((spread.base[1...parts] + spread.candidate[1...parts]).max() ?? 1)
        func shape(_ side: Markup, _ shares: [Int], _ release: ReleaseNumbers.Side, _ style: Markup) -> Markup {
            """
            <path class="\(side)" d="\(outline(shares[1...parts], highest))" \(style) fill-opacity="0.2" \
            vector-effect="non-scaling-stroke"><title>distribution of \(release.release)</title></path>
            """
        }
        let (filled, dashed): (Markup, Markup) = (
            "fill=\"currentColor\" stroke-width=\"1.5\"", "fill=\"none\" stroke-width=\"2\" stroke-dasharray=\"5 4\""
        )
        return """
            \(shape("candidate", spread.candidate, releases.candidate, filled))\
            \(shape("baseline", spread.base, releases.base, dashed))
            """
    }

    private func outline(_ shares: ArraySlice<Int>, _ highest: Double) -> Markup {
        let step = (Self.right - Self.left) / Double(shares.count)
        let points = shares.enumerated().map { index, share -> Markup in
            let y = Self.baseY - Double(share) / max(highest, 1) * (Self.baseY - Self.top)
            return "L\(length: Self.left + (Double(index) + 0.5) * step) \(length: y)"
        }
        let base: Markup = "\(length: Self.baseY)"
        return "M\(length: Self.left) \(base)\(points)L\(length: Self.right) \(base)"
    }

    /// One row of quantiles per release; the compared quantile is a line through the drawing.
    private var lanes: Markup {
        let judged = MetricQuantile.parts(of: result.metric.id)?.name
        func lane(_ side: ReleaseNumbers.Side, _ style: Markup, y: Double, dashes: Markup) -> Markup {
            let marks = zip(ReleaseNumbers.Side.percentages, side.quantiles).map { percent, value -> Markup in
                let (x, isJudged) = (scale.place(of: value), "p\(percent)" == judged)
                return .line(
                    x: (x, x), y: (isJudged ? Self.top : y - 6, y + 4),
                    "stroke-width=\"\(isJudged ? "2.5" : "2")\"\(isJudged ? dashes : Markup())",
                    title: "p\(percent) of \(side.release): \(text.number(value))")
            }
            return "<g class=\"\(style)\" stroke=\"currentColor\">\(marks)</g>"
        }
        return """
            \(lane(releases.base, "baseline", y: Self.laneYs[0], dashes: " stroke-dasharray=\"5 4\""))\
            \(lane(releases.candidate, "candidate", y: Self.laneYs[1], dashes: Markup()))
            """
    }

    private func isShown(_ limit: Limit) -> Bool { (scale.lower...scale.upper).contains(limit.value) }

    private var limit: Markup {
        guard let limit = result.limit, isShown(limit) else { return Markup() }
        let x = scale.place(of: limit.value)
        let style: Markup = "stroke=\"currentColor\" stroke-width=\"1.5\" stroke-dasharray=\"2 3\""
        return .line(x: (x, x), y: (0, Self.axisY), style, title: "limit \(text.limit)")
    }
}

/// A logarithmic axis: maps values above 0 to positions, with ticks at 1, 2 and 5 times powers of ten.
struct SVGLogScale: Equatable {
    /// The smallest and the largest value shown; `lower` is above 0, and `upper` is more.
    let lower, upper: Double
    /// Their positions, in the drawing's units.
    let start, end: Double

    /// The width of a digit and of the space between labels on a phone, if positions are percentages.
    private static let (digit, space) = (2.2, 1.5)

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

    /// The values at the ticks, ascending: as many round ones as have room for their labels on a phone, else the ends.
    var ticks: [Double] {
        let decades = (first: Int(log10(lower).rounded(.down)), last: Int(log10(upper).rounded(.up)))
        let choices: [(step: Int, factors: [Double])] = [
            (1, [1, 1.5, 2, 3, 4, 5, 7]), (1, [1, 2, 5]), (1, [1, 3]), (1, [1]), (2, [1]), (3, [1]),
        ]
        for (step, factors) in choices {
            let ticks = stride(from: decades.first, through: decades.last, by: step)
                .flatMap { decade in factors.map { $0 * pow(10, Double(decade)) } }
                .filter { (lower...upper).contains($0) }
            let labels = ticks.map { value in
                Markup.labelSpan(width: Double(Figure.text(value).count) * Self.digit, x: place(of: value))
            }
            let haveRoom = zip(labels, labels.dropFirst()).allSatisfy { $0.upperBound + Self.space <= $1.lowerBound }
            if ticks.count > 1, haveRoom { return ticks }
        }
        return [lower, upper]
    }
}
