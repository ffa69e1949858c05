import PerfgateStats

/// How the confirmed rule fares in worlds that differ from the documented one in one thing each, in Markdown.
public struct SensitivityReport {
    private let seed: UInt64
    private let runs: Int
    private let changes: Int

    /// A report on so many runs without a change, and so many changed cells, for each number.
    public init(seed: UInt64, runs: Int, changes: Int) {
        self.seed = seed
        self.runs = runs
        self.changes = changes
    }

    /// The worlds, by what is different in them.
    public static var worlds: [(title: String, world: World)] {
        func world(_ change: (inout World) -> Void) -> World {
            var world = World()
            change(&world)
            return world
        }
        return [
            ("as documented", World()),
            ("runs don't differ (τ = 0)", world { ($0.deviceEffect, $0.pageEffect, $0.countEffect) = (0, 0, 0) }),
            ("τ = 4.2 % (3 % and 3 %)", world { ($0.deviceEffect, $0.pageEffect) = (0.03, 0.03) }),
            ("τ = 5 % (4 % and 3 %)", world { ($0.deviceEffect, $0.pageEffect) = (0.04, 0.03) }),
            ("spread within runs 10–15 %", world { $0.spread = 0.1...0.15 }),
            ("frames dropped in at most one of ten iterations", world { $0.noFrames = 0.9...1 }),
            ("frames dropped in every second iteration", world { $0.noFrames = 0.4...0.6 }),
        ]
    }

    /// The plan: a settled baseline, and a first look of five.
    public static let plan = SimulationReport.plans[0]

    /// Prints the table line by line, as soon as each line is known.
    ///
    /// - Parameter pages: How many pages a run has; five times as many comparisons are M.
    public func write(pages: Int = 100, _ line: (String) -> Void) throws(StatsError) {
        let comparisons = pages * World.cellsPerPage
        line("| world | P at M = \(comparisons), one look/confirmed | +1/+2/+3 dropped frames | +10/+20/+50 % time |")
        line("|---|---|---|---|")
        for (title, world) in Self.worlds {
            let simulation = Simulation(seed: seed, runs: runs, changes: changes, world: world)
            let alarms = try simulation.falseAlarms(Self.plan, pages: pages)
            var columns = [[alarms.once, alarms.confirmed]]
            for changes in [SimulationReport.changes[0], SimulationReport.changes[2]] {
                var column: [Tally] = []
                for change in changes {
                    column.append(try simulation.power(Self.plan, change, comparisons: comparisons).confirmed)
                }
                columns.append(column)
            }
            line("| \(title) | \(columns.map(Tally.text).joined(separator: " | ")) |")
        }
    }
}
