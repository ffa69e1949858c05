import Foundation
import PerfgateBaselines
import PerfgateModel

extension CalendarDay {
    /// The day, in UTC, on which a moment falls; `nil` beyond the year 9999.
    public init?(of moment: Timestamp) {
        self.init(String(Timestamp(secondsSince1970: moment.day * 86_400).text.prefix(10)))
    }

    /// The day that the clock says.
    public static var today: CalendarDay? {
        CalendarDay(of: Timestamp(secondsSince1970: Int(Date().timeIntervalSince1970)))
    }
}

extension Measurements {
    /// The day of the newest run; `nil` where no run says when it began.
    var newestDay: CalendarDay? {
        runs.compactMap { $0.startedAt.flatMap(Timestamp.init) }.max().flatMap(CalendarDay.init(of:))
    }
}
