/// A moment in a log (RFC 3339), ordered by time independent of the offset.
package struct Timestamp: Sendable, Hashable, Comparable {
    package let text: String
    /// Whole seconds since 1970-01-01T00:00:00Z, negative before.
    package let seconds: Int
    /// The part beyond the whole seconds, 0 to below 1 s.
    package let fraction: Double

    /// The UTC day since 1970-01-01.
    package var day: Int { (seconds - Self.modulo(seconds, 86400)) / 86400 }

    /// Parses a text; `nil` if it isn't a date and time with an offset.
    package init?(_ text: String) {
        var scanner = TimestampScanner(text)
        guard let (seconds, fraction) = scanner.scan() else { return nil }
        (self.text, self.seconds, self.fraction) = (text, seconds, fraction)
    }

    /// A moment in whole seconds since 1970-01-01T00:00:00Z, written in UTC.
    package init(secondsSince1970 seconds: Int) {
        self.seconds = seconds
        fraction = 0
        let time = Self.modulo(seconds, 86400)
        let date = Self.date(ofDay: (seconds - time) / 86400)
        let clock = [time / 3600, time / 60 % 60, time % 60].map { Self.padded($0, 2) }.joined(separator: ":")
        text = "\(Self.padded(date.year, 4))-\(Self.padded(date.month, 2))-\(Self.padded(date.day, 2))T\(clock)Z"
    }

    package func after(milliseconds: Int) -> Timestamp {
        let all = Int((1_000 * fraction).rounded(.down)) + milliseconds
        let whole = Timestamp(secondsSince1970: seconds + all / 1_000)
        return Timestamp("\(whole.text.dropLast()).\(Self.padded(all % 1_000, 3))Z") ?? whole
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }

    private static func modulo(_ value: Int, _ divisor: Int) -> Int {
        (value % divisor + divisor) % divisor
    }

    /// Sorts by time; texts for the same moment by their UTF-8 bytes.
    package static func < (lhs: Timestamp, rhs: Timestamp) -> Bool {
        if lhs.seconds != rhs.seconds { return lhs.seconds < rhs.seconds }
        if lhs.fraction != rhs.fraction { return lhs.fraction < rhs.fraction }
        return lhs.text.utf8.lexicographicallyPrecedes(rhs.text.utf8)
    }

    /// Whether this moment is before another, independent of notation.
    package func isEarlier(than other: Timestamp) -> Bool { (seconds, fraction) < (other.seconds, other.fraction) }

    /// The day number of a Gregorian date since 1970-01-01, for the years 0 to 9999 (H. Hinnant, "chrono-compatible
    /// low-level date algorithms", `days_from_civil`).
    static func day(ofYear year: Int, month: Int, day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// The date of a day number, `civil_from_days` from the same source.
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

/// Parses the date, time and offset of RFC 3339 from arbitrary text.
struct TimestampScanner {
    private let bytes: [UInt8]
    private var position = 0

    init(_ text: String) { bytes = Array(text.utf8) }

    mutating func scan() -> (seconds: Int, fraction: Double)? {
        guard let day = date(), take("Tt ") != nil, let time = time(), let fraction = fraction(),
            let offset = offset(), position == bytes.count
        else { return nil }
        return (day * 86400 + time - offset, fraction)
    }

    private mutating func date() -> Int? {
        guard let year = number(4), take("-") != nil, let month = number(2), take("-") != nil, let day = number(2)
        else { return nil }
        return CalendarDay.number(year: year, month: month, day: day)
    }

    private mutating func time() -> Int? {
        guard let hour = number(2), take(":") != nil, let minute = number(2), take(":") != nil,
            let second = number(2), hour < 24, minute < 60, second <= 60
        else { return nil }
        return hour * 3600 + minute * 60 + second
    }

    private mutating func fraction() -> Double? {
        guard take(".") != nil else { return 0 }
        let start = position
        while position < bytes.count, isDigit(bytes[position]) { position += 1 }
        guard position > start else { return nil }
        // A double can't represent digits beyond the fifteenth, but they could round a fraction up to 1.
        return Double("0." + String(decoding: bytes[start..<min(position, start + 15)], as: UTF8.self))
    }

    private mutating func offset() -> Int? {
        switch take("Zz+-") {
        case UInt8(ascii: "Z"), UInt8(ascii: "z"): return 0
        case .some(let sign):
            guard let hours = number(2), take(":") != nil, let minutes = number(2), hours < 24, minutes < 60
            else { return nil }
            return (hours * 3600 + minutes * 60) * (sign == UInt8(ascii: "-") ? -1 : 1)
        case nil: return nil
        }
    }

    private mutating func number(_ width: Int) -> Int? {
        guard position + width <= bytes.count else { return nil }
        let digits = bytes[position..<position + width]
        guard digits.allSatisfy(isDigit) else { return nil }
        position += width
        return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    private mutating func take(_ choices: StaticString) -> UInt8? {
        guard position < bytes.count else { return nil }
        let byte = bytes[position]
        guard choices.withUTF8Buffer({ $0.contains(byte) }) else { return nil }
        position += 1
        return byte
    }

    private func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }
}

/// A Gregorian day in UTC, such as the day on which an exception ends.
package struct CalendarDay: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The day in ISO 8601, `2026-12-24`, from the year 0000 to 9999.
    package let text: String

    /// Parses a text; `nil` if it isn't a valid day, such as 2026-02-29.
    package init?(_ text: String) {
        guard text.utf8.count == 10, Timestamp("\(text)T00:00:00Z") != nil else { return nil }
        self.text = text
    }

    /// The day with a number since 1970-01-01, within the years 0000 to 9999.
    package init(number: Int) { text = String(Timestamp(secondsSince1970: number * 86_400).text.prefix(10)) }

    package var number: Int { Timestamp("\(text)T00:00:00Z")?.day ?? 0 }

    /// The numbers of the days on which something can have been measured, if this is the current day: from 2015 to
    /// tomorrow. The clock of a device that lost power begins in 1970 or 2001.
    package var possible: ClosedRange<Int> { Self.earliest...max(Self.earliest, number + 1) }

    private static let earliest = Timestamp.day(ofYear: 2015, month: 1, day: 1)

    /// The number of a date; `nil` if there is no such day.
    package static func number(year: Int, month: Int, day: Int) -> Int? {
        guard 0...9999 ~= year, 1...12 ~= month, day >= 1 else { return nil }
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let days = month == 2 ? (isLeap ? 29 : 28) : 30 + (month + month / 8) % 2
        return day <= days ? Timestamp.day(ofYear: year, month: month, day: day) : nil
    }

    /// Sorts by time: the texts have a fixed width.
    package static func < (lhs: CalendarDay, rhs: CalendarDay) -> Bool { lhs.text.precedesInUTF8(rhs.text) }

    package var description: String { text }
}
