import LibC
import PerfgateStats
import SeededRandom

/// The world of base and head measured in turn on one device: three times and two counts of each page.
///
/// Times are log-normal, and rounded to .1 ms or to a clock's grid. A run shifts all its times (`deviceEffect`), and each
/// of them by an effect of its own (`pageEffect`), both normal in logarithms.
package struct MeasureWorld: Sendable {
    package var pages = 100
    /// The standard deviation of a run's effect on all times, in logarithms.
    package var deviceEffect = 0.02
    /// The same for the effect on a single time.
    package var pageEffect = 0.025
    /// The variation of `pageEffect` between times, in logarithms.
    package var pageEffectSpread = 0.0
    /// How much slower each run is than the one before, in logarithms.
    package var drift = 0.0
    /// How much slower the first run is, in logarithms.
    package var firstRun = 0.0
    /// The share of samples that take 1.35 to 3.3 times as long.
    package var outliers = 0.04
    /// The clock's grid in ms; 0: none.
    package var grid = 0.0
    /// The share of a time's runs in which all its samples take 1.3 times as long.
    package var badRuns = 0.0
    /// The standard deviation of a run's effect on a count's mean, in logarithms.
    package var countEffect = 0.1
    /// σ of a time within a run, and how much it varies between times, in logarithms.
    package var spread = 0.07, spreadOfSpread = 0.4
    /// The samples of a run of base, and of one of head.
    package var iterations = (base: 5, head: 5)

    package init() {}

    package static let timesPerPage = 3
    package static let cellsPerPage = 5

    /// The worlds of the documentation, by what is different in them.
    package static let all: [(title: String, world: MeasureWorld)] = {
        func world(_ device: Double, _ page: Double, _ change: (inout MeasureWorld) -> Void = { _ in }) -> MeasureWorld
        {
            var world = MeasureWorld()
            (world.deviceEffect, world.pageEffect) = (device, page)
            change(&world)
            return world
        }
        return [
            ("runs differ by 2 %, a time by 2.5 %", world(0.02, 0.025)),
            ("4 %, 3 %", world(0.04, 0.03)),
            ("3 %, 5 %", world(0.03, 0.05)),
            ("2 %, 2.5 %, times differ in that", world(0.02, 0.025) { $0.pageEffectSpread = 0.5 }),
            ("… each run 1 % slower", world(0.02, 0.025) { $0.drift = 0.01 }),
            ("… the first run 10 % slower", world(0.02, 0.025) { $0.firstRun = 0.1 }),
            ("4 %, 3 %, both", world(0.04, 0.03) { ($0.drift, $0.firstRun) = (0.01, 0.1) }),
            ("2 %, 2.5 %, 10 % outliers", world(0.02, 0.025) { $0.outliers = 0.1 }),
            ("… a clock of 16.7 ms", world(0.02, 0.025) { $0.grid = 50.0 / 3 }),
            ("… counts differ by 30 %", world(0.02, 0.025) { $0.countEffect = 0.3 }),
            ("… 1 % of runs of a time 30 % slower", world(0.02, 0.025) { $0.badRuns = 0.01 }),
            ("… 12 pages", world(0.02, 0.025) { $0.pages = 12 }),
            ("4 %, 3 %, 12 pages", world(0.04, 0.03) { $0.pages = 12 }),
            ("2 %, 2.5 %, 2 pages", world(0.02, 0.025) { $0.pages = 2 }),
            ("4 %, 3 %, 2 pages", world(0.04, 0.03) { $0.pages = 2 }),
            ("2 %, 2.5 %, 600 pages", world(0.02, 0.025) { $0.pages = 600 }),
            ("… 5 samples against 3", world(0.02, 0.025) { $0.iterations.head = 3 }),
            ("… 10 samples a run", world(0.02, 0.025) { $0.iterations = (10, 10) }),
        ]
    }()
}

/// What head changes.
package enum MeasureChange: Sendable {
    case none
    /// One time of one page takes longer by this fraction.
    case time(Double)
    /// The times of a share of the pages take longer by this fraction, or shorter.
    case pages(share: Double, by: Double)
    /// One page drops this many frames at one instant in 85 % of iterations.
    case frames(Double)
    /// One page freezes for this many frames in half of the iterations.
    case freeze(Double)
    /// One page has this many more drop events.
    case events(Double)
}

/// What a call found.
package struct MeasureOutcome: Sendable {
    /// Whether a cell without a change was accused, or all pages although fewer than half changed.
    package var isWrong = false
    /// Whether anything was accused.
    package var isRed = false
    /// The shares of the changed cells that were accused, and called the same; `nil` without any.
    package var found: Double?
    package var same: Double?
    /// The change of the changed time that the call says it would find; `nil` without one.
    package var detectable: Double?
    /// The cells that stayed open or were too noisy.
    package var undecided = 0
    /// The device time, in runs of all pages, and the pairs.
    package var runs = 0.0
    package var pairs = 0
}

/// One call of `perfgate measure` in a world.
package struct MeasureTrial: Sendable {
    package var world: MeasureWorld
    package var change: MeasureChange
    package var rule = PairSequence.Rule()
    /// Whether the script measures only the pages that it is asked for.
    package var isFiltered = true

    package init(_ world: MeasureWorld, _ change: MeasureChange) {
        (self.world, self.change) = (world, change)
    }

    private struct Time {
        let level, spread, own: Double
        var longer = 0.0
    }

    private struct Count {
        let isFrames: Bool
        let none, mean: Double
        var change = MeasureChange.none
    }

    package func run(seed: UInt64, stream: UInt64) throws(StatsError) -> MeasureOutcome {
        var random = SeededGenerator(seed: seed, stream: stream)
        let (times, counts, changed) = draw(&random)
        let cells = try cells
        var sequence = PairSequence(cells, rule: rule)
        var outcome = MeasureOutcome()
        var wanted = Set(0..<world.pages)
        var run = 0
        repeat {
            let isHeadFirst = sequence.pairs.nonzeroBitCount % 2 == 1
            var sides: [[[Double]?]] = [[], []]
            for order in 0..<2 {
                let isHead = (order == 0) == isHeadFirst
                sides[isHead ? 1 : 0] = measure(
                    isHead: isHead, run: run, wanted: isFiltered ? wanted : nil, times, counts, &random)
                run += 1
            }
            try sequence.add(
                cells.indices.map { index in
                    guard let base = sides[0][index], let head = sides[1][index] else { return nil }
                    return (base, head)
                })
            outcome.runs += 2 * Double(isFiltered ? wanted.count : world.pages) / Double(world.pages)
            if sequence.pairs >= 2 { wanted = sequence.openPages.union(sequence.anchors) }
        } while sequence.isOpen
        outcome.pairs = sequence.pairs
        let states = sequence.evidence.map(\.state)
        let isAll = sequence.together?.state == .regressed
        var share = 0.0
        if case .pages(let part, let by) = change, by > 0 { share = part }
        outcome.isWrong =
            cells.indices.contains { states[$0] == .regressed && !changed.contains($0) } || isAll && share <= 0.5
        outcome.isRed = isAll || states.contains(.regressed)
        outcome.undecided = cells.indices.count { !changed.contains($0) && [.open, .tooNoisy].contains(states[$0]) }
        if !changed.isEmpty {
            let all = Double(changed.count)
            outcome.found = Double(changed.count { states[$0] == .regressed }) / all
            outcome.same = Double(changed.count { states[$0] == .same }) / all
        }
        if case .time = change { outcome.detectable = changed.first.flatMap(sequence.detectableChange) }
        return outcome
    }

    private var cells: [PairSequence.Cell] {
        get throws(StatsError) {
            var cells: [PairSequence.Cell] = []
            for page in 0..<world.pages {
                for _ in 0..<MeasureWorld.timesPerPage {
                    cells.append(
                        PairSequence.Cell(
                            page: page, isTime: true, tolerance: try Tolerance(relative: 0.1, absolute: 16), limit: nil)
                    )
                }
                cells.append(
                    PairSequence.Cell(
                        page: page, isTime: false, tolerance: try Tolerance(relative: 0.1, absolute: 0.5), limit: 1))
                cells.append(
                    PairSequence.Cell(
                        page: page, isTime: false, tolerance: try Tolerance(relative: 0.1, absolute: 1), limit: 2))
            }
            return cells
        }
    }

    /// The cells' usual values, and the indices of those that head changes.
    private func draw(_ random: inout SeededGenerator) -> ([Time], [Count], Set<Int>) {
        var (times, counts): ([Time], [Count]) = ([], [])
        for _ in 0..<world.pages {
            for _ in 0..<MeasureWorld.timesPerPage {
                let spread = exp(log(world.spread) + world.spreadOfSpread * random.normal())
                let own = world.pageEffectSpread
                times.append(
                    Time(
                        level: random.logUniform(150...2_500), spread: min(0.2, max(0.03, spread)),
                        own: own > 0 ? exp(own * random.normal() - own * own) : 1))
            }
            counts.append(Count(isFrames: true, none: random.uniform(0.4...0.95), mean: random.uniform(0.2...1.2)))
            counts.append(Count(isFrames: false, none: 0, mean: random.logUniform(0.2...4)))
        }
        var changed: Set<Int> = []
        let page = Int(random.uniform() * Double(world.pages))
        switch change {
        case .none: break
        case .time(let longer):
            let index = Int(random.uniform() * Double(times.count))
            times[index].longer = log(1 + longer)
            changed = [cell(ofTime: index)]
        case .pages(let share, let longer):
            let pages = Array(0..<world.pages).shuffled(using: &random).prefix(Int(share * Double(world.pages)))
            for page in pages {
                for index in 3 * page..<3 * page + 3 {
                    times[index].longer = log(1 + longer)
                    changed.insert(cell(ofTime: index))
                }
            }
        case .frames, .freeze:
            counts[2 * page].change = change
            changed = [MeasureWorld.cellsPerPage * page + 3]
        case .events:
            counts[2 * page + 1].change = change
            changed = [MeasureWorld.cellsPerPage * page + 4]
        }
        return (times, counts, changed)
    }

    private func cell(ofTime index: Int) -> Int {
        MeasureWorld.cellsPerPage * (index / MeasureWorld.timesPerPage) + index % MeasureWorld.timesPerPage
    }

    private func measure(
        isHead: Bool, run: Int, wanted: Set<Int>?, _ times: [Time], _ counts: [Count],
        _ random: inout SeededGenerator
    ) -> [[Double]?] {
        let device = world.deviceEffect * random.normal() + world.drift * Double(run)
        let first = run == 0 && world.firstRun > 0 ? world.firstRun : 0
        let iterations = isHead ? world.iterations.head : world.iterations.base
        var all: [[Double]?] = []
        for page in 0..<world.pages {
            guard wanted?.contains(page) ?? true else {
                all += Array(repeating: nil, count: MeasureWorld.cellsPerPage)
                continue
            }
            for time in times[3 * page..<3 * page + 3] {
                var effect = device + world.pageEffect * time.own * random.normal()
                if first > 0 { effect += first + 0.03 * random.normal() }
                if world.badRuns > 0, random.uniform() < world.badRuns { effect += 0.26 }
                if isHead { effect += time.longer }
                all.append((0..<iterations).map { _ in sample(time, effect, &random) })
            }
            for count in counts[2 * page..<2 * page + 2] {
                let factor = exp(world.countEffect * random.normal())
                all.append((0..<iterations).map { _ in sample(count, factor, isHead ? count.change : .none, &random) })
            }
        }
        return all
    }

    private func sample(_ time: Time, _ effect: Double, _ random: inout SeededGenerator) -> Double {
        var logarithm = log(time.level) + effect + time.spread * random.normal()
        if random.uniform() < world.outliers { logarithm += 0.3 + 0.9 * random.uniform() }
        let value = exp(logarithm)
        return world.grid > 0
            ? max(1, (value / world.grid).rounded(.up)) * world.grid : max(1, (value * 10).rounded() / 10)
    }

    private func sample(
        _ count: Count, _ factor: Double, _ change: MeasureChange, _ random: inout SeededGenerator
    ) -> Double {
        guard count.isFrames else {
            var mean = count.mean * factor
            if case .events(let more) = change { mean += more }
            return Double(random.negativeBinomial(mean: mean, shape: 4))
        }
        var value = 0.0
        if random.uniform() < (1 - count.none) * min(factor, 1 / (1 - count.none)) {
            value = 1 + Double(random.poisson(count.mean))
        }
        if random.uniform() < 0.01 { value = max(value, random.uniform(3...15).rounded(.down)) }
        switch change {
        case .frames(let frames) where random.uniform() < 0.85: value = max(value, frames)
        case .freeze(let frames) where random.uniform() < 0.5: value = max(value, frames)
        default: break
        }
        return value
    }
}
