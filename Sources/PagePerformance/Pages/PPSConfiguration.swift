/// The settings for the events of page visits.
public struct PPSConfiguration: Hashable, Sendable {
    /// The formulas; their version separates baselines.
    public var formula: PPSFormula
    /// The shortest wait for an image that keeps the URL in its entry; shorter waits are logged without it.
    public var urlThreshold: Nanoseconds
    /// The longest URL that is kept, in bytes of UTF-8; a longer URL, such as an image encoded as text, is left out.
    public var longestURL: Int
    /// The distance from its end at which a list counts as scrolled to its bottom, in the units of the scroll position.
    public var bottomDistance: Double
    /// The source of frame ticks' timestamps.
    public var frameClock: FrameClock

    /// Makes a configuration; omitted settings have their defaults.
    public init(
        formula: PPSFormula = .standard, urlThreshold: Nanoseconds = .milliseconds(500), longestURL: Int = 2_048,
        bottomDistance: Double = 0, frameClock: FrameClock = .vsync
    ) {
        (self.formula, self.urlThreshold, self.longestURL) = (formula, urlThreshold, longestURL)
        (self.bottomDistance, self.frameClock) = (bottomDistance, frameClock)
    }
}

/// The formulas of an event's times, and the version that identifies them.
///
/// A new formula starts as a candidate. The app reports its value with `PPSStateMachine.handleCandidate(_:_:)`, logs
/// hold it beside the metric, and no gate uses it. Promotion puts its value in the metric's place, under a new version.
/// Baselines of the old version then don't apply, so samples of different formulas are never compared.
public struct PPSFormula: Hashable, Sendable {
    /// A metric that a candidate can replace.
    public enum Promotable: Hashable, Sendable, CaseIterable {
        /// Time to first layout.
        case firstLayout
        /// Time to initial load.
        case initialLoad
    }

    /// The version, which is the `formula` of an event.
    public let version: String
    /// The promoted candidates, by the metric that they replaced.
    public let promoted: [Promotable: String]

    /// The formulas as this library defines them, without promoted candidates.
    public static let standard = PPSFormula(version: "1", promoted: [:])

    /// The formulas with a candidate's value in a metric's place. A visit without a value of the candidate then has no
    /// value of the metric.
    /// - Parameters:
    ///   - candidate: The candidate's name, as reported to the state machine.
    ///   - metric: The metric that it replaces.
    ///   - version: The new version. If it is the present one, the candidate's name is added, because two formulas
    ///     never share a version.
    public func promoting(_ candidate: String, to metric: Promotable, version: String) -> PPSFormula {
        PPSFormula(
            version: version == self.version ? "\(version)+\(candidate)" : version,
            promoted: promoted.merging([metric: candidate]) { _, new in new })
    }

    /// Puts an event's promoted candidates in their metrics' places.
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

/// The outcomes of a state machine's visits, including visits without an event.
public struct PPSCounts: Hashable, Sendable {
    /// The visits with a final event.
    public internal(set) var emitted = 0
    /// The visits without an event because the page had no name.
    public internal(set) var withoutName = 0
    /// The visits without an event because the page went away before it appeared.
    public internal(set) var neverAppeared = 0
    /// The visits that ended because the page was freed, and not because it disappeared.
    public internal(set) var freed = 0

    /// Makes counts of 0.
    public init() {}

    /// The count to which a visit's end adds.
    typealias End = WritableKeyPath<PPSCounts, Int>
}
