import PerfgateCompare
import PerfgateModel
import Testing

@testable import PerfgateKit

/// A check that compared nothing doesn't pass: exit code 5 if an environment has no reference.
struct NothingComparedTests {
    private static func environment(_ device: String) -> Environment {
        Environment([Environment.Field(name: "device", value: .text(device))])
    }

    private static func cell(_ page: String, on device: String, metric: String = "ttil") -> Cell {
        Cell(page: Page(page), metric: metric, environment: environment(device))
    }

    private static func metric(of cell: Cell) -> Metric {
        MetricCatalog.definition(of: cell.metric)?.metric
            ?? Metric(id: cell.metric, unit: .milliseconds, better: .lower)
    }

    /// The report on cells of one run each, against a reference with some of them.
    private static func report(
        _ measured: [Cell], known: [Cell], _ change: (inout Policy) -> Void = { _ in }
    ) throws -> GateReport {
        var measurements = Measurements(
            runs: [Run(id: "r", context: Context(), streams: [Run.Stream(path: "a.ndjson")], sampleCount: 5)])
        for cell in measured {
            let values: [Double] = cell.metric == "dropped_frames" ? [0, 0, 0, 0, 0] : [500, 501, 502, 503, 504]
            let samples = RunSamples(run: "r", samples: values.map { Sample($0) })
            measurements.cells[cell] = CellMeasurement(
                metric: metric(of: cell), runs: [samples], iterations: ["r": [0, 1, 2, 3, 4]])
            measurements.pages[cell.place] = PageMeasurement(iterations: ["r": [0, 1, 2, 3, 4]])
        }
        let entries = known.map { cell in
            let runs = (0..<3).map { run in
                RunSamples(run: "b\(run)", samples: [500, 501, 502, 503, 504].map { Sample($0) })
            }
            return (cell, Reference.Entry(metric: metric(of: cell), runs: runs))
        }
        var policy = Policy()
        change(&policy)
        return try Assessment(
            gate: Gate(policy: policy, tool: "t"), measurements: measurements,
            reference: Reference(cells: Dictionary(uniqueKeysWithValues: entries)), today: nil
        ).report()
    }

    private static let home = cell("Home", on: "iPhone12,1")

    @Test func theFirstCheckOfAProjectFails() throws {
        let report = try Self.report([Self.home], known: [])
        #expect(report.exitCode == 5 && report.headline.hasPrefix("No baseline yet"))
        #expect(report.comparisons.map(\.detail) == [.nothingCompared])
        #expect(report.next.contains { "\($0)".contains("update") })
    }

    @Test func aNewPageBesideOthersIsReportedOnly() throws {
        let report = try Self.report([Self.home, Self.cell("New", on: "iPhone12,1")], known: [Self.home])
        #expect(report.exitCode == 0)
        #expect(report.comparisons.first { $0.verdict == .noBaseline }?.detail == nil)
    }

    /// Another device, another system, or a wrong baselines folder.
    @Test func anEnvironmentWithoutAnyBaselineFailsBesideOthers() throws {
        let stranger = Self.cell("Home", on: "iPhone15,4")
        let report = try Self.report([Self.home, Self.cell("New", on: "iPhone12,1"), stranger], known: [Self.home])
        #expect(report.exitCode == 5)
        #expect(
            report.comparisons.filter { $0.detail == .nothingCompared }.map(\.environment) == [stranger.environment])
        #expect(
            report.headline
                == "1 of 3 comparisons had no baseline, which fails by `no_baseline`: store one from runs of the "
                + "main branch.")
    }

    @Test func anEnvironmentThatMayBeNewIsReportedOnly() throws {
        let stranger = Self.cell("Home", on: "iPhone15,4")
        let report = try Self.report([Self.home, stranger], known: [Self.home]) {
            $0.expectedEnvironments = [
                ExpectedEnvironment(["device": .text("iPhone15,4")], isRequired: false, from: .builtIn)
            ]
        }
        #expect(report.exitCode == 0)
    }

    /// A limit that the team set counts as a reference; a built-in limit doesn't.
    @Test(arguments: [("ttil", true, 0), ("dropped_frames", false, 5)])
    func aLimitThatSomebodySetIsEnough(_ metric: String, _ isSet: Bool, _ code: Int) throws {
        let report = try Self.report([Self.cell("Home", on: "d", metric: metric)], known: []) { policy in
            guard isSet else { return }
            policy.metrics[metric] = MetricSettings(
                limit: Setting(Limit(900), from: .configuration(path: "perfgate.yml", line: 1)))
        }
        #expect(report.exitCode == code)
    }

    /// Who names a folder of baselines asked for more than limits: the folder is misspelt, or nothing is stored yet.
    @Test(arguments: [false, true])
    func aLimitIsNotEnoughForANamedFolderWithoutBaselines(_ isNamed: Bool) throws {
        let report = try Self.report([Self.home], known: []) { policy in
            policy.expectsBaselines = isNamed
            policy.metrics["ttil"] = MetricSettings(
                limit: Setting(Limit(900), from: .configuration(path: "perfgate.yml", line: 1)))
        }
        #expect(report.exitCode == (isNamed ? 5 : 0))
        let beside = try Self.report([Self.home, Self.cell("New", on: "iPhone12,1")], known: [Self.home]) {
            $0.expectsBaselines = isNamed
        }
        #expect(beside.exitCode == 0)
    }

    @Test func whatGatesNothingIsNoCheck() throws {
        let report = try Self.report([Self.cell("Home", on: "d", metric: "fps_mean")], known: [])
        #expect(report.exitCode == 5 && report.headline.hasPrefix("Nothing was judged"))
    }

    @Test(arguments: [(Policy.NoBaseline.warn, 0), (.auto, 0), (.fail, 5)])
    func theOtherSettingsHoldForNewPages(_ setting: Policy.NoBaseline, _ code: Int) throws {
        let report = try Self.report([Self.home, Self.cell("New", on: "iPhone12,1")], known: [Self.home]) {
            $0.noBaseline = setting
        }
        #expect(report.exitCode == code)
        #expect(try Self.report([Self.home], known: []) { $0.noBaseline = .warn }.exitCode == 0)
    }
}
