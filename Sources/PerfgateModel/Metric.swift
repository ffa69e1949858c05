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
