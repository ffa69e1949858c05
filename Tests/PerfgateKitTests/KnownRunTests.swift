import PerfgateCompare
import PerfgateModel
import Testing

@testable import PerfgateKit

/// When a run is told to be part of the baseline that it is compared with.
struct KnownRunTests {
    private static func environment(_ device: String) -> Environment {
        EnvironmentKey(["device"]).environment(of: Context(["device": .text(device)]))
    }

    @Test(arguments: [("phone", ["phone"], 1), ("pad", ["phone"], 0), ("pad", ["phone", "pad"], 1)])
    func theEnvironmentCounts(_ measuredOn: String, _ knownOn: [String], _ told: Int) throws {
        let metric = Metric(id: "ttil", unit: .milliseconds, better: .lower)
        let samples = [RunSamples(run: "1", samples: [Sample(500)])]
        let place = PageInEnvironment(page: Page("A"), environment: Self.environment(measuredOn))
        let cell = Cell(page: place.page, metric: "ttil", environment: place.environment)
        let measurements = Measurements(
            runs: [Run(id: "1", context: Context(), streams: [])],
            cells: [cell: CellMeasurement(metric: metric, runs: samples, iterations: ["1": [0]])],
            pages: [place: PageMeasurement()])
        var reference = Reference()
        for device in knownOn {
            reference.runs[Self.environment(device)] = [EnvironmentSummary.BaselineRun(id: "1")]
        }
        let report = try Assessment(
            tool: "t", measurements: measurements, reference: reference, policy: Policy()
        ).report()
        #expect(report.diagnostics.count { $0.code == .knownRun } == told)
    }
}
