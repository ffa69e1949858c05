import Foundation
import PerfgateModel

/// One scroll in a drawing of frames: where it stands, and its bars.
struct SVGFrameBand {
    /// The longest frame of a stretch of time.
    struct Bar {
        /// The middle of the stretch, in the drawing's units.
        let x: Double
        /// When it begins, in ms from the beginning of the scroll.
        let offsetMS: Double
        /// What happened in it.
        let bucket: FrameTimeline.Bucket

        /// Whether a frame came late in it.
        var isHitch: Bool { bucket.hitches > 0 || bucket.droppedFrames > 0 }
    }

    /// What it is called.
    let name: String
    /// Where it begins, in the drawing's units.
    let start: Double
    /// Where it ends.
    let end: Double
    /// How wide a stretch is; above 0.
    let step: Double
    /// The bars in the order of time.
    let bars: [Bar]

    /// How wide a bar is drawn.
    var barWidth: Double { min(max(step * 0.75, 0.8), 6) }

    /// The least width of a stretch: narrower ones are put together, of which the longest frame stays.
    static let leastStep = 1.5
    private static let gap = 5.0

    /// Puts timelines beside each other, each as wide as it is long.
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
            return Bar(x: min(x, start + width), offsetMS: Double(first) * timeline.bucketMS, bucket: bucket)
        }
    }
}

extension FrameTimeline {
    /// How long all buckets are together, in ms; at least 0, and finite.
    fileprivate var totalMS: Double {
        let total = bucketMS * Double(buckets.count)
        return total.isFinite ? min(total, 1e12) : 0
    }
}

extension FrameTimeline.Bucket {
    /// Puts neighbours together: the longest frame with its budget, all drops and hitches; `nil` of none.
    fileprivate init?(together buckets: [FrameTimeline.Bucket]) {
        guard let longest = buckets.max(by: { $0.longestMS < $1.longestMS }) else { return nil }
        self.init(
            longestMS: longest.longestMS, budgetMS: longest.budgetMS,
            droppedFrames: buckets.reduce(0) { $0 + $1.droppedFrames }, hitches: buckets.reduce(0) { $0 + $1.hitches })
    }
}
