import PerfgateCompare
import PerfgateModel

/// A graph of a trend as a small drawing: a line through the centres, a dashed line through the p90s, and marks at
/// changes of level. The common parts of a group's graphs are drawn once and referenced.
///
/// A page contains thousands of them, so coordinates are whole numbers relative to the previous one.
struct SVGTrend {
    private let graph: TrendGraph
    private let frame: SVGTrendFrame
    private let title: String
    /// The smallest and the largest value, and the overflow beyond each.
    private let least: Double
    private let greatest: Double
    private let margin: Double

    /// Makes a drawing.
    init(_ graph: TrendGraph, in frame: SVGTrendFrame, title: String) {
        (self.graph, self.frame, self.title) = (graph, frame, title)
        let shown = graph.lines.isEmpty ? [graph.values] : graph.lines.map(\.values)
        let values = shown.flatMap { values in values.flatMap { [$0.center] + (graph.lines.isEmpty ? $0.highs : []) } }
        let (least, greatest) = (values.min() ?? 0, values.max() ?? 0)
        (self.least, self.greatest) = (least, greatest)
        // The range is at least a fifth of the level, so small variations look flat.
        let missing = (abs(greatest) / 2 + abs(least) / 2) / 5 - (greatest - least)
        margin = greatest == 0 && least == 0 ? 1 : max(0, missing / 2)
    }

    /// The drawing for HTML.
    var markup: String {
        let isFlat = height(of: least) - height(of: greatest) < SVGTrendFrame.fontSize
        let labels = (isFlat ? [greatest] : [greatest, least]).map { value in
            SVGElement(
                "text", ["x": "\(SVGTrendFrame.left - 10)", "y": "\(height(of: value) + 8)"], text: Figure.text(value))
        }
        let texts = SVGElement(
            "g", ["text-anchor": "end", "fill": "currentColor", "font-size": "\(SVGTrendFrame.fontSize)"], labels)
        let drawn = SVGElement("g", ["fill": "none", "stroke": "currentColor", "stroke-width": "3"], lines)
        return SVGElement(
            "svg",
            [
                "viewBox": "0 0 \(SVGTrendFrame.width) \(SVGTrendFrame.height)", "width": "\(SVGTrendFrame.width / 2)",
                "height": "\(SVGTrendFrame.height / 2)", "role": "img",
            ], title: title, [SVGElement("use", ["href": "#\(frame.id)"]), texts, drawn] + marks
        ).markup
    }

    /// The position of a value; halves, because the difference of two large values may overflow.
    private func height(of value: Double) -> Int {
        let lower = least >= 0 ? max(0, least / 2 - margin / 2) : least / 2 - margin / 2
        let upper = greatest / 2 + margin / 2
        let share = (value / 2 - lower) / (upper - lower)
        let height = SVGTrendFrame.bottom - share * (SVGTrendFrame.bottom - SVGTrendFrame.top)
        return height.isFinite ? Int(height.rounded()) : Int(SVGTrendFrame.bottom)
    }

    private var lines: [SVGElement] {
        guard !graph.lines.isEmpty else {
            return [
                path(graph.values.map { ($0.place, $0.center) }).map { SVGElement("path", ["d": $0]) },
                path(graph.values.compactMap { value in value.high.map { (value.place, $0) } }).map {
                    SVGElement("path", ["d": $0, "stroke-dasharray": "8 6"])
                },
            ].compactMap(\.self)
        }
        return graph.lines.enumerated().compactMap { index, part in
            path(part.values.map { ($0.place, $0.center) }).map {
                SVGElement(
                    "path",
                    ["class": "line\(index)", "d": $0, "stroke-dasharray": Self.dashes[index % Self.dashes.count]])
            }
        }
    }

    /// The dash patterns of the groups' lines, which distinguish them without colours.
    static let dashes = ["none", "12 6", "3 6", "12 6 3 6", "24 6", "6 12"]

    /// A line through values; `nil` without values.
    private func path(_ values: [(place: Int, value: Double)]) -> String? {
        guard !values.isEmpty else { return nil }
        var path = ""
        var (x, y, last, length) = (0, 0, Int.min, 0)
        for point in frame.thinned(values) {
            let (nextX, nextY) = (frame.x(of: point.place), height(of: point.value))
            if last != .min, point.place - last <= frame.step {
                path += "\(length == 1 ? "l" : nextX - x < 0 ? "" : " ")\(nextX - x)\(nextY < y ? "" : " ")\(nextY - y)"
                length += 1
            } else {
                // A single point is a line without length, with visible round ends.
                path += "\(length == 1 ? "h0" : "")M\(nextX) \(nextY)"
                length = 1
            }
            (x, y, last) = (nextX, nextY, point.place)
        }
        return path + (length == 1 ? "h0" : "")
    }

    /// A line with a triangle in the direction of each lasting change, and a bar over temporary ones.
    private var marks: [SVGElement] {
        graph.series.changes.map { change in
            let x = frame.x(of: change.first)
            let isUp = change.logarithm > 0
            let head = isUp ? "M\(x - 11) 22h22l-11-18z" : "M\(x - 11) 4h22l-11 18z"
            return mark(change, "\(head)M\(x - 1) 26v\(Int(SVGTrendFrame.bottom) - 26)h2V26z")
        }
            + graph.series.passing.map { passed in
                let (start, end) = (frame.x(of: passed.first) - 5, frame.x(of: passed.last) + 5)
                return mark(passed, "M\(start) 4H\(end)v6H\(start)z")
            }
    }

    private func mark(_ change: DriftFinding.Change, _ path: String) -> SVGElement {
        SVGElement("path", ["class": change.isWorse ? "worse" : "good", "d": path, "fill": "currentColor"])
    }
}

extension TrendGraph.Value {
    fileprivate var highs: [Double] { high.map { [$0] } ?? [] }
}

/// The common parts of a group's graphs: the axis, its dates, and the shares of the releases.
struct SVGTrendFrame {
    /// The identifier that graphs reference.
    let id: String
    /// The number of places drawn as one.
    let step: Int
    private let group: TrendGroup

    /// The drawing's size and the graph's position in it, at twice the visible size.
    static let width = 640
    static let height = 250
    static let left = 96
    static let right = 628
    static let top = 14.0
    static let bottom = 176.0
    static let fontSize = 24
    private static let strip = 186...210

    /// Makes a frame; `step` places are drawn as one.
    init(_ group: TrendGroup, id: String, step: Int) {
        (self.group, self.id, self.step) = (group, id, step)
    }

    func x(of place: Int) -> Int {
        let places = group.axis.places
        let share = Double(place - places.lowerBound) / Double(max(1, places.count - 1))
        return Self.left + Int((share * Double(Self.right - Self.left)).rounded())
    }

    /// The values, or the median of each group if several places are drawn as one.
    func thinned(_ values: [(place: Int, value: Double)]) -> [(place: Int, value: Double)] {
        guard step > 1 else { return values }
        let first = group.axis.places.lowerBound
        return values.chunked { ($0.place - first) / step }.map { chunk in
            (first + (chunk[0].place - first) / step * step, chunk.map(\.value).middle)
        }
    }

    /// The referenced parts, in an invisible drawing.
    var definition: String {
        let first = label(group.axis.places.lowerBound)
        let last = label(group.axis.places.upperBound)
        let axis = SVGElement(
            "path",
            [
                "d": "M\(Self.left) \(Int(Self.bottom) + 4)H\(Self.right)", "fill": "none", "stroke": "currentColor",
                "stroke-opacity": ".4",
            ])
        let texts = [text(first, x: Self.left, "start"), text(last, x: Self.right, "end")]
        let bands = bands(from: Self.strip.upperBound, height: Self.strip.count - 1)
        let parts = ([axis] + texts + bands).map(\.markup).joined()
        return
            "<svg class=\"frame\" width=\"0\" height=\"0\" aria-hidden=\"true\"><defs><g id=\"\(id)\">\(parts)</g></defs></svg>"
    }

    /// The shares of the releases as a separate drawing with their names; `nil` without releases.
    var adoption: String? {
        let releases = group.adoption.releases
        guard !releases.isEmpty else { return nil }
        let names = releases.enumerated().compactMap { index, release -> SVGElement? in
            let share = release.shares[release.peak] ?? 0
            guard share > 0.3 else { return nil }
            let below = releases[..<index].reduce(0) { $0 + ($1.shares[release.peak] ?? 0) }
            let x = min(max(x(of: release.peak), Self.left + 60), Self.right - 60)
            return text(
                CleanText.line(release.name, most: 12), x: x, y: 168 - Int((below + share / 2) * 150) + 5, "middle",
                size: 14)
        }
        let dates = [
            text(label(group.axis.places.lowerBound), x: Self.left, y: 190, "start", size: 14),
            text(label(group.axis.places.upperBound), x: Self.right, y: 190, "end", size: 14),
        ]
        let percents = [
            text("100 %", x: Self.left - 10, y: 28, "end", size: 14),
            text("0", x: Self.left - 10, y: 170, "end", size: 14),
        ]
        return SVGElement(
            "svg",
            ["viewBox": "0 0 \(Self.width) 200", "width": "\(Self.width)", "height": "200", "role": "img"],
            title: "Each release's share of events by day",
            bands(from: 168, height: 150) + names + dates
                + percents
        ).markup
    }

    /// An area per release, stacked, the oldest at the bottom.
    private func bands(from bottom: Int, height: Int) -> [SVGElement] {
        let days = group.axis.places
        var sums = Array(repeating: 0.0, count: days.count)
        return group.adoption.releases.enumerated().map { index, release in
            let lower = sums
            for (day, share) in release.shares where days.contains(day) { sums[day - days.lowerBound] += share }
            let places = days.filter { day in
                [day - 1, day, day + 1].contains { release.shares[$0] != nil }
            }
            func points(_ heights: [Double], _ places: [Int]) -> String {
                places.map {
                    "\(x(of: $0)) \(bottom - Int((heights[$0 - days.lowerBound] * Double(height)).rounded()))"
                }
                .joined(separator: " ")
            }
            return SVGElement(
                "path",
                [
                    "d": "M\(points(lower, places)) \(points(sums, places.reversed()))z", "fill": "currentColor",
                    "fill-opacity": Self.shades[index % Self.shades.count],
                ])
        }
    }

    private static let shades = [".12", ".3", ".2", ".42"]

    private func label(_ place: Int) -> String {
        guard case .runs(let runs) = group.axis else { return CalendarDay(number: place).text }
        guard runs.indices.contains(place - 1) else { return "" }
        return runs[place - 1].start.map { CalendarDay(number: $0.day).text } ?? runs[place - 1].version ?? ""
    }

    private func text(
        _ text: String, x: Int, y: Int = 240, _ anchor: String, size: Int = fontSize
    ) -> SVGElement {
        SVGElement(
            "text",
            [
                "x": "\(x)", "y": "\(y)", "text-anchor": anchor, "fill": "currentColor",
                "font-size": "\(size)",
            ], text: text)
    }
}

extension Array {
    /// The elements in runs of neighbours with the same key.
    func chunked<Key: Equatable>(by key: (Element) -> Key) -> [[Element]] {
        var chunks: [[Element]] = []
        var last: Key?
        for element in self {
            let own = key(element)
            if own == last { chunks[chunks.count - 1].append(element) } else { chunks.append([element]) }
            last = own
        }
        return chunks
    }
}
