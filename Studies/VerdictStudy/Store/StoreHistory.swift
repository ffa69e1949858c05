import LibC
import PerfgateBaselines
import PerfgateCompare
import PerfgateKit
import PerfgateModel
import PerfgateStats
import SeededRandom

/// A store that nightly runs grow, and pull requests that are judged against it: both by the gate's own code.
struct StoreHistory {
    private(set) var baselines = Baselines()
    /// The cells of the team.
    private(set) var cells: [StoreCell]
    /// The index of the changing cell.
    let changing: Int
    private let world: World
    private let event: StoreEvent
    private let seed: UInt64
    private let trial: Int
    private let policy: Policy

    /// The samples of each cell in a run.
    private static let iterations = 5
    /// The samples of each cell in a rerun.
    private static let rerunIterations = 10
    /// The mean of a changing count.
    private static let usualEvents = 2.0

    /// Starts without baselines.
    ///
    /// - Parameter changesCount: Whether the changing cell is a count, with a mean of 2 events, instead of a time.
    init(
        of team: StoreTeam, in world: World, _ event: StoreEvent = .none, changesCount: Bool = false, seed: UInt64,
        trial: Int
    ) {
        var generator = SeededGenerator(seed: seed, stream: UInt64(trial) << 16)
        cells = team.cells(in: world, &generator)
        changing = team.changing(isCount: changesCount)
        if changesCount { cells[changing].model = .dropEvents(mean: Self.usualEvents, shape: world.eventShape) }
        self.world = world
        self.event = event
        self.seed = seed
        self.trial = trial
        var policy = Policy().withoutLimits
        policy.confirmation = .rerun
        self.policy = policy
    }

    /// Measures a night, from 1, and updates the store.
    ///
    /// - Returns: Whether the changing cell was refused.
    mutating func update(on night: Int) throws -> Bool {
        var generator = generator(night, 0)
        let run = drawn("n\(night)", hour: 3, of: night, event.change(on: night), Self.iterations, nil, &generator)
        let terms = UpdateTerms(policy: policy, now: Self.time(of: night, hour: 4), tool: "study")
        var series = UpdateSeries(of: BaselineStore(folder: "study"), holding: baselines, by: terms)
        let updates = try series.take(CollectedRuns(run, policy: policy))
        baselines = series.baselines
        return updates.contains { $0.plan?.refused.contains(cells[changing].cell) ?? false }
    }

    /// The result of a pull request.
    struct Answer {
        /// The failed cells in one look, without confirmation; all pages together count as a cell.
        var redAtOnce: Set<Cell> = []
        /// The failed cells after the suspects were measured again, twice at most.
        var red: Set<Cell> = []
        /// The cells that one look alone can't decide.
        var openAtOnce: Set<Cell> = []
        /// The cells that can't be decided in the end.
        var open: Set<Cell> = []
    }

    /// Judges a pull request after a night; by default it measures that night's state.
    func check(after night: Int, _ change: Change? = nil) throws -> Answer {
        var generator = generator(night, 1)
        let change = change ?? event.change(on: night)
        let reference = Reference(baselines)
        var policy = policy
        policy.quietsNoise = true
        var measured = drawn("c0", hour: 10, of: night, change, Self.iterations, nil, &generator)
        var answer = Answer()
        let looks = Remeasurement { suspects, attempt in
            if attempt == 1 {
                var once = policy
                once.confirmation = .off
                let results = try Judge(policy: once).judge(measured, with: reference).comparisons
                (answer.redAtOnce, answer.openAtOnce) = (results.failed, results.undecided)
            }
            let pages = Set(suspects.pages.map(\.page))
            let again = drawn(
                "c\(attempt)", hour: 10 + attempt, of: night, change, Self.rerunIterations, pages, &generator)
            measured.add(again, attempt: attempt)
            return "\(attempt)"
        }
        let report = try looks.report { _ in
            let gate = Gate(policy: policy, tool: "study")
            return try Assessment(gate: gate, measurements: measured, reference: reference).report()
        }
        (answer.red, answer.open) = (report.comparisons.failed, report.comparisons.undecided)
        return answer
    }

    /// The cells whose drift the store tells; all pages together are `nil`.
    func drifts() throws -> Set<Cell?> {
        Set(try Judge(policy: policy).drift(in: Reference(baselines)).map(\.cell))
    }

    /// The settled samples of a cell: the number of its runs, and ln(median / level); `nil` without any, or for a
    /// count.
    func stored(_ index: Int) throws -> (runs: Int, bias: Double?) {
        let cell = cells[index]
        let settled = baselines[cell.cell.place]?.metrics[cell.cell.metric]?.samples ?? [:]
        guard case .time(let level, _, _) = cell.model else { return (settled.count, nil) }
        let median = try SortedSamples(settled.values.flatMap { $0 }).median
        return (settled.count, median.map { log($0 / level) })
    }

    /// Each night and purpose has its own random numbers, so rules with other stores are compared on equal runs.
    private func generator(_ night: Int, _ purpose: UInt64) -> SeededGenerator {
        SeededGenerator(seed: seed, stream: UInt64(trial) << 16 | UInt64(night) << 2 | purpose << 1 | 1)
    }

    /// Draws a run of some pages; `nil`: of all.
    private func drawn(
        _ id: String, hour: Int, of night: Int, _ change: Change, _ iterations: Int, _ pages: Set<Page>?,
        _ generator: inout SeededGenerator
    ) -> Measurements {
        let run = DeviceRun(iterations: iterations, in: world, &generator)
        var result = Measurements(runs: [
            Run(
                id: id, context: Context(["started_at": .text(Self.time(of: night, hour: hour).text)]), streams: [])
        ])
        let numbers = Array(0..<iterations)
        for (index, cell) in cells.enumerated() where pages?.contains(cell.cell.page) ?? true {
            let values = run.samples(
                of: cell.model, change: index == changing ? change : .none, in: world, &generator)
            result.cells[cell.cell] = CellMeasurement(
                metric: cell.metric,
                runs: [RunSamples(run: id, samples: zip(values, numbers).map { Sample($0, iteration: $1) })],
                iterations: [id: numbers])
            result.pages[cell.cell.place] = PageMeasurement(measured: [id: Self.counts(numbers)])
        }
        return result
    }

    /// One scroll and one loaded visit in each iteration.
    private static func counts(_ iterations: [Int]) -> [Int: MeasuredCounts] {
        let counts = MeasuredCounts(
            iterations: 1, scrolls: 1, scrollMS: 2_000, visits: MeasuredCounts.Visits(loaded: 1))
        return Dictionary(uniqueKeysWithValues: iterations.map { ($0, counts) })
    }

    /// A time of night 1, 2, …, which began on 1 January 2026.
    private static func time(of night: Int, hour: Int) -> Timestamp {
        Timestamp(secondsSince1970: 1_767_225_600 + (night - 1) * 86_400 + hour * 3_600)
    }
}

extension Measurements {
    /// Adds a rerun of some of the pages.
    fileprivate mutating func add(_ other: Measurements, attempt: Int) {
        runs += other.runs.map { run in
            var run = run
            run.attempt = attempt
            return run
        }
        for (cell, measurement) in other.cells {
            cells[cell]?.runs += measurement.runs
            cells[cell]?.iterations.merge(measurement.iterations) { $1 }
        }
        for (place, page) in other.pages { pages[place]?.measured.merge(page.measured) { $1 } }
    }
}

extension [CellResult] {
    fileprivate var failed: Set<Cell> { Set(filter { $0.isGated && $0.verdict == .regressed }.map(\.cell)) }
    fileprivate var undecided: Set<Cell> { Set(filter { $0.isGated && $0.verdict == .inconclusive }.map(\.cell)) }
}
