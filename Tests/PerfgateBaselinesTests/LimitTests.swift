@testable import PerfgateBaselines
import PerfgateModel
import Testing

/// Limits from another tool, stored with samples and without.
struct LimitTests {
    private let empty = BaselineFile(searchOnPhone)

    private func metric(
        _ value: Double, unit: Unit = .milliseconds, better: Better = .lower, average: Double? = 500
    ) -> BaselineMetric {
        BaselineMetric(
            BaselineMetric.Definition(unit: unit, better: better), samples: [:],
            limit: BaselineLimit(value, average: average))
    }

    @Test(arguments: [500.0 as Double?, nil])
    func aLimitWithoutSamplesIsStored(_ average: Double?) throws {
        let file = empty.limited(by: ["ttil": metric(550, average: average)])
        #expect(!file.isEmpty)
        #expect(file.runs.isEmpty)
        let read = try BaselineFile(reading: file.bytes())
        #expect(read == file)
        #expect(read.metrics["ttil"]?.limit == BaselineLimit(550, average: average))
    }

    @Test func aLimitWithoutRunsHasNoAge() {
        let entry = Baselines.Entry(path: "p.json", file: empty.limited(by: ["ttil": metric(550)]))
        #expect(Baselines(entries: [searchOnPhone: entry]).places(daysOlderThanNewest: 1).isEmpty)
    }

    @Test func theLineOfAFile() {
        let text = String(decoding: empty.limited(by: ["ttil": metric(550)]).bytes(), as: UTF8.self)
        #expect(text.contains("\"limit\": { \"average\": 500, \"value\": 550 },\n"))
    }

    @Test func samplesAndLimitsStayTogether() throws {
        let limited = empty.limited(by: ["ttil": metric(550)])
        let taken = try limited.taking(
            try update([run("r1", at: "2026-11-11T10:00:00Z")], [cell(["r1": [1, 2]])]))
        #expect(taken.metrics["ttil"]?.limit?.value == 550)
        #expect(taken.metrics["ttil"]?.samples == ["r1": [1, 2]])
        let again = taken.limited(by: ["ttil": metric(600), "ttfl": metric(70)])
        #expect(again.metrics["ttil"]?.limit?.value == 600)
        #expect(again.metrics["ttil"]?.samples == ["r1": [1, 2]])
        #expect(again.metrics["ttfl"]?.limit?.value == 70)
    }

    @Test func aLimitInAnotherUnitOrDirectionIsNotTaken() throws {
        let limited = empty.limited(by: ["ttil": metric(550)])
        for other in [metric(1, unit: .frames), metric(1, better: .higher)] {
            #expect(limited.taken(of: ["ttil": other]).isEmpty)
            #expect(limited.limited(by: ["ttil": other]) == limited)
        }
    }

    /// The limits of base, ours and theirs, and the merged limits.
    @Test(
        arguments: [
            (500, 500, 500, 500), (500, 600, 500, 600), (500, 500, 600, 600), (500, 600, 550, 550),
            (nil, 600, 550, 550),
            (500, nil, 500, nil), (500, nil, 600, 600),
        ] as [(Double?, Double?, Double?, Double?)])
    func merging(_ base: Double?, _ ours: Double?, _ theirs: Double?, _ expected: Double?) throws {
        let runs = [run("r1", at: "2026-11-11T10:00:00Z")]
        let measured = try empty.taking(try update(runs, [cell(["r1": [1]])]))
        let file = { (limit: Double?) in limit.map { measured.limited(by: ["ttil": metric($0)]) } ?? measured }
        let merged = try BaselineFile.merge(base: file(base), ours: file(ours), theirs: file(theirs))
        #expect(merged.metrics["ttil"]?.limit?.value == expected)
        #expect(try BaselineFile.merge(base: file(base), ours: file(theirs), theirs: file(ours)) == merged)
    }

    @Test(arguments: [#""limit": 7"#, #""limit": {}"#, #""limit": {"value": "7"}"#, #""limit": {"value": 1e999}"#])
    func aLimitThatIsNoneIsReported(_ limit: String) {
        let text = """
            {"schema": 1, "page": "P", "environment": {}, "runs": [],
             "metrics": {"ttil": {"unit": "ms", "formula": "1", \(limit), "samples": {}}}}
            """
        #expect(throws: BaselineError.self) { try BaselineFile(reading: Array(text.utf8)) }
    }
}
