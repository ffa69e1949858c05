/// What can be chosen about the events of page visits.
public struct PPSConfiguration: Hashable, Sendable {
    /// The formulas, by whose version baselines are told apart.
    public var formula: PPSFormula
    /// The wait for an image from which on its entry keeps the URL; shorter ones are logged without.
    public var urlThreshold: Nanoseconds
    /// The longest URL that is kept, in bytes of UTF-8; a longer one, such as the image itself as text, is left out.
    public var longestURL: Int
    /// How far from its end a list counts as scrolled to its bottom, in the units of the scroll position.
    public var bottomDistance: Double
    /// What the timestamps of frame ticks are taken from.
    public var frameClock: FrameClock

    /// Makes a configuration; what isn't given has its default.
    public init(
        formula: PPSFormula = .standard, urlThreshold: Nanoseconds = .milliseconds(500), longestURL: Int = 2_048,
        bottomDistance: Double = 0, frameClock: FrameClock = .vsync
    ) {
        self.formula = formula
        self.urlThreshold = urlThreshold
        self.longestURL = longestURL
        self.bottomDistance = bottomDistance
        self.frameClock = frameClock
    }
}

/// Which formulas the times of an event follow, and the version that tells them apart.
///
/// A new formula is first tried: the app computes its value and tells it with `PPSStateMachine.handleCandidate(_:_:)`,
/// logs carry it beside the metric, and nobody gates it. When it has proved itself it is promoted: its value takes the
/// metric's place, under a new version. Baselines of the former version then don't apply, and no sample of one formula
/// is ever compared with one of another.
public struct PPSFormula: Hashable, Sendable {
    /// A metric whose value one candidate can take the place of.
    public enum Promotable: Hashable, Sendable, CaseIterable {
        /// Time to first layout.
        case firstLayout
        /// Time to initial load.
        case initialLoad
    }

    /// The version, which is the `formula` of an event.
    public let version: String
    /// The promoted candidates, by the metric whose place they took.
    public let promoted: [Promotable: String]

    /// The formulas as this library defines them, with nothing promoted.
    public static let standard = PPSFormula(version: "1", promoted: [:])

    /// The formulas with the value of a candidate in a metric's place.
    ///
    /// A visit that has no value of the candidate then has none of the metric.
    ///
    /// - Parameters:
    ///   - candidate: The candidate's name, as it is told to the state machine.
    ///   - metric: The metric whose place it takes.
    ///   - version: The new version. Where it is the present one, the candidate's name is added, because two formulas
    ///     never share a version.
    public func promoting(_ candidate: String, to metric: Promotable, version: String) -> PPSFormula {
        PPSFormula(
            version: version == self.version ? "\(version)+\(candidate)" : version,
            promoted: promoted.merging([metric: candidate]) { _, new in new })
    }

    /// Gives an event's promoted candidates their metrics' places.
    func apply(to event: inout PageVisitEvent) {
        let values = event.candidates
        for (metric, candidate) in promoted {
            switch metric {
            case .firstLayout: event.firstLayout = values[candidate]
            case .initialLoad: event.initialLoad = values[candidate]
            }
            event.candidates[candidate] = nil
        }
    }
}

/// What became of a state machine's visits, so that none is lost in silence.
public struct PPSCounts: Hashable, Sendable {
    /// The visits of which a final event was emitted.
    public internal(set) var emitted = 0
    /// The visits that gave no event because the page had no name.
    public internal(set) var withoutName = 0
    /// The visits that gave no event because the page went away before it appeared.
    public internal(set) var neverAppeared = 0
    /// Those of all visits that ended because the page was freed, and not because it disappeared.
    public internal(set) var freed = 0

    /// No visit yet.
    public init() {}

    /// What became of a visit.
    enum End {
        case emitted, withoutName, neverAppeared
    }

    /// Counts a visit that ended.
    mutating func add(_ end: End) {
        switch end {
        case .emitted: emitted += 1
        case .withoutName: withoutName += 1
        case .neverAppeared: neverAppeared += 1
        }
    }
}
