/// A unit of measurement, in the spelling that perfgate stores and shows.
public struct Unit: Sendable, Hashable {
    /// The spelling, such as `ms`, `fps` or `ms/s`; empty for a pure number.
    public let symbol: String

    /// Makes a unit of a spelling as it stands; `UnitConversion` tidies foreign spellings.
    public init(_ symbol: String) {
        self.symbol = symbol
    }

    /// Milliseconds, the unit of every time.
    public static let milliseconds = Unit("ms")
    /// Dropped frames.
    public static let frames = Unit("frames")
    /// Drop events.
    public static let events = Unit("events")
    /// Hitches.
    public static let hitches = Unit("hitches")
    /// Milliseconds of hitches in a second of animation.
    public static let millisecondsPerSecond = Unit("ms/s")
    /// Seconds of hangs in an hour of use.
    public static let secondsPerHour = Unit("s/h")
    /// Frames in a second.
    public static let framesPerSecond = Unit("fps")
    /// Points of the page performance score, 0 to 100.
    public static let points = Unit("points")

    /// Whether values of this unit are counts or rates: their centre is the mean, since the median of small counts full
    /// of ties does not move. The centre of everything else is the median.
    public var isCountOrRate: Bool {
        switch self {
        case .frames, .events, .hitches, .millisecondsPerSecond, .secondsPerHour: true
        default: false
        }
    }
}

extension Unit: CustomStringConvertible {
    /// The symbol.
    public var description: String { symbol }
}
