/// What a report can draw of a page beside its samples: the iteration and the visit that were worst.
package struct PageTrace: Sendable, Hashable {
    /// The worst iteration's frames; `nil` where no scroll and no tick was measured.
    package var frames: FrameTrace?
    /// The slowest visit; `nil` without a visit that says a time.
    package var visit: VisitTrace?

    /// Makes a trace of its parts.
    package init(frames: FrameTrace? = nil, visit: VisitTrace? = nil) {
        self.frames = frames
        self.visit = visit
    }
}

/// What one scroll dropped.
package struct ScrollTrace: Sendable, Hashable {
    /// Its number in the iteration.
    package let number: Int
    /// At how many instants frames were dropped.
    package let dropEvents: Int
    /// The most frames dropped at one instant.
    package let worstDrop: Int
    /// All dropped frames.
    package let droppedFrames: Int
    /// How long it lasted, in ms; `nil` where the log doesn't say.
    package let durationMS: Double?
    /// Its frames over time; `nil` without ticks, and where milder scrolls of the iteration gave way to worse ones.
    package let timeline: FrameTimeline?

    /// Makes a scroll of its parts.
    package init(
        number: Int, dropEvents: Int, worstDrop: Int, droppedFrames: Int, durationMS: Double? = nil,
        timeline: FrameTimeline? = nil
    ) {
        self.number = number
        self.dropEvents = dropEvents
        self.worstDrop = worstDrop
        self.droppedFrames = droppedFrames
        self.durationMS = durationMS
        self.timeline = timeline
    }
}

/// The frames of the worst iteration of a page: the one with the most frames dropped at one instant of a scroll, then
/// the most dropped frames, then the longest hitches.
package struct FrameTrace: Sendable, Hashable {
    /// The identifier of the run.
    package let run: String
    /// The launch; `nil` where the log doesn't say.
    package let part: String?
    /// The repetition of the test within the run, from 0.
    package let iteration: Int
    /// How many scrolls it had.
    package let scrollCount: Int
    /// Its scrolls in the order of their numbers; of many the worst 48.
    package let scrolls: [ScrollTrace]
    /// The frames outside scrolls over time; `nil` without ticks of them.
    package let screen: FrameTimeline?

    /// Makes a trace of its parts.
    package init(
        run: String, part: String? = nil, iteration: Int, scrollCount: Int, scrolls: [ScrollTrace],
        screen: FrameTimeline? = nil
    ) {
        self.run = run
        self.part = part
        self.iteration = iteration
        self.scrollCount = scrollCount
        self.scrolls = scrolls
        self.screen = screen
    }
}

/// The frames of one scroll, or of a screen outside its scrolls, over time: few buckets, each with its worst frame.
package struct FrameTimeline: Sendable, Hashable {
    /// What happened in one stretch of time.
    package struct Bucket: Sendable, Hashable {
        /// How long the longest frame that began in it stayed, in ms; above 0.
        package let longestMS: Double
        /// How long that frame should have stayed, in ms; above 0.
        package let budgetMS: Double
        /// How many frames were dropped in it; at least 0.
        package let droppedFrames: Int
        /// How many of its frames came later than the tolerance allows; at least 0.
        package let hitches: Int

        /// Makes a bucket of its parts.
        package init(longestMS: Double, budgetMS: Double, droppedFrames: Int = 0, hitches: Int = 0) {
            self.longestMS = longestMS
            self.budgetMS = budgetMS
            self.droppedFrames = droppedFrames
            self.hitches = hitches
        }
    }

    /// How much time a bucket stands for, in ms; above 0.
    package let bucketMS: Double
    /// The buckets in the order of time, at most 48; `nil` where no frame began.
    package let buckets: [Bucket?]

    /// Makes a timeline of its parts.
    package init(bucketMS: Double, buckets: [Bucket?]) {
        self.bucketMS = bucketMS
        self.buckets = buckets
    }
}

/// The slowest visit of a page: the one with the longest initial load, then the longest first layout.
package struct VisitTrace: Sendable, Hashable {
    /// A phase of the visit.
    package struct Phase: Sendable, Hashable {
        /// The identifier of its metric, such as `ttil`.
        package let metric: String
        /// How long it took, in ms; finite.
        package let milliseconds: Double

        /// Makes a phase of its parts.
        package init(metric: String, milliseconds: Double) {
            self.metric = metric
            self.milliseconds = milliseconds
        }
    }

    /// The identifier of the run.
    package let run: String
    /// The launch; `nil` where the log doesn't say.
    package let part: String?
    /// The repetition of the test within the run, from 0.
    package let iteration: Int
    /// How long the visit lasted, in ms; `nil` where the log doesn't say.
    package let durationMS: Double?
    /// Its measured phases in the order of the page metrics.
    package let phases: [Phase]

    /// Makes a trace of its parts.
    package init(run: String, part: String? = nil, iteration: Int, durationMS: Double? = nil, phases: [Phase]) {
        self.run = run
        self.part = part
        self.iteration = iteration
        self.durationMS = durationMS
        self.phases = phases
    }
}
