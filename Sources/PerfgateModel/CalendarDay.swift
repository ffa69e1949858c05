/// A day of the Gregorian calendar in UTC, such as the one on which an exception ends.
public struct CalendarDay: Sendable, Hashable {
    /// The day as ISO 8601 writes it, `2026-12-24`, from the year 0000 to 9999.
    public let text: String

    /// The day that a text says; `nil` where it isn't one, such as 2026-02-29.
    public init?(_ text: String) {
        guard text.utf8.count == 10, Timestamp("\(text)T00:00:00Z") != nil else { return nil }
        self.text = text
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
