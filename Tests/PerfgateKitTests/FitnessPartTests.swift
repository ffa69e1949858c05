import PerfgateCompare
import PerfgateModel
import Testing

@testable import PerfgateKit

/// The handling of a run that was partly measured under unfit conditions.
struct FitnessPartTests {
    private static let saver = ["low_power_mode": FieldValue.flag(true)]

    /// A run with a header for each part.
    private static func run(_ headers: [[String: FieldValue]]) -> Run {
        Run(
            id: "r", context: Context(headers.first ?? [:]),
            streams: headers.enumerated().map { index, fields in
                Run.Stream(
                    part: "launch-1.\(index + 1)", path: "r.ndjson", line: 10 * index + 1, context: Context(fields))
            })
    }

    private static func sift(_ run: Run, _ rules: FitnessRule...) -> (run: Run, told: [String]) {
        var policy = Policy()
        policy.fitness = rules
        let (left, told) = ConditionFilter(policy: policy).sift(Measurements(runs: [run]))
        return (left.runs[0], told.map { "\($0.location ?? ""): \($0.message)" })
    }

    @Test(arguments: [0, 1, 2])
    func anyPartDecides(_ part: Int) {
        var headers = [[String: FieldValue]](repeating: ["low_power_mode": .flag(false)], count: 3)
        headers[part] = Self.saver
        let sifted = Self.sift(Self.run(headers), FitnessRule("low_power_mode", .equals(.flag(true)), .refuse))
        let subject = "Part launch-1.\(part + 1) of run r was measured in low-power mode"
        #expect(sifted.told == ["r.ndjson:\(10 * part + 1): \(subject): it is refused (built-in default)."])
        let fault = "\(subject), and the policy refuses that (built-in default)."
        #expect(sifted.run.streams.map(\.faults) == (0..<3).map { $0 == part ? [fault] : [] })
    }

    @Test func whatAllPartsHaveInCommonIsReportedOfTheRun() {
        let sifted = Self.sift(
            Self.run([Self.saver, Self.saver]), FitnessRule("low_power_mode", .equals(.flag(true)), .refuse))
        #expect(sifted.told == ["r.ndjson:1: Run r was measured in low-power mode: it is refused (built-in default)."])
        #expect(sifted.run.streams.allSatisfy { $0.faults.count == 1 })
    }

    @Test(arguments: [0, 1])
    func whatARunLineSaysOfTheProcessorCounts(_ part: Int) {
        var run = Self.run([[:], [:]])
        run.streams[part].start.cpuPercent = 99
        run.streams[part].start.memoryBytes = 5
        #expect(!Self.sift(run, FitnessRule("cpu_percent", .above(50), .refuse)).run.isComplete)
        #expect(!Self.sift(run, FitnessRule("memory_bytes", .above(4), .refuse)).run.isComplete)
        #expect(Self.sift(run, FitnessRule("threads", .above(4), .refuse)).run.isComplete)
    }

    @Test func anUnknownThermalStateIsReported() {
        let headers = ["Critical", "hot", "warm"].map { ["thermal_state": FieldValue.text($0)] }
        let told = Self.sift(Self.run(headers)).told
        #expect(told.count == 1 && told[0].contains("'hot', which isn't one of nominal, fair, serious, critical"))
    }

    @Test func theWorstPartDecides() {
        let headers = ["nominal", "serious", "critical"].map { ["thermal_state": FieldValue.text($0)] }
        let sifted = Self.sift(
            Self.run(headers), FitnessRule("thermal_state", .equals(.text("serious")), .warn),
            FitnessRule("thermal_state", .equals(.text("critical")), .refuse))
        #expect(sifted.told.count == 2)
        #expect(!sifted.run.isComplete)
    }

    @Test(arguments: [
        ("simulator", FieldValue.flag(true), FitnessRule.Test.equals(.flag(true))),
        ("build", .text("debug"), .equals(.text("Debug"))), ("max_fps", .number(30), .below(60)),
    ])
    func everyConditionOfALaterHeaderIsSeen(_ field: String, _ value: FieldValue, _ test: FitnessRule.Test) {
        let sifted = Self.sift(Self.run([[:], [field: value]]), FitnessRule(field, test, .show))
        #expect(sifted.run.whyShownOnly?.hasPrefix("Part launch-1.2 of run r was measured") == true)
    }

    @Test func aDeviceInQuarantineIsSeenInALaterPart() throws {
        var policy = Policy()
        let until = try #require(CalendarDay("2026-12-24"))
        policy.quarantine = [QuarantinedDevice(id: "a91c", until: until, reason: "swollen", from: .builtIn)]
        let run = Self.run([["device_id": .text("b02d")], ["device_id": .text("a91c")]])
        let (left, _) = ConditionFilter(policy: policy).sift(Measurements(runs: [run]))
        #expect(left.runs[0].whyShownOnly?.hasPrefix("Part launch-1.2 of run r comes from a device") == true)
    }

    @Test func aProfiledPartIsOnlyShown() {
        let sifted = Self.sift(
            Self.run([[:], ["profiled": .flag(true)]]), FitnessRule("profiled", .equals(.flag(true)), .allow))
        #expect(sifted.run.whyShownOnly?.hasPrefix("Part launch-1.2 of run r was recorded with a profiler") == true)
        #expect(sifted.told.count == 1)
        #expect(Self.sift(Self.run([["profiled": .flag(false)]])).run.whyShownOnly == nil)
    }

    @Test func aRefusedIterationLendsNoCoverage() throws {
        let cell = Cell(page: Page("A"), metric: "dropped_frames", environment: Environment([]))
        let place = PageInEnvironment(page: cell.page, environment: cell.environment)
        var run = Self.run([[:]])
        run.streams[0].states = [RunState(iteration: 1)]
        run.streams[0].states[0].thermalState = "critical"
        var measured = Measurements(runs: [run])
        measured.cells[cell] = CellMeasurement(
            metric: Metric(id: cell.metric, unit: .frames, better: .lower),
            runs: [RunSamples(run: "r", samples: [Sample(0, iteration: 0), Sample(0, iteration: 1)])],
            iterations: ["r": [0, 1]], coverages: ["r": [0: 0.5, 1: 1]], silentIterations: ["r": [1]])
        measured.pages[place] = PageMeasurement(iterations: ["r": [0, 1]])
        var policy = Policy()
        policy.fitness = [FitnessRule("thermal_state", .equals(.text("critical")), .refuse)]
        let left = ConditionFilter(policy: policy).sift(measured).0
        #expect(left.cells[cell]?.coverages == ["r": [0: 0.5]])
        #expect(left.cells[cell]?.silentIterations == ["r": []])
        #expect(left.pages[place]?.measured.mapValues { Array($0.keys) } == ["r": [0]])
    }

    @Test func aPageWithLinesInRefusedIterationsOnlyIsMissed() throws {
        let place = PageInEnvironment(page: Page("B"), environment: Environment([]))
        var run = Self.run([[:]])
        run.streams[0].states = [RunState(iteration: 3)]
        run.streams[0].states[0].thermalState = "critical"
        var policy = Policy()
        policy.fitness = [FitnessRule("thermal_state", .equals(.text("critical")), .refuse)]
        for (iterations, isRefused) in [([3], true), ([2, 3], false)] as [(Set<Int>, Bool)] {
            let measured = Measurements(runs: [run], pages: [place: PageMeasurement(iterations: ["r": iterations])])
            #expect(ConditionFilter(policy: policy).sift(measured).0.pages[place]?.isRefused == isRefused)
        }
    }
}
