/// A moment as a log writes it (RFC 3339), in the order of time whatever the offset it is written with.
public struct Timestamp: Sendable, Hashable {
    /// The text as it was given.
    public let text: String
    /// Whole seconds since 1970-01-01T00:00:00Z, negative before.
    public let seconds: Int
    /// What comes beyond the whole seconds, 0 to below 1 s.
    public let fraction: Double

    /// The day in UTC, counted from 1970-01-01.
    public var day: Int { (seconds - Self.modulo(seconds, 86400)) / 86400 }

    /// The moment that a text says; `nil` where it isn't a date and a time with an offset.
    public init?(_ text: String) {
        var scanner = TimestampScanner(text)
        guard let (seconds, fraction) = scanner.scan() else { return nil }
        self.text = text
        self.seconds = seconds
        self.fraction = fraction
    }

    /// A moment in whole seconds since 1970-01-01T00:00:00Z, written in UTC.
    public init(secondsSince1970 seconds: Int) {
        self.seconds = seconds
        fraction = 0
        let time = Self.modulo(seconds, 86400)
        let date = Self.date(ofDay: (seconds - time) / 86400)
        let clock = [time / 3600, time / 60 % 60, time % 60].map { Self.padded($0, 2) }.joined(separator: ":")
        text = "\(Self.padded(date.year, 4))-\(Self.padded(date.month, 2))-\(Self.padded(date.day, 2))T\(clock)Z"
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }

    private static func modulo(_ value: Int, _ divisor: Int) -> Int {
        let rest = value % divisor
        return rest < 0 ? rest + divisor : rest
    }
}

extension Timestamp: Comparable {
    /// By time; texts that say the same moment by their UTF-8 bytes.
    public static func < (lhs: Timestamp, rhs: Timestamp) -> Bool {
        if lhs.seconds != rhs.seconds { return lhs.seconds < rhs.seconds }
        if lhs.fraction != rhs.fraction { return lhs.fraction < rhs.fraction }
        return lhs.text.utf8.lexicographicallyPrecedes(rhs.text.utf8)
    }

    /// Whether this moment is before another, however the two are written.
    public func isEarlier(than other: Timestamp) -> Bool {
        (seconds, fraction) < (other.seconds, other.fraction)
    }
}

extension Timestamp {
    /// The day of a date of the Gregorian calendar, counted from 1970-01-01 (H. Hinnant, "chrono-compatible low-level
    /// date algorithms", `days_from_civil`), for the years 0 to 9999.
    static func day(ofYear year: Int, month: Int, day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// The date of a day, `civil_from_days` of the same source.
    static func date(ofDay day: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = day + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }
}
