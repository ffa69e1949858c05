import PerfgateStats

/// The tables of the documentation, in Markdown.
package struct StudyReport {
    private let simulation: Study
    /// The pages of the columns of false alarms; M is five times as large.
    private let pages: [Int]

    package init(_ simulation: Study, pages: [Int] = [4, 20, 100]) {
        self.simulation = simulation
        self.pages = pages
    }

    /// The plans of the tables: a settled baseline, one with a longer first look, a younger one, a single run.
    package static let plans = [
        Plan(baselineRuns: 10, baselineIterations: 5, firstLook: 5),
        Plan(baselineRuns: 10, baselineIterations: 5, firstLook: 10),
        Plan(baselineRuns: 5, baselineIterations: 5, firstLook: 5),
        Plan(baselineRuns: 1, baselineIterations: 10, firstLook: 5),
    ]
    /// The paired plans of the tables.
    package static let pairedPlans = [
        PairedPlan(pairs: 1, iterations: 10), PairedPlan(pairs: 2, iterations: 5), PairedPlan(pairs: 3, iterations: 5),
        PairedPlan(pairs: 5, iterations: 5),
    ]
    /// The changes in each column of power.
    package static let changes: [[Change]] = [
        [.newHitch(1), .newHitch(2), .newHitch(3)], [.moreEvents(1), .moreEvents(2), .moreEvents(4)],
        [.slower(0.1), .slower(0.2), .slower(0.5)],
    ]

    private static let comparisons = 500
    private var head: [String] {
        let comparisons = pages.map { "\($0 * World.cellsPerPage)" }.joined(separator: "/")
        return ["P at M = \(comparisons)", "+1/+2/+3 dropped frames", "+1/+2/+4 events", "+10/+20/+50 % time"]
    }

    /// Prints the tables line by line, as each line is computed.
    package func write(_ line: (String) -> Void) throws(StatsError) {
        line("| baseline runs × iterations, first look | rule | \(head.joined(separator: " | ")) |")
        line("|---|---|---|---|---|---|")
        var rivals: [String] = []
        for plan in Self.plans {
            let cells = try outcomes(plan)
            line(row(plan.title, "one look", cells.map { $0.map(\.once) }))
            line(row(plan.title, "confirmed by 2×10", cells.map { $0.map(\.confirmed) }))
            guard plan == Self.plans[0] else { continue }
            rivals = Study.rivals.indices.map { index in
                row(plan.title, Study.rivals[index].title, cells.map { $0.map { $0.rivals[index] } })
            }
        }
        for plan in Self.pairedPlans { line(row(plan.title, "in turn", try tallies(plan))) }
        rivals.forEach(line)
    }

    private func outcomes(_ plan: Plan) throws(StatsError) -> [[Study.Scores]] {
        var columns: [[Study.Scores]] = [[]]
        for pages in pages { columns[0].append(try simulation.falseAlarms(plan, pages: pages)) }
        for changes in Self.changes {
            var column: [Study.Scores] = []
            for change in changes { column.append(try simulation.power(plan, change, comparisons: Self.comparisons)) }
            columns.append(column)
        }
        return columns
    }

    private func tallies(_ plan: PairedPlan) throws(StatsError) -> [[Tally]] {
        var columns: [[Tally]] = [[]]
        for pages in pages { columns[0].append(try simulation.falseAlarms(plan, pages: pages)) }
        for changes in Self.changes {
            var column: [Tally] = []
            for change in changes { column.append(try simulation.power(plan, change, comparisons: Self.comparisons)) }
            columns.append(column)
        }
        return columns
    }

    private func row(_ title: String, _ rule: String, _ columns: [[Tally]]) -> String {
        "| \(title) | \(rule) | \(columns.map(Tally.text).joined(separator: " | ")) |"
    }
}

/// The results of the confirmed rule in worlds that each differ from the documented one in one respect, in Markdown.
package struct SensitivityReport {
    private let seed: UInt64
    private let runs: Int
    private let changes: Int

    /// A report with this many unchanged runs and changed cells per number.
    package init(seed: UInt64, runs: Int, changes: Int) {
        self.seed = seed
        self.runs = runs
        self.changes = changes
    }

    /// The worlds, by their difference from the documented one.
    package static var worlds: [(title: String, world: World)] {
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

    /// The plan: a settled baseline, and a first look with five samples.
    package static let plan = StudyReport.plans[0]

    /// Prints the table line by line, as each line is computed.
    ///
    /// - Parameter pages: The number of pages per run; M is five times as large.
    package func write(pages: Int = 100, _ line: (String) -> Void) throws(StatsError) {
        let comparisons = pages * World.cellsPerPage
        line("| world | P at M = \(comparisons), one look/confirmed | +1/+2/+3 dropped frames | +10/+20/+50 % time |")
        line("|---|---|---|---|")
        for (title, world) in Self.worlds {
            let simulation = Study(seed: seed, runs: runs, changes: changes, world: world, asksRivals: false)
            let alarms = try simulation.falseAlarms(Self.plan, pages: pages)
            var columns = [[alarms.once, alarms.confirmed]]
            for changes in [StudyReport.changes[0], StudyReport.changes[2]] {
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

/// The effect of comparing shares of counts, in Markdown.
package struct ShareReport {
    private let seed: UInt64
    private let runs: Int
    private let changes: Int

    /// A report with this many unchanged runs and changed cells per number.
    package init(seed: UInt64, runs: Int, changes: Int) {
        self.seed = seed
        self.runs = runs
        self.changes = changes
    }

    /// The changes: almost all iterations slightly worse, all of them, and half of them frozen.
    package static let changed: [Change] = [.newHitch(2), .hitch(2, in: 1), .hitch(10, in: 0.5)]

    /// The worlds of times, by how often a sample takes far longer.
    private static var timeWorlds: [(title: String, world: World)] {
        func world(_ change: (inout World) -> Void) -> World {
            var world = World()
            change(&world)
            return world
        }
        return [
            ("as documented", World()),
            (
                "4 % of samples take 1.3 to 3.3 times as long",
                world { ($0.outlierShare, $0.outlierFactor) = (0.04, 1.3...3.3) }
            ),
            (
                "10 % of samples take three times as long",
                world { ($0.outlierShare, $0.outlierFactor) = (0.1, 3...3.01) }
            ),
            ("a run in fifty has half of a time's samples three times as long", world { $0.badNights = 0.02 }),
        ]
    }

    /// Prints the table of times.
    ///
    /// - Parameter pages: The number of pages per run; M is five times as large.
    package func writeTimes(pages: [Int] = [8, 100], _ line: (String) -> Void) throws(StatsError) {
        line(
            "| world, M | times are compared by | unchanged: one look/confirmed | unchanged: told in one look/confirmed "
                + "| 10×, 2 of 5: told/confirmed | 3 of 5: one look/confirmed | 9 of 20: one look/confirmed |")
        line("|---|---|---|---|---|---|---|")
        let (five, twenty) = (StudyReport.plans[0], Plan(baselineRuns: 10, baselineIterations: 5, firstLook: 20))
        for (title, world) in Self.timeWorlds {
            for pages in pages {
                for (tests, comparesShares) in [("ranks", false), ("ranks and shares", true)] {
                    let study = Study(
                        seed: seed, runs: runs, changes: changes, world: world, comparesShares: comparesShares,
                        asksRivals: false)
                    let comparisons = pages * World.cellsPerPage
                    let clean = try study.falseAlarms(five, pages: pages)
                    let two = try study.power(five, .slowLoads(10, in: 0.4), comparisons: comparisons)
                    let three = try study.power(five, .slowLoads(10, in: 0.6), comparisons: comparisons)
                    let nine = try study.power(twenty, .slowLoads(10, in: 0.45), comparisons: comparisons)
                    let columns = [
                        [clean.once, clean.confirmed], [clean.told, clean.toldAgain], [two.told, two.confirmed],
                        [three.once, three.confirmed], [nine.once, nine.confirmed],
                    ].map(Tally.text)
                    line("| \(title), \(comparisons) | \(tests) | \(columns.joined(separator: " | ")) |")
                }
            }
        }
    }

    /// Prints the table line by line, as each line is computed.
    ///
    /// - Parameter pages: The number of pages per run; M is five times as large.
    package func write(pages: Int = 100, _ line: (String) -> Void) throws(StatsError) {
        let comparisons = pages * World.cellsPerPage
        line(
            "| counts are compared by | look | P of counts at M = \(comparisons) | +2 dropped frames "
                + "| the same in all iterations | 10 frames in half of them |")
        line("|---|---|---|---|---|---|")
        for (title, comparesShares) in [("ranks", false), ("ranks and shares", true)] {
            let study = Study(
                seed: seed, runs: runs, changes: changes, comparesShares: comparesShares, asksRivals: false)
            var scores = [try study.falseAlarmsOfCounts(StudyReport.plans[0], pages: pages)]
            for change in Self.changed {
                scores.append(try study.power(StudyReport.plans[0], change, comparisons: comparisons))
            }
            for (look, tallies) in [("one look", scores.map(\.once)), ("confirmed by 2×10", scores.map(\.confirmed))] {
                line("| \(title) | \(look) | \(tallies.map { Tally.text([$0]) }.joined(separator: " | ")) |")
            }
        }
    }
}

/// The effect of subtracting the shift of runs, and of known noise, in Markdown.
package struct RunReport {
    private let drawn: (seed: UInt64, runs: Int, changes: Int)

    /// A report with this many runs and changed cells per number.
    package init(seed: UInt64, runs: Int, changes: Int) {
        drawn = (seed, runs, changes)
    }

    /// The differences between runs, in percent: of all times together, and of each time; and how much the latter
    /// varies between times.
    package static let worlds: [(common: Double, page: Double, spread: Double)] = [
        (2, 2.5, 0), (3, 3, 0), (4, 3, 0), (3, 5, 0), (3, 3, 0.5), (3, 5, 0.5),
    ]
    private static let pages = 100
    private static let settled = StudyReport.plans[0]

    private func study(_ common: Double = 3, _ page: Double = 3, _ change: (inout World) -> Void = { _ in }) -> Study {
        var world = World()
        (world.deviceEffect, world.pageEffect) = (common / 100, page / 100)
        change(&world)
        return Study(seed: drawn.seed, runs: drawn.runs, changes: drawn.changes, world: world, asksRivals: false)
    }

    package enum Table: String, Sendable, CaseIterable {
        /// Runs that differ more or less.
        case worlds
        /// Pages that change together.
        case parts
        /// Baselines with few runs.
        case young
        /// Main and candidate in turn.
        case pairs
    }

    /// Prints a table line by line, as each line is computed.
    package func write(_ table: Table, _ line: (String) -> Void) throws(StatsError) {
        switch table {
        case .worlds: try writeWorlds(line)
        case .parts: try writeParts(line)
        case .young: try writeYoung(line)
        case .pairs: try writePairs(line)
        }
        line("")
    }

    private func writeWorlds(_ line: (String) -> Void) throws(StatsError) {
        line(
            "| runs differ by (together, each time) | red without change, one look/confirmed | +20 %, first look of 5/10 "
                + "| +2 dropped frames | 10 frames in half |")
        line("|---|---|---|---|---|")
        for (common, page, spread) in Self.worlds {
            let study = study(common, page) { $0.pageEffectSpread = spread }
            let alarms = try study.falseAlarms(Self.settled, pages: Self.pages)
            func found(_ plan: Plan, _ change: Change) throws(StatsError) -> Tally {
                try study.power(plan, change, comparisons: Self.pages * World.cellsPerPage).confirmed
            }
            let times = [
                try found(Self.settled, .slower(0.2)), try found(StudyReport.plans[1], .slower(0.2)),
            ]
            let columns = [
                [alarms.once, alarms.confirmed], times, [try found(Self.settled, .newHitch(2))],
                [try found(Self.settled, .hitch(10, in: 0.5))],
            ]
            let differing = spread > 0 ? ", times differ" : ""
            line("| \(common) %, \(page) %\(differing) | \(columns.map(Tally.text).joined(separator: " | ")) |")
        }
    }

    /// The number of pages, the number of changed ones, and the change.
    private static let parts: [(title: String, pages: Int, changed: Int, change: Change)] = [
        ("30 % of the pages +15 %", 100, 30, .slower(0.15)), ("40 % of the pages +15 %", 100, 40, .slower(0.15)),
        ("all pages +15 %", 100, 100, .slower(0.15)), ("60 % of the pages −20 %", 100, 60, .slower(-0.2)),
        ("60 % of the pages −10 %", 100, 60, .slower(-0.1)), ("4 pages of 3 times, one page +20 %", 4, 1, .slower(0.2)),
        ("4 pages of 3 times, no change", 4, 0, .none),
    ]

    private func writeParts(_ line: (String) -> Void) throws(StatsError) {
        line("| runs differ by 3 %, 3 %; confirmed | changed times found | runs with another time red | runs red |")
        line("|---|---|---|---|")
        for (title, pages, changed, change) in Self.parts {
            let parts = try study().parts(Self.settled, pages: pages, changed: changed, change)
            let columns = [parts.changed, parts.others, parts.runs].map { Tally.text([$0]) }
            line("| \(title) | \(columns.joined(separator: " | ")) |")
        }
    }

    private func writePairs(_ line: (String) -> Void) throws(StatsError) {
        let comparisons = Self.pages * World.cellsPerPage
        line(
            "| in turn; runs differ by (together, each time) | red without change at M = \(comparisons): 2/3/5 pairs "
                + "| +20 % found: 2/3/5 pairs | +2 dropped frames | +4 events |")
        line("|---|---|---|---|---|")
        let plans = StudyReport.pairedPlans.dropFirst()
        for (common, page, spread) in Self.worlds {
            let study = study(common, page) { $0.pageEffectSpread = spread }
            var columns: [[Tally]] = [[], [], [], []]
            for plan in plans {
                columns[0].append(try study.falseAlarms(plan, pages: Self.pages))
                for (index, change) in [Change.slower(0.2), .newHitch(2), .moreEvents(4)].enumerated() {
                    columns[index + 1].append(try study.power(plan, change, comparisons: comparisons))
                }
            }
            let differing = spread > 0 ? ", times differ" : ""
            line("| \(common) %, \(page) %\(differing) | \(columns.map(Tally.text).joined(separator: " | ")) |")
        }
    }

    private func writeYoung(_ line: (String) -> Void) throws(StatsError) {
        line(
            "| young baseline; 3 %, 3 % | red without change at M = 300, one look/confirmed | +20/+30/+50 % confirmed |"
        )
        line("|---|---|---|")
        for (runs, outliers) in [(1, 0.02), (2, 0.02), (4, 0.02), (1, 0.1)] {
            let study = study { $0.outlierShare = outliers }
            let plan = Plan(baselineRuns: runs, baselineIterations: 5, firstLook: 5)
            let alarms = try study.falseAlarms(plan, pages: 60)
            var found: [Tally] = []
            for share in [0.2, 0.3, 0.5] {
                found.append(try study.power(plan, .slower(share), comparisons: 300).confirmed)
            }
            let title = plan.title + (outliers > 0.02 ? ", 10 % outliers" : "")
            line("| \(title) | \(Tally.text([alarms.once, alarms.confirmed])) | \(Tally.text(found)) |")
        }
        let found = try study().powerAfterAcceptance(Self.settled, .slower(0.27), pages: 9)
        line(
            "| one run after `--accept`, +27 % at M = 46, one look/confirmed | – | \(Tally.text([found.once, found.confirmed])) |"
        )
    }
}
