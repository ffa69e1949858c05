import ComparisonFixtures
import PerfgateModel
import Testing

@testable import PerfgateCompare

/// What is compared, what is expected, and the number of comparisons that chance is divided by.
struct JudgeTests {
    static let phone = EnvironmentKey.standard.environment(
        of: Context(["device": .text("iPhone12,1"), "max_fps": .number(60)]))
    static let ttil = Metric(id: "ttil", unit: .milliseconds, better: .lower)
    static let ttfl = Metric(id: "ttfl", unit: .milliseconds, better: .lower)

    static func cell(_ page: String, _ metric: Metric = ttil, _ environment: Environment = phone) -> Cell {
        Cell(page: Page(page), metric: metric.id, environment: environment)
    }

    static func runs(_ values: [Double]) -> [RunSamples] {
        [RunSamples(run: "r", samples: values.map { Sample($0) })]
    }

    static func measurements(_ cells: [Cell: Metric], coverage: Double? = nil) -> Measurements {
        var result = Measurements()
        for (cell, metric) in cells {
            result.cells[cell] = CellMeasurement(
                metric: metric, runs: runs([500, 501, 502]), iterations: ["r": [0, 1, 2]],
                coverages: coverage.map { ["r": [0: $0]] } ?? [:])
            result.pages[PageInEnvironment(page: cell.page, environment: cell.environment)] = PageMeasurement()
        }
        return result
    }

    static func reference(_ cells: [Cell: Metric]) -> Reference {
        Reference(cells: cells.mapValues { Reference.Entry(metric: $0, runs: runs([500, 501, 502])) })
    }

    private static func verdicts(
        _ measurements: Measurements, _ reference: Reference, _ policy: Policy = Policy()
    ) throws -> [String] {
        try Judge(policy: policy).compare(measurements, with: reference).map { result in
            let detail = result.detail.map { " \($0.rawValue)" } ?? ""
            return "\(result.page) \(result.metric.id) \(result.verdict.rawValue)\(detail)"
        }
    }

    @Test func whatTheBaselineKnowsIsExpected() throws {
        let known = Self.reference([
            Self.cell("A"): Self.ttil, Self.cell("A", Self.ttfl): Self.ttfl, Self.cell("B"): Self.ttil,
        ])
        let answer = try Self.verdicts(Self.measurements([Self.cell("A"): Self.ttil]), known)
        #expect(answer == ["A ttfl missing no_metric", "B ttil missing no_page", "A ttil passed"])
    }

    @Test func aPartialRunExcusesPagesAndNotMetrics() throws {
        var policy = Policy()
        policy.isPartial = true
        let known = Self.reference([Self.cell("A", Self.ttfl): Self.ttfl, Self.cell("B"): Self.ttil])
        let answer = try Self.verdicts(Self.measurements([Self.cell("A"): Self.ttil]), known, policy)
        #expect(
            answer == ["A ttfl missing no_metric", "B ttil missing excused", "A ttil no_baseline nothing_compared"])
    }

    @Test func anotherEnvironmentIsAskedOnlyWhereItIsRequired() throws {
        let pad = EnvironmentKey.standard.environment(of: Context(["device": .text("iPad1,1")]))
        let known = Self.reference([Self.cell("A"): Self.ttil, Self.cell("A", Self.ttil, pad): Self.ttil])
        let measured = Self.measurements([Self.cell("A"): Self.ttil])
        #expect(try Judge(policy: Policy()).compare(measured, with: known).map(\.verdict) == [.passed])
        var policy = Policy()
        policy.expectedEnvironments = [ExpectedEnvironment(["device": .text("iPad1,1")], isRequired: true)]
        #expect(try Judge(policy: policy).compare(measured, with: known).map(\.verdict) == [.missing, .passed])
    }

    @Test func aRequiredEnvironmentThatNobodyKnowsIsMissing() throws {
        let pad = ["device": FieldValue.text("iPad1,1"), "max_fps": .number(120)]
        var policy = Policy()
        policy.expectedEnvironments = [
            ExpectedEnvironment(pad, isRequired: true), ExpectedEnvironment(["os": .text("iOS 9")], isRequired: false),
        ]
        let known = Self.reference([Self.cell("A"): Self.ttil])
        let measured = Self.measurements([Self.cell("A"): Self.ttil])
        let results = try Judge(policy: policy).compare(measured, with: known)
        #expect(results.map(\.verdict) == [.missing, .passed])
        #expect(results.first?.environment.description == "iPad1,1, 120 Hz")
        #expect(results.first?.detail == .noEnvironment)
        let reason =
            "No gating run has a line of the environment iPad1,1, 120 Hz, and the configuration requires it."
        #expect(results.first?.reason == reason)
        #expect(results.compactMap(FailingKinds(policy).failure) == [.failed])
        policy.isPartial = true
        let partial = try Judge(policy: policy).compare(measured, with: known)
        #expect(partial.compactMap(FailingKinds(policy).failure).isEmpty)
    }

    @Test func aRequiredEnvironmentWithoutAGatedCellIsMissingToo() throws {
        let pad = EnvironmentKey.standard.environment(of: Context(["device": .text("iPad1,1")]))
        let mean = Metric(id: "fps_mean", unit: .framesPerSecond, better: .higher)
        var policy = Policy()
        policy.expectedEnvironments = [ExpectedEnvironment(["device": .text("iPad1,1")], isRequired: true)]
        let known = Self.reference([Self.cell("A"): Self.ttil, Self.cell("A", mean, pad): mean])
        let answer = try Self.verdicts(Self.measurements([Self.cell("A"): Self.ttil]), known, policy)
        #expect(answer == ["every page environment missing no_environment", "A ttil passed"])
    }

    @Test func theConfigurationExpectsPagesMetricsAndIterations() throws {
        var policy = Policy()
        policy.expected = [
            ExpectedPage(page: Page("A"), metrics: ["ttil"], iterations: 5), ExpectedPage(page: Page("C")),
        ]
        let answer = try Self.verdicts(Self.measurements([Self.cell("A"): Self.ttil]), Reference(), policy)
        #expect(answer == ["A ttil missing too_few", "C page missing no_page"])
    }

    @Test func framesThatStopAreNotMeasured() throws {
        let measured = Self.measurements([Self.cell("A"): Self.ttil], coverage: 0.79)
        #expect(try Self.verdicts(measured, Reference()) == ["A ttil missing frames_stopped"])
        let enough = Self.measurements([Self.cell("A"): Self.ttil], coverage: 0.8)
        #expect(try Self.verdicts(enough, Reference()) == ["A ttil no_baseline nothing_compared"])
    }

    @Test func whatIsNotGatedIsNeverMissingAndNotCounted() throws {
        let mean = Metric(id: "fps_mean", unit: .framesPerSecond, better: .higher)
        let known = Self.reference([Self.cell("A"): Self.ttil, Self.cell("A", mean): mean])
        let results = try Judge(policy: Policy()).compare(Self.measurements([Self.cell("A"): Self.ttil]), with: known)
        #expect(results.map(\.verdict) == [.passed])
        #expect(results.first?.numbers?.comparisons == 1)
    }

    @Test func anotherFormulaIsNoBaseline() throws {
        var known = Self.reference([Self.cell("A"): Self.ttil])
        known.cells[Self.cell("A")]?.formula = "2"
        let answer = try Self.verdicts(Self.measurements([Self.cell("A"): Self.ttil]), known)
        #expect(answer == ["A ttil no_baseline nothing_compared"])
    }

    @Test func aRunThatIsOnlyShownExcusesNothing() throws {
        let known = Self.reference([Self.cell("A"): Self.ttil, Self.cell("B"): Self.ttil])
        var measured = Self.measurements([Self.cell("A"): Self.ttil])
        var shown = Run(id: "q", context: Context(), streams: [])
        shown.whyShownOnly = "It is in quarantine."
        measured.runs = [Run(id: "r", context: Context(), streams: []), shown]
        for page in ["B", "C"] {
            measured.cells[Self.cell(page)] = CellMeasurement(
                metric: Self.ttil, runs: [RunSamples(run: "q", samples: [Sample(900)])], iterations: ["q": [0]])
            measured.pages[PageInEnvironment(page: Page(page), environment: Self.phone)] = PageMeasurement()
        }
        var policy = Policy()
        policy.expected = [ExpectedPage(page: Page("C"))]
        let results = try Judge(policy: policy).compare(measured, with: known)
        #expect(
            results.map { "\($0.page) \($0.metric.id) \($0.verdict.rawValue) \($0.isGated)" }
                == ["B ttil missing true", "C page missing true", "A ttil passed true", "C ttil no_baseline false"])
        #expect(results.first?.detail == .noPage)
    }

    @Test func eachRunMustHaveTheExpectedIterations() throws {
        var policy = Policy()
        policy.expected = [ExpectedPage(page: Page("A"), iterations: 5)]
        var measured = Self.measurements([Self.cell("A"): Self.ttil])
        measured.cells[Self.cell("A")]?.runs = ["a", "b"].map { run in
            RunSamples(run: run, samples: (0..<5).map { Sample(500, iteration: $0) })
        }
        measured.cells[Self.cell("A")]?.iterations = ["a": [0, 1, 2], "b": [3, 4]]
        #expect(try Self.verdicts(measured, Reference(), policy) == ["A ttil missing too_few"])
        measured.cells[Self.cell("A")]?.iterations = ["a": [0, 1, 2, 3, 4], "b": [3, 4]]
        #expect(try Self.verdicts(measured, Reference(), policy) == ["A ttil missing too_few"])
        measured.cells[Self.cell("A")]?.iterations["b"] = [0, 1, 2, 3, 4]
        #expect(try Self.verdicts(measured, Reference(), policy) == ["A ttil no_baseline nothing_compared"])
    }

    @Test func aLaterExpectationLeavesTheIterationsOfAnEarlierOne() throws {
        var policy = Policy()
        policy.expected = [
            ExpectedPage(page: Page("A"), iterations: 5), ExpectedPage(page: Page("A"), metrics: ["ttil"]),
        ]
        let answer = try Self.verdicts(Self.measurements([Self.cell("A"): Self.ttil]), Reference(), policy)
        #expect(answer == ["A ttil missing too_few"])
    }

    @Test func aCellGatesByTheMetricThatItsBaselineKnows() throws {
        let measured = Self.measurements([Self.cell("A"): Metric(id: "ttil", unit: Unit(""), better: .lower)])
        let known = Self.reference([Self.cell("A"): Self.ttil])
        let results = try Judge(policy: Policy()).compare(measured, with: known)
        #expect(results.map(\.verdict) == [.noBaseline])
        #expect(results.map(\.isGated) == [true])
    }

    @Test func valuesOfTheOppositeDirectionAreNotCompared() throws {
        let measured = Self.measurements([Self.cell("A"): Metric(id: "ttil", unit: .milliseconds, better: .higher)])
        let answer = try Self.verdicts(measured, Self.reference([Self.cell("A"): Self.ttil]))
        #expect(answer == ["A ttil no_baseline nothing_compared"])
    }

    @Test func onlyVisitsThatLoadedCountAsIterationsOfLoading() throws {
        var policy = Policy()
        policy.expected = [ExpectedPage(page: Page("A"), metrics: ["ttil"], iterations: 2)]
        var measured = Self.measurements([Self.cell("A"): Self.ttil])
        measured.cells[Self.cell("A")]?.runs = []
        #expect(try Self.verdicts(measured, Reference(), policy) == ["A ttil missing too_few"])
        measured.cells[Self.cell("A")]?.runs = [
            RunSamples(run: "r", samples: [Sample(500, iteration: 0), Sample(501, iteration: 2)])
        ]
        #expect(try Self.verdicts(measured, Reference(), policy) == ["A ttil no_baseline nothing_compared"])
    }
}
