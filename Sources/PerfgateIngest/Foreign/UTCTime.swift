/// Points in time of other tools as the perfgate log writes them: ISO 8601 in UTC, to the second.
enum UTCTime {
    /// The text of a number of seconds since 1970, such as `2026-11-20T10:00:00Z`; `nil` outside the years 1970 to 9999.
    static func text(secondsSince1970 seconds: Double) -> String? {
        guard seconds >= 0, seconds < endOfYear9999 else { return nil }
        let total = Int(seconds)
        let (year, month, day) = date(ofDay: total / 86_400)
        let (hour, minute, second) = (total / 3_600 % 24, total / 60 % 60, total % 60)
        return "\(padded(year, 4))-\(padded(month))-\(padded(day))T\(padded(hour)):\(padded(minute)):\(padded(second))Z"
    }

    /// The seconds since 1970 of a date and time of day in UTC; `nil` where there is no such time.
    static func seconds(year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int) -> Double? {
        guard (1970...9999).contains(year), (1...12).contains(month), (1...31).contains(day) else { return nil }
        guard (0...23).contains(hour), (0...59).contains(minute), (0...60).contains(second) else { return nil }
        let days = Self.day(year: year, month: month, day: day)
        guard date(ofDay: days) == (year, month, day) else { return nil }
        return Double(days * 86_400 + hour * 3_600 + minute * 60 + second)
    }

    private static let endOfYear9999 = 253_402_300_800.0

    /// The date of a day since 1970, by eras of 400 years that begin in March (H. Hinnant, `chrono`-compatible
    /// low-level date algorithms, `civil_from_days`).
    private static func date(ofDay day: Int) -> (Int, Int, Int) {
        let shifted = day + 719_468
        let (era, dayOfEra) = (shifted / 146_097, shifted % 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * marchMonth + 2) / 5 + 1)
    }

    /// The inverse of `date(ofDay:)` (`days_from_civil`).
    private static func day(year: Int, month: Int, day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let (era, yearOfEra) = (shifted / 400, shifted % 400)
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func padded(_ number: Int, _ width: Int = 2) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
