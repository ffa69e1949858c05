/// How many runs a baseline keeps: the configuration's `window`.
public struct WindowPolicy: Sendable, Hashable {
    /// The number of runs that a page keeps, at least 1.
    public let runs: Int
    /// How many runs of a day in UTC are left alone while others can go, at least 1.
    public let perDay: Int

    /// The policy where the configuration says nothing.
    public static let standard = WindowPolicy(runs: 10, perDay: 2)

    /// Makes a policy; what is below 1 counts as 1.
    public init(runs: Int, perDay: Int) {
        self.runs = max(1, runs)
        self.perDay = max(1, perDay)
    }

    /// The runs that stay, in their order.
    ///
    /// Only beyond the window runs go: first those past the newest `perDay` of a day, oldest day first, then the
    /// oldest. So ten merges before lunch don't push out last week.
    public func kept(of all: [BaselineRun]) -> [BaselineRun] {
        var kept = all.sorted()
        while kept.count > runs {
            kept.remove(at: crowdedDay(in: kept) ?? 0)
        }
        return kept
    }

    /// The first run of the oldest day that has more runs than are left alone.
    private func crowdedDay(in sorted: [BaselineRun]) -> Int? {
        sorted.indices.first { index in
            let last = index + perDay
            return last < sorted.count && sorted[last].startedAt.day == sorted[index].startedAt.day
        }
    }
}
