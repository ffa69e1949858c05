import PerfgateCompare
import PerfgateModel
import PerfgateStats
import SeededRandom

/// A complete run of the gate: every cell of some pages, judged in one look and with confirmation.
struct RunTrial {
    private var cells: [CellTrial]
    private let cellsPerPage: Int
    private let plan: Plan
    private let world: World
    private let gate: RuleUnderStudy
    private var looks = 1
    /// The common noise of the times.
    private var noise: RunNoise

    /// The failures of the rule.
    struct Red {
        /// The cells, by index.
        var cells: Set<Int> = []
        /// Whether it fails all pages together.
        var allPages = false
        /// Whether it fails anything.
        var isAny: Bool { allPages || !cells.isEmpty }
    }

    /// Measures cells by a plan.
    ///
    /// - Parameters:
    ///   - changes: The change of each cell; if there are fewer, the rest don't change.
    ///   - comparisons: M, if it is larger than the number of these cells.
    ///   - accepted: The cell whose last baseline run was accepted: earlier runs only give its noise.
    init(
        _ models: [CellModel], cellsPerPage: Int = World.cellsPerPage, plan: Plan, changes: [Change] = [],
        comparisons: Int? = nil, comparesShares: Bool = true, accepted: Int? = nil, in world: World,
        _ generator: inout SeededGenerator
    ) throws(StatsError) {
        self.cellsPerPage = cellsPerPage
        self.plan = plan
        self.world = world
        gate = RuleUnderStudy(comparisons: comparisons ?? models.count, comparesShares: comparesShares)
        var runs: [DeviceRun] = []
        for _ in 0..<plan.baselineRuns {
            runs.append(DeviceRun(iterations: plan.baselineIterations, in: world, &generator))
        }
        let look = DeviceRun(iterations: plan.firstLook, in: world, &generator)
        var cells: [CellTrial] = []
        for (index, model) in models.enumerated() {
            let page = Page("Page \(index / cellsPerPage)")
            let change = index < changes.count ? changes[index] : .none
            cells.append(
                try CellTrial(
                    model, at: page, number: index % cellsPerPage, baseline: runs, candidate: look, change: change,
                    in: world, &generator))
        }
        self.cells = cells
        noise = try RunNoise(cells.compactMap(\.time), runs: [CellTrial.run(0)])
        if let accepted {
            try self.cells[accepted].accept(runs: runs.count, noise: noise)
            noise = try RunNoise(self.cells.compactMap(\.time), runs: [CellTrial.run(0)])
        }
    }

    /// The failures of the first look without confirmation: of all cells, or of one.
    func redAtOnce(_ asked: Int? = nil) throws(StatsError) -> Red { try red(.off, asked) }

    /// Whether the measurements so far tell a share of slow samples of any cell, or of one.
    func isReported(_ asked: Int? = nil, _ confirmation: Policy.Confirmation = .off) throws(StatsError) -> Bool {
        for index in asked.map({ [$0] }) ?? Array(cells.indices)
        where try cells[index].decide(gate, confirmation, noise)?.deciding.found == .told { return true }
        return false
    }

    /// Whether another tool's rule fails any cell of the first look, or a given one.
    func isRed(by rival: any Rival, _ asked: Int? = nil) -> Bool {
        (asked.map { [cells[$0]] } ?? cells).contains {
            rival.flags(Sight(baseline: $0.baseline, pooled: $0.pooled, candidate: $0.candidate[0]))
        }
    }

    /// The failures after the pages of all suspects have been measured again.
    ///
    /// Like `perfgate check --rerun-command`: once more for every suspect, and a second time unless none of their
    /// changes exceeds its tolerance any more; everything is pooled. Some pages without suspects are measured too, to
    /// show how much the reruns differ.
    mutating func redAfterConfirmation(
        _ asked: Int? = nil, _ generator: inout SeededGenerator
    ) throws(StatsError) -> Red {
        var suspects: [Int] = []
        for index in cells.indices where try cells[index].isSuspect(gate, noise) { suspects.append(index) }
        let isAllSuspect = allPages(.rerun)?.step.found == .suspect
        guard !suspects.isEmpty || isAllSuspect else { return try red(.rerun, asked) }
        let pages = Set(suspects.map { $0 / cellsPerPage })
        let anchors = Anchors.pages(
            timesByPage.filter { !pages.contains($0.key) }.map { (page: $0.key, times: $0.value) }
                .sorted { $0.page < $1.page }, isEnough: noise.spread != nil, all: isAllSuspect)
        for iterations in plan.confirming where try hasOpen(suspects) || isAllSuspect {
            try measureAgain(pages: pages.union(anchors), suspects: pages, iterations: iterations, &generator)
        }
        return try red(.rerun, asked)
    }

    private var timesByPage: [Int: Int] {
        cells.indices.reduce(into: [:]) { counts, index in
            if cells[index].cell.metric.isTime { counts[index / cellsPerPage, default: 0] += 1 }
        }
    }

    private func red(_ confirmation: Policy.Confirmation, _ asked: Int?) throws(StatsError) -> Red {
        var red = Red()
        for index in asked.map({ [$0] }) ?? Array(cells.indices)
        where try cells[index].isRegressed(gate, confirmation, noise) { red.cells.insert(index) }
        guard asked == nil else { return red }
        red.allPages = allPages(confirmation)?.step.found == .worse
        return red
    }

    private func allPages(_ confirmation: Policy.Confirmation) -> AllPagesComparison? {
        AllPagesComparison(
            noise, tolerance: CellPolicy.standardTolerance, confirmation: confirmation,
            reruns: Reruns(inOrder: (0..<looks).map(CellTrial.run)))
    }

    private func hasOpen(_ suspects: [Int]) throws(StatsError) -> Bool {
        for index in suspects where try cells[index].isOpen(gate, noise) { return true }
        return false
    }

    private mutating func measureAgain(
        pages: Set<Int>, suspects: Set<Int>, iterations: Int, _ generator: inout SeededGenerator
    ) throws(StatsError) {
        let run = DeviceRun(iterations: iterations, in: world, &generator)
        for page in pages.sorted() {
            let first = page * cellsPerPage
            for index in first..<min(first + cellsPerPage, cells.count) {
                cells[index].measureAgain(in: run, look: looks, world: world, &generator)
            }
        }
        noise.take(
            reruns: [CellTrial.run(looks)], of: cells.compactMap(\.time),
            suspects: Set(suspects.map { Page("Page \($0)") }))
        looks += 1
    }
}

/// One cell, measured by a plan: the samples of the baseline and the candidate.
struct CellTrial {
    let cell: CellModel
    let place: Cell
    let change: Change
    /// The baseline's samples by run.
    private(set) var baseline: [[Double]]
    private(set) var pooled: SortedSamples
    /// The candidate's samples by run: the first look, then the confirming runs.
    private(set) var candidate: [[Double]]
    private var looks = [0]
    private var firstRun = 0
    private var earlier: Noise?

    static func run(_ look: Int) -> String { "c\(look)" }

    /// Measures the baseline and the candidate in their runs.
    init(
        _ cell: CellModel, at page: Page, number: Int, baseline runs: [DeviceRun], candidate run: DeviceRun,
        change: Change, in world: World, _ generator: inout SeededGenerator
    ) throws(StatsError) {
        self.cell = cell
        self.change = change
        place = Cell(page: page, metric: "\(cell.metric.id)_\(number)", environment: Environment([]))
        var baseline: [[Double]] = []
        for run in runs { baseline.append(run.samples(of: cell, in: world, &generator)) }
        self.baseline = baseline
        pooled = try SortedSamples(baseline.flatMap { $0 })
        candidate = [run.samples(of: cell, change: change, in: world, &generator)]
    }

    /// Starts a new epoch with the last run of the baseline.
    mutating func accept(runs: Int, noise: RunNoise) throws(StatsError) {
        var epoch = entry
        epoch.runs.removeLast()
        earlier = try noise.earlier(place, epoch)
        baseline = baseline.suffix(1)
        firstRun = runs - 1
        pooled = try SortedSamples(baseline.flatMap { $0 })
    }

    mutating func measureAgain(
        in run: DeviceRun, look: Int, world: World, _ generator: inout SeededGenerator
    ) {
        candidate.append(run.samples(of: cell, change: change, in: world, &generator))
        looks.append(look)
    }

    var entry: Reference.Entry {
        var entry = Reference.Entry(
            metric: cell.metric,
            runs: baseline.enumerated().map { Self.samples($1, of: "b\($0 + firstRun)") })
        entry.earlier = earlier
        return entry
    }

    var measurement: CellMeasurement {
        CellMeasurement(metric: cell.metric, runs: zip(looks, candidate).map { Self.samples($1, of: Self.run($0)) })
    }

    private static func samples(_ values: [Double], of run: String) -> RunSamples {
        RunSamples(run: run, samples: values.map { Sample($0) })
    }

    /// The cell as one of the environment's times; `nil` for a count.
    var time: RunNoise.Time? {
        guard cell.metric.isTime else { return nil }
        return RunNoise.Time(
            cell: place, entry: entry, measurement: measurement,
            minChange: MetricCatalog.definition(for: cell.metric).minChange(at: nil))
    }

    /// Whether the candidate's change may exceed the tolerance, with or without the shift of its runs: otherwise no
    /// step of the rule fails it, which saves a simulation almost all of the work.
    func mayExceedTolerance(_ gate: RuleUnderStudy, _ noise: RunNoise?) throws(StatsError) -> Bool {
        let measured = try SortedSamples(candidate.flatMap { $0 })
        if try gate.exceedsTolerance(cell, baseline: pooled, candidate: measured) { return true }
        if cell.metric.isTime, let median = pooled.median, measured.values.count(where: { $0 > 2 * median }) > 1 {
            return true
        }
        guard cell.metric.isTime, let noise,
            let own = try noise.unshifted(place, baseline: entry.runs, candidate: measurement.runs)
        else { return false }
        // The tolerance is relative to the measured median, which differs slightly.
        let worse = try SortedSamples(own.worse.pooled.values.map { $0 * 1.02 })
        return try gate.exceedsTolerance(cell, baseline: own.baseline.pooled, candidate: worse)
    }

    /// Whether its change still exceeds the tolerance.
    func isOpen(_ gate: RuleUnderStudy, _ noise: RunNoise) throws(StatsError) -> Bool {
        guard try mayExceedTolerance(gate, noise) else { return false }
        let prepared = try gate.prepared(cell.metric, at: place, entry: entry, measurement: measurement, noise: noise)
        return prepared.comparison.map { $0.isOpen || $0.slow.contains(where: \.isSuspect) } ?? false
    }

    /// The rule's decision; `nil` if the change is within the tolerance.
    func decide(
        _ gate: RuleUnderStudy, _ confirmation: Policy.Confirmation, _ noise: RunNoise?
    ) throws(StatsError) -> Decision? {
        guard try mayExceedTolerance(gate, noise) else { return nil }
        return try gate.decide(
            cell.metric, at: place, entry: entry, measurement: measurement, confirmation: confirmation, noise: noise)
    }

    /// Whether the first look makes it a suspect.
    func isSuspect(_ gate: RuleUnderStudy, _ noise: RunNoise?) throws(StatsError) -> Bool {
        guard let decision = try decide(gate, .rerun, noise), decision.verdict == .inconclusive else { return false }
        return decision.detail == .confirm || decision.detail == .needMore
    }

    /// Whether the rule fails it.
    func isRegressed(
        _ gate: RuleUnderStudy, _ confirmation: Policy.Confirmation, _ noise: RunNoise?
    ) throws(StatsError) -> Bool {
        try decide(gate, confirmation, noise)?.verdict == .regressed
    }
}
