import PerfgateCompare
import PerfgateModel

/// The frames of an iteration over time: a bar for the longest frame of each time interval, bands for scrolls, a dashed
/// line for the frame budget, and a triangle over every hitch. Horizontal positions are percentages, so the drawing
/// fills the available width. What is stretched with it is in a drawing of its own; texts and triangles keep their
/// size.
struct SVGFrameTimeline {
    private let bands: [SVGFrameBand]
    private let bars: [SVGFrameBand.Bar]
    private let scale: SVGScale

    /// Makes a drawing; `nil` if no frames were recorded.
    init?(_ trace: FrameTrace) {
        let scrolls = trace.scrolls.compactMap { scroll in scroll.timeline.map { ("scroll \(scroll.number)", $0) } }
        let named = scrolls + (trace.screen.map { [("outside", $0)] } ?? [])
        bands = SVGFrameBand.placed(named, from: Self.left, to: 99)
        self.bars = bands.flatMap(\.bars)
        guard !self.bars.isEmpty else { return nil }
        scale = SVGScale(
            showing: [0] + bars.flatMap { [$0.bucket.longestMS, $0.bucket.budgetMS] }, from: Self.axisY, to: Self.top,
            tickCount: 4)
    }

    var markup: Markup {
        let height = Int(Self.height)
        return """
            <svg width="100%" height="\(height)" role="img"><title>\(summary)</title>
            \(scale.grid("ms"))\(bands.map(background))
            <svg width="100%" height="\(height)" viewBox="0 0 100 \(height)" preserveAspectRatio="none" fill="none" \
            stroke="currentColor">\(bands.map(bars))</svg>
            \(bands.flatMap { band in band.bars.filter(\.isHitch).map { hitch($0, band) } })\(labels)</svg>
            """
    }

    var summary: String {
        let hitches = bars.count(where: \.isHitch)
        let worst = bars.map(\.bucket.longestMS).max() ?? 0
        return "Frames over time: the longest took \(Figure.text(worst, "ms")), with a budget of \(budgets), and "
            + (hitches == 1 ? "1 interval has a hitch." : "\(hitches) intervals have hitches.")
    }

    private static let (height, top, axisY) = (176.0, 40.0, 152.0)
    /// The left edge of the bands, in percent of the width.
    private static let left = 7.0
    private static let mostLabels = 5
    /// The width of a text on a phone, in percent.
    private static let text = 15.0

    private var budgets: String {
        let all = bars.map(\.bucket.budgetMS)
        let (least, most) = (all.min() ?? 0, all.max() ?? 0)
        return (least < most ? "\(Figure.text(least)) to " : "") + Figure.text(most, "ms")
    }

    /// The band's area, with its name below if there is room.
    private func background(_ band: SVGFrameBand) -> Markup {
        let width = band.end - band.start
        let name: Markup? = width >= Self.text ? .label(band.name, x: (band.start + band.end) / 2, y: 170) : nil
        return """
            <rect x="\(length: band.start)%" y="\(length: Self.top)" width="\(length: width)%" \
            height="\(length: Self.axisY - Self.top)" fill="currentColor" fill-opacity="0.07"><title>\(band.name)</title>\
            </rect>\(name)
            """
    }

    /// The bars without a hitch, and the line of the budget.
    private func bars(_ band: SVGFrameBand) -> Markup {
        let strokes = band.bars.filter { !$0.isHitch }.map { bar -> Markup in
            "M\(length: bar.x) \(length: Self.axisY)V\(length: scale.place(of: bar.bucket.longestMS))"
        }
        let plain: Markup = "<path d=\"\(strokes)\" stroke-width=\"\(length: band.barWidth)\" stroke-opacity=\"0.6\"/>"
        return """
            \(strokes.isEmpty ? nil : plain)<path d="\(budget(band))" stroke-width="1.5" stroke-dasharray="5 3" \
            vector-effect="non-scaling-stroke"><title>frame budget \(budgets)</title></path>
            """
    }

    /// A bar with a triangle above it, which marks it without colour.
    private func hitch(_ bar: SVGFrameBand.Bar, _ band: SVGFrameBand) -> Markup {
        let dropped = bar.bucket.droppedFrames
        let frames = dropped > 0 ? ", \(Figure.count(dropped, "frame")) dropped" : ""
        let place = "\(band.name), \(Figure.text(bar.offsetMS / 1_000, "s"))"
        let longest = "\(Figure.text(bar.bucket.longestMS, "ms")) of \(Figure.text(bar.bucket.budgetMS, "ms"))"
        let (width, y) = (max(bar.width, SVGFrameBand.leastStep), scale.place(of: bar.bucket.longestMS))
        return """
            <g class="candidate" fill="currentColor"><title>\(place): \(longest)\(frames)</title>\
            <rect x="\(length: bar.center - width / 2)%" y="\(length: y)" width="\(length: width)%" \
            height="\(length: Self.axisY - y)"/><svg x="\(length: bar.center)%" y="\(length: y)" overflow="visible">\
            <polygon points="0,-1.5 -3.5,-8 3.5,-8"/></svg></g>

            """
    }

    private func budget(_ band: SVGFrameBand) -> [Markup] {
        band.bars.chunked(by: \.bucket.budgetMS).map { bars in
            let ends = bars.map { "H\(length: $0.x + band.step / 2)" as Markup }
            let y = scale.place(of: bars[0].bucket.budgetMS)
            return "M\(length: bars[0].x - band.step / 2) \(length: y)\(ends)"
        }
    }

    /// The durations of the worst hitches, as many as fit beside each other on a phone.
    private var labels: [Markup] {
        var taken: [SVGFrameBand.Bar] = []
        let worst = bars.filter(\.isHitch).sorted { ($1.bucket.longestMS, $0.x) < ($0.bucket.longestMS, $1.x) }
        for bar in worst
        where taken.count < Self.mostLabels && taken.allSatisfy({ abs($0.center - bar.center) > Self.text }) {
            taken.append(bar)
        }
        return taken.sorted { $0.center < $1.center }.map { bar in
            let y = max(scale.place(of: bar.bucket.longestMS) - 11, 12)
            return .label(Figure.text(bar.bucket.longestMS.rounded(), "ms"), x: bar.center, y: y)
        }
    }
}

/// One scroll in a drawing of frames: its position and its bars.
struct SVGFrameBand {
    /// The longest frame of a time interval.
    struct Bar {
        /// The middle of the interval, in percent of the drawing's width.
        let x: Double
        /// The start in ms since the start of the scroll.
        let offsetMS: Double
        let bucket: FrameTimeline.Bucket
        /// The middle of its longest frame, if that is a hitch.
        let center: Double
        /// The width of its longest frame, if that is a hitch: its duration, as on a strip of film.
        let width: Double

        var isHitch: Bool { bucket.hitches > 0 || bucket.droppedFrames > 0 }
    }

    let name: String
    /// In percent of the drawing's width.
    let start, end: Double
    /// The width of an interval; above 0.
    let step: Double
    let bars: [Bar]

    var barWidth: Double { min(max(step * 0.8, 0.15), 3) }

    /// The smallest width of an interval; narrower ones are merged, keeping the longest frame.
    static let leastStep = 0.3
    private static let gap = 1.0

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
        (self.name, self.start) = (name, start)
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
