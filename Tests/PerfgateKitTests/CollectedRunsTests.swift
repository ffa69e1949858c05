import PerfgateCompare
import PerfgateModel
import Testing

@testable import PerfgateKit

/// The logs that may be stored run by run, and the reasons that prevent it.
struct CollectedRunsTests {
    private static let environment = CalibrationTests.environment

    private static func run(_ id: String, start: String?, faults: [String] = []) -> Run {
        var context = Context()
        context["started_at"] = start.map { .text($0) }
        return Run(id: id, context: context, streams: [Run.Stream(path: "\(id).ndjson", faults: faults)])
    }

    private static func measurements(_ runs: [Run], faulty: [FaultyInput] = []) -> Measurements {
        let metric = Metric(id: "ttil", unit: .milliseconds, better: .lower)
        let cell = Cell(page: Page("Search"), metric: "ttil", environment: environment)
        let measurement = CellMeasurement(
            metric: metric, runs: runs.map { RunSamples(run: $0.id, samples: [Sample(1)]) },
            iterations: Dictionary(uniqueKeysWithValues: runs.map { ($0.id, [0]) }))
        return Measurements(
            runs: runs, cells: [cell: measurement], pages: [cell.place: PageMeasurement()], faultyInputs: faulty)
    }

    private static func collected(
        _ runs: [Run], faulty: [FaultyInput] = [], badRun: Policy.BadRun = .fail
    ) -> CollectedRuns {
        var policy = Policy()
        policy.badRun = badRun
        return CollectedRuns(measurements(runs, faulty: faulty), policy: policy)
    }

    @Test func timesDecideWhateverTheirOffset() {
        let collected = Self.collected([
            Self.run("a", start: "2026-01-01T10:00:00Z"), Self.run("b", start: "2026-01-01T10:00:00+05:00"),
            Self.run("d", start: "2026-01-01T09:00:00Z"), Self.run("c", start: "2026-01-01T09:00:00Z"),
        ])
        #expect(collected.runs.map(\.run.id) == ["b", "c", "d", "a"])
        #expect(collected.faults.isEmpty)
        #expect(collected.runs.allSatisfy { $0.measurements.cells.values.allSatisfy { $0.runs.count == 1 } })
    }

    @Test(arguments: [
        (nil, "Run a doesn't say when it began, so"),
        ("yesterday", "Run a says that it began at 'yesterday', which is"),
    ])
    func aRunWithoutAStartIsAFault(_ start: String?, _ message: String) {
        for policy in [Policy.BadRun.fail, .exclude] {
            let collected = Self.collected(
                [Self.run("a", start: start), Self.run("b", start: "2026-01-01T10:00:00Z")], badRun: policy)
            #expect(collected.faults.map(\.path) == ["a.ndjson"])
            #expect(collected.faults.allSatisfy { $0.fault == .badData && $0.message.hasPrefix(message) })
        }
    }

    @Test func badRunsAndUnreadableLogsAreExcludedByPolicyOnly() {
        let runs = [
            Self.run("a", start: "2026-01-01T10:00:00Z"),
            Self.run("b", start: "2026-01-02T10:00:00Z", faults: ["Line 3 can't be read."]),
        ]
        let faulty = [FaultyInput(path: "c.ndjson.gz", fault: .badData, message: "Its gzip data is damaged.")]
        let failing = Self.collected(runs, faulty: faulty)
        #expect(failing.faults.map(\.path) == ["c.ndjson.gz", "b.ndjson"])
        let excluding = Self.collected(runs, faulty: faulty, badRun: .exclude)
        #expect(excluding.faults.isEmpty && excluding.runs.map(\.run.id) == ["a"])
        #expect(excluding.diagnostics.map(\.code) == [.excludedRun, .excludedRun])
        #expect(excluding.diagnostics.contains { $0.path == "c.ndjson.gz" && $0.message.contains("gzip") })
    }

    @Test func nothingIsExcludedWhereNothingElseIsThere() {
        let bad = Self.run("b", start: "2026-01-02T10:00:00Z", faults: ["Line 3 can't be read."])
        let faulty = [FaultyInput(path: "logs", fault: .notFound, message: "The folder holds no log.")]
        #expect(Self.collected([bad], faulty: faulty, badRun: .exclude).faults.map(\.path) == ["logs", "b.ndjson"])
    }
}
