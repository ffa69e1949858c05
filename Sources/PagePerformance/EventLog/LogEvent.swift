/// The recorder's events: one case for each type of line in the perfgate log.
public enum LogEvent: Hashable, Sendable {
    /// A stream opens, with its name and conditions.
    indirect case run(Run)
    /// The conditions changed, or an iteration begins.
    case state(State)
    /// All ticks of one segment.
    case frames(Frames)
    case frame(Frame)
    /// Frames were dropped at one instant.
    case frameDrop(FrameDrop)
    /// A scroll ended, with drops or without.
    case scroll(Scroll)
    /// A page visit ended, or reached a checkpoint.
    indirect case visit(Visit)
    /// A screen was left: the sums of its frames.
    indirect case screen(Screen)
    indirect case metric(CustomMetric)
    case end(End)

    /// The place of the measurement; `nil` for events that belong to no page.
    public var place: Place? {
        switch self {
        case .run, .state, .end: nil
        case .frames(let frames): frames.place
        case .frame(let frame): frame.place
        case .frameDrop(let drop): drop.place
        case .scroll(let scroll): scroll.place
        case .visit(let visit): visit.place
        case .screen(let screen): screen.place
        case .metric(let metric): metric.place
        }
    }
}

extension LogEvent {
    /// The place of a measurement.
    public struct Place: Hashable, Sendable {
        /// The page's name, any text with a visible character; a component tested alone is a page too.
        public var page: String
        /// The repetition of the test within the run, from 0; `nil`: the log's current iteration.
        public var iteration: Int?
        /// The visit's identifier: sampling uses it, and a `pps` line contains it; `nil` without one.
        public var visit: String?
        /// The test, as `Target/Class/test`; `nil`: the log's current test.
        public var test: String?
        /// The conditions, if they may differ from those at the start of the launch.
        public var conditions: VisitConditions
        /// When it happened, since 1970; `nil`: when it is recorded.
        public var time: Nanoseconds?
        /// A random identifier of the installation; `nil`: the log's present user.
        public var user: String?

        /// Makes a place from its parts.
        public init(
            page: String, iteration: Int? = nil, visit: String? = nil, test: String? = nil,
            conditions: VisitConditions = VisitConditions()
        ) {
            (self.page, self.iteration, self.visit, self.test) = (page, iteration, visit, test)
            self.conditions = conditions
        }
    }

    /// The head of a stream: the launch, its run, and the conditions of the measurement.
    public struct Run: Hashable, Sendable {
        /// The run's identifier, which all launches of a run share.
        public var id: String
        /// The launch of the app within the run, such as `launch-1`; unique among the streams of the run.
        public var part: String
        /// The machine's share of the tests, such as `2/5`; `nil` if the run isn't sharded.
        public var shard: String?
        /// The number of iterations of a run that is smaller than usual: the gate accepts this number, and not fewer;
        /// `nil`: the usual number.
        public var iterations: Int?
        /// Whether the stream promises an `end` line: without that line the gate treats the stream as bad data.
        public var expectsEnd: Bool
        /// When the launch began, in ISO 8601, UTC; `nil` without a clock.
        public var startedAt: String?
        /// The measured app.
        public var app: AppFacts
        /// The device.
        public var device: DeviceFacts
        /// The conditions at the start.
        public var conditions: DeviceConditions
        /// Whether a profiler slows the app.
        public var isProfiled = false
        /// The app's own dimensions, such as `market`.
        public var tags = LogTags()

        /// Makes a head from its parts.
        public init(
            id: String, part: String, shard: String? = nil, iterations: Int? = nil, expectsEnd: Bool = false,
            startedAt: String? = nil, app: AppFacts = AppFacts(), device: DeviceFacts = DeviceFacts(),
            conditions: DeviceConditions = DeviceConditions()
        ) {
            (self.id, self.part, self.shard, self.iterations) = (id, part, shard, iterations)
            (self.expectsEnd, self.startedAt, self.app, self.device) = (expectsEnd, startedAt, app, device)
            self.conditions = conditions
        }
    }

    /// The foot of a stream.
    public struct End: Hashable, Sendable {
        /// The run's identifier, as in the head.
        public var run: String
        /// The launch, as in the head.
        public var part: String
        /// The number of lines that the stream would have without losses, including the head and this line.
        public var lines: Int
        /// The number of lost lines, 0 or more.
        public var lost: Int

        /// Makes a foot from its parts.
        public init(run: String, part: String, lines: Int, lost: Int = 0) {
            (self.run, self.part, self.lines, self.lost) = (run, part, lines, lost)
        }
    }

    /// The conditions at one moment, or the state of the log itself.
    public struct State: Hashable, Sendable {
        /// The iteration that begins, from 0; `nil`: the log's current iteration.
        public var iteration: Int?
        /// The conditions.
        public var conditions: DeviceConditions
        /// The events that this launch has lost so far because the queue was full; `nil` if none.
        public var eventsLost: Int?
        /// The app's own dimensions from here on; `nil`: as before.
        public var tags: LogTags?

        /// Makes a state from its parts.
        public init(iteration: Int? = nil, conditions: DeviceConditions = DeviceConditions(), eventsLost: Int? = nil) {
            (self.iteration, self.conditions, self.eventsLost) = (iteration, conditions, eventsLost)
        }
    }

    /// Values of a metric without its own line type, such as `launch`.
    public struct CustomMetric: Hashable, Sendable {
        /// The place of the measurement.
        public var place: Place
        /// The metric's identifier.
        public var id: String
        /// The unit's symbol, such as `ms`.
        public var unit: String
        /// Whether a greater value is better; `nil`: perfgate's direction for the metric, lower for unknown metrics.
        public var isHigherBetter: Bool?
        /// The values, finite; empty: measured, and nothing happened.
        public var values: [Double]
        /// The version of the formula; `nil`: the reader's default, which is `1`.
        public var formula: String?

        /// Makes a metric from its parts.
        public init(
            place: Place, id: String, unit: String, isHigherBetter: Bool? = nil, values: [Double],
            formula: String? = nil
        ) {
            (self.place, self.id, self.unit, self.isHigherBetter) = (place, id, unit, isHigherBetter)
            (self.values, self.formula) = (values, formula)
        }
    }

    /// A page visit. A later visit with the same identifier replaces it, so a checkpoint may be written early.
    public struct Visit: Hashable, Sendable {
        /// The place of the measurement, with the visit's identifier.
        public var place: Place
        /// The outcome; `nil` for a checkpoint before it is decided.
        public var outcome: PageVisit.Outcome?
        /// Whether the visit continued: a later line with its identifier replaces this one.
        public var isCheckpoint = false
        /// Whether an earlier part of the log has a line of the visit.
        public var isContinued = false
        /// Whether the app was inactive when it began or while its initial content was being loaded.
        public var isInactive = false
        /// When it began, on the clock of the frames' timestamps (`PageVisitEvent.start`); `nil`: unknown.
        public var start: Nanoseconds?
        /// Its duration, 0 or more; `nil` if it crossed a suspension.
        public var duration: Milliseconds?
        /// Time to first layout, 0 or more; `nil` if not measured.
        public var firstLayout: Milliseconds?
        /// Time to initial load, 0 or more; `nil` if not measured.
        public var initialLoad: Milliseconds?
        /// The hangs of the main thread during scrolling, each 0 or more; `nil`: not measured, empty: none.
        public var scrollThreadHangs: [Milliseconds]?
        /// The other hangs of the main thread, each 0 or more; `nil`: not measured, empty: none.
        public var mainThreadHangs: [Milliseconds]?
        /// The additional loads, 0 for a load that finished before it was seen; `nil`: not measured, empty: none.
        public var additionalLoads: [Milliseconds]?
        /// The sums of further additional loads; `nil`: none.
        public var moreAdditionalLoads: LoadTimes?
        /// The loads of rich content; `nil`: not measured, empty: none.
        public var richContentLoads: [RichContentLoad]?
        /// The sums of further loads of rich content that loaded; `nil`: none.
        public var moreRichContentLoads: LoadTimes?
        /// The values of candidate formulas, by name without a unit (`ttil_v2`); shown, never scored.
        public var candidates: [String: Milliseconds]
        /// The version of the formulas of the other values; `nil`: the reader's default, which is `1`.
        public var formula: String?

        /// Makes a visit without measurements.
        public init(place: Place, outcome: PageVisit.Outcome? = .loaded, candidates: [String: Milliseconds] = [:]) {
            (self.place, self.outcome, self.candidates) = (place, outcome, candidates)
        }

        /// Takes a state machine's event.
        public init(_ event: PageVisitEvent) {
            self.init(
                place: Place(page: event.page, visit: event.visitID, conditions: event.conditions),
                outcome: event.isCheckpoint && event.outcome == .abandoned ? nil : event.outcome,
                candidates: event.candidates)
            (isCheckpoint, isInactive) = (event.isCheckpoint, event.isInactive)
            (start, duration) = (event.start, event.duration)
            (firstLayout, initialLoad) = (event.firstLayout, event.initialLoad)
            scrollThreadHangs = event.threadHangs
            (additionalLoads, moreAdditionalLoads) = (event.additionalLoads, event.moreAdditionalLoads)
            (richContentLoads, moreRichContentLoads) = (event.richContent, event.moreRichContent)
            formula = event.formula
        }
    }
}
