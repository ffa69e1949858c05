import PerfgateModel

/// Points in time of other tools as the perfgate log writes them: ISO 8601 in UTC, to the second.
enum UTCTime {
    /// The text of a number of seconds since 1970, such as `2026-11-20T10:00:00Z`; `nil` outside the years 1970 to 9999.
    static func text(secondsSince1970 seconds: Double) -> String? {
        guard seconds >= 0, seconds < endOfYear9999 else { return nil }
        return Timestamp(secondsSince1970: Int(seconds)).text
    }

    private static let endOfYear9999 = 253_402_300_800.0
}
