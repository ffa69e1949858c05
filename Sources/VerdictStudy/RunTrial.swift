import PerfgateCompare
import PerfgateModel
import PerfgateStats
import SeededRandom

/// A whole run of the gate: every cell of some pages, judged in one look and with confirmation.
struct RunTrial {
    /// The cells, page by page.
    private var cells: [CellTrial]
    private let cellsPerPage: Int
    private let plan: Plan
    private let world: World
    private let change: Change
    private let gate: RuleUnderStudy

    /// Measures cells by a plan, all of them changed alike.
    ///
    /// - Parameter comparisons: M, where it is more than these cells.
    init(
        _ models: [CellModel], cellsPerPage: Int = World.cellsPerPage, plan: Plan, change: Change = .none,
        comparisons: Int? = nil, comparesShares: Bool = true, in world: World, _ generator: inout SeededGenerator
    ) throws(StatsError) {
        self.cellsPerPage = cellsPerPage
        self.plan = plan
        self.world = world
        self.change = change
        gate = RuleUnderStudy(comparisons: comparisons ?? models.count, comparesShares: comparesShares)
        var runs: [DeviceRun] = []
        for _ in 0..<plan.baselineRuns {
            runs.append(DeviceRun(iterations: plan.baselineIterations, in: world, &generator))
        }
        let look = DeviceRun(iterations: plan.firstLook, in: world, &generator)
        var cells: [CellTrial] = []
        for model in models {
            cells.append(
                try CellTrial(model, baseline: runs, candidate: look, change: change, in: world, &generator))
        }
        self.cells = cells
    }

    /// Whether the first look, left to decide, fails any cell.
    func isRedAtOnce() throws(StatsError) -> Bool {
        for cell in cells where try cell.isRegressed(gate, .off) { return true }
        return false
    }

    /// Whether some rule of another kind fails any cell of the first look.
    func isRed(by rival: any Rival) -> Bool {
        cells.contains { rival.flags(Sight(baseline: $0.baseline, pooled: $0.pooled, candidate: $0.candidate[0])) }
    }

    /// Whether any cell fails once the pages of all suspects have been measured again.
    ///
    /// As `perfgate check --rerun-command` does it: once more for every suspect, and a second time unless none of their
    /// changes exceeds its tolerance any more; everything is pooled.
    mutating func isRedAfterConfirmation(_ generator: inout SeededGenerator) throws(StatsError) -> Bool {
        var suspects: [Int] = []
        for index in cells.indices where try cells[index].isSuspect(gate) { suspects.append(index) }
        for iterations in plan.confirming where try hasOpen(suspects) {
            measureAgain(pagesOf: suspects, iterations: iterations, &generator)
        }
        for cell in cells where try cell.isRegressed(gate, .rerun) { return true }
        return false
    }

    private func hasOpen(_ suspects: [Int]) throws(StatsError) -> Bool {
        for index in suspects where try cells[index].exceedsTolerance(gate) { return true }
        return false
    }

    private mutating func measureAgain(
        pagesOf suspects: [Int], iterations: Int, _ generator: inout SeededGenerator
    ) {
        let run = DeviceRun(iterations: iterations, in: world, &generator)
        for page in Set(suspects.map { $0 / cellsPerPage }).sorted() {
            let first = page * cellsPerPage
            for index in first..<min(first + cellsPerPage, cells.count) {
                cells[index].measureAgain(in: run, change: change, world: world, &generator)
            }
        }
    }
}

/// One cell, measured by a plan: what the baseline and the first look came to.
struct CellTrial {
    /// The cell.
    let cell: CellModel
    /// The baseline's samples by run.
    let baseline: [[Double]]
    /// The baseline's samples.
    let pooled: SortedSamples
    /// The candidate's samples by run: the first look, then what confirms it.
    private(set) var candidate: [[Double]]

    /// Measures the baseline in its runs and the candidate in its own.
    init(
        _ cell: CellModel, baseline runs: [DeviceRun], candidate run: DeviceRun, change: Change, in world: World,
        _ generator: inout SeededGenerator
    ) throws(StatsError) {
        self.cell = cell
        var baseline: [[Double]] = []
        for run in runs { baseline.append(run.samples(of: cell, in: world, &generator)) }
        self.baseline = baseline
        pooled = try SortedSamples(baseline.flatMap { $0 })
        candidate = [run.samples(of: cell, change: change, in: world, &generator)]
    }

    /// Measures the candidate once more.
    mutating func measureAgain(
        in run: DeviceRun, change: Change, world: World, _ generator: inout SeededGenerator
    ) {
        candidate.append(run.samples(of: cell, change: change, in: world, &generator))
    }

    /// Whether the candidate's change exceeds the tolerance.
    func exceedsTolerance(_ gate: RuleUnderStudy) throws(StatsError) -> Bool {
        try gate.exceedsTolerance(cell, baseline: pooled, candidate: SortedSamples(candidate.flatMap { $0 }))
    }

    /// The rule's answer; `nil` where the change is within the tolerance.
    func decide(_ gate: RuleUnderStudy, _ confirmation: Policy.Confirmation) throws(StatsError) -> Decision? {
        guard try exceedsTolerance(gate) else { return nil }
        return try gate.decide(cell, baseline: baseline, candidate: candidate, confirmation: confirmation)
    }

    /// Whether the first look leaves it to be measured again.
    func isSuspect(_ gate: RuleUnderStudy) throws(StatsError) -> Bool {
        guard let decision = try decide(gate, .rerun), decision.verdict == .inconclusive else { return false }
        return decision.detail == .confirm || decision.detail == .needMore
    }

    /// Whether the rule fails it.
    func isRegressed(_ gate: RuleUnderStudy, _ confirmation: Policy.Confirmation) throws(StatsError) -> Bool {
        try decide(gate, confirmation)?.verdict == .regressed
    }
}

/// A whole run of the gate with main and candidate measured in turn, in the same device runs.
struct PairedTrial {
    private let models: [CellModel]
    private let plan: PairedPlan
    private let world: World
    private let change: Change
    private let gate: RuleUnderStudy

    /// A trial of cells that all change alike; M may be more than these.
    init(_ models: [CellModel], plan: PairedPlan, change: Change = .none, comparisons: Int? = nil, in world: World) {
        self.models = models
        self.plan = plan
        self.world = world
        self.change = change
        gate = RuleUnderStudy(comparisons: comparisons ?? models.count)
    }

    /// Measures every cell, and says whether any fails.
    func isRed(_ generator: inout SeededGenerator) throws(StatsError) -> Bool {
        var runs: [DeviceRun] = []
        for _ in 0..<plan.pairs { runs.append(DeviceRun(iterations: plan.iterations, in: world, &generator)) }
        var isRed = false
        for model in models {
            if try fails(model, in: runs, &generator) { isRed = true }
        }
        return isRed
    }

    private func fails(
        _ model: CellModel, in runs: [DeviceRun], _ generator: inout SeededGenerator
    ) throws(StatsError) -> Bool {
        var (before, after): ([[Double]], [[Double]]) = ([], [])
        for run in runs {
            let effect = run.effect(on: model, in: world, &generator)
            before.append(run.samples(of: model, effect: effect, change: .none, in: world, &generator))
            after.append(run.samples(of: model, effect: effect, change: change, in: world, &generator))
        }
        let (baseline, candidate) = (try SortedSamples(before.flatMap { $0 }), try SortedSamples(after.flatMap { $0 }))
        guard try gate.exceedsTolerance(model, baseline: baseline, candidate: candidate) else { return false }
        return try gate.decide(model, baseline: before, candidate: after, isPaired: true).verdict == .regressed
    }
}

/// The gate's own rule, asked about one cell: the same code that `perfgate check` runs.
struct RuleUnderStudy: Sendable {
    /// M, the number of comparisons in the run.
    let comparisons: Int

    /// Whether counts are compared by shares too.
    var comparesShares = true

    /// What it goes by; limits are none of its business here.
    var policy = Policy().withoutLimits

    /// The rule's answer.
    ///
    /// - Parameter isPaired: Whether the runs of both sides were measured in turn, in their order.
    func decide(
        _ cell: CellModel, baseline: [[Double]], candidate: [[Double]], confirmation: Policy.Confirmation = .off,
        isPaired: Bool = false
    ) throws(StatsError) -> Decision {
        try decide(
            cell.metric, baseline: baseline, candidate: candidate, confirmation: confirmation,
            isPaired: isPaired)
    }

    /// The rule's answer for any metric.
    func decide(
        _ metric: Metric, baseline: [[Double]], candidate: [[Double]], confirmation: Policy.Confirmation = .off,
        isPaired: Bool = false
    ) throws(StatsError) -> Decision {
        let page = Page("Simulated")
        let environment = Environment([])
        let (before, after) = (Self.runs(baseline, "b"), Self.runs(candidate, "c"))
        return VerdictRule.decide(
            try CellCase(
                cell: Cell(page: page, metric: metric.id, environment: environment), metric: metric,
                policy: policy.cellPolicy(page: page, metric: metric, environment: environment),
                confirmation: confirmation, expectation: Expectation(),
                measurement: CellMeasurement(metric: metric, runs: after),
                entry: Reference.Entry(metric: metric, runs: before), comparisons: comparisons,
                comparesShares: comparesShares, pairing: isPaired ? Self.pairing(before, after) : Pairing(),
                reruns: Reruns(inOrder: after.map(\.run))))
    }

    /// Whether a cell's change exceeds its tolerance at all. No step of the rule objects to any other, which spares
    /// a simulation nearly all of the work.
    func exceedsTolerance(
        _ cell: CellModel, baseline: SortedSamples, candidate: SortedSamples
    ) throws(StatsError) -> Bool {
        let metric = cell.metric
        let tolerance = try Tolerance(
            relative: CellPolicy.standardTolerance, absolute: MetricCatalog.definition(for: metric).minChange(at: nil))
        guard let before = baseline.centre(metric.centre), let median = baseline.median,
            let after = candidate.centre(metric.centre)
        else { return false }
        return after - before > tolerance.margin(median: median)
    }

    private static func runs(_ values: [[Double]], _ prefix: String) -> [RunSamples] {
        values.enumerated().map { index, values in
            RunSamples(run: "\(prefix)\(index)", samples: values.map { Sample($0) })
        }
    }

    private static func pairing(_ before: [RunSamples], _ after: [RunSamples]) -> Pairing {
        func names(_ runs: [RunSamples]) -> [String: String] {
            runs.enumerated().reduce(into: [:]) { $0[$1.element.run] = "\($1.offset)" }
        }
        return Pairing(candidate: names(after), reference: names(before))
    }
}

/// What is measured before a verdict: the baseline's runs, the candidate's first look, and what confirms it.
package struct Plan: Sendable, Hashable {
    /// The baseline's runs; 1 or more.
    package var baselineRuns: Int
    /// The samples of each cell in each of them; 1 or more.
    package var baselineIterations: Int
    /// The samples of each cell in the candidate's first look; 1 or more.
    package var firstLook: Int
    /// The samples of each cell in each run that confirms.
    package var confirming: [Int] = [10, 10]

    /// The plan in a few words, such as `10×5, 5`.
    package var title: String { "\(baselineRuns)×\(baselineIterations), \(firstLook)" }
}

/// Main and candidate measured in turn within the same device runs.
package struct PairedPlan: Sendable, Hashable {
    /// The device runs; 1 or more.
    package var pairs: Int
    /// The samples of each cell in each of them, on either side; 1 or more.
    package var iterations: Int

    /// The plan in a few words, such as `3 pairs of 5 + 5`.
    package var title: String { "\(Figure.count(pairs, "pair")) of \(iterations) + \(iterations)" }
}
