/// What the recorder can say: one case for each type of line in the perfgate log.
public enum LogEvent: Hashable, Sendable {
    /// A stream opens: under which name, and under which conditions.
    indirect case run(Run)
    /// The conditions changed, or an iteration begins.
    case state(State)
    /// All ticks of one segment.
    case frames(Frames)
    /// One tick.
    case frame(Frame)
    /// Frames were dropped at one instant.
    case frameDrop(FrameDrop)
    /// A scroll ended, with drops or without.
    case scroll(Scroll)
    /// A page visit ended, or reached a checkpoint.
    indirect case visit(Visit)
    /// A screen was left: what its frames were, summed.
    indirect case screen(Screen)
    /// Values of any other metric.
    indirect case metric(CustomMetric)
    /// The stream ends.
    case end(End)

    /// Where it was measured; `nil` for what belongs to no page.
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
    /// Where something was measured.
    public struct Place: Hashable, Sendable {
        /// The page's name, any text with a visible character; a component tested alone is a page too.
        public var page: String
        /// The repetition of the test within the run, from 0; `nil`: the one that the log is in.
        public var iteration: Int?
        /// The visit's identifier: sampling decides by it, and a `pps` line carries it; `nil` where there is none.
        public var visit: String?
        /// The test, as `Target/Class/test`; `nil`: the one that the log is in.
        public var test: String?
        /// Under which conditions, where they may be others than those at the start of the launch.
        public var conditions: VisitConditions

        /// Makes a place of its parts.
        public init(
            page: String, iteration: Int? = nil, visit: String? = nil, test: String? = nil,
            conditions: VisitConditions = VisitConditions()
        ) {
            self.page = page
            self.iteration = iteration
            self.visit = visit
            self.test = test
            self.conditions = conditions
        }
    }
}

extension LogEvent {
    /// The head of a stream: which launch of which run it is, and under which conditions it measured.
    public struct Run: Hashable, Sendable {
        /// The run's identifier, which all launches of one stretch of measuring share.
        public var id: String
        /// The launch of the app within the run, such as `launch-1`; unlike that of any other stream of the run.
        public var part: String
        /// Which share of the tests this machine has, such as `2/5`; `nil` where the run isn't spread.
        public var shard: String?
        /// How many iterations the run has, where those are fewer than usual: the gate then takes so many for enough, and
        /// fewer for too few; `nil`: as many as usual.
        public var iterations: Int?
        /// Whether the stream promises an `end` line: without one the gate then takes it for bad data.
        public var expectsEnd: Bool
        /// When the launch began, in ISO 8601, UTC; `nil` where no clock was given.
        public var startedAt: String?
        /// What is measured.
        public var app: AppFacts
        /// What it is measured on.
        public var device: DeviceFacts
        /// The conditions at the start.
        public var conditions: DeviceConditions

        /// Makes a head of its parts.
        public init(
            id: String, part: String, shard: String? = nil, iterations: Int? = nil, expectsEnd: Bool = false,
            startedAt: String? = nil,
            app: AppFacts = AppFacts(), device: DeviceFacts = DeviceFacts(),
            conditions: DeviceConditions = DeviceConditions()
        ) {
            self.id = id
            self.part = part
            self.shard = shard
            self.iterations = iterations
            self.expectsEnd = expectsEnd
            self.startedAt = startedAt
            self.app = app
            self.device = device
            self.conditions = conditions
        }
    }

    /// The foot of a stream.
    public struct End: Hashable, Sendable {
        /// The run's identifier, as in the head.
        public var run: String
        /// The launch, as in the head.
        public var part: String
        /// How many lines the stream would have if none had been lost: the head and this one included.
        public var lines: Int
        /// How many of them were lost, 0 or more.
        public var lost: Int

        /// Makes a foot of its parts.
        public init(run: String, part: String, lines: Int, lost: Int = 0) {
            self.run = run
            self.part = part
            self.lines = lines
            self.lost = lost
        }
    }
}

extension LogEvent {
    /// The conditions at one moment, or what became of the log itself.
    public struct State: Hashable, Sendable {
        /// The iteration that begins, from 0; `nil`: the one that the log is in.
        public var iteration: Int?
        /// The conditions.
        public var conditions: DeviceConditions
        /// How many events this launch lost so far, because there was no room for them; `nil` where none was.
        public var eventsLost: Int?

        /// Makes a state of its parts.
        public init(
            iteration: Int? = nil, conditions: DeviceConditions = DeviceConditions(), eventsLost: Int? = nil
        ) {
            self.iteration = iteration
            self.conditions = conditions
            self.eventsLost = eventsLost
        }
    }
}

extension LogEvent {
    /// Values of a metric that has no line of its own, such as `launch`.
    public struct CustomMetric: Hashable, Sendable {
        /// Where it was measured.
        public var place: Place
        /// The metric's identifier.
        public var id: String
        /// The unit's symbol, such as `ms`.
        public var unit: String
        /// Whether a greater value is the better one; `nil`: as perfgate knows the metric, else lower is better.
        public var isHigherBetter: Bool?
        /// The values, finite; empty: measured, and nothing happened.
        public var values: [Double]
        /// The version of the formula; `nil`: the reader's default, which is `1`.
        public var formula: String?

        /// Makes a metric of its parts.
        public init(
            place: Place, id: String, unit: String, isHigherBetter: Bool? = nil, values: [Double],
            formula: String? = nil
        ) {
            self.place = place
            self.id = id
            self.unit = unit
            self.isHigherBetter = isHigherBetter
            self.values = values
            self.formula = formula
        }
    }
}

extension LogEvent {
    /// A page visit. A later one with the same identifier replaces it, so that a checkpoint may be written early.
    public struct Visit: Hashable, Sendable {
        /// Where it was measured, with the visit's identifier.
        public var place: Place
        /// How it ended; `nil` for a checkpoint of one whose end isn't decided.
        public var outcome: PageVisit.Outcome?
        /// Whether it went on: a later line with its identifier replaces this one.
        public var isCheckpoint = false
        /// How long it lasted, 0 or more; `nil` where it crossed a suspension.
        public var duration: Milliseconds?
        /// Time to first layout, 0 or more; `nil` where it was not measured.
        public var firstLayout: Milliseconds?
        /// Time to initial load, 0 or more; `nil` where it was not measured.
        public var initialLoad: Milliseconds?
        /// The hangs of the main thread while it scrolled, each 0 or more; `nil`: not measured, empty: none.
        public var scrollThreadHangs: [Milliseconds]?
        /// The other hangs of the main thread, each 0 or more; `nil`: not measured, empty: none.
        public var mainThreadHangs: [Milliseconds]?
        /// The additional loads, 0 for one that finished before it was seen; `nil`: not measured, empty: none.
        public var additionalLoads: [Milliseconds]?
        /// The loads of rich content; `nil`: not measured, empty: none.
        public var richContentLoads: [RichContentLoad]?
        /// The values of formulas that are being tried, by name without a unit (`ttil_v2`); shown, never scored.
        public var candidates: [String: Milliseconds]
        /// The version of the formulas of the other values; `nil`: the reader's default, which is `1`.
        public var formula: String?

        /// Makes a visit in which nothing was measured yet.
        public init(place: Place, outcome: PageVisit.Outcome? = .loaded, candidates: [String: Milliseconds] = [:]) {
            self.place = place
            self.outcome = outcome
            self.candidates = candidates
        }
    }
}

extension LogEvent.Visit {
    /// Takes what a state machine emitted.
    public init(_ event: PageVisitEvent) {
        self.init(
            place: LogEvent.Place(page: event.page, visit: event.visitID, conditions: event.conditions),
            outcome: event.isCheckpoint && event.outcome == .abandoned ? nil : event.outcome,
            candidates: event.candidates)
        isCheckpoint = event.isCheckpoint
        duration = event.duration
        firstLayout = event.firstLayout
        initialLoad = event.initialLoad
        scrollThreadHangs = event.threadHangs
        additionalLoads = event.additionalLoads
        richContentLoads = event.richContent
        formula = event.formula
    }
}
