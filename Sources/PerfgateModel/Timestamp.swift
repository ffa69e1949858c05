import PagePerformance

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
        let bytes = Array(text.utf8)
        let time = bytes.withUnsafeBytes { bytes in
            var scanner = TimeScanner(bytes, isStrict: true)
            return scanner.scan()
        }
        guard let (seconds, fraction) = time else { return nil }
        (self.text, self.seconds, self.fraction) = (text, seconds, fraction)
    }

    /// A moment in whole seconds since 1970-01-01T00:00:00Z, written in UTC.
    package init(secondsSince1970 seconds: Int) {
        self.seconds = seconds
        fraction = 0
        let time = Self.modulo(seconds, 86400)
        let date = UniversalTime.date(day: (seconds - time) / 86400)
        let clock = [time / 3600, time / 60 % 60, time % 60].map { Self.padded($0, 2) }.joined(separator: ":")
        text = "\(Self.padded(date.year, 4))-\(Self.padded(date.month, 2))-\(Self.padded(date.day, 2))T\(clock)Z"
    }

    package func after(milliseconds: Int) -> Timestamp {
        let all = Int((1_000 * fraction).rounded(.down)) + milliseconds
        let whole = Timestamp(secondsSince1970: seconds + all / 1_000)
        return Timestamp("\(whole.text.dropLast()).\(Self.padded(all % 1_000, 3))Z") ?? whole
    }

    private static func padded(_ number: Int, _ width: Int) -> String { String(number).padded(toWidth: width) }

    private static func modulo(_ value: Int, _ divisor: Int) -> Int { (value % divisor + divisor) % divisor }

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
}

/// Parses a date and time of ISO 8601 without a `String`.
package struct TimeScanner {
    private let bytes: UnsafeRawBufferPointer
    private let isStrict: Bool
    private var position = 0
    private var isAtEnd: Bool { position == bytes.count }

    /// Scans the bytes of a text.
    /// - Parameter isStrict: Whether only RFC 3339 is valid. Otherwise the offset (then UTC), the time (then 0:00), the
    ///   seconds, and the minutes of the offset may be absent, a comma may begin the fraction, and a leap second counts
    ///   as the second before it.
    package init(_ bytes: UnsafeRawBufferPointer, isStrict: Bool) { (self.bytes, self.isStrict) = (bytes, isStrict) }

    /// The whole seconds since 1970-01-01T00:00:00Z and, if strict, the fraction of a second; `nil` for any other text.
    package mutating func scan() -> (seconds: Int, fraction: Double)? {
        guard let day = date(), let time = !isStrict && isAtEnd ? (0, 0) : time(), let offset = offset(), isAtEnd
        else { return nil }
        return (day * 86_400 + time.seconds - offset, time.fraction)
    }

    /// The day of `2026-11-20` since 1970-01-01.
    private mutating func date() -> Int? {
        guard let century = pair(), let year = pair(), take("-"), let month = pair(), take("-"), let day = pair()
        else { return nil }
        return CalendarDay.number(year: century * 100 + year, month: month, day: day)
    }

    /// The time of `T10:00`, `T10:00:00` or `T10:00:00.123`.
    private mutating func time() -> (seconds: Int, fraction: Double)? {
        guard take("T") || take("t") || take(" "), let hour = pair(), take(":"), let minute = pair(), hour < 24,
            minute < 60
        else { return nil }
        let start = hour * 3_600 + minute * 60
        guard take(":") else { return isStrict ? nil : (start, 0) }
        guard let second = pair(), second <= 60 else { return nil }
        let seconds = start + (isStrict ? second : min(second, 59))
        return fraction().map { (seconds, $0) }
    }

    private mutating func fraction() -> Double? {
        guard take(".") || !isStrict && take(",") else { return 0 }
        let start = position
        while position < bytes.count, bytes[position].isDigit { position += 1 }
        guard position > start else { return nil }
        // A double can't represent digits beyond the fifteenth, but they could round a fraction up to 1.
        return isStrict ? Double("0." + String(decoding: bytes[start..<min(position, start + 15)], as: UTF8.self)) : 0
    }

    /// The seconds of `Z`, `+03`, `+0300` or `+03:00`.
    private mutating func offset() -> Int? {
        if !isStrict && isAtEnd || take("Z") || take("z") { return 0 }
        let isNegative = take("-")
        guard isNegative || take("+"), let hours = pair(), hours < 24, take(":") || !isStrict,
            let minutes = !isStrict && isAtEnd ? 0 : pair(), minutes < 60
        else { return nil }
        return (hours * 3_600 + minutes * 60) * (isNegative ? -1 : 1)
    }

    @inline(__always) private mutating func pair() -> Int? {
        guard position &+ 2 <= bytes.count else { return nil }
        let (tens, ones) = (bytes[position] &- UInt8(ascii: "0"), bytes[position &+ 1] &- UInt8(ascii: "0"))
        guard tens < 10, ones < 10 else { return nil }
        position &+= 2
        return Int(tens) * 10 + Int(ones)
    }

    @inline(__always) private mutating func take(_ byte: Unicode.Scalar) -> Bool {
        guard position < bytes.count, bytes[position] == UInt8(ascii: byte) else { return false }
        position &+= 1
        return true
    }
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
