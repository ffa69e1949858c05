import LibC
import PerfgateModel
import PerfgateStats
import SeededRandom

/// How often `perfgate bisect` and others name the right commit, and in how many runs, in Markdown.
package struct BisectReport: Sendable {
    private let seed: UInt64
    private let draws: Int

    package init(seed: UInt64, draws: Int) { (self.seed, self.draws) = (seed, draws) }

    package enum Table: String, Sendable, CaseIterable {
        case times, shapes, counts, rivals, needed
    }

    package func write(_ table: Table, _ line: (String) -> Void) throws(StatsError) {
        switch table {
        case .times: try writeTimes(line)
        case .shapes: try writeShapes(line)
        case .counts: try writeCounts(line)
        case .rivals: try writeRivals(line)
        case .needed: try writeNeeded(line)
        }
    }

    private static let noise: [(title: String, device: Double, page: Double)] = [
        ("2 %, 2.5 %", 0.02, 0.025), ("4 %, 3 %", 0.04, 0.03),
    ]

    private func world(_ index: Int, _ changes: BisectWorld.Changes) -> BisectWorld {
        var world = BisectWorld()
        (world.deviceEffect, world.pageEffect) = (Self.noise[index].device, Self.noise[index].page)
        world.changes = changes
        return world
    }

    /// One simulated search.
    private struct Outcome: Sendable {
        var names: [Int] = []
        var isRight = false, isNothing = false, isOutside = false, hasMore = false, hasReverted = false
        var all = false
        var runs = 0
        /// The runs that it said it still takes, by the number of runs before.
        var promised: [Int: Int] = [:]
    }

    private func outcomes(
        _ world: BisectWorld, stream: Int, _ change: @Sendable @escaping (inout CommitSearch) -> Void = { _ in },
        knowsChange: Bool = true, lead: (weight: Double, isHit: Bool)? = nil
    ) throws(StatsError) -> [Outcome] {
        let seed = seed
        return try Array(0..<draws).concurrentMap { draw throws(StatsError) in
            let range = BisectWorld.Range(world, seed: seed &+ UInt64(stream) << 32, draw: UInt64(draw))
            var search = range.search(knowsChange: knowsChange, lead: lead)
            change(&search)
            var outcome = Outcome()
            while case .measure(let position, _) = search.step {
                search.add(.measured(position, range.run(position, search.runs(at: position))))
                outcome.promised[search.measuredRuns] = search.runsNeeded
            }
            outcome.names = search.found.map(\.bad)
            outcome.isRight = !outcome.names.isEmpty && outcome.names.allSatisfy(range.isCulprit)
            outcome.all = range.steps.filter { $0.change > 0 }.allSatisfy { outcome.names.contains($0.commit) }
            outcome.isNothing = search.step == .end(.nothing)
            if case .end(.outside) = search.step { outcome.isOutside = true }
            outcome.hasMore = search.found.first?.other != nil
            outcome.hasReverted = search.found.first?.reverted != nil
            outcome.runs = search.measuredRuns
            return outcome
        }
    }

    private static let head =
        "| world | change | named | right of named | wrong | nothing to find | runs | p90 |\n|---|---|---|---|---|---|---|---|"

    private func row(_ title: String, _ change: String, _ outcomes: [Outcome]) -> String {
        let named = outcomes.filter { !$0.names.isEmpty }
        let runs = outcomes.map(\.runs).sorted()
        return
            "| \(title) | \(change) | \(Self.share(outcomes) { !$0.names.isEmpty }) | \(Self.share(named) { $0.isRight }) | "
            + "\(Self.share(outcomes) { !$0.names.isEmpty && !$0.isRight }) | \(Self.share(outcomes) { $0.isNothing }) | "
            + "\(Self.decimal(runs.map(Double.init).mean)) | \(runs[9 * (runs.count - 1) / 10]) |"
    }

    private func writeTimes(_ line: (String) -> Void) throws(StatsError) {
        line(Self.head)
        var stream = 0
        for index in Self.noise.indices {
            for (what, change) in [
                ("+20 %", BisectWorld.Changes.step(0.2)), ("+10 %", .step(0.1)), ("none", .none),
            ] {
                for kind in 0..<8 {
                    var world = world(index, change)
                    var title = "\(Self.noise[index].title), 64 commits"
                    switch kind {
                    case 1: (world.iterations, title) = (15, title + ", 15 iterations")
                    case 2: (world.commits, title) = (512, "\(Self.noise[index].title), 512 commits")
                    case 3: (world.otherTimes, world.storedRuns, title) = (0, 0, title + ", the page alone")
                    case 4: (world.storedRuns, title) = (0, title + ", nothing stored")
                    case 5: title += ", change unknown"
                    case 6: title += ", three wrong leads, and the right one"
                    case 7: title += ", three wrong leads"
                    default: break
                    }
                    stream += 1
                    if case .none = change, kind == 6 { continue }
                    let all = try outcomes(
                        world, stream: stream, knowsChange: kind != 5, lead: kind > 5 ? (8, kind == 6) : nil)
                    line(row(title, what, all))
                }
            }
        }
    }

    private func writeShapes(_ line: (String) -> Void) throws(StatsError) {
        line(
            "| world | changes | named | right of named | nothing to find | outside | said to have come with others, too | said to be taken back | both found | runs |"
        )
        line("|---|---|---|---|---|---|---|---|---|---|")
        for index in Self.noise.indices {
            let lines: [(String, BisectWorld.Changes, Bool)] = [
                ("+20 %", .step(0.2), false), ("+20 % and +12 %", .two(0.2), false),
                ("+20 % and +12 %, with --all", .two(0.2), true), ("+50 % and +30 %, with --all", .two(0.5), true),
                ("+20 %, with --all", .step(0.2), true), ("+20 %, back, +20 %", .revert(0.2), false),
                ("+20 %, back", .blip(0.2), false), ("+20 % before GOOD", .none, false),
            ]
            for (order, (what, changes, all)) in lines.enumerated() {
                var world = world(index, changes)
                world.iterations = 15
                if order == lines.count - 1 { world.slowerBefore = log(1.2) }
                let outcomes = try outcomes(world, stream: 1_000 + 10 * index + order, { $0.findsAll = all })
                let named = outcomes.filter { !$0.names.isEmpty }
                let columns = [
                    Self.share(outcomes) { !$0.names.isEmpty }, Self.share(named) { $0.isRight },
                    Self.share(outcomes) { $0.isNothing }, Self.share(outcomes) { $0.isOutside },
                    Self.share(outcomes) { $0.hasMore }, Self.share(outcomes) { $0.hasReverted },
                    Self.share(outcomes) { $0.all && !$0.names.isEmpty },
                    Self.decimal(outcomes.map { Double($0.runs) }.mean),
                ]
                line("| \(Self.noise[index].title) | \(what) | \(columns.joined(separator: " | ")) |")
            }
        }
    }

    private func writeCounts(_ line: (String) -> Void) throws(StatsError) {
        line(Self.head)
        for (index, iterations) in [5, 15].enumerated() {
            for (order, change) in BisectWorld.CountChange.allCases.enumerated() {
                for (other, changes) in [BisectWorld.Changes.count(change), .cleanCount(change)].enumerated() {
                    var world = BisectWorld()
                    (world.iterations, world.changes) = (iterations, changes)
                    let all = try outcomes(world, stream: 2_000 + 100 * index + 10 * order + other)
                    line(
                        row("64 commits, \(iterations) iterations", other == 0 ? change.rawValue : "none, of such", all)
                    )
                }
            }
        }
    }

    private func writeNeeded(_ line: (String) -> Void) throws(StatsError) {
        line("| world | change | after runs | said that it still takes | took | no more than said |")
        line("|---|---|---|---|---|---|")
        for index in Self.noise.indices {
            for size in [0.1, 0.2] {
                var world = world(index, .step(size))
                world.iterations = 15
                let all = try outcomes(world, stream: 4_000 + 10 * index + Int(10 * size))
                for runs in [3, 6, 9, 12] {
                    let open = all.filter { $0.promised[runs] != nil && $0.runs > runs }
                    let said = open.map { Double($0.promised[runs] ?? 0) }.mean
                    line(
                        "| \(Self.noise[index].title) | +\(Int(100 * size)) % | \(runs) | \(Self.decimal(said)) | "
                            + "\(Self.decimal(open.map { Double($0.runs - runs) }.mean)) | "
                            + "\(Self.share(open) { $0.runs - runs <= $0.promised[runs] ?? 0 }) |")
                }
            }
        }
    }

    private static func share(_ outcomes: [Outcome], _ event: (Outcome) -> Bool) -> String {
        guard !outcomes.isEmpty else { return "–" }
        var tally = Tally()
        for outcome in outcomes { tally.count(event(outcome)) }
        return decimal(100 * tally.share) + " ± " + decimal(100 * tally.standardError)
    }

    private static func decimal(_ value: Double) -> String {
        let tenths = Int((10 * value).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }
}

// Others, on the same draws.
extension BisectReport {
    private func writeRivals(_ line: (String) -> Void) throws(StatsError) {
        line("| world | change | rule | named | right of all | runs |")
        line("|---|---|---|---|---|---|")
        for index in Self.noise.indices {
            for size in [0.1, 0.2] {
                let world = world(index, .step(size))
                let stream = 3_000 + 10 * index + Int(10 * size)
                for (title, rule) in Rule.all {
                    let seed = seed
                    let all = try Array(0..<draws).concurrentMap { draw throws(StatsError) in
                        let range = BisectWorld.Range(world, seed: seed &+ UInt64(stream) << 32, draw: UInt64(draw))
                        var outcome = Outcome()
                        let (name, runs) = try rule(range)
                        (outcome.names, outcome.runs) = ([name].compactMap(\.self), runs)
                        outcome.isRight = name.map(range.isCulprit) ?? false
                        return outcome
                    }
                    line(
                        "| \(Self.noise[index].title) | +\(Int(100 * size)) % | \(title) | "
                            + "\(Self.share(all) { !$0.names.isEmpty }) | \(Self.share(all) { $0.isRight }) | "
                            + "\(Self.decimal(all.map { Double($0.runs) }.mean)) |")
                }
            }
        }
    }

    private struct Rule {
        typealias Body = @Sendable (BisectWorld.Range) throws(StatsError) -> (name: Int?, runs: Int)

        static let all: [(String, Body)] = [
            ("perfgate bisect", perfgate), ("halving by a threshold half way between the ends", threshold),
            ("git bisect run, by the gate's verdict in one run", gate),
            ("Pinpoint: 5 to 15 runs a step, Mann–Whitney p < .001", pinpoint),
        ]

        private static let perfgate: Body = { range throws(StatsError) in
            let search = range.searched(range.search())
            return (search.found.first?.bad, search.measuredRuns)
        }

        private static func median(_ range: BisectWorld.Range, _ position: Int, _ number: Int) -> Double {
            range.run(position, number).samples.median ?? 0
        }

        private static let threshold: Body = { range throws(StatsError) in
            let last = range.world.commits
            let middle = (median(range, 0, 0) + median(range, last, 0)) / 2
            let (name, runs) = halved(last) { median(range, $0, 0) > middle }
            return (name, runs + 2)
        }

        private static func halved(_ last: Int, isBad: (Int) -> Bool) -> (name: Int, runs: Int) {
            var (low, high, runs) = (0, last, 0)
            while high - low > 1 {
                let middle = (low + high) / 2
                runs += 1
                if isBad(middle) { high = middle } else { low = middle }
            }
            return (high, runs)
        }

        /// The gate in one look: 10 % above the median of ten stored runs, and the ranks with a margin at .005.
        private static let gate: Body = { range throws(StatsError) in
            let stored = (0..<10).flatMap { range.run(0, 100 + $0).samples }
            let sorted = try SortedSamples(stored)
            let usual = sorted.median ?? 0
            let margin = max(0.05, 2.82 * Noise.assumedBetweenRuns * 1.1.squareRoot()) * usual
            var failure: StatsError?
            let (name, runs) = halved(range.world.commits) { position in
                let samples = range.run(position, 0).samples
                do throws(StatsError) {
                    let chance = try MannWhitney(
                        baseline: sorted, candidate: SortedSamples(samples.map { $0 - margin })
                    ).probabilityOfGreater
                    return samples.median ?? 0 > 1.1 * usual && chance <= 0.005
                } catch {
                    failure = error
                    return false
                }
            }
            if let failure { throw failure }
            return (name, runs)
        }

        private static func differ(_ first: SortedSamples, _ second: SortedSamples) throws(StatsError) -> Bool {
            let above = try MannWhitney(baseline: first, candidate: second).probabilityOfGreater
            let below = try MannWhitney(baseline: second, candidate: first).probabilityOfGreater
            return 2 * min(above, below) < 0.001
        }

        /// The bisection of Chromium's performance dashboard: a step is decided when it differs from one end only.
        private static let pinpoint: Body = { range throws(StatsError) in
            let last = range.world.commits
            let ends = try [0, last].map { end throws(StatsError) -> SortedSamples in
                try SortedSamples((0..<15).map { median(range, end, $0) })
            }
            var (low, high, runs) = (0, last, 30)
            guard try differ(ends[0], ends[1]) else { return (nil, runs) }
            while high - low > 1 {
                let middle = (low + high) / 2
                var (values, isBad): ([Double], Bool?) = ([], nil)
                while values.count < 15, isBad == nil {
                    values.append(median(range, middle, values.count))
                    runs += 1
                    guard values.count >= 5 else { continue }
                    let sorted = try SortedSamples(values)
                    let (fromGood, fromBad) = (try differ(ends[0], sorted), try differ(ends[1], sorted))
                    if fromGood != fromBad { isBad = fromGood }
                }
                guard let isBad else { return (nil, runs) }
                if isBad { high = middle } else { low = middle }
            }
            return (high, runs)
        }
    }
}
