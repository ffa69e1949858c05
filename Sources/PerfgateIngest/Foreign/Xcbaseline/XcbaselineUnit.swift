/// The units of the averages, which no property list names.
enum XcbaselineUnit {
    /// The only metric of `measure { }` before `XCTMetric`.
    static let wallClock = "com.apple.XCTPerformanceMetric_WallClockTime"

    /// The unit of a metric, as its results spell it; `nil` for an unknown metric.
    static func of(_ identifier: String) -> String? {
        if identifier == wallClock { return "s" }
        guard identifier.hasPrefix(prefix) else { return nil }
        let isOfSignpostOrLaunch = families.contains { identifier.hasPrefix(prefix + $0) }
        return endings.first { identifier.hasSuffix($0.ending) }?.unit
            ?? (isOfSignpostOrLaunch && identifier.hasSuffix(".duration") ? "s" : nil)
    }

    private static let prefix = XcresultMetric.prefix
    /// Whose durations are seconds; what the family of hitches gives isn't documented.
    private static let families = ["OSSignpost", "ApplicationLaunch"]

    /// The longer endings first.
    private static let endings: [(ending: String, unit: String)] = [
        ("hitches.total.duration", "ms"), (".time.ratio", "ms per s"), (".number", "hitches"),
        ("animation.frame.rate", "fps"), ("animation.frame.count", "frames"), (".time.monotonic", "s"),
        ("CPU.time", "s"), ("CPU.cycles", "kC"), ("CPU.instructions_retired", "kI"),
        ("Memory.physical_peak", "kB"), ("Memory.physical-peak", "kB"), ("Memory.physical", "kB"),
        ("Disk.logical_writes", "kB"),
    ]
}
