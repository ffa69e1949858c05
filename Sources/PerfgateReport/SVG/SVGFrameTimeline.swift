import Foundation
import PerfgateCompare
import PerfgateModel

/// The frames of an iteration over time: a bar for the longest frame of each time interval, bands for scrolls, a
/// dashed line for the frame budget, and a triangle over every hitch.
struct SVGFrameTimeline {
    private let bands: [SVGFrameBand]
    private let scale: SVGScale

    /// Makes a drawing; `nil` if no frames were recorded.
    init?(_ trace: FrameTrace) {
        let scrolls = trace.scrolls.compactMap { scroll in scroll.timeline.map { ("scroll \(scroll.number)", $0) } }
        let named = scrolls + (trace.screen.map { [("outside", $0)] } ?? [])
        let bands = SVGFrameBand.placed(named, from: Self.left, to: Self.width - Self.right)
        let bars = bands.flatMap(\.bars)
        guard !bars.isEmpty else { return nil }
        self.bands = bands
        scale = SVGScale(
            showing: [0] + bars.flatMap { [$0.bucket.longestMS, $0.bucket.budgetMS] }, from: Self.axisY, to: Self.top,
            tickCount: 4)
    }

    /// The drawing for HTML.
    var markup: String {
        SVGElement.drawing(
            width: Self.width, height: Self.height, title: summary, axis + bands.flatMap(band) + labels
        ).markup
    }

    /// The description for people who don't see the drawing.
    var summary: String {
        let hitches = bars.count(where: \.isHitch)
        let worst = bars.map(\.bucket.longestMS).max() ?? 0
        return "Frames over time: the longest took \(Figure.text(worst, "ms")), with a budget of "
            + "\(budgets), and \(hitches == 1 ? "1 interval has a hitch" : "\(hitches) intervals have hitches")."
    }

    private static let width = 480.0
    private static let height = 176.0
    private static let left = 44.0
    private static let right = 8.0
    private static let top = 40.0
    private static let axisY = 152.0
    private static let mostLabels = 5

    private var bars: [SVGFrameBand.Bar] { bands.flatMap(\.bars) }

    private var budgets: String {
        let all = Set(bars.map(\.bucket.budgetMS)).sorted()
        guard let first = all.first, let last = all.last, first < last else {
            return Figure.text(all.first ?? 0, "ms")
        }
        return "\(Figure.text(first)) to \(Figure.text(last, "ms"))"
    }

    private var axis: [SVGElement] {
        let ticks = scale.ticks.flatMap { value in
            let y = scale.place(of: value)
            return [
                SVGElement.line(Self.left - 4, y, Self.left, y),
                SVGElement.label(Figure.text(value, step: scale.step), Self.left - 7, y + 4, anchor: "end"),
            ]
        }
        return [.line(Self.left, Self.top, Self.left, Self.axisY)] + ticks
            + [.label("ms", 0, 12), .line(Self.left, Self.axisY, Self.width - Self.right, Self.axisY)]
    }

    private func band(_ band: SVGFrameBand) -> [SVGElement] {
        let background = SVGElement(
            "rect",
            [
                "x": SVGElement.length(band.start), "y": SVGElement.length(Self.top),
                "width": SVGElement.length(band.end - band.start), "height": SVGElement.length(Self.axisY - Self.top),
                "fill": "currentColor", "fill-opacity": "0.07",
            ], title: band.name)
        let middle = (band.start + band.end) / 2
        let name = band.end - band.start >= 52 ? [SVGElement.label(band.name, middle, 170, anchor: "middle")] : []
        let plain = path(
            band.bars.filter { !$0.isHitch }.map { stroke($0, at: $0.x) }.joined(), width: band.barWidth, opacity: "0.6"
        )
        return [background] + name + plain + band.bars.filter(\.isHitch).map { hitch($0, band) } + [budget(band)]
    }

    private func stroke(_ bar: SVGFrameBand.Bar, at x: Double) -> String {
        "M\(SVGElement.length(x)) \(SVGElement.length(Self.axisY))V"
            + SVGElement.length(scale.place(of: bar.bucket.longestMS))
    }

    private func path(_ data: String, width: Double, opacity: String) -> [SVGElement] {
        guard !data.isEmpty else { return [] }
        return [
            SVGElement(
                "path",
                [
                    "d": data, "stroke": "currentColor", "stroke-width": SVGElement.length(width),
                    "stroke-opacity": opacity, "fill": "none",
                ])
        ]
    }

    /// A bar with a triangle above it, which marks it without colour.
    private func hitch(_ bar: SVGFrameBand.Bar, _ band: SVGFrameBand) -> SVGElement {
        let (x, y) = (bar.center, scale.place(of: bar.bucket.longestMS))
        let triangle = [(x, y - 1.5), (x - 3.5, y - 8), (x + 3.5, y - 8)]
            .map { "\(SVGElement.length($0)),\(SVGElement.length($1))" }.joined(separator: " ")
        let dropped = bar.bucket.droppedFrames
        let frames = dropped > 0 ? ", \(Figure.count(dropped, "frame")) dropped" : ""
        let place = "\(band.name), \(Figure.text(bar.offsetMS / 1_000, "s"))"
        let title =
            "\(place): \(Figure.text(bar.bucket.longestMS, "ms")) of "
            + "\(Figure.text(bar.bucket.budgetMS, "ms"))\(frames)"
        return SVGElement(
            "g", ["class": "candidate", "fill": "currentColor"], title: title,
            path(stroke(bar, at: x), width: max(bar.width, 1.6), opacity: "1")
                + [SVGElement("polygon", ["points": triangle])])
    }

    private func budget(_ band: SVGFrameBand) -> SVGElement {
        var data = ""
        var last: Double?
        for bar in band.bars {
            let y = SVGElement.length(scale.place(of: bar.bucket.budgetMS))
            let start = SVGElement.length(bar.x - band.step / 2)
            data += bar.bucket.budgetMS == last ? "" : "M\(start) \(y)"
            data += "H\(SVGElement.length(bar.x + band.step / 2))"
            last = bar.bucket.budgetMS
        }
        return SVGElement(
            "path",
            ["d": data, "stroke": "currentColor", "stroke-width": "1.5", "stroke-dasharray": "5 3", "fill": "none"],
            title: "frame budget \(budgets)")
    }

    /// The durations of the worst hitches, as many as fit beside each other.
    private var labels: [SVGElement] {
        var taken: [Double] = []
        let worst = bars.filter(\.isHitch).sorted { ($1.bucket.longestMS, $0.x) < ($0.bucket.longestMS, $1.x) }
        for bar in worst where taken.count < Self.mostLabels && taken.allSatisfy({ abs($0 - bar.center) > 54 }) {
            taken.append(bar.center)
        }
        return taken.sorted().compactMap { x in
            guard let bar = worst.first(where: { $0.center == x }) else { return nil }
            let place = min(max(x, Self.left + 24), Self.width - 24)
            let y = max(scale.place(of: bar.bucket.longestMS) - 11, 12)
            return .label(Figure.text(bar.bucket.longestMS.rounded(), "ms"), place, y, anchor: "middle")
        }
    }
}

/// One scroll in a drawing of frames: its position and its bars.
struct SVGFrameBand {
    /// The longest frame of a time interval.
    struct Bar {
        /// The middle of the interval, in the drawing's units.
        let x: Double
        /// The start in ms since the start of the scroll.
        let offsetMS: Double
        /// The frames in it.
        let bucket: FrameTimeline.Bucket
        /// The middle of its longest frame, if that is a hitch.
        let center: Double
        /// The width of its longest frame, which is its duration, if that is a hitch: as on a strip of film, a
        /// following interval without a frame is its time.
        let width: Double

        /// Whether it has a late frame.
        var isHitch: Bool { bucket.hitches > 0 || bucket.droppedFrames > 0 }
    }

    /// The name.
    let name: String
    /// The start, in the drawing's units.
    let start: Double
    /// The end.
    let end: Double
    /// The width of an interval; above 0.
    let step: Double
    /// The bars ordered by time.
    let bars: [Bar]

    /// The drawn width of a bar.
    var barWidth: Double { min(max(step * 0.8, 0.8), 16) }

    /// The smallest width of an interval; narrower ones are merged, keeping the longest frame.
    static let leastStep = 1.5
    private static let gap = 5.0

    /// Places timelines side by side, with widths proportional to their durations.
    static func placed(
        _ timelines: [(name: String, timeline: FrameTimeline)], from left: Double, to right: Double
    ) -> [SVGFrameBand] {
        let shown = timelines.filter { $0.timeline.totalMS > 0 }
        let room = right - left - gap * Double(shown.count)
        let total = shown.reduce(0) { $0 + $1.timeline.totalMS }
        var start = left + gap
        return shown.map { name, timeline in
            let width = room * (timeline.totalMS / total)
            defer { start += width + gap }
            return SVGFrameBand(name, timeline, start: start, width: width)
        }
    }

    private init(_ name: String, _ timeline: FrameTimeline, start: Double, width: Double) {
        self.name = name
        self.start = start
        end = start + width
        let step = width / Double(timeline.buckets.count)
        let together = max(1, Int((Self.leastStep / max(step, 1e-3)).rounded(.up)))
        self.step = step * Double(together)
        bars = stride(from: 0, to: timeline.buckets.count, by: together).compactMap { first in
            let buckets = timeline.buckets[first..<min(first + together, timeline.buckets.count)].compactMap(\.self)
            guard let bucket = FrameTimeline.Bucket(together: buckets) else { return nil }
            let x = start + (Double(first) + Double(together) / 2) * step
            let begin = min(start + Double(first) * step, start + width)
            let length = min(bucket.longestMS * width / timeline.totalMS, start + width - begin)
            return Bar(
                x: min(x, start + width), offsetMS: Double(first) * timeline.bucketMS, bucket: bucket,
                center: begin + length / 2, width: length)
        }
    }
}

extension FrameTimeline {
    /// The total duration of all buckets in ms; at least 0 and finite.
    fileprivate var totalMS: Double {
        let total = bucketMS * Double(buckets.count)
        return total.isFinite ? min(total, 1e12) : 0
    }
}

extension FrameTimeline.Bucket {
    /// Merges adjacent buckets: the longest frame with its budget, all drops and hitches; `nil` without buckets.
    fileprivate init?(together buckets: [FrameTimeline.Bucket]) {
        guard let longest = buckets.max(by: { $0.longestMS < $1.longestMS }) else { return nil }
        self.init(
            longestMS: longest.longestMS, budgetMS: longest.budgetMS,
            droppedFrames: buckets.reduce(0) { $0 + $1.droppedFrames }, hitches: buckets.reduce(0) { $0 + $1.hitches })
    }
}
