import PagePerformance

/// Which values of a metric are good.
package enum Better: String, Sendable, Hashable, CaseIterable {
    /// Smaller values are better.
    case lower
    /// Greater values are better.
    case higher
}

/// What was measured: an identifier with its unit and its good direction.
package struct Metric: Sendable, Hashable {
    /// The identifier, such as `ttil`; for a foreign metric that perfgate doesn't know, the identifier of the tool.
    package let id: String
    /// The unit of the values.
    package let unit: Unit
    /// Which values are good.
    package let better: Better

    /// Makes a metric of its parts.
    package init(id: String, unit: Unit, better: Better) {
        self.id = id
        self.unit = unit
        self.better = better
    }
}

/// How frames were counted, see `metrics.md`: values of different countings are never compared.
package enum Counting: String, Sendable, Hashable, CaseIterable {
    /// Against each frame's own target.
    case exact
    /// As the published detectors count.
    case published
}

/// What perfgate knows of a metric beside its unit: whether it gates, what change matters, what it depends on.
package struct MetricDefinition: Sendable, Hashable {
    /// The identifier, unit and direction.
    package private(set) var metric: Metric
    /// A few words for a person, without the unit.
    package let title: String
    /// Whether it can fail a run where the configuration says nothing.
    package let isGatedByDefault: Bool
    /// The smallest change that matters beside `minFrames`, in the metric's unit; at least 0.
    private let minChange: Double
    /// How many frames long a change must be to matter, for times that one late frame makes; 0 for others.
    private let minFrames: Double
    /// The limit that holds where the configuration says nothing, in the metric's unit; `nil`: none.
    package let limit: Double?
    /// Whether it is about frames: those of a simulator are shown, not gated.
    package let isAboutFrames: Bool
    /// Whether a limit is given at 60 Hz and multiplied by the refresh rate over 60, so that it means the same time.
    package let isLimitScaledByRefreshRate: Bool
    /// What it is taken from, which has to be measured for it.
    package var subject = Subject.other
    /// Whether it is good that a measurement gives no sample, as of a list of hangs.
    package var isNoSampleGood = false

    /// What a metric is taken from.
    package enum Subject: Sendable, Hashable {
        /// The scrolls of a page.
        case scrolls
        /// The visits of a page.
        case visits
        /// Something else.
        case other
    }

    /// Makes a definition of its parts.
    package init(
        _ metric: Metric, title: String, isGatedByDefault: Bool = false, minChange: Double, minFrames: Double = 0,
        limit: Double? = nil, isAboutFrames: Bool = false, isLimitScaledByRefreshRate: Bool = false
    ) {
        self.metric = metric
        self.title = title
        self.isGatedByDefault = isGatedByDefault
        self.minChange = minChange
        self.minFrames = minFrames
        self.limit = limit
        self.isAboutFrames = isAboutFrames
        self.isLimitScaledByRefreshRate = isLimitScaledByRefreshRate
    }

    /// The same of a metric with that identifier, unit and direction.
    package func of(_ metric: Metric) -> MetricDefinition {
        var definition = self
        definition.metric = metric
        return definition
    }

    /// The same, taken from a subject.
    package func taken(from subject: Subject) -> MetricDefinition {
        var definition = self
        definition.subject = subject
        return definition
    }
}

extension MetricDefinition {
    /// The smallest change that matters where a display shows at most `maxFPS` frames a second, in the metric's unit; at
    /// least 0. An unknown rate counts as 60.
    package func minChange(at maxFPS: Double?) -> Double { minChange + minFrames * 1_000 / (maxFPS ?? 60) }
}

/// A unit of measurement, in the spelling that perfgate stores and shows.
package struct Unit: Sendable, Hashable {
    /// The spelling, such as `ms`, `fps` or `ms/s`; empty for a pure number.
    package let symbol: String

    /// Makes a unit of a spelling as it stands; `UnitConversion` tidies foreign spellings.
    package init(_ symbol: String) {
        self.symbol = symbol
    }

    /// Milliseconds, the unit of every time.
    package static let milliseconds = Unit("ms")
    /// Dropped frames.
    package static let frames = Unit("frames")
    /// Drop events.
    package static let events = Unit("events")
    /// Page visits.
    package static let visits = Unit("visits")
    /// Hitches.
    package static let hitches = Unit("hitches")
    /// Milliseconds of hitches in a second of animation.
    package static let millisecondsPerSecond = Unit("ms/s")
    /// Seconds of hangs in an hour of use.
    package static let secondsPerHour = Unit("s/h")
    /// Frames in a second.
    package static let framesPerSecond = Unit("fps")
    /// Points of the page performance score, 0 to 100.
    package static let points = Unit("points")

    /// Whether values of this unit are counts or rates: their centre is the mean, since the median of small counts full
    /// of ties does not move. The centre of everything else is the median.
    package var isCountOrRate: Bool {
        switch self {
        case .millisecondsPerSecond, .secondsPerHour: true
        default: isCount
        }
    }

    /// Whether values of this unit count things that happened in an iteration, or a visit.
    package var isCount: Bool { [.frames, .events, .visits, .hitches].contains(self) }
}

extension Unit: CustomStringConvertible {
    /// The symbol.
    package var description: String { symbol }
}

/// How a value in the spelling of another tool becomes a value in a unit of perfgate's.
package struct UnitConversion: Sendable, Hashable {
    /// The unit afterwards.
    package let unit: Unit
    /// What a value is multiplied by; positive.
    package let factor: Double

    /// The conversion of a spelling that other tools use. A spelling that perfgate doesn't know keeps itself and the
    /// factor 1, so that nothing measured is dropped.
    package init(from spelling: String) {
        if let (unit, factor) = Self.known[spelling] {
            self.unit = unit
            self.factor = factor
        } else {
            self.unit = Unit(spelling)
            self.factor = 1
        }
    }

    /// The value in `unit`.
    package func convert(_ value: Double) -> Double {
        factor == 1 ? value : value * factor
    }

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

/// The metrics that perfgate knows, and what it assumes of those that it doesn't.
///
/// Identifiers, units and directions of what the recorder measures are the recorder's. Which of them gate, and which
/// changes matter, are those of the documentation's table "Metrics".
package enum MetricCatalog {
    /// Every known metric, in the order of the documentation.
    package static let all: [MetricDefinition] =
        FrameMetric.allCases.map { definition($0).taken(from: $0.isFromScrolls ? .scrolls : .other) }
        + (PageMetric.allCases.compactMap(definition) + visits).map { $0.taken(from: .visits) } + others

    /// The metric of scrolls that nothing but frame ticks gives: where it is, there were ticks.
    package static let ofTicks = FrameMetric.hitchRatio.rawValue

    /// What is known of a metric, or of a quantile of one, by its identifier; `nil` for an unknown one.
    package static func definition(of id: String) -> MetricDefinition? {
        byID[id] ?? MetricQuantile.parts(of: id).flatMap { byID[$0.metric]?.of($0.percent) }
    }

    /// What holds for a metric: its definition, or for an unknown one the assumptions that its unit allows.
    package static func definition(for metric: Metric) -> MetricDefinition {
        definition(of: metric.id)?.of(metric)
            ?? MetricDefinition(metric, title: metric.id, minChange: minChange(in: metric.unit))
    }

    /// The known metric that an unknown identifier was probably meant to be; `nil` for a known one, and for a team's own.
    ///
    /// A known identifier with a number or a word behind it, such as `ttil_v2`, is a team's own.
    package static func misspelling(of id: String) -> String? {
        guard definition(of: id) == nil, let nearest = Suggestion.nearest(to: id, among: all.map(\.metric.id)) else {
            return nil
        }
        let rest = id.hasPrefix(nearest) ? id.dropFirst(nearest.count).first : nil
        return rest.map { $0 == "_" || $0.isNumber } == true ? nil : nearest
    }

    /// The smallest change that matters in a unit; of times it is known for known ones only.
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
            // One late frame makes such a time: it takes more than that, and a millisecond, to be a change.
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

    /// `nil` for what is a metric of frames too.
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

    /// What tools for Android and Flutter say of jank and load, under the tools' own names. One sample stands for a whole
    /// test, so that a frame or a millisecond by chance is no change.
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
            metric, title: title, isGatedByDefault: gated, minChange: minChange ?? usual,
            minFrames: minFrames, limit: limit, isAboutFrames: isAboutFrames,
            isLimitScaledByRefreshRate: isLimitScaledByRefreshRate)
    }

    /// A list of what should not happen: that it is empty is good.
    private static func durations(_ metric: Metric, _ title: String) -> MetricDefinition {
        var definition = known(metric, title, gated: true, isAboutFrames: true)
        definition.isNoSampleGood = true
        return definition
    }
}

extension Metric {
    /// Whether it is a time that something takes whenever it happens. How long hangs and hitches last is none: that they
    /// are 0 is usual, so that ratios of such times say nothing.
    package var isTime: Bool {
        unit == .milliseconds && better == .lower && !Self.stalls.contains(id)
    }

    private static let stalls: Set<String> = [
        FrameMetric.scrollThreadHang.rawValue, mainThreadHang.id, hitchDuration.id, hangDuration.id,
    ]

    /// A metric of frames, in the recorder's unit.
    package init(_ metric: FrameMetric) {
        self.init(
            id: metric.rawValue, unit: Unit(metric.unit), better: metric.isHigherBetter ? .higher : .lower)
    }

    /// A metric of visits, all of which are times.
    package init(_ metric: PageMetric) {
        self.init(id: metric.rawValue, unit: .milliseconds, better: .lower)
    }

    /// Whether a visit ended without loading its page: 1, else 0.
    package static let loadFailures = Metric(id: "load_failures", unit: .visits, better: .lower)
    /// How long the main thread hung in a visit.
    package static let mainThreadHang = Metric(id: "mth", unit: .milliseconds, better: .lower)
    /// The score of a page over a run.
    package static let pageScore = Metric(id: "pps_score", unit: .points, better: .higher)
    /// How many hitches another tool counted.
    package static let hitches = Metric(id: "hitches", unit: .hitches, better: .lower)
    /// How long they lasted together.
    package static let hitchDuration = Metric(id: "hitch_duration", unit: .milliseconds, better: .lower)
    /// How long the hangs that another tool found lasted together.
    package static let hangDuration = Metric(id: "hang_duration", unit: .milliseconds, better: .lower)
    /// How long the app took to launch.
    package static let launch = Metric(id: "launch", unit: .milliseconds, better: .lower)
    /// How long a test or a signpost took.
    package static let duration = Metric(id: "duration", unit: .milliseconds, better: .lower)
    /// How long a block of code took that a test measures.
    package static let measuredTime = Metric(id: "measured_time", unit: .milliseconds, better: .lower)
    /// How long React took to render what a test shows.
    package static let renderDuration = Metric(id: "render_duration", unit: .milliseconds, better: .lower)
    /// How often React rendered it.
    package static let renderCount = Metric(id: "render_count", unit: Unit("renders"), better: .lower)
    /// How many frames a second were shown on average, of a tool that samples them.
    package static let averageFPS = Metric(id: "average_fps", unit: .framesPerSecond, better: .higher)
    /// How many frames were shown.
    package static let frameCount = Metric(id: "frame_count", unit: .frames, better: .higher)
}
