import ComparisonFixtures
import PerfgateModel
import Testing

@testable import PerfgateCompare

/// Runs that were started but not measured: stopped frames, pages that never loaded.
struct NotMeasuredTests {
    private static let drops = Metric(id: "dropped_frames", unit: .frames, better: .lower)
    private static let hitches = Metric(id: "hitch_ratio", unit: .millisecondsPerSecond, better: .lower)
    private static let ttil = Metric(id: "ttil", unit: .milliseconds, better: .lower)

    private static func cell(_ metric: Metric) -> Cell {
        Cell(page: Page("A"), metric: metric.id, environment: JudgeTests.phone)
    }

    private static func samples(_ run: String, _ values: [Double]) -> RunSamples {
        RunSamples(run: run, samples: values.enumerated().map { Sample($1, iteration: $0) })
    }

    private static func reasons(
        _ cells: [Metric: CellMeasurement], _ reference: [Metric: [RunSamples]], expecting: [String] = []
    ) throws -> [String] {
        var measured = Measurements()
        for (metric, measurement) in cells { measured.cells[cell(metric)] = measurement }
        measured.pages[PageInEnvironment(page: Page("A"), environment: JudgeTests.phone)] = PageMeasurement()
        var known = Reference()
        for (metric, runs) in reference { known.cells[cell(metric)] = Reference.Entry(metric: metric, runs: runs) }
        var policy = Policy()
        policy.metrics["hitch_ratio"] = MetricSettings(gate: Setting(false, from: .builtIn))
        if !expecting.isEmpty { policy.expected = [ExpectedPage(page: Page("A"), metrics: expecting)] }
        return try Judge(policy: policy).compare(measured, with: known).map {
            "\($0.metric.id) \($0.verdict.rawValue) \($0.detail?.rawValue ?? "-"): \($0.reason)"
        }
    }

    /// Five scrolls with an end but without frames.
    private static let silent = CellMeasurement(
        metric: drops, runs: [samples("c", [0, 0, 0, 0, 0])], iterations: ["c": [0, 1, 2, 3, 4]],
        silentIterations: ["c": [0, 1, 2, 3, 4]])
    private static let zeros = samples("b", [0, 0, 0, 0, 0])

    @Test func scrollsWithoutTicksAreNoZeroWhereTheBaselineHasTicks() throws {
        let answer = try Self.reasons(
            [Self.drops: Self.silent], [Self.drops: [Self.zeros], Self.hitches: [Self.zeros]])
        let reason = "No frame ticks came with a scroll in iteration 0: the recorder stopped."
        #expect(answer == ["dropped_frames missing frames_stopped: \(reason)"])
    }

    @Test(arguments: ["none", "another run's"])
    func logsThatTellDropsOnlyStayMeasured(_ ticks: String) throws {
        var known = [Self.drops: [Self.zeros]]
        if ticks != "none" { known[Self.hitches] = [Self.samples("another tool", [0, 0])] }
        let answer = try Self.reasons([Self.drops: Self.silent], known)
        #expect(answer.count == 1 && answer[0].hasPrefix("dropped_frames passed -"))
    }

    @Test func anotherRunOfTheCandidateShowsThatTicksWereToBeExpected() throws {
        var both = Self.silent
        both.runs.append(Self.samples("d", [0, 0]))
        both.iterations["d"] = [0, 1]
        both.coverages["d"] = [0: 1, 1: 1]
        let hitches = CellMeasurement(
            metric: Self.hitches, runs: [Self.samples("d", [0, 0])], iterations: ["d": [0, 1]])
        let answer = try Self.reasons([Self.drops: both, Self.hitches: hitches], [Self.drops: [Self.zeros]])
        let reason = "No frame ticks came with a scroll in iteration 0 of run c: the recorder stopped."
        #expect(answer.first == "dropped_frames missing frames_stopped: \(reason)")
    }

    @Test func aLongIterationHidesNoShortOne() throws {
        var measured = Self.silent
        measured.silentIterations = [:]
        measured.coverages = ["c": [0: 1, 1: 1, 2: 0.99, 3: 0.5, 4: 1]]
        let answer = try Self.reasons([Self.drops: measured], [Self.drops: [Self.zeros]])
        let reason = "Frame ticks cover only 50 % of a scroll in iteration 3: the recorder stopped."
        #expect(answer == ["dropped_frames missing frames_stopped: \(reason)"])
    }

    @Test(
        arguments: [
            ([500, 501], [String](), true), ([], [], false), ([], ["ttil"], false), (nil, ["ttil"], true),
            (nil, [], false),
        ] as [([Double]?, [String], Bool)])
    func aPageThatNeverLoadedIsMissedWhereItIsKnownToLoad(
        _ baseline: [Double]?, _ expected: [String], _ isMissing: Bool
    ) throws {
        let visited = CellMeasurement(metric: Self.ttil, runs: [], iterations: ["c": [0, 1, 2]])
        let known = baseline.map { [Self.ttil: [Self.samples("b", $0)]] } ?? [:]
        let answer = try Self.reasons([Self.ttil: visited], known, expecting: expected)
        let reason = "It was visited in 3 iterations, and no visit loaded it."
        let passed = "ttil passed no_events: Measured, but nothing happened that gives a sample."
        let unknown =
            "ttil no_baseline nothing_compared: There is no baseline to compare it with. Nothing in its environment was "
            + "compared."
        #expect(answer == [isMissing ? "ttil missing not_loaded: \(reason)" : baseline == nil ? unknown : passed])
    }
}
