/// The facts of a set of logs about one page in one environment, in addition to its metrics.
package struct PageMeasurement: Sendable, Hashable {
    /// The measured time in seconds: scrolls, visits and screens; at least 0.
    package var seconds: Double
    /// The tests that visited it, sorted by UTF-8 bytes, without duplicates.
    package var tests: [String]
    /// The measured amounts by run and iteration, including iterations in which nothing ended.
    package var measured: [String: [Int: MeasuredCounts]]
    /// Whether all its measurements were refused, so it counts as unmeasured.
    package var isRefused = false

    package init(seconds: Double = 0, tests: [String] = [], measured: [String: [Int: MeasuredCounts]] = [:]) {
        (self.seconds, self.tests, self.measured) = (seconds, tests, measured)
    }

    package var counts: [String: MeasuredCounts] {
        measured.compactMapValues { iterations in
            guard !iterations.isEmpty else { return nil }
            // The last digit of floating-point sums depends on their order.
            return iterations.sorted { $0.key < $1.key }.reduce(MeasuredCounts()) { $0 + $1.value }
        }
    }
}

/// The measured amounts of a page, in one iteration or in a whole run.
package struct MeasuredCounts: Sendable, Hashable {
    /// The iterations that measured any of it; iterations of different shards are counted separately.
    package var iterations: Int
    /// The scrolls that ended; without end lines in the log, the observed scrolls.
    package var scrolls: Int
    /// The total duration of the scrolls with an end line, in ms; 0 without any.
    package var scrollMS: Double
    package var visits: Visits
    /// The counted entries of the visits' lists, such as loaded images, by metric; without metrics that have none.
    package var entries: [String: Int]
    package var unfinished = Unfinished()

    package init(
        iterations: Int = 0, scrolls: Int = 0, scrollMS: Double = 0, visits: Visits = Visits(),
        entries: [String: Int] = [:]
    ) {
        (self.iterations, self.scrolls, self.scrollMS, self.visits) = (iterations, scrolls, scrollMS, visits)
        self.entries = entries
    }

    package struct Visits: Sendable, Hashable {
        package var loaded: Int
        /// Visits that showed an error instead.
        package var error: Int
        /// Visits that were left before either.
        package var abandoned: Int

        package init(loaded: Int = 0, error: Int = 0, abandoned: Int = 0) {
            (self.loaded, self.error, self.abandoned) = (loaded, error, abandoned)
        }

        package var total: Int { loaded + error + abandoned }
    }

    /// Scrolls and visits that started but didn't end, for example because the app was killed; not stored in baselines.
    package struct Unfinished: Sendable, Hashable {
        /// The scrolls with ticks but without an end line, in a log with other end lines.
        package var scrolls = 0
        /// The visits with neither an outcome nor a load.
        package var visits = 0
        /// The visits that began or loaded while the app was inactive, so no user waited for them.
        package var inactive = 0
    }

    package var hasVisitsOrScrolls: Bool { scrolls + visits.total + unfinished.scrolls + unfinished.visits > 0 }

    package var scrollsPerIteration: Double { iterations > 0 ? Double(scrolls) / Double(iterations) : 0 }

    package var visitsPerIteration: Double { iterations > 0 ? Double(visits.total) / Double(iterations) : 0 }

    package static func + (first: MeasuredCounts, second: MeasuredCounts) -> MeasuredCounts {
        first.combined(with: second, +, +)
    }

    /// The union of two records of one run: the maximum of each count, independent of the order.
    package func union(_ other: MeasuredCounts) -> MeasuredCounts { combined(with: other, max, max) }

    private func combined(
        with other: MeasuredCounts, _ count: (Int, Int) -> Int, _ time: (Double, Double) -> Double
    ) -> MeasuredCounts {
        var result = MeasuredCounts(
            iterations: count(iterations, other.iterations), scrolls: count(scrolls, other.scrolls),
            scrollMS: time(scrollMS, other.scrollMS),
            visits: Visits(
                loaded: count(visits.loaded, other.visits.loaded), error: count(visits.error, other.visits.error),
                abandoned: count(visits.abandoned, other.visits.abandoned)),
            entries: entries.merging(other.entries, uniquingKeysWith: count))
        result.unfinished.scrolls = count(unfinished.scrolls, other.unfinished.scrolls)
        result.unfinished.visits = count(unfinished.visits, other.unfinished.visits)
        result.unfinished.inactive = count(unfinished.inactive, other.unfinished.inactive)
        return result
    }
}

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

/// The frame tick coverage of a scroll: the lowest of one iteration.
package struct FrameCoverage: Sendable, Hashable {
    /// The fraction of the scroll's duration, 0 to 1.
    package let share: Double
    /// The run; `nil` if there is only one.
    package let run: String?
    /// The iteration within the run, from 0; `nil` if the run has only one.
    package let iteration: Int?

    package init(share: Double, run: String? = nil, iteration: Int? = nil) {
        (self.share, self.run, self.iteration) = (share, run, iteration)
    }
}

extension CellMeasurement {
    /// The lowest coverage of any iteration of any run: a long iteration doesn't compensate for one with stopped
    /// frames. `nil` if ticks or durations are absent.
    /// - Parameter needsTicks: Whether a scroll without ticks has stopped frames, instead of being from a log that
    ///   only contains drops.
    package func leastCoverage(needsTicks: Bool) -> FrameCoverage? {
        var known = coverages
        for (run, silent) in needsTicks ? silentIterations : [:] {
            for iteration in silent { known[run, default: [:]][iteration] = 0 }
        }
        let all = known.flatMap { run, shares in shares.map { (share: $1, run: run, iteration: $0) } }
        let least = all.min { first, second in
            if first.share != second.share { return first.share < second.share }
            if first.run != second.run { return first.run.precedesInUTF8(second.run) }
            return first.iteration < second.iteration
        }
        guard let least else { return nil }
        let runs = Set(known.keys).union(iterations.keys)
        let told = Set(known[least.run, default: [:]].keys).union(iterations[least.run] ?? [])
        return FrameCoverage(
            share: least.share, run: runs.count > 1 ? least.run : nil,
            iteration: told.count > 1 || least.iteration > 0 ? least.iteration : nil)
    }
}
