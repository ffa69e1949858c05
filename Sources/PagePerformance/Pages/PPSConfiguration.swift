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
