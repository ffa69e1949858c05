/// How a value in the spelling of another tool becomes a value in a unit of perfgate's.
public struct UnitConversion: Sendable, Hashable {
    /// The unit afterwards.
    public let unit: Unit
    /// What a value is multiplied by; positive.
    public let factor: Double

    /// The conversion of a spelling that other tools use. A spelling that perfgate doesn't know keeps itself and the
    /// factor 1, so that nothing measured is dropped.
    public init(from spelling: String) {
        if let (unit, factor) = Self.known[spelling] {
            self.unit = unit
            self.factor = factor
        } else {
            self.unit = Unit(spelling)
            self.factor = 1
        }
    }

    /// The value in `unit`.
    public func convert(_ value: Double) -> Double {
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
        "hitches": (.hitches, 1), "events": (.events, 1), "points": (.points, 1),
    ]
}
