import ComparisonFixtures
import PerfgateModel
import PerfgateStats
import Testing

@testable import PerfgateCompare

/// Some iterations got worse while the rest stayed equal: a rank test doesn't detect that.
struct ShareRuleTests {
    static func question(_ candidate: [[Double]], baseline runs: Int = 20) -> ExplanationTests.Question {
        var question = ExplanationTests.Question()
        question.metric = PolicyTests.frames
        question.minChange = 0.5
        question.comparisons = 100
        question.baseline = Array(repeating: [0, 0, 0, 0, 0], count: runs)
        question.candidate = candidate
        return question
    }

    @Test func fiveOfTenThatFreezeFail() throws {
        let result = try Self.question([[10, 0, 10, 0, 10, 0, 10, 0, 10, 0]]).asked()
        #expect(result.verdict == .regressed)
        #expect(result.numbers?.p ?? 0 > 0.5)
        #expect(
            result.reason
                == "It changed by +5 frames, worse by more than the tolerance of 0.5 frames, and chance doesn't explain it: "
                + "shift +5, 95 % interval 0 to +10, p 0.74 against 8e−4, 5 of 10 beyond 0 frames against 0 of 100, "
                + "p 2.1e−6 against 1e−4, 10 samples of 1 run against 100 of 20.")
    }

    @Test func threeOfTenAgainstThreeHundredFail() throws {
        let result = try Self.question([[10, 0, 0, 10, 0, 0, 10, 0, 0, 0]], baseline: 60).asked()
        #expect(result.verdict == .regressed)
        #expect(result.numbers?.shares.map { Figure.probability($0.p) } == ["2.4e−5"])
    }

    @Test func oneFrameInHalfOfTheIterationsPasses() throws {
        let result = try Self.question([[1, 0, 1, 0, 1, 0, 1, 0, 1, 0]]).asked()
        #expect(result.numbers?.shares.first?.p ?? 1 < 1e-5)
        #expect(result.verdict == .passed)
    }

    @Test func twoFreaksPass() throws {
        let result = try Self.question([[10, 10, 0, 0, 0, 0, 0, 0, 0, 0]]).asked()
        #expect(result.verdict != .regressed)
    }

    /// Ratios and times aren't tested by share: their whole level is compared, as before.
    @Test(arguments: [Unit.millisecondsPerSecond, .milliseconds, .secondsPerHour, .framesPerSecond])
    func onlyCountsHaveShares(_ unit: Unit) throws {
        var question = Self.question([[10, 0, 10, 0, 10, 0, 10, 0, 10, 0]])
        question.metric = Metric(id: "m", unit: unit, better: .lower)
        let numbers = try #require(try question.asked().numbers)
        #expect(numbers.shares.isEmpty && numbers.shareAlpha == nil && numbers.alpha == 0.001)
    }

    @Test func aShareIsConfirmedLikeARank() throws {
        var question = Self.question([[10, 0, 10, 0, 10, 0, 10, 0, 10, 0]])
        question.confirmation = .rerun
        let first = try question.asked()
        #expect(first.verdict == .inconclusive && first.detail == .confirm && first.isSuspect)
        question.candidate.append([0, 10, 0, 10, 0, 10, 0, 10, 0, 10])
        #expect(try question.asked().verdict == .regressed)
        question.candidate[1] = Array(repeating: 0, count: 100)
        question.candidate[0] = [10, 0, 10, 0, 10, 10, 10, 10, 10, 10]
        question.baseline = [
            [0, 0, 0, 10, 0], [0, 10, 0, 0, 0], [0, 0, 0, 0, 10], [0, 0, 0, 0, 0], [0, 0, 0, 0, 0],
        ]
        let second = try question.asked()
        #expect(second.verdict == .passed)
    }

    /// A first look with two freezes in five samples requires another run.
    @Test func aShareIsSuspected() throws {
        var question = Self.question([[10, 0, 10, 0, 0]])
        question.baseline = Array(repeating: [1, 0, 1, 0, 1], count: 10)
        question.confirmation = .rerun
        let result = try question.asked()
        #expect(result.numbers?.pZero ?? 0 > 0.05)
        #expect(result.isSuspect)
    }

    /// The limit detects what the percentile of an unsteady page doesn't.
    @Test func theLimitIsACutOfItsOwn() throws {
        var question = Self.question([[2, 2, 2, 2, 0, 2, 2, 2, 2, 0]])
        question.baseline = Array(repeating: [1, 0, 0, 1, 0], count: 19) + [[0, 9, 9, 0, 0]]
        let environment = JudgeTests.phone
        let policy = Policy().cellPolicy(page: Page("P"), metric: question.metric, environment: environment)
        #expect(policy.shareBound == 1)
        #expect(
            Policy().withoutLimits.cellPolicy(page: Page("P"), metric: question.metric, environment: environment)
                .shareBound == 1)
        let samples = try MeasuredRuns(question.baseline)
        let stratum = PairedRuns.Stratum(
            baseline: samples.pooled, candidate: try SortedSamples(question.candidate[0]))
        let tests = ShareTest.all([stratum], baseline: samples.pooled, limit: policy.shareBound, better: .lower)
        #expect(tests.map(\.candidateOver) == [8, 0] && tests.map(\.baselineOver) == [2, 0])
    }

    @Test func theExplanationNamesBothCuts() throws {
        let result = try Self.question([[10, 0, 10, 0, 10, 0, 10, 0, 10, 0]]).asked()
        let text = try #require(Explanation(result).steps.last?.text)
        #expect(
            text.contains(
                "0.8 of the smaller of 0.005 and 0.1 divided by 100 comparisons; each test of slow samples has 0.1 of it. 5 of 10 samples are "
                    + "beyond the baseline's 99th percentile, 0 frames, against 0 of 100: p = 2.1e−6, ≤ α = 1e−4."))
    }
}

/// A limit at 60 Hz judges the duration of dropped frames if ticks give it.
struct LimitTimeTests {
    static func result(
        _ samples: [Sample], rate: Double?, limit: MetricSettings? = nil
    ) throws -> CellResult {
        let environment = PolicyTests.environment(rate)
        var policy = Policy()
        if let limit { policy.metrics["dropped_frames"] = limit }
        let cell = Cell(page: Page("P"), metric: "dropped_frames", environment: environment)
        let prepared = try CellCase(
            cell: cell, metric: PolicyTests.frames,
            policy: policy.cellPolicy(page: cell.page, metric: PolicyTests.frames, environment: environment),
            confirmation: .off, expectation: Expectation(),
            measurement: CellMeasurement(
                metric: PolicyTests.frames, runs: [RunSamples(run: "r", samples: samples)], iterations: ["r": [0]]),
            entry: nil, comparisons: 1)
        return CellResult(CellResult.Facts(nil, VerdictRule.decide(prepared), on: prepared))
    }

    /// Two dropped frames with a duration in frames of 60 Hz, on a display with this highest rate.
    @Test(
        arguments: [
            (2, 2.0 as Double?, 120.0 as Double?, true), (2, 2, 60, true), (2, nil, 120, false), (2, nil, 60, true),
            (2, 1, 120, false), (2, 1.0008, 60, false), (3, 1.5, 120, true), (3, nil, 120, true), (1, 1, 120, false),
            (2, 1, nil, false), (2, nil, nil, true), (2, 1.3334, 90, true), (1, 0.6667, 90, false), (3, 2, 90, true),
            (1, 1.02, 60, false),
        ] as [(Double, Double?, Double?, Bool)])
    func theTimeDecides(_ known: (frames: Double, atSixty: Double?, rate: Double?, isOver: Bool)) throws {
        let samples = Array(repeating: Sample(known.frames, framesAtSixtyHertz: known.atSixty), count: 3)
        let result = try Self.result(samples, rate: known.rate)
        #expect((result.verdict == .overLimit) == known.isOver, "\(known)")
        #expect(result.isOverLimit == known.isOver, "\(known)")
    }

    @Test func theSentenceSaysThatItIsTime() throws {
        let result = try Self.result(Array(repeating: Sample(2, framesAtSixtyHertz: 2), count: 3), rate: 120)
        #expect(
            result.reason
                == "The median, as long as 4 frames at the display's highest rate, is above the limit of 2 frames "
                + "(3 samples of 1 run).")
        #expect(result.candidate?.samples == [2, 2, 2] && result.candidate?.limitSamples == [4, 4, 4])
        #expect(
            Explanation(result).outlook.first
                == "3 of 3 samples break the limit of 2 frames; it is kept if at most 1 do.")
        let usual = try Self.result(Array(repeating: Sample(3, framesAtSixtyHertz: 1.5), count: 3), rate: 120)
        #expect(usual.candidate?.limitSamples == nil)
        #expect(usual.reason == "The median, 3 frames, is above the limit of 2 frames (3 samples of 1 run).")
    }

    /// Limits in a rule for an environment are taken as written.
    @Test func limitsTakenAsWrittenCountFrames() throws {
        let samples = Array(repeating: Sample(2, framesAtSixtyHertz: 2), count: 3)
        let result = try Self.result(samples, rate: 120, limit: PolicyTests.limit(2, asWritten: true))
        #expect(result.verdict == .noBaseline)
    }
}

/// One late frame isn't a change in a time that it determines.
struct FrameFloorTests {
    @Test(
        arguments: [
            (60.0 as Double?, 17.6667), (120, 9.3333), (nil, 17.6667), (30, 34.3333),
        ], ["scroll_thread_hang", "first_frame"])
    func theFloorIsOneFrameAndAMillisecond(_ known: (rate: Double?, floor: Double), _ id: String) throws {
        let metric = try #require(MetricCatalog.definition(of: id)?.metric)
        let policy = Policy().cellPolicy(
            page: Page("P"), metric: metric, environment: PolicyTests.environment(known.rate))
        #expect(abs(policy.minChange.value - known.floor) < 1e-4)
    }

    @Test func otherTimesKeepTheirs() {
        #expect(MetricCatalog.definition(of: "ttil")?.minChange(at: 120) == 16)
        #expect(MetricCatalog.definition(of: "hitch_duration")?.minChange(at: 60) == 16)
    }
}
