import PerfgateCompare
import PerfgateModel
import Testing

@testable import PerfgateKit

/// A run that is already in the baseline measures no change: it is named and left out.
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

    private static func log(_ run: String, device: String = "iPhone12,1", slower: Int = 0) -> [String] {
        PageLog(run: run, device: device, slower: slower).lines
    }

    @Test func aRunThatIsStoredIsNoMeasurement() throws {
        let report = try NightlyGate().report(Self.log("night-2"))
        #expect(report.exitCode == 66 && report.comparisons.isEmpty)
        #expect(report.headline.contains("Run night-2 is already in the baseline: measure again"))
        #expect(report.diagnostics.contains { $0.code == .knownRun })
    }

    /// Three stored nights beside a slow run made the change a quarter of the samples.
    @Test func storedRunsDiluteNoRegression() throws {
        let stored = ["night-1", "night-2", "night-3"].flatMap { Self.log($0) }
        let report = try NightlyGate().report(stored + Self.log("pr", slower: 300))
        let ttil = try #require(report.comparisons.first { $0.metric.id == "ttil" })
        #expect(report.exitCode == 2 && ttil.verdict == .regressed && ttil.candidate?.runs == 1)
        #expect(report.runs.map(\.id) == ["pr"])
    }

    @Test func aStoredRunConfirmsNothing() throws {
        var gate = NightlyGate()
        gate.gate.policy.confirmation = .rerun
        let report = try gate.report(Self.log("pr", slower: 60) + Self.log("night-1"))
        let ttil = try #require(report.comparisons.first { $0.metric.id == "ttil" })
        #expect(report.exitCode == 3 && ttil.isSuspect)
    }

    /// A device for which only last night's log is given wasn't measured.
    @Test func anEnvironmentOfWhichOnlyAStoredRunCameIsMissed() throws {
        var gate = NightlyGate()
        gate.more = [PageLog(run: "pad", device: "iPad1,1")]
        let report = try gate.report(Self.log("pr") + Self.log("pad", device: "iPad1,1"))
        #expect(report.exitCode == 2)
        #expect(Set(report.comparisons.filter { $0.verdict == .missing }.map(\.environment.description)).count == 1)
        #expect(try gate.report(Self.log("pr") + Self.log("new", device: "iPad1,1")).exitCode == 0)
    }
}
