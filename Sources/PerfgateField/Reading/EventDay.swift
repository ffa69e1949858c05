import PerfgateModel

/// The UTC day of an event since 1970-01-01, from its `at`.
enum EventDay {
    /// The last day, 9999-12-31.
    private static let last = 2_932_896
    private static let secondsADay = 86_400

    /// The day of milliseconds since 1970; `nil` before 1970 and after 9999.
    static func of(milliseconds: Double) -> Int32? {
        let day = (milliseconds / 86_400_000).rounded(.down)
        return (0...Double(last)).contains(day) ? Int32(day) : nil
    }

    /// The day of an ISO 8601 time: a date, optionally with a time to the minute or finer, and an offset; the default
    /// is UTC. `nil` for any other text, before 1970 and after 9999.
    static func of(text bytes: UnsafeRawBufferPointer) -> Int32? {
        var scanner = ISOScanner(bytes)
        guard let day = scanner.date() else { return nil }
        var seconds = day * secondsADay
        if !scanner.isAtEnd {
            guard let time = scanner.time(), let offset = scanner.offset(), scanner.isAtEnd else { return nil }
            seconds += time - offset
        }
        return (0..<(last + 1) * secondsADay).contains(seconds) ? Int32(seconds / secondsADay) : nil
    }
}

/// Parses the parts of ISO 8601 without a `String`.
private struct ISOScanner {
    private let bytes: UnsafeRawBufferPointer
    private var position = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var isAtEnd: Bool { position == bytes.count }

    /// The day of `2026-11-20` since 1970-01-01.
    mutating func date() -> Int? {
        guard let century = pair(), let year = pair(), take("-"), let month = pair(), take("-"), let day = pair() else {
            return nil
        }
        return CalendarDay.number(year: century * 100 + year, month: month, day: day)
    }

    /// The whole seconds of `T10:00`, `T10:00:00` or `T10:00:00.123`; a leap second counts as the second before it.
    mutating func time() -> Int? {
        guard take("T") || take("t") || take(" "), let hour = pair(), take(":"), let minute = pair(), hour < 24,
            minute < 60
        else { return nil }
        var seconds = hour * 3_600 + minute * 60
        guard take(":") else { return seconds }
        guard let second = pair(), second <= 60 else { return nil }
        seconds += min(second, 59)
        if take(".") || take(",") {
            let start = position
            while position < bytes.count, bytes[position] &- UInt8(ascii: "0") < 10 { position += 1 }
            if position == start { return nil }
        }
        return seconds
    }

    /// The seconds of `Z`, `+03`, `+0300` or `+03:00`; 0 at the end.
    mutating func offset() -> Int? {
        if isAtEnd || take("Z") || take("z") { return 0 }
        let isNegative = take("-")
        guard isNegative || take("+"), let hours = pair(), hours < 24 else { return nil }
        _ = take(":")
        guard let minutes = isAtEnd ? 0 : pair(), minutes < 60 else { return nil }
        return (hours * 3_600 + minutes * 60) * (isNegative ? -1 : 1)
    }

    @inline(__always)
    private mutating func pair() -> Int? {
        guard position &+ 2 <= bytes.count else { return nil }
        let (tens, ones) = (bytes[position] &- UInt8(ascii: "0"), bytes[position &+ 1] &- UInt8(ascii: "0"))
        guard tens < 10, ones < 10 else { return nil }
        position &+= 2
        return Int(tens) * 10 + Int(ones)
    }

    @inline(__always)
    private mutating func take(_ byte: Unicode.Scalar) -> Bool {
        guard position < bytes.count, bytes[position] == UInt8(ascii: byte) else { return false }
        position &+= 1
        return true
    }
}
