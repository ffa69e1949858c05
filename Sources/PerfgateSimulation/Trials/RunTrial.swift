import PerfgateCompare
import PerfgateStats
import SeededRandom

/// A whole run of the gate: every cell of some pages, judged in one look and with confirmation.
struct RunTrial {
    /// The cells, page by page.
    private var cells: [CellTrial]
    private let plan: Plan
    private let world: World
    private let change: Change
    private let gate: Gate

    /// Measures cells by a plan, all of them changed alike.
    ///
    /// - Parameter comparisons: M, where it is more than these cells.
    init(
        _ models: [CellModel], plan: Plan, change: Change = .none, comparisons: Int? = nil, in world: World,
        _ generator: inout SeededGenerator
    ) throws(StatsError) {
        self.plan = plan
        self.world = world
        self.change = change
        gate = Gate(comparisons: comparisons ?? models.count)
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
        for page in Set(suspects.map { $0 / World.cellsPerPage }).sorted() {
            let first = page * World.cellsPerPage
            for index in first..<min(first + World.cellsPerPage, cells.count) {
                cells[index].measureAgain(in: run, change: change, world: world, &generator)
            }
        }
    }
}
