import PerfgateCompare
import PerfgateModel
import Testing

@testable import PerfgateKit

/// The handling of runs and iterations measured under unfit conditions.
struct ConditionFilterTests {
    private static let metric = Metric(id: "ttil", unit: .milliseconds, better: .lower)
    private static let cell = Cell(page: Page("A"), metric: "ttil", environment: Environment([]))

    private static func run(_ id: String, _ fields: [String: FieldValue] = [:]) -> Run {
        Run(id: id, context: Context(fields), streams: [Run.Stream(path: "\(id).ndjson")])
    }

    /// Each run has the values 500 and 510 in iterations 0 and 1.
    private static func measurements(_ runs: [Run]) -> Measurements {
        let samples = runs.map { run in
            RunSamples(run: run.id, samples: [Sample(500, iteration: 0), Sample(510, iteration: 1)])
        }
        let measurement = CellMeasurement(
            metric: metric, runs: samples, iterations: Dictionary(uniqueKeysWithValues: runs.map { ($0.id, [0, 1]) }))
        let page = PageMeasurement(iterations: Dictionary(uniqueKeysWithValues: runs.map { ($0.id, [0, 1]) }))
        return Measurements(
            runs: runs, cells: [cell: measurement],
            pages: [PageInEnvironment(page: cell.page, environment: cell.environment): page])
    }

    private static func policy(_ rules: FitnessRule...) -> Policy {
        var policy = Policy()
        policy.fitness = rules
        policy.metrics["ttil"] = MetricSettings(limit: Setting(Limit(100), from: .builtIn))
        return policy
    }

    private static func report(
        _ measurements: Measurements, _ policy: Policy, today: CalendarDay? = CalendarDay("2026-12-01")
    ) throws -> GateReport {
        try Assessment(
            gate: Gate(policy: policy, tool: "t"), measurements: measurements, reference: Reference(), today: today
        ).report()
    }

    private static let warm = ["thermal_state": FieldValue.text("serious")]

    @Test(arguments: [
        (FitnessRule.Action.allow, 2, [String]()), (.warn, 2, ["warning"]), (.show, 5, ["note"]),
        (.refuse, 65, ["warning"]),
    ])
    func eachActionHasItsEnd(_ action: FitnessRule.Action, _ code: Int, _ told: [String]) throws {
        let rule = FitnessRule("thermal_state", .equals(.text("serious")), action)
        let report = try Self.report(Self.measurements([Self.run("r", Self.warm)]), Self.policy(rule))
        #expect(report.exitCode == code)
        #expect(report.diagnostics.map(\.severity.rawValue) == told)
        #expect(report.comparisons.map(\.isGated) == [action != .show])
        #expect(report.comparisons.map(\.verdict) == [.overLimit])
    }

    @Test func theFaultNamesTheConditionAndTheRule() throws {
        let rule = FitnessRule(
            "low_power_mode", .equals(.flag(true)), .refuse, from: .configuration(path: "perfgate.yml", line: 9))
        let run = Self.run("r", ["low_power_mode": .flag(true)])
        let report = try Self.report(Self.measurements([run]), Self.policy(rule))
        #expect(
            report.faultyInputs.map(\.message)
                == ["It was measured in low-power mode, and the policy refuses that (perfgate.yml:9)."])
        #expect(
            report.diagnostics.map(\.message)
                == ["Run r was measured in low-power mode: it is refused (perfgate.yml:9)."])
    }

    @Test func aRefusedRunIsExcludedWhereAnotherIsThere() throws {
        var policy = Self.policy(FitnessRule("thermal_state", .equals(.text("serious")), .refuse))
        policy.badRun = .exclude
        let report = try Self.report(Self.measurements([Self.run("a"), Self.run("b", Self.warm)]), policy)
        #expect(report.exitCode == 2)
        #expect(report.runs.map(\.id) == ["a"])
        #expect(report.comparisons.map { $0.candidate?.count } == [2])
    }

    @Test func aShownRunGivesWayToOneThatGates() throws {
        let rule = FitnessRule("thermal_state", .equals(.text("serious")), .show)
        let report = try Self.report(
            Self.measurements([Self.run("a"), Self.run("b", Self.warm)]), Self.policy(rule))
        #expect(report.comparisons.map(\.isGated) == [true])
        #expect(report.comparisons.map { $0.candidate?.count } == [2])
    }

    @Test func whatAShownRunLeavesOutIsNotMissed() throws {
        var policy = Self.policy(FitnessRule("thermal_state", .equals(.text("serious")), .show))
        policy.expected = [ExpectedPage(page: Page("B"))]
        let shown = try Self.report(Self.measurements([Self.run("r", Self.warm)]), policy)
        #expect(shown.comparisons.map(\.page.name) == ["A"])
        let gating = try Self.report(Self.measurements([Self.run("r")]), policy)
        #expect(gating.comparisons.map(\.page.name) == ["A", "B"])
    }

    @Test func anIterationIsLeftOutAlone() {
        let hot = Observation(iteration: 1, stream: 0, conditions: Context(["cpu_percent": .number(80)]))
        let sieve = ConditionFilter(policy: Self.policy(FitnessRule("cpu_percent", .above(50), .refuse))) { _ in [hot] }
        let (left, told) = sieve.sift(Self.measurements([Self.run("r")]))
        #expect(left.cells[Self.cell]?.values == [500])
        #expect(left.cells[Self.cell]?.iterations == ["r": [0]])
        #expect(left.runs.map(\.isComplete) == [true])
        #expect(
            told.map(\.message)
                == [
                    "Iteration 1 of run r was measured with cpu_percent 80, above 50: its samples are left out "
                        + "(built-in default)."
                ])
    }

    @Test func whatHasNoIterationLeftIsNotMeasured() throws {
        let hot = [0, 1, 1].map { Observation(iteration: $0, stream: 0, conditions: Context(Self.warm)) }
        let rule = FitnessRule("thermal_state", .equals(.text("serious")), .refuse)
        let sieve = ConditionFilter(policy: Self.policy(rule)) { _ in hot }
        let (left, told) = sieve.sift(Self.measurements([Self.run("r")]))
        #expect(left.cells.isEmpty)
        #expect(told.count == 2)
        var policy = Self.policy()
        policy.expected = [ExpectedPage(page: Page("A"), metrics: ["ttil"])]
        #expect(try Self.report(left, policy).comparisons.map(\.verdict) == [.missing])
    }

    @Test func theStatesOfALogAreAskedFor() throws {
        var run = Self.run("r")
        run.streams[0].states = [RunState(iteration: 0), RunState(iteration: 1)]
        run.streams[0].states[1].thermalState = "critical"
        let (left, told) = ConditionFilter(policy: Policy()).sift(Self.measurements([run]))
        #expect(left.cells[Self.cell]?.values == [500, 510])
        #expect(told.map(\.message).first?.hasPrefix("Iteration 1 of run r was measured in the thermal state") == true)
    }

    @Test func aRunThatWasSoAsAWholeIsReportedOnce() {
        let always = [nil, 0, 1].map { Observation(iteration: $0, stream: 0, conditions: Context(Self.warm)) }
        let rule = FitnessRule("thermal_state", .equals(.text("serious")), .warn)
        let sieve = ConditionFilter(policy: Self.policy(rule)) { _ in always }
        #expect(sieve.sift(Self.measurements([Self.run("r")])).1.count == 1)
    }

    @Test(arguments: [("2026-12-23", false, 0), ("2026-12-24", true, 1)])
    func aDeviceInQuarantineGatesNothing(_ day: String, _ isGated: Bool, _ ended: Int) throws {
        var policy = Self.policy()
        let until = try #require(CalendarDay("2026-12-24"))
        let origin = Origin.configuration(path: "perfgate.yml", line: 3)
        policy.quarantine = [QuarantinedDevice(id: "a91c", until: until, reason: "battery swollen", from: origin)]
        let run = Self.run("r", ["device_id": .text("a91c")])
        let report = try Self.report(Self.measurements([run, Self.run("s")]), policy, today: CalendarDay(day))
        #expect(report.diagnostics.count { $0.code == .unusedSetting } == ended)
        let alone = try Self.report(Self.measurements([run]), policy, today: CalendarDay(day))
        #expect(alone.comparisons.map(\.isGated) == [isGated])
        #expect(
            isGated
                || alone.diagnostics.map(\.message) == [
                    "Run r comes from a device in quarantine until 2026-12-24, battery swollen: it is informational "
                        + "(not gated) (perfgate.yml:3)."
                ])
    }

    @Test(arguments: [
        (FitnessRule.Test.equals(.text("Debug")), FieldValue.text("debug"), true),
        (.equals(.text("Debug")), .text("Release"), false), (.equals(.flag(true)), .flag(false), false),
        (.above(50), .number(50), false), (.above(50), .number(50.1), true), (.above(50), .text("60"), false),
        (.below(60), .number(60), false), (.below(60), .number(59), true),
    ])
    func conditions(_ test: FitnessRule.Test, _ value: FieldValue, _ applies: Bool) {
        let rule = FitnessRule("x", test, .warn)
        #expect(rule.applies(to: Context(["x": value])) == applies)
        #expect(!rule.applies(to: Context()))
    }

    @Test func unfitRunsStayOutOfBaselines() throws {
        for action in [FitnessRule.Action.show, .refuse] {
            let plan = try UpdatePlan(
                Self.measurements([Self.run("a"), Self.run("b", Self.warm)]), reference: Reference(),
                policy: Self.policy(FitnessRule("thermal_state", .equals(.text("serious")), action)), acceptance: nil)
            #expect(plan.measurements.runs.map(\.id) == ["a"])
            #expect(plan.status == (action == .refuse ? .badData : .passed))
            #expect(plan.diagnostics.count == 1)
        }
    }

    @Test func aPageWithoutAnIterationLeftIsMissed() throws {
        let drops = Cell(page: Page("A"), metric: "frame_drops", environment: Environment([]))
        var measured = Self.measurements([Self.run("r")])
        measured.cells[drops] = CellMeasurement(
            metric: Metric(id: "frame_drops", unit: Unit("count"), better: .lower), runs: [], iterations: ["r": [0, 1]])
        let hot = [0, 1].map { Observation(iteration: $0, stream: 0, conditions: Context(Self.warm)) }
        let rule = FitnessRule("thermal_state", .equals(.text("serious")), .refuse)
        let sieve = ConditionFilter(policy: Self.policy(rule)) { _ in hot }
        var policy = Self.policy()
        policy.expected = [ExpectedPage(page: Page("A"))]
        let (left, _) = sieve.sift(measured)
        #expect(left.cells.isEmpty && left.pages.values.allSatisfy(\.isRefused))
        #expect(try Self.report(left, policy).comparisons.map(\.detail) == [.noPage])
    }

    @Test func aRefusedIterationIsNotCountedWhereItGaveNoSample() {
        let drops = Cell(page: Page("A"), metric: "frame_drops", environment: Environment([]))
        var measured = Self.measurements([Self.run("r")])
        measured.cells[drops] = CellMeasurement(
            metric: Metric(id: "frame_drops", unit: Unit("count"), better: .lower),
            runs: [RunSamples(run: "r", samples: [Sample(1, iteration: 0)])], iterations: ["r": [0, 1]])
        let hot = Observation(iteration: 1, stream: 0, conditions: Context(Self.warm))
        let rule = FitnessRule("thermal_state", .equals(.text("serious")), .refuse)
        let (left, _) = ConditionFilter(policy: Self.policy(rule)) { _ in [hot] }.sift(measured)
        #expect(left.cells[drops]?.iterations == ["r": [0]])
        #expect(left.cells[drops]?.values == [1])
    }
}

extension PageMeasurement {
    /// A page measured in complete iterations, by run.
    init(iterations: [String: Set<Int>]) {
        self.init(
            measured: iterations.mapValues { numbers in
                Dictionary(uniqueKeysWithValues: numbers.map { ($0, MeasuredCounts(iterations: 1)) })
            })
    }
}
