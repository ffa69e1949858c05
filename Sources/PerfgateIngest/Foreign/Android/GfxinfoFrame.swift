/// One row of the table that `framestats` lists: a frame with its times, in nanoseconds of one clock.
struct GfxinfoFrame: Sendable, Hashable {
    /// When the display was ready for it.
    let intendedVsync: Int
    /// When it was done; not before `intendedVsync`.
    let completed: Int
    /// When it had to be done; `nil` where the dump doesn't say (before Android 12).
    let deadline: Int?

    /// How long it took, in milliseconds; the definition of Android's documentation of `framestats`.
    var milliseconds: Double { Double(completed - intendedVsync) / 1e6 }

    /// How long it was late, in milliseconds: 0 where it was in time, `nil` where no deadline is known.
    var lateMilliseconds: Double? {
        deadline.map { completed > $0 ? Double(completed - $0) / 1e6 : 0 }
    }
}

extension GfxinfoFrame {
    /// What a row is.
    enum Row {
        /// A frame.
        case frame(GfxinfoFrame)
        /// A row that is no ordinary frame, with a clause that says why.
        case skipped(String)
        /// A row that can't be read, with a clause that says why.
        case bad(String)
    }

    /// Reads a row by the columns that the table names.
    static func read(_ cells: [Int?], _ columns: GfxinfoColumns) -> Row {
        guard cells.count == columns.count else {
            return .bad("it has \(cells.count) of \(columns.count) columns")
        }
        let value = { (column: Int?) -> Int? in column.flatMap { cells[$0] } }
        guard let flags = value(columns.flags), let vsync = value(columns.intendedVsync),
            let completed = value(columns.completed)
        else { return .bad("a column isn't a whole number") }
        guard flags == 0 else { return .skipped("their flags say that they are no ordinary frames") }
        guard completed != 0 else { return .skipped("they weren't done when they were dumped") }
        guard vsync > 0, completed >= vsync else { return .bad("it ends before it begins") }
        return .frame(
            GfxinfoFrame(
                intendedVsync: vsync, completed: completed,
                deadline: deadline(value(columns.deadline), vsync: vsync, interval: value(columns.interval))))
    }

    /// The deadline as it stands, else one interval of the display after the vsync; the greatest number means none.
    private static func deadline(_ deadline: Int?, vsync: Int, interval: Int?) -> Int? {
        if let deadline, deadline >= vsync, deadline < .max { return deadline }
        guard let interval, interval > 0 else { return nil }
        let (sum, overflows) = vsync.addingReportingOverflow(interval)
        return overflows ? nil : sum
    }
}
