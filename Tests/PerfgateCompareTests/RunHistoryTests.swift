import PerfgateModel
import Testing

@testable import PerfgateCompare

/// Centres of runs are ordered by time, independently of the runs' identifiers.
struct RunHistoryTests {
    private static let environment = Environment([.init(name: "device", value: .text("d"))])
    private static let times = [
        "z": "2026-11-01T00:00:00Z", "m": "2026-11-02T01:00:00+02:00", "a": "2026-11-02T00:00:00Z",
    ]

    private static func run(_ id: String, _ values: [Double]) -> RunSamples {
        RunSamples(run: id, samples: values.map { Sample($0) })
    }

    private static func history(_ runs: [RunSamples], unit: Unit = .milliseconds, known: [String]) -> [Double] {
        let metric = Metric(id: "x", unit: unit, better: .lower)
        let known = known.map { EnvironmentSummary.BaselineRun(id: $0, startedAt: times[$0]) }
        let reference = Reference(runs: [environment: known])
        return RunHistory(Measurements(), reference)
            .history(runs, of: metric, in: environment)
    }

    private static let runs = [run("a", [3, 30, 4]), run("m", [2]), run("z", [1, 1, 4])]

    @Test func oldestFirst() {
        #expect(Self.history(Self.runs, known: ["a", "m", "z"]) == [1, 2, 4])
        #expect(Self.history(Self.runs.reversed(), known: ["z", "m", "a"]) == [1, 2, 4])
    }

    @Test func countsByTheirMeanAndTimesByTheirMedian() {
        #expect(Self.history(Self.runs, unit: .frames, known: ["a", "m", "z"]) == [2, 2, 37 / 3])
    }

    @Test func inTheOrderOfTheRunsWhereATimeIsUnknown() {
        #expect(Self.history(Self.runs, known: ["a", "m"]) == [4, 2, 1])
    }

    @Test func runsWithoutSamplesAreLeftOutAndTheNewestKept() {
        #expect(Self.history([Self.run("a", []), Self.run("m", [2])], known: ["a", "m"]) == [2])
        let many = (0..<50).map { Self.run("r\($0)", [Double($0)]) }
        #expect(Self.history(many, known: []) == (20..<50).map(Double.init))
    }
}
