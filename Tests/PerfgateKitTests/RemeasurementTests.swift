import PerfgateCompare
@testable import PerfgateKit
import PerfgateModel
import Testing

/// The pages that are measured again, the number of reruns, and the messages if they are missing.
struct RemeasurementTests {
    private static let phone = EnvironmentKey.standard.environment(of: Context(["device": .text("iPhone12,1")]))
    private static let ttil = Metric(id: "ttil", unit: .milliseconds, better: .lower)

    /// Runs of a page with a baseline of 500 ms; the run with this index is slower by `change` ms.
    private static func measurements(_ page: String, changes: [Double], tests: [String] = []) -> Measurements {
        let cell = Cell(page: Page(page), metric: "ttil", environment: phone)
        let runs = changes.enumerated().map { index, change in
            RunSamples(run: "run-\(index)", samples: (0..<10).map { Sample(500 + change + Double($0)) })
        }
        return Measurements(
            runs: runs.enumerated().map { index, run in
                var run = Run(id: run.run, context: Context(), streams: [])
                run.attempt = index
                return run
            },
            cells: [
                cell: CellMeasurement(
                    metric: ttil, runs: runs,
                    iterations: Dictionary(uniqueKeysWithValues: runs.map { ($0.run, Array(0..<10)) }))
            ],
            pages: [PageInEnvironment(page: cell.page, environment: phone): PageMeasurement(tests: tests)])
    }

    private static func report(_ measurements: Measurements) throws -> GateReport {
        var policy = Policy()
        policy.confirmation = .rerun
        var reference = Reference()
        for cell in measurements.cells.keys {
            reference.cells[cell] = Reference.Entry(
                metric: ttil,
                runs: (0..<10).map { run in
                    RunSamples(run: "main-\(run)", samples: (0..<5).map { Sample(500 + Double($0)) })
                })
        }
        return try Assessment(
            gate: Gate(policy: policy, tool: "perfgate"), measurements: measurements, reference: reference
        ).report()
    }

    /// The result of a first look and of further runs with these measurements.
    private static func confirm(_ changes: [Double]) throws -> (report: GateReport, reruns: Int) {
        var reruns = 0
        let confirmation = Remeasurement { _, attempt in
            reruns = attempt
            return "again-\(attempt)"
        }
        let report = try confirmation.report { again in
            try Self.report(measurements("Search", changes: Array(changes.prefix(1 + again.count))))
        }
        return (report, reruns)
    }

    @Test(arguments: [
        (changes: [0.0, 0, 0], reruns: 0, verdict: Verdict.passed),
        (changes: [200, 200, 200], reruns: 2, verdict: .regressed),
        (changes: [60, 0, 0], reruns: 1, verdict: .passed),
        (changes: [200, 0, 0], reruns: 2, verdict: .passed),
        (changes: [200, 200, 0], reruns: 2, verdict: .regressed),
    ])
    func measuresSuspectsAgain(changes: [Double], reruns: Int, verdict: Verdict) throws {
        let answer = try Self.confirm(changes)
        #expect(answer.reruns == reruns)
        #expect(answer.report.comparisons.map(\.verdict) == [verdict])
        #expect(answer.report.diagnostics.isEmpty)
    }

    @Test(arguments: [
        ([0.0, 0, 0], []),
        (
            [200, 0, 0],
            ["In the first run, and cleared by 2 reruns: Search: time to initial load 40 % longer (502 → 704.5 ms)."]
        ),
        (
            [9_500, 0, 0],
            ["One run was far worse, and the others cleared it: Search: time to initial load went 502 → 10004.5 ms."]
        ), ([200, 200, 200], []),
    ])
    func namesClearedSuspects(changes: [Double], notes: [String]) throws {
        #expect(try Self.confirm(changes).report.notes == notes)
    }

    /// The only run of a comparison was cleared by no other.
    @Test func namesADoubledTimeOfASingleRun() throws {
        var facts = try #require(Self.confirm([9_500, 0, 0]).report.comparisons.first).facts
        facts.candidate?.runs = 1
        #expect(
            GateFindings(tool: "", policy: Policy(), comparisons: [CellResult(facts)]).clearedRuns == [
                "Far worse, and still within the noise of runs: Search: time to initial load went 502 → 10004.5 ms."
            ])
    }

    /// Three pages that are slow in the first run only measured the state of the device.
    @Test(arguments: [([200.0, 0, 0], true), ([0, 0, 200], false), ([200, 0, 200], false), ([0, 0, 0], false)])
    func saysThatEveryFirstRunWasCold(changes: [Double], isReported: Bool) throws {
        var all = Measurements()
        for page in ["A", "B", "C"] {
            let one = Self.measurements(page, changes: changes)
            all.runs = one.runs
            all.cells.merge(one.cells) { $1 }
            all.pages.merge(one.pages) { $1 }
        }
        let notes = try Self.report(all).notes
        #expect(notes.contains { $0.hasPrefix("Each of 3 times was slow in its first run") } == isReported)
    }

    @Test func saysWhereASuspectWasNotMeasuredAgain() throws {
        let confirmation = Remeasurement { _, _ in "again" }
        let report = try confirmation.report { _ in
            try Self.report(Self.measurements("Search", changes: [200]))
        }
        #expect(report.diagnostics.map(\.code) == [.suspectNotMeasured])
        #expect(report.exitCode == 3)
    }

    @Test func aRerunThatLeavesNoLogIsTheLast() throws {
        var reruns = 0
        let confirmation = Remeasurement { _, attempt in
            reruns = attempt
            return "again-\(attempt)"
        }
        let report = try confirmation.report { again in
            var measurements = Self.measurements("Search", changes: [200])
            measurements.faultyInputs = again.map {
                FaultyInput(path: $0, fault: .notFound, message: "The folder holds no log.")
            }
            return try Self.report(measurements)
        }
        #expect(reruns == 1)
        #expect(report.exitCode == 66)
    }

    @Test func withoutANewLogTheSuspicionStays() throws {
        let confirmation = Remeasurement { _, _ in nil }
        let report = try confirmation.report { _ in
            try Self.report(Self.measurements("Search", changes: [200]))
        }
        #expect(report.comparisons.map(\.detail) == [.confirm])
        #expect(report.exitCode == 3)
    }
}
