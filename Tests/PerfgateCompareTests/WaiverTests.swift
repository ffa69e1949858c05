import ComparisonFixtures
import PerfgateModel
import Testing

@testable import PerfgateCompare

/// What a waiver excuses, and what it doesn't.
struct WaiverTests {
    private static let mean = Metric(id: "fps_mean", unit: .framesPerSecond, better: .higher)

    private static func waiver(
        _ ceiling: Double, until: String = "2026-12-24", page: String = "A", metric: String = "ttil",
        environment: [String: FieldValue] = [:], line: Int = 1
    ) throws -> Waiver {
        Waiver(
            page: Page(page), metric: metric, environment: environment, ceiling: ceiling,
            until: try #require(CalendarDay(until)), reason: "map.",
            from: .configuration(path: "w.yml", line: line))
    }

    /// The results of page A, by default with the values 500, 501 and 502.
    private static func judge(
        _ waivers: [Waiver], limit: Limit? = Limit(400), day: String? = "2026-12-01", metric: Metric = JudgeTests.ttil,
        values: [Double]? = nil, stored: [Double]? = nil
    ) throws -> CellResult {
        var policy = Policy()
        policy.waivers = waivers
        policy.day = day.flatMap { CalendarDay($0) }
        policy.metrics[metric.id] = MetricSettings(limit: limit.map { Setting($0, from: .builtIn) })
        let cell = JudgeTests.cell("A", metric)
        var measured = JudgeTests.measurements([cell: metric])
        if let values { measured.cells[cell] = CellMeasurement(metric: metric, runs: JudgeTests.runs(values)) }
        let entry = stored.map { Reference.Entry(metric: metric, runs: JudgeTests.runs($0)) }
        let results = try Judge(policy: policy).compare(
            measured, with: Reference(cells: [cell: entry].compactMapValues(\.self)))
        return try #require(results.first)
    }

    @Test(arguments: [
        (501.0, Limit.Subject.median, Verdict.waived, 501.0), (500.9, .median, .overLimit, 501),
        (502, .any, .waived, 502), (501.9, .any, .overLimit, 502),
    ])
    func theCeilingHoldsForTheJudgedValue(
        _ ceiling: Double, _ subject: Limit.Subject, _ expected: Verdict, _ value: Double
    ) throws {
        let result = try Self.judge([Self.waiver(ceiling)], limit: Limit(400, subject: subject))
        #expect(result.verdict == expected)
        #expect(result.judgedValue == value)
    }

    /// The median doesn't show every fourth sample that takes twenty times as long.
    @Test(arguments: [
        (4, 13_000.0, nil, Verdict.overLimit), (2, 13_000, nil, .overLimit), (1, 13_000, nil, .waived),
        (4, 1_199, nil, .waived), (3, 1_201, nil, .overLimit), (4, 13_000, 3, .waived), (4, 13_000, 1, .overLimit),
    ])
    func theCeilingDoesNotHideManySlowSamples(
        _ slow: Int, _ value: Double, _ before: Int?, _ expected: Verdict
    ) throws {
        func values(_ slow: Int) -> [Double] { (0..<10).map { $0 < slow ? value : 500 } }
        let few = slow == 2 ? [500, 501, 502, 503, 504, value, value, 500] : values(slow)
        let result = try Self.judge([Self.waiver(600)], values: few, stored: before.map(values))
        #expect(result.verdict == expected, "\(result.reason)")
        #expect(result.reason.contains("beyond twice the waiver in w.yml:1") == (expected == .overLimit))
    }

    @Test(arguments: [(501.0, Verdict.waived), (501.1, .overLimit)])
    func whereHigherIsBetterItIsAFloor(_ floor: Double, _ expected: Verdict) throws {
        let waiver = try Self.waiver(floor, metric: "fps_mean")
        #expect(try Self.judge([waiver], limit: Limit(600), metric: Self.mean).verdict == expected)
    }

    @Test(arguments: [
        ("2026-12-23" as String?, Verdict.waived), ("2026-12-24", .overLimit), ("2027-01-01", .overLimit),
        (nil, .waived),
    ])
    func itEndsOnItsDay(_ day: String?, _ expected: Verdict) throws {
        #expect(try Self.judge([Self.waiver(600)], day: day).verdict == expected)
    }

    @Test func itIsAboutItsCellOnly() throws {
        for waiver in [
            try Self.waiver(600, page: "B"), try Self.waiver(600, metric: "ttfl"),
            try Self.waiver(600, environment: ["device": .text("iPad1,1")]),
        ] {
            #expect(try Self.judge([waiver]).verdict == .overLimit)
        }
        let phone: [String: FieldValue] = ["device": .text("iPhone12,1"), "max_fps": .number(60)]
        #expect(try Self.judge([Self.waiver(600, environment: phone)]).verdict == .waived)
    }

    @Test func theStricterOfTwoHolds() throws {
        let (wide, strict) = (try Self.waiver(600, line: 1), try Self.waiver(500, line: 2))
        #expect(try Self.judge([wide, strict]).verdict == .overLimit)
        #expect(try Self.judge([strict, wide]).verdict == .overLimit)
        let expired = try Self.waiver(500, until: "2026-11-01", line: 3)
        #expect(try Self.judge([expired, wide]).verdict == .waived)
    }

    @Test func whatDoesNotFailIsNotWaived() throws {
        let result = try Self.judge([Self.waiver(600)], limit: nil)
        #expect(result.verdict == .noBaseline)
        #expect(!result.reason.contains("aive"))
    }

    @Test func theSentenceSaysWhyAndUntilWhen() throws {
        let limit = "The median, 501 ms, is above the limit of 400 ms (3 samples of 1 run). "
        #expect(
            try Self.judge([Self.waiver(600)]).reason == limit
                + "It is waived until 2026-12-24 up to 600 ms: map (w.yml:1).")
        #expect(
            try Self.judge([Self.waiver(500)]).reason == limit
                + "501 ms is beyond the waiver in w.yml:1, which applies up to 500 ms.")
        #expect(
            try Self.judge([Self.waiver(600)], day: "2027-01-01").reason == limit
                + "The waiver in w.yml:1 expired on 2026-12-24.")
    }

    @Test func anUpdateOfBaselinesKnowsNone() throws {
        var policy = Policy()
        policy.waivers = [try Self.waiver(600)]
        #expect(policy.withoutLimits.waivers.isEmpty)
    }
}
