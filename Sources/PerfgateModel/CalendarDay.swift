/// A day of the Gregorian calendar in UTC, such as the one on which an exception ends.
public struct CalendarDay: Sendable, Hashable {
    /// The day as ISO 8601 writes it, `2026-12-24`, from the year 0000 to 9999.
    public let text: String

    /// The day that a text says; `nil` where it isn't one, such as 2026-02-29.
    public init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.map(\.utf8.count) == [4, 2, 2] else { return nil }
        let numbers = parts.compactMap(Self.number)
        guard numbers.count == 3, (1...12).contains(numbers[1]) else { return nil }
        guard (1...Self.days(inMonth: numbers[1], of: numbers[0])).contains(numbers[2]) else { return nil }
        self.text = text
    }

    private static func number(_ digits: Substring) -> Int? {
        digits.utf8.allSatisfy { (48...57).contains($0) } ? Int(digits) : nil
    }

    private static func days(inMonth month: Int, of year: Int) -> Int {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        return switch month {
        case 2: isLeap ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}

extension CalendarDay: Comparable {
    /// By time: the texts have a fixed width.
    public static func < (lhs: CalendarDay, rhs: CalendarDay) -> Bool {
        lhs.text.precedesInUTF8(rhs.text)
    }
}

extension CalendarDay: CustomStringConvertible {
    /// The day as ISO 8601 writes it.
    public var description: String { text }
}
