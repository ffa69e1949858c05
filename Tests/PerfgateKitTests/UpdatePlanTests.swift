import PerfgateCompare
import PerfgateModel
import Testing

@testable import PerfgateKit

/// The regressions that an update refuses, whatever other faults the new run has.
struct UpdatePlanTests {
    private static let metric = Metric(id: "ttil", unit: .milliseconds, better: .lower)
    private static let cell = Cell(page: Page("Search"), metric: "ttil", environment: Environment([]))

    private static func samples(of run: String, at level: Double) -> RunSamples {
        RunSamples(run: run, samples: (0..<5).map { Sample(level + Double($0), iteration: $0) })
    }

    private static func measurements(coverage: Double? = nil, at level: Double = 700) -> Measurements {
        let measurement = CellMeasurement(
            metric: metric, runs: [samples(of: "bad", at: level)], iterations: ["bad": Array(0..<5)],
            coverages: coverage.map { ["bad": [0: $0]] } ?? [:])
        return Measurements(
            runs: [Run(id: "bad", context: Context(), streams: [])], cells: [cell: measurement],
            pages: [PageInEnvironment(page: cell.page, environment: cell.environment): PageMeasurement()])
    }

    private static func plan(
        _ measurements: Measurements, _ expected: [ExpectedPage] = [], acceptance: UpdatePlan.Acceptance? = nil
    ) throws -> UpdatePlan {
        let runs = (0..<5).map { samples(of: "b\($0)", at: 500 + Double($0)) }
        var policy = Policy()
        policy.expected = expected
        return try UpdatePlan(
            measurements, reference: Reference(cells: [cell: Reference.Entry(metric: metric, runs: runs)]),
            policy: policy, acceptance: acceptance)
    }

    @Test func aRegressionIsRefusedWhereMoreIterationsWereExpected() throws {
        let expected = ExpectedPage(page: Page("Search"), iterations: 6)
        let plan = try Self.plan(Self.measurements(), [expected])
        #expect(plan.refused == [Self.cell])
        #expect(plan.status == .failed)
    }

    /// A percentile of field data has no samples, and a page with nothing else has nothing to store.
    @Test func percentilesOfUsersStayOutOfBaselines() throws {
        let metric = Metric(id: "launchTime@p90", unit: .milliseconds, better: .lower)
        let app = Cell(page: Page("App"), metric: metric.id, environment: Environment([]))
        var measurements = Self.measurements(at: 500)
        measurements.cells[app] = CellMeasurement(
            metric: metric, runs: [Self.samples(of: "bad", at: 900)], iterations: ["bad": Array(0..<5)])
        measurements.pages[app.place] = PageMeasurement()
        let plan = try Self.plan(measurements)
        #expect(plan.measurements.cells.keys.map(\.metric) == ["ttil"])
        #expect(plan.measurements.pages.keys.map(\.page.name) == ["Search"])
        #expect(plan.cells(at: app.place).isEmpty)
        #expect(plan.diagnostics.map(\.code) == [.notMeasured])
    }

    @Test func aRegressionIsRefusedWhereFramesStopped() throws {
        #expect(try Self.plan(Self.measurements(coverage: 0.5)).refused == [Self.cell])
    }

    /// Each time is judged without its run's shift: if it were stored as measured, the baseline would creep.
    @Test(arguments: [(1.0, 0), (1.15, 12)])
    func whatIsSlowerWithAllOthersIsRefused(_ factor: Double, _ refusedCount: Int) throws {
        var cells: [Cell: CellMeasurement] = [:]
        var entries: [Cell: Reference.Entry] = [:]
        for number in 0..<12 {
            let cell = Cell(page: Page("Page \(number)"), metric: "ttil", environment: Environment([]))
            let level = 400 + 20 * Double(number)
            cells[cell] = CellMeasurement(
                metric: Self.metric, runs: [Self.samples(of: "bad", at: level * factor)],
                iterations: ["bad": Array(0..<5)])
            let runs = (0..<6).map { Self.samples(of: "b\($0)", at: level + Double($0)) }
            entries[cell] = Reference.Entry(metric: Self.metric, runs: runs)
        }
        let pages = Dictionary(uniqueKeysWithValues: cells.keys.map { ($0.place, PageMeasurement()) })
        let plan = try UpdatePlan(
            Measurements(runs: [Run(id: "bad", context: Context(), streams: [])], cells: cells, pages: pages),
            reference: Reference(cells: entries), policy: Policy(), acceptance: nil)
        #expect(plan.refused.count(where: { $0.metric == "ttil" }) == refusedCount)
        #expect(plan.standings.values.count { $0 == ["bad": .held(.refused)] } == refusedCount)
        let regressed = plan.comparisons.filter { $0.verdict == .regressed }.map(\.metric.id)
        #expect(regressed == (factor > 1 ? ["all_pages"] : []))
    }

    /// A frame that never came wasn't dropped: such samples would make every later run look worse.
    @Test func whatStoppedIsRefusedThoughItIsNoWorse() throws {
        let acceptance = UpdatePlan.Acceptance(reason: "why")
        for level in [500.0, 700] {
            let plan = try Self.plan(Self.measurements(coverage: 0.5, at: level), acceptance: acceptance)
            #expect(plan.stopped == [Self.cell] && plan.refused == plan.stopped && plan.accepted.isEmpty)
            #expect(plan.places.isEmpty && plan.status == .failed)
        }
        let plan = try Self.plan(Self.measurements(coverage: 0.9, at: 500), acceptance: acceptance)
        #expect(plan.refused.isEmpty && plan.places.count == 1)
    }

    @Test func anUpdateWithoutAnythingMeasuredFails() throws {
        let remark = Diagnostic(.knownRun, path: "a.ndjson", "A remark of the reader.")
        let plan = try Self.plan(
            Measurements(
                runs: [Run(id: "r", context: Context(), streams: [Run.Stream(path: "a.ndjson")])],
                diagnostics: [remark]))
        #expect(plan.status == .noInput)
        #expect(plan.faults.map(\.path) == ["a.ndjson"])
        #expect(plan.diagnostics == [remark])
    }
}
