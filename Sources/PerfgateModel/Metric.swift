import PagePerformance

package enum Better: String, Sendable, Hashable, CaseIterable {
    case lower
    case higher
}

/// A metric: an identifier with unit and direction.
package struct Metric: Sendable, Hashable {
    /// The identifier, such as `ttil`; for an unknown foreign metric, the tool's identifier.
    package let id: String
    package let unit: Unit, better: Better

    package init(id: String, unit: Unit, better: Better) { (self.id, self.unit, self.better) = (id, unit, better) }
}

/// How frames were counted, see `metrics.md`; values of different countings are never compared.
package enum Counting: String, Sendable, Hashable, CaseIterable {
    /// Against each frame's own target.
    case exact
    /// As the published detectors do.
    case published
}

/// perfgate's facts about a metric: whether it gates, which change matters, and what it depends on.
package struct MetricDefinition: Sendable, Hashable {
    package private(set) var metric: Metric
    /// A few words for people, without the unit.
    package let title: String
    package var isGatedByDefault = false
    /// The smallest change that matters, in addition to `minFrames`, in the metric's unit; at least 0.
    let minChange: Double
    /// For times caused by a single late frame, the number of frames that a change must exceed; 0 for others.
    var minFrames = 0.0
    /// The default limit, in the metric's unit; `nil`: none.
    package var limit: Double?
    /// Whether it measures frames; on a simulator such metrics are shown, not gated.
    package var isAboutFrames = false
    /// Whether its limit is given at 60 Hz and multiplied by the refresh rate over 60, so it is the same time.
    package var isLimitScaledByRefreshRate = false
    /// The subject that must be measured for it.
    package var subject = Subject.other
    /// Whether no samples are a good result, as for a list of hangs.
    package var isNoSampleGood = false

    package enum Subject: Sendable, Hashable {
        case scrolls
        case visits
        case other
    }

    package func of(_ metric: Metric) -> MetricDefinition {
        var definition = self
        definition.metric = metric
        return definition
    }

    package func taken(from subject: Subject) -> MetricDefinition {
        var definition = self
        definition.subject = subject
        return definition
    }

    /// The smallest change that matters at a refresh rate (unknown: 60), in the metric's unit; at least 0.
    package func minChange(at maxFPS: Double?) -> Double { minChange + minFrames * 1_000 / (maxFPS ?? 60) }
}

/// A unit of measurement, spelled as perfgate stores and shows it.
package struct Unit: Sendable, Hashable, CustomStringConvertible {
    /// The spelling, such as `ms`, `fps` or `ms/s`; empty for a dimensionless number.
    package let symbol: String

    package var description: String { symbol }

    /// Makes a unit from a spelling, unchanged; `UnitConversion` normalises foreign spellings.
    package init(_ symbol: String) { self.symbol = symbol }

    package static let milliseconds = Unit("ms")
    package static let frames = Unit("frames")
    package static let events = Unit("events")
    package static let visits = Unit("visits")
    package static let hitches = Unit("hitches")
    /// Milliseconds of hitches per second of animation.
    package static let millisecondsPerSecond = Unit("ms/s")
    /// Seconds of hangs per hour of use.
    package static let secondsPerHour = Unit("s/h")
    package static let framesPerSecond = Unit("fps")
    /// Points of the page performance score, 0 to 100.
    package static let points = Unit("points")

    /// Whether the unit is for counts or rates: their centre is the mean, because the median of small counts with many
    /// ties hardly changes. For everything else it is the median.
    package var isCountOrRate: Bool { isCount || self == .millisecondsPerSecond || self == .secondsPerHour }

    package var isCount: Bool { [.frames, .events, .visits, .hitches].contains(self) }
}

/// Converts another tool's unit to a perfgate unit.
package struct UnitConversion: Sendable, Hashable {
    package let unit: Unit
    /// The factor for values; positive.
    package let factor: Double

    /// The conversion for another tool's spelling. An unknown one is kept with factor 1, so no measurement is dropped.
    package init(from spelling: String) { (unit, factor) = Self.known[spelling] ?? (Unit(spelling), 1) }

    package func convert(_ value: Double) -> Double { factor == 1 ? value : value * factor }

    private static let known: [String: (Unit, Double)] = [
        "ns": (.milliseconds, 1e-6), "nanoseconds": (.milliseconds, 1e-6),
        "us": (.milliseconds, 1e-3), "µs": (.milliseconds, 1e-3), "μs": (.milliseconds, 1e-3),
        "microseconds": (.milliseconds, 1e-3),
        "ms": (.milliseconds, 1), "milliseconds": (.milliseconds, 1),
        "s": (.milliseconds, 1e3), "sec": (.milliseconds, 1e3), "seconds": (.milliseconds, 1e3),
        "min": (.milliseconds, 6e4), "minutes": (.milliseconds, 6e4),
        "ms per s": (.millisecondsPerSecond, 1), "ms/s": (.millisecondsPerSecond, 1),
        "s per h": (.secondsPerHour, 1), "s/h": (.secondsPerHour, 1),
        "fps": (.framesPerSecond, 1), "frames": (.frames, 1),
        "hitches": (.hitches, 1), "events": (.events, 1), "visits": (.visits, 1), "points": (.points, 1),
    ]
}

/// The metrics that perfgate knows, and its assumptions about unknown ones. Identifiers, units and directions of
/// recorded metrics come from the recorder.
package enum MetricCatalog {
    /// All known metrics, in documentation order.
    package static let all: [MetricDefinition] =
        FrameMetric.allCases.map { definition($0).taken(from: $0.isFromScrolls ? .scrolls : .other) }
        + (PageMetric.allCases.compactMap(definition) + visits).map { $0.taken(from: .visits) } + others

    /// The scroll metric that is only computed from frame ticks: if it is present, there were ticks.
    package static let ofTicks = FrameMetric.hitchRatio.rawValue

    package static func definition(of id: String) -> MetricDefinition? {
        byID[id] ?? MetricQuantile.parts(of: id).flatMap { byID[$0.metric]?.of($0.percent) }
    }

    /// The definition of a metric; for an unknown one, assumptions from its unit.
    package static func definition(for metric: Metric) -> MetricDefinition {
        definition(of: metric.id)?.of(metric)
            ?? MetricDefinition(metric: metric, title: metric.id, minChange: minChange(in: metric.unit))
    }

    /// A metric in words, followed by its identifier: `time to initial load [ttil]`; for an unknown one the identifier.
    package static func name(of id: String) -> String { definition(of: id).map { "\($0.title) [\(id)]" } ?? id }

    /// The known metric that an unknown identifier probably means; `nil` for a known one, and for a team's own. A known
    /// identifier followed by a number or word, such as `ttil_v2`, is a team's own.
    package static func misspelling(of id: String) -> String? {
        guard definition(of: id) == nil, let nearest = Suggestion.nearest(to: id, among: all.map(\.metric.id)) else {
            return nil
        }
        let isOwn = id.hasPrefix(nearest) && id.dropFirst(nearest.count).first.map { $0 == "_" || $0.isNumber } ?? false
        return isOwn ? nil : nearest
    }

    /// The smallest change that matters in a unit; for times only known metrics have one.
    private static func minChange(in unit: Unit) -> Double {
        switch unit {
        case .frames: 0.5
        case .events, .hitches: 1
        case .visits: 0.1
        case .millisecondsPerSecond, .framesPerSecond, .points: 2
        case .secondsPerHour: 5
        default: 0
        }
    }

    private static let byID = Dictionary(uniqueKeysWithValues: all.map { ($0.metric.id, $0) })

    private static func definition(_ metric: FrameMetric) -> MetricDefinition {
        func known(_ title: String, gated: Bool = false, limit: Double? = nil) -> MetricDefinition {
            let metric = Metric(metric)
            // A single late frame causes such a time, so a change must exceed a frame plus a millisecond.
            let isOfFrames = metric.unit == .milliseconds
            return MetricCatalog.known(
                metric, title, gated: gated, minChange: isOfFrames ? 1 : nil, minFrames: isOfFrames ? 1 : 0,
                limit: limit, isAboutFrames: true, isLimitScaledByRefreshRate: metric.unit == .frames)
        }
        return switch metric {
        case .droppedFrames: known("frames dropped at one instant", gated: true, limit: 1)
        case .dropEvents: known("drop events in one scroll", gated: true, limit: 2)
        case .droppedFramesTotal: known("frames dropped in one iteration")
        case .droppedFramesScroll: known("frames dropped in one scroll")
        case .hitchRatio: known("hitch time ratio while scrolling", gated: true)
        case .scrollThreadHang: known("scroll thread hang", gated: true)
        case .hitchRatioScreen: known("hitch time ratio of the screen")
        case .hangRate: known("hang rate", gated: true)
        case .fpsMean: known("mean frame rate")
        case .fpsMin: known("lowest frame rate")
        case .fpsMax: known("highest frame rate")
        case .firstFPS: known("frame rate of the first frame")
        case .firstFrame: known("first frame")
        }
    }

    /// `nil` for metrics that are also frame metrics.
    private static func definition(_ metric: PageMetric) -> MetricDefinition? {
        switch metric {
        case .ttfl: known(Metric(metric), "time to first layout", gated: true)
        case .ttil: known(Metric(metric), "time to initial load", gated: true)
        case .alt: known(Metric(metric), "additional load time", gated: true)
        case .rclt: known(Metric(metric), "rich content load time", gated: true)
        case .altShown: known(Metric(metric), "additional load time, shown loads only")
        case .rcltShown: known(Metric(metric), "rich content load time, shown loads only")
        case .scrollThreadHang: nil
        }
    }

    private static let visits: [MetricDefinition] = [
        known(.loadFailures, "visits that didn't load the page", gated: true),
        known(.mainThreadHang, "main thread hang"), known(.pageScore, "page performance score"),
    ]

    private static let others: [MetricDefinition] =
        [
            known(.hitches, "number of hitches", gated: true, isAboutFrames: true),
            durations(.hitchDuration, "total duration of hitches"), durations(.hangDuration, "total duration of hangs"),
            known(.launch, "launch time", gated: true), known(.duration, "duration", minChange: 0),
            known(.measuredTime, "time of a measured block", gated: true, minChange: 0),
            known(.renderDuration, "time to render", gated: true, minChange: 1),
            known(.renderCount, "renders", gated: true, minChange: 0.5),
            known(.averageFPS, "average frame rate", gated: true, isAboutFrames: true),
            known(.frameCount, "frames shown", isAboutFrames: true),
        ] + jank

    /// Jank and load metrics of Android and Flutter tools, under the tools' names. One sample covers a whole test, so
    /// a single frame or millisecond is no change.
    private static let jank: [MetricDefinition] = [
        late("missed_frame_build_budget_count", "frames that were built too late"),
        late("missed_frame_rasterizer_budget_count", "frames that were drawn too late"),
        slow("90th_percentile_frame_build_time_millis", "time to build a frame, 90th percentile"),
        slow("90th_percentile_frame_rasterizer_time_millis", "time to draw a frame, 90th percentile"),
        late("janky_frames", "janky frames"), slow("frame_time_p90", "time of a frame, 90th percentile"),
        late("missed_app_frames", "frames that the app was late with"),
        slow("frame_dur_ms_p90", "time of the app for a frame, 90th percentile"),
        slow("frameDurationCpuMs_p90", "processor time of a frame, 90th percentile"),
        known(
            Metric(id: "timeToFullDisplayMs", unit: .milliseconds, better: .lower), "time to full display", gated: true),
    ]

    private static func late(_ id: String, _ title: String) -> MetricDefinition {
        known(Metric(id: id, unit: .frames, better: .lower), title, gated: true, minChange: 2, isAboutFrames: true)
    }

    private static func slow(_ id: String, _ title: String) -> MetricDefinition {
        known(
            Metric(id: id, unit: .milliseconds, better: .lower), title, gated: true, minChange: 1, isAboutFrames: true)
    }

    private static func known(
        _ metric: Metric, _ title: String, gated: Bool = false, minChange: Double? = nil, minFrames: Double = 0,
        limit: Double? = nil, isAboutFrames: Bool = false, isLimitScaledByRefreshRate: Bool = false
    ) -> MetricDefinition {
        let usual = metric.unit == .milliseconds ? 16 : Self.minChange(in: metric.unit)
        return MetricDefinition(
            metric: metric, title: title, isGatedByDefault: gated, minChange: minChange ?? usual, minFrames: minFrames,
            limit: limit, isAboutFrames: isAboutFrames, isLimitScaledByRefreshRate: isLimitScaledByRefreshRate)
    }

    /// A list of undesirable events; an empty list is good.
    private static func durations(_ metric: Metric, _ title: String) -> MetricDefinition {
        var definition = known(metric, title, gated: true, isAboutFrames: true)
        definition.isNoSampleGood = true
        return definition
    }
}

extension Metric {
    /// Whether it is an operation's duration. Hangs and hitches aren't: they are usually 0, so ratios are meaningless.
    package var isTime: Bool { unit == .milliseconds && better == .lower && !Self.stalls.contains(id) }

    private static let stalls: Set<String> = [
        FrameMetric.scrollThreadHang.rawValue, mainThreadHang.id, hitchDuration.id, hangDuration.id,
    ]

    package init(_ metric: FrameMetric) {
        self.init(id: metric.rawValue, unit: Unit(metric.unit), better: metric.isHigherBetter ? .higher : .lower)
    }

    /// A visit metric; all are times.
    package init(_ metric: PageMetric) { self.init(id: metric.rawValue, unit: .milliseconds, better: .lower) }

    /// 1 if a visit ended without loading its page, else 0.
    package static let loadFailures = Metric(id: "load_failures", unit: .visits, better: .lower)
    package static let mainThreadHang = Metric(id: "mth", unit: .milliseconds, better: .lower)
    package static let pageScore = Metric(id: "pps_score", unit: .points, better: .higher)
    /// The number of hitches counted by another tool.
    package static let hitches = Metric(id: "hitches", unit: .hitches, better: .lower)
    package static let hitchDuration = Metric(id: "hitch_duration", unit: .milliseconds, better: .lower)
    /// The total duration of the hangs found by another tool.
    package static let hangDuration = Metric(id: "hang_duration", unit: .milliseconds, better: .lower)
    package static let launch = Metric(id: "launch", unit: .milliseconds, better: .lower)
    package static let duration = Metric(id: "duration", unit: .milliseconds, better: .lower)
    /// The duration of a block of code measured by a test.
    package static let measuredTime = Metric(id: "measured_time", unit: .milliseconds, better: .lower)
    /// The time React took to render a test's content.
    package static let renderDuration = Metric(id: "render_duration", unit: .milliseconds, better: .lower)
    package static let renderCount = Metric(id: "render_count", unit: Unit("renders"), better: .lower)
    /// The average number of frames per second, from a tool that samples them.
    package static let averageFPS = Metric(id: "average_fps", unit: .framesPerSecond, better: .higher)
    package static let frameCount = Metric(id: "frame_count", unit: .frames, better: .higher)
}
