/// The metrics that perfgate knows, and what it assumes of those that it doesn't.
///
/// The identifiers, units and smallest changes that matter are those of the documentation's table "Metrics".
package enum MetricCatalog {
    /// Every known metric, in the order of the documentation.
    package static let all: [MetricDefinition] =
        scrolling.map { $0.taken(from: .scrolls) } + screen + visits.map { $0.taken(from: .visits) } + foreign

    /// The metric of scrolls that nothing but frame ticks gives: where it is, there were ticks.
    package static let ofTicks = "hitch_ratio"

    /// What is known of a metric by its identifier; `nil` for an unknown one.
    package static func definition(of id: String) -> MetricDefinition? {
        byID[id]
    }

    /// What holds for a metric: its definition, or for an unknown one the assumptions that its unit allows.
    ///
    /// A known identifier that comes in another unit than the catalogue's is treated as unknown.
    package static func definition(for metric: Metric) -> MetricDefinition {
        if let known = byID[metric.id], known.metric.unit == metric.unit {
            return known.of(metric)
        }
        return MetricDefinition(metric, title: metric.id, minChange: minChange(ofUnknownMetricIn: metric.unit))
    }

    /// The known metric that an unknown identifier was probably meant to be; `nil` for a known one, and for a team's own.
    ///
    /// A known identifier with a number or a word behind it, such as `ttil_v2`, is a team's own.
    package static func misspelling(of id: String) -> String? {
        guard byID[id] == nil, let nearest = Suggestion.nearest(to: id, among: all.map(\.metric.id)) else { return nil }
        let rest = id.hasPrefix(nearest) ? id.dropFirst(nearest.count).first : nil
        return rest.map { $0 == "_" || $0.isNumber } == true ? nil : nearest
    }

    private static func minChange(ofUnknownMetricIn unit: Unit) -> Double {
        switch unit {
        case .frames: 0.5
        case .events, .hitches: 1
        case .millisecondsPerSecond, .framesPerSecond, .points: 2
        case .secondsPerHour: 5
        default: 0
        }
    }

    private static let byID = Dictionary(uniqueKeysWithValues: all.map { ($0.metric.id, $0) })

    private static let scrolling: [MetricDefinition] = [
        frames("dropped_frames", "frames dropped at one instant", gated: true, limit: 1),
        MetricDefinition(
            Metric(id: "drop_events", unit: .events, better: .lower), title: "drop events in one scroll",
            isGatedByDefault: true, minChange: 1, limit: 2, isAboutFrames: true),
        frames("dropped_frames_total", "frames dropped in one iteration"),
        frames("dropped_frames_scroll", "frames dropped in one scroll"),
        rate("hitch_ratio", .millisecondsPerSecond, "hitch time ratio while scrolling", gated: true, minChange: 2),
        time("scroll_thread_hang", "scroll thread hang", gated: true, aboutFrames: true),
    ]

    private static let screen: [MetricDefinition] = [
        rate("hitch_ratio_screen", .millisecondsPerSecond, "hitch time ratio of the screen", minChange: 2),
        rate("hang_rate", .secondsPerHour, "hang rate", gated: true, minChange: 5),
        framesPerSecond("fps_mean", "mean frame rate"),
        framesPerSecond("fps_min", "lowest frame rate"),
        framesPerSecond("fps_max", "highest frame rate"),
        framesPerSecond("first_fps", "frame rate of the first frame"),
        time("first_frame", "first frame", aboutFrames: true),
    ]

    private static let visits: [MetricDefinition] = [
        time("ttfl", "time to first layout", gated: true),
        time("ttil", "time to initial load", gated: true),
        time("alt", "additional load time", gated: true),
        time("rclt", "rich content load time", gated: true),
        time("alt_shown", "additional load time, shown loads only"),
        time("rclt_shown", "rich content load time, shown loads only"),
        time("mth", "main thread hang"),
        MetricDefinition(
            Metric(id: "load_failures", unit: .visits, better: .lower), title: "visits that didn't load the page",
            isGatedByDefault: true, minChange: 0.1),
        MetricDefinition(
            Metric(id: "pps_score", unit: .points, better: .higher), title: "page performance score", minChange: 2),
    ]

    private static let foreign: [MetricDefinition] = [
        MetricDefinition(
            Metric(id: "hitches", unit: .hitches, better: .lower), title: "number of hitches", isGatedByDefault: true,
            minChange: 1, isAboutFrames: true),
        durations("hitch_duration", "total duration of hitches"),
        durations("hang_duration", "total duration of hangs"),
        time("launch", "launch time", gated: true),
        time("duration", "duration", minChange: 0),
        MetricDefinition(
            Metric(id: "frame_count", unit: .frames, better: .higher), title: "frames shown", minChange: 0.5,
            isAboutFrames: true),
    ]

    private static func frames(
        _ id: String, _ title: String, gated: Bool = false, limit: Double? = nil
    ) -> MetricDefinition {
        MetricDefinition(
            Metric(id: id, unit: .frames, better: .lower), title: title, isGatedByDefault: gated, minChange: 0.5,
            limit: limit, isAboutFrames: true, isLimitScaledByRefreshRate: true)
    }

    private static func rate(
        _ id: String, _ unit: Unit, _ title: String, gated: Bool = false, minChange: Double
    ) -> MetricDefinition {
        MetricDefinition(
            Metric(id: id, unit: unit, better: .lower), title: title, isGatedByDefault: gated, minChange: minChange,
            isAboutFrames: true)
    }

    private static func framesPerSecond(_ id: String, _ title: String) -> MetricDefinition {
        MetricDefinition(
            Metric(id: id, unit: .framesPerSecond, better: .higher), title: title, minChange: 2, isAboutFrames: true)
    }

    private static func time(
        _ id: String, _ title: String, gated: Bool = false, minChange: Double = 16, aboutFrames: Bool = false
    ) -> MetricDefinition {
        MetricDefinition(
            Metric(id: id, unit: .milliseconds, better: .lower), title: title, isGatedByDefault: gated,
            minChange: minChange, isAboutFrames: aboutFrames)
    }

    /// A list of what should not happen: that it is empty is good.
    private static func durations(_ id: String, _ title: String) -> MetricDefinition {
        var definition = time(id, title, gated: true, aboutFrames: true)
        definition.isNoSampleGood = true
        return definition
    }
}
