import ComparisonFixtures
import PerfgateModel
import Testing

@testable import PerfgateCompare

/// Limits stored with a baseline: they alone can give a verdict, and the explanation names them.
struct StoredLimitTests {
    private static let launch = Metric(id: "launch", unit: .milliseconds, better: .lower)
    private static let rate = Metric(id: "rate", unit: .framesPerSecond, better: .higher)

    private static func judged(
        _ metric: Metric, limit: Double, samples: [Double] = [], policy: Policy = Policy()
    ) throws -> CellResult? {
        let cell = JudgeTests.cell("A", metric)
        let entry = Reference.Entry(
            metric: metric, runs: samples.isEmpty ? [] : JudgeTests.runs(samples),
            limit: Setting(Limit(limit, isTakenAsWritten: true), from: .input(path: "Baselines/a.json")))
        return try Judge(policy: policy).compare(
            JudgeTests.measurements([cell: metric]), with: Reference(cells: [cell: entry])
        ).first
    }

    /// A limit for samples of 500, 501 and 502, and the verdict.
    @Test(arguments: [
        (launch, 501.0, "passed limit_only"), (launch, 500.5, "over_limit"), (rate, 501, "passed limit_only"),
        (rate, 501.5, "over_limit"),
    ])
    func withoutSamplesTheLimitDecides(_ metric: Metric, _ limit: Double, _ verdict: String) throws {
        let result = try #require(try Self.judged(metric, limit: limit))
        #expect([result.verdict.rawValue, result.detail?.rawValue].compactMap { $0 }.joined(separator: " ") == verdict)
        #expect(result.isGated)
        #expect(result.limitOrigin == "Baselines/a.json")
        #expect(result.numbers == nil)
    }

    @Test func theSentenceSaysThatNothingElseWasCompared() throws {
        let result = try #require(try Self.judged(Self.launch, limit: 550))
        let measured = "501 ms (3 samples of 1 run)"
        #expect(
            result.reason == "Within the limit of 550 ms; the baseline has no samples to compare \(measured) with.")
    }

    @Test func withSamplesBothHold() throws {
        let same = try #require(try Self.judged(Self.launch, limit: 550, samples: [500, 501, 502]))
        #expect(same.verdict == .passed)
        #expect(same.detail == nil)
        #expect(try Self.judged(Self.launch, limit: 400, samples: [500, 501, 502])?.verdict == .overLimit)
    }

    /// The configuration takes precedence over stored limits.
    @Test func theConfigurationWins() throws {
        var policy = Policy()
        policy.metrics["launch"] = MetricSettings(limit: Setting(Limit(600), from: .commandLine("--limit")))
        #expect(try Self.judged(Self.launch, limit: 400, policy: policy)?.detail == .limitOnly)
        policy.metrics["launch"]?.gate = Setting(false, from: .builtIn)
        #expect(try Self.judged(Self.launch, limit: 400, policy: policy)?.isGated == false)
    }

    @Test func aLimitAloneIsNoComparisonAndIsExpected() throws {
        let cell = JudgeTests.cell("A", Self.rate)
        let entry = Reference.Entry(metric: Self.rate, runs: [], limit: Setting(Limit(1), from: .builtIn))
        let reference = Reference(cells: [cell: entry])
        #expect(Judge(policy: Policy()).gatedCells(of: reference, in: [JudgeTests.phone]).isEmpty)
        let other = JudgeTests.measurements([JudgeTests.cell("B"): JudgeTests.ttil])
        let results = try Judge(policy: Policy()).compare(other, with: reference)
        #expect(results.first { $0.page.name == "A" }?.verdict == .missing)
    }

    /// A percentile of field data is a single number, so another release's percentile isn't a baseline.
    @Test(arguments: [(nil, "no_baseline"), (550.0, "passed limit_only"), (400, "over_limit")])
    func aPercentileIsJudgedByItsLimitAlone(_ limit: Double?, _ verdict: String) throws {
        let metric = Metric(id: "launchTime@p90", unit: .milliseconds, better: .lower)
        let measurements = JudgeTests.measurements([JudgeTests.cell("A", metric): metric])
        var policy = Policy()
        policy.metrics[metric.id] = limit.map {
            MetricSettings(limit: Setting(Limit($0), from: .commandLine("--limit")))
        }
        let reference = Reference(measurements, key: .standard)
        #expect(reference.cells.isEmpty)
        let result = try #require(try Judge(policy: policy).compare(measurements, with: reference).first)
        #expect([result.verdict.rawValue, result.detail?.rawValue].compactMap { $0 }.joined(separator: " ") == verdict)
        #expect(result.isGated == (limit != nil))
        #expect(result.verdict == .overLimit || result.reason.contains("percentile of users has no samples to compare"))
    }

    /// A phone that was replaced has limits and no baseline: less than was asked.
    @Test(arguments: [(true, "nothing_compared"), (false, nil)])
    func aLimitIsAComparisonOnlyForPagesThatNoOtherEnvironmentKnows(_ isKnown: Bool, _ detail: String?) throws {
        let other = EnvironmentKey.standard.environment(of: Context(["device": .text("Pixel 5")]))
        let measured = JudgeTests.measurements([JudgeTests.cell("A", JudgeTests.ttil, other): JudgeTests.ttil])
        var policy = Policy()
        policy.metrics["ttil"] = MetricSettings(limit: Setting(Limit(900), from: .commandLine("--limit")))
        let reference = isKnown ? JudgeTests.reference([JudgeTests.cell("A"): JudgeTests.ttil]) : Reference()
        let result = try #require(try Judge(policy: policy).compare(measured, with: reference).first)
        #expect(result.verdict == .noBaseline)
        #expect(result.detail?.rawValue == detail)
    }

    /// A limit in another unit is ignored.
    @Test func anotherUnitHasNoLimit() throws {
        let cell = JudgeTests.cell("A", Self.launch)
        let seconds = Metric(id: "launch", unit: Unit("kB"), better: .lower)
        let entry = Reference.Entry(metric: seconds, runs: [], limit: Setting(Limit(1), from: .builtIn))
        let results = try Judge(policy: Policy()).compare(
            JudgeTests.measurements([cell: Self.launch]), with: Reference(cells: [cell: entry]))
        #expect(results.map(\.verdict) == [.noBaseline])
    }
}
