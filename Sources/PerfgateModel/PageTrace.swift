/// Traces of a page for plots: the worst iteration and the slowest visit.
package struct PageTrace: Sendable, Hashable {
    /// The worst iteration's frames; `nil` without measured scrolls and ticks.
    package var frames: FrameTrace?
    /// The slowest visit; `nil` if no visit has a time.
    package var visit: VisitTrace?

    package init(frames: FrameTrace? = nil, visit: VisitTrace? = nil) { (self.frames, self.visit) = (frames, visit) }
}

package struct ScrollTrace: Sendable, Hashable {
    package var number: Int
    /// The number of instants with dropped frames.
    package var dropEvents: Int
    /// The most frames dropped at one instant.
    package var worstDrop: Int
    package var droppedFrames: Int
    package var durationMS: Double?
    /// Its frames over time; `nil` without ticks, and if worse scrolls of the iteration took its place.
    package var timeline: FrameTimeline?

    package init(
        number: Int, dropEvents: Int, worstDrop: Int, droppedFrames: Int, durationMS: Double? = nil,
        timeline: FrameTimeline? = nil
    ) {
        (self.number, self.dropEvents, self.worstDrop) = (number, dropEvents, worstDrop)
        (self.droppedFrames, self.durationMS, self.timeline) = (droppedFrames, durationMS, timeline)
    }
}

/// The frames of a page's worst iteration: the iteration with the most frames dropped at one instant of a scroll, then
/// with the most dropped frames, then with the longest hitches.
package struct FrameTrace: Sendable, Hashable {
    package var run: String, part: String?
    /// The iteration within the run, from 0.
    package var iteration: Int
    package var scrollCount: Int
    /// Its scrolls, sorted by number; at most the worst 48.
    package var scrolls: [ScrollTrace]
    /// The frames outside scrolls over time; `nil` without ticks.
    package var screen: FrameTimeline?

    package init(
        run: String, part: String? = nil, iteration: Int, scrollCount: Int, scrolls: [ScrollTrace],
        screen: FrameTimeline? = nil
    ) {
        (self.run, self.part, self.iteration, self.scrollCount) = (run, part, iteration, scrollCount)
        (self.scrolls, self.screen) = (scrolls, screen)
    }
}

/// The frames of a scroll, or of a screen outside scrolls, over time: few buckets, each with its worst frame.
package struct FrameTimeline: Sendable, Hashable {
    package struct Bucket: Sendable, Hashable {
        /// The duration of the longest frame that started in it, in ms; above 0.
        package var longestMS: Double
        /// The target duration of that frame, in ms; above 0.
        package var budgetMS: Double
        package var droppedFrames: Int
        /// The number of its frames that were late beyond the tolerance; at least 0.
        package var hitches: Int

        package init(longestMS: Double, budgetMS: Double, droppedFrames: Int = 0, hitches: Int = 0) {
            (self.longestMS, self.budgetMS, self.droppedFrames) = (longestMS, budgetMS, droppedFrames)
            self.hitches = hitches
        }
    }

    /// The duration of a bucket in ms; above 0.
    package var bucketMS: Double
    /// The buckets ordered by time, at most 48; `nil` if no frame started.
    package var buckets: [Bucket?]

    package init(bucketMS: Double, buckets: [Bucket?]) { (self.bucketMS, self.buckets) = (bucketMS, buckets) }
}

/// The slowest visit of a page: with the longest initial load, then with the longest first layout.
package struct VisitTrace: Sendable, Hashable {
    package struct Phase: Sendable, Hashable {
        /// The identifier of its metric, such as `ttil`.
        package var metric: String
        package var milliseconds: Double

        package init(metric: String, milliseconds: Double) { (self.metric, self.milliseconds) = (metric, milliseconds) }
    }

    package var run: String, part: String?
    /// The iteration within the run, from 0.
    package var iteration: Int
    package var durationMS: Double?
    /// Its measured phases, in the order of the page metrics.
    package var phases: [Phase]

    package init(run: String, part: String? = nil, iteration: Int, durationMS: Double? = nil, phases: [Phase]) {
        (self.run, self.part, self.iteration, self.durationMS) = (run, part, iteration, durationMS)
        self.phases = phases
    }
}
