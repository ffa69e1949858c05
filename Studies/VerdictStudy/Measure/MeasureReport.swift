import PerfgateModel
import PerfgateStats

/// The error rates, the power and the cost of base against head, in Markdown.
package struct MeasureReport: Sendable {
    private let seed: UInt64
    private let calls: Int
    private let rule: PairSequence.Rule

    /// The most pages of a world whose calls are all drawn; of larger ones a tenth is.
    private static let mostPagesInFull = 200

    /// A study with this many unchanged calls per number, and a fifth of that with a change.
    package init(seed: UInt64, calls: Int, rule: PairSequence.Rule = PairSequence.Rule()) {
        (self.seed, self.calls, self.rule) = (seed, calls, rule)
    }

    /// The tables, in print order.
    package enum Table: String, Sendable, CaseIterable {
        /// Every world without a change, and with one slower time.
        case worlds
        /// Other changes, in three worlds.
        case changes
        /// The change of a time that a call says it would find, made in the same call.
        case detectable
    }

    /// Prints a table, line by line.
    package func write(_ table: Table, _ line: (String) -> Void) throws(StatsError) {
        switch table {
        case .worlds: try writeWorlds(line)
        case .changes: try writeChanges(line)
        case .detectable: try writeDetectable(line)
        }
    }

    private func writeWorlds(_ line: (String) -> Void) throws(StatsError) {
        line(
            "| world | clean calls red | device time, in whole runs | can't tell, of a call | +20 % found | +50 % | +10 % called the same |"
        )
        line("|---|---|---|---|---|---|---|")
        for (index, (title, world)) in MeasureWorld.all.enumerated() {
            let isLarge = world.pages > Self.mostPagesInFull
            let clean = try outcomes(world, .none, stream: 100 * index, calls: isLarge ? calls / 10 : calls)
            let changed = try [0.2, 0.5, 0.1].enumerated().map { order, longer throws(StatsError) in
                try outcomes(
                    world, .time(longer), stream: 100 * index + order + 1, calls: max(1, calls / (isLarge ? 50 : 5)))
            }
            let found = changed.prefix(2).map { Self.percent($0.map { $0.found ?? 0 }) }
            line(
                "| \(title) | \(Self.share(clean, \.isRed)) | \(Self.mean(clean.map(\.runs))) | "
                    + "\(Self.mean(clean.map { Double($0.undecided) })) | \(found.joined(separator: " | ")) | "
                    + "\(Self.percent(changed[2].map { $0.same ?? 0 })) |")
        }
    }

    private func writeChanges(_ line: (String) -> Void) throws(StatsError) {
        let changes: [(String, MeasureChange)] = [
            ("3 frames in 85 % of iterations", .frames(3)), ("10 frames in half of them", .freeze(10)),
            ("3 more drop events", .events(3)), ("a third of the pages +20 %", .pages(share: 0.34, by: 0.2)),
            ("a third of the pages −15 %", .pages(share: 0.34, by: -0.15)),
            ("60 % of the pages −10 %", .pages(share: 0.6, by: -0.1)),
            ("70 % of the pages +20 %", .pages(share: 0.7, by: 0.2)),
            ("all pages +20 %", .pages(share: 1, by: 0.2)), ("all pages −20 %", .pages(share: 1, by: -0.2)),
        ]
        line("| change | world | found | calls red | another page accused | device time |")
        line("|---|---|---|---|---|---|")
        for (order, (title, change)) in changes.enumerated() {
            for index in 0..<3 {
                let (name, world) = MeasureWorld.all[index]
                let all = try outcomes(
                    world, change, stream: 10_000 + 100 * order + index, calls: max(1, calls / 5))
                line(
                    "| \(title) | \(name) | \(Self.percent(all.map { $0.found ?? 0 })) | \(Self.share(all, \.isRed)) | "
                        + "\(Self.share(all, \.isWrong)) | \(Self.mean(all.map(\.runs))) |")
            }
        }
    }

    private func writeDetectable(_ line: (String) -> Void) throws(StatsError) {
        line("| world | what a call says it would find, p10/p50/p90 | found |")
        line("|---|---|---|")
        for (index, (title, world)) in MeasureWorld.all.enumerated() where world.pages <= Self.mostPagesInFull {
            let (seed, rule) = (seed, rule)
            let both = try Array(0..<max(1, calls / 5)).concurrentMap { call throws(StatsError) in
                let stream = UInt64(20_000 + index) << 32 | UInt64(call)
                var trial = MeasureTrial(world, .time(0))
                trial.rule = rule
                let said = try trial.run(seed: seed, stream: stream).detectable ?? 0
                trial.change = .time(said)
                return (said, try trial.run(seed: seed, stream: stream).found ?? 0)
            }
            let said = both.map(\.0).sorted()
            let parts = [0.1, 0.5, 0.9].map { Self.decimal(100 * said[Int($0 * Double(said.count))], 1) }
            line("| \(title) | \(parts.joined(separator: "/")) | \(Self.percent(both.map(\.1))) |")
        }
    }

    /// The outcomes of the calls; call i of a stream always draws the same.
    private func outcomes(
        _ world: MeasureWorld, _ change: MeasureChange, stream: Int, calls: Int
    ) throws(StatsError) -> [MeasureOutcome] {
        var trial = MeasureTrial(world, change)
        trial.rule = rule
        let (seed, fixed) = (seed, trial)
        return try Array(0..<calls).concurrentMap { call throws(StatsError) in
            try fixed.run(seed: seed, stream: UInt64(stream) << 32 | UInt64(call))
        }
    }

    private static func share(_ outcomes: [MeasureOutcome], _ event: KeyPath<MeasureOutcome, Bool>) -> String {
        var tally = Tally()
        for outcome in outcomes { tally.count(outcome[keyPath: event]) }
        return decimal(100 * tally.share, 2) + " ± " + decimal(100 * tally.standardError, 2)
    }

    private static func percent(_ shares: [Double]) -> String {
        let count = Double(shares.count)
        let mean = shares.reduce(0, +) / count
        let variance = shares.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / max(1, count - 1)
        return decimal(100 * mean, 1) + " ± " + decimal(100 * (variance / count).squareRoot(), 1)
    }

    private static func mean(_ values: [Double]) -> String {
        decimal(values.reduce(0, +) / Double(values.count), 1)
    }

    /// A number that isn't negative with 1 or 2 decimals.
    private static func decimal(_ value: Double, _ places: Int) -> String {
        let scale = places == 1 ? 10 : 100
        let whole = Int((value * Double(scale)).rounded())
        let rest = "\(whole % scale)"
        return "\(whole / scale)." + String(repeating: "0", count: places - rest.count) + rest
    }
}
