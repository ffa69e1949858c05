/// How often displays were refreshed, from the times of their refreshes: the table's own durations say nothing.
struct DisplayIntervals {
    /// The highest rate of all displays, in whole Hz; `nil` where no display was refreshed often enough to tell.
    let rate: Double?

    /// Reads the tables of one recording.
    init(_ tables: [XctraceTable]) {
        let rows = tables.first?.rows ?? []
        let displays = Dictionary(grouping: rows, by: \.display)
        rate = displays.values.compactMap { Self.rate($0.map(\.nanoseconds)) }.max()
    }

    /// The rate that the shortest intervals show; of these a twentieth may be disturbed.
    private static func rate(_ times: [Double]) -> Double? {
        let sorted = times.sorted()
        let intervals = zip(sorted.dropFirst(), sorted).map { $0 - $1 }.filter { $0 > 0 }.sorted()
        guard intervals.count >= 5 else { return nil }
        return (1e9 / intervals[intervals.count / 20]).rounded()
    }
}
