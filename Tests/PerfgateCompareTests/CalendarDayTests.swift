import PerfgateModel
import Testing

/// Valid texts of days, and their order.
struct CalendarDayTests {
    @Test(arguments: ["2026-12-24", "2024-02-29", "2000-02-29", "0000-01-01", "9999-12-31"])
    func days(_ text: String) {
        #expect(CalendarDay(text)?.description == text)
    }

    @Test(arguments: [
        "", "2026-02-29", "1900-02-29", "2026-13-01", "2026-00-01", "2026-01-00", "2026-04-31", "2026-1-1", "26-01-01",
        "2026-01-01T00:00:00Z", "2026/01/01", "+026-01-01", "２０２６-01-01", "2026-01-0a",
    ])
    func others(_ text: String) {
        #expect(CalendarDay(text) == nil)
    }

    /// For each of the 24 orders of four days.
    @Test func areOrderedByTime() throws {
        let days = try ["2025-12-31", "2026-01-01", "2026-02-01", "2026-10-01"].map { try #require(CalendarDay($0)) }
        for order in Self.orders(of: days) { #expect(order.sorted() == days, "\(order)") }
    }

    private static func orders(of days: [CalendarDay]) -> [[CalendarDay]] {
        guard !days.isEmpty else { return [[]] }
        return days.indices.flatMap { index in
            var others = days
            let first = others.remove(at: index)
            return orders(of: others).map { [first] + $0 }
        }
    }
}
