import PerfgateCompare
import PerfgateModel
import Testing

@testable import PerfgateKit

/// A candidate one step above the rolling baseline, and two above the pinned one.
struct PinnedComparisonTests {
    private static let places = [-0.02, -0.01, 0, 0.01, 0.02]

    private static func entry(level: Double, runs: Int = 10) -> Reference.Entry {
        let runs = (0..<runs).map { run in
            RunSamples(run: "b\(run)", samples: places.map { Sample(level * (1 + $0 + 0.001 * Double(run))) })
        }
        return Reference.Entry(metric: Metric(id: "ttil", unit: .milliseconds, better: .lower), runs: runs)
    }

    private static func cell(_ page: String) -> Cell {
        Cell(page: Page(page), metric: "ttil", environment: CalibrationTests.environment)
    }

    private static func reference(_ levels: [String: Double]) -> Reference {
        Reference(cells: Dictionary(uniqueKeysWithValues: levels.map { (cell($0), entry(level: $1)) }))
    }

    private static func report(
        _ candidate: [String: Double], rolling: [String: Double], pinned: [String: Double]?,
        _ change: (inout Policy) -> Void = { _ in }
    ) throws -> GateReport {
        var measurements = Measurements(runs: [Run(id: "c", context: Context(), streams: [])])
        for (page, level) in candidate {
            measurements.cells[cell(page)] = CellMeasurement(
                metric: Metric(id: "ttil", unit: .milliseconds, better: .lower),
                runs: [RunSamples(run: "c", samples: places.map { Sample(level * (1 + $0)) })])
            let place = PageInEnvironment(page: Page(page), environment: CalibrationTests.environment)
            measurements.pages[place] = PageMeasurement()
        }
        var policy = Policy()
        change(&policy)
        var gate = Gate(policy: policy, tool: "perfgate")
        gate.pinned = pinned.map { PinnedReference(name: "7.129", reference: reference($0)) }
        return try Assessment(gate: gate, measurements: measurements, reference: reference(rolling)).report()
    }

    @Test func manySmallStepsAreSeenAndDoNotFail() throws {
        let report = try Self.report(["A": 600], rolling: ["A": 570], pinned: ["A": 500])
        #expect(report.exitCode == 0 && report.comparisons.map(\.verdict) == [.passed])
        #expect(
            report.notes == [
                "Against 7.129, 1 of 1 got worse, which is informational: time to initial load [ttil] of A +19.5 %."
            ])
        #expect(report.pinned == nil)
    }

    @Test func thePolicyMayMakeDriftFail() throws {
        let report = try Self.report(["A": 600, "B": 300], rolling: ["A": 570, "B": 300], pinned: ["A": 500]) {
            $0.drift = .fail
        }
        #expect(report.exitCode == 2 && report.outcome == .failed)
        let headline =
            "Against 7.129: A: time to initial load 19 % longer (502.3 → 600 ms). 1 comparison failed; against the "
            + "baselines, none of 2 did."
        #expect(report.headline == headline)
        #expect(
            report.notes == ["Against 7.129, 1 of 1 got worse, which fails: time to initial load [ttil] of A +19.5 %."])
        #expect(report.pinned?.name == "7.129")
        #expect(report.pinned?.comparisons.map(\.verdict) == [.regressed])
    }

    /// A cell may fail against both references, and is counted separately.
    @Test func bothReferencesMayFail() throws {
        let report = try Self.report(["A": 900, "B": 300], rolling: ["A": 570, "B": 300], pinned: ["A": 500]) {
            $0.drift = .fail
        }
        let headline =
            "A: time to initial load 57 % longer (572.6 → 900 ms). 1 of 2 comparisons failed; against 7.129, 1 failed."
        #expect(report.headline == headline)
        #expect(report.counts == [.regressed: 1, .passed: 1] && report.pinned?.counts == [.regressed: 1])
    }

    @Test func withoutDriftItSaysSo() throws {
        let report = try Self.report(["A": 500], rolling: ["A": 500], pinned: ["A": 500, "Gone": 100]) {
            $0.drift = .fail
        }
        #expect(report.exitCode == 0)
        #expect(
            report.notes == [
                "Against 7.129, none of 1 comparison got worse.", "7.129 also has pages that this run lacks: Gone.",
            ])
    }

    @Test func nothingToCompareIsSaid() throws {
        let report = try Self.report(["A": 500], rolling: ["A": 500], pinned: [:])
        #expect(report.exitCode == 0 && report.notes == ["Against 7.129, there is nothing to compare."])
        #expect(try Self.report(["A": 500], rolling: ["A": 500], pinned: nil).notes.isEmpty)
    }

    /// A pinned reference requires no pages, and has no limits or confirmations: the rolling one has.
    @Test func onlyTheChangeIsJudged() throws {
        let report = try Self.report(["A": 500], rolling: ["A": 500], pinned: ["A": 500, "Gone": 100]) {
            $0.drift = .fail
            $0.confirmation = .rerun
            $0.metrics["ttil"] = MetricSettings(limit: Setting(Limit(900), from: .builtIn))
        }
        #expect(report.exitCode == 0)
    }

    @Test func manyAreCounted() throws {
        let pages = (0..<8).map { "P\($0)" }
        func levels(_ level: Double) -> [String: Double] {
            Dictionary(uniqueKeysWithValues: pages.map { ($0, level) })
        }
        let report = try Self.report(levels(600), rolling: levels(600), pinned: levels(400))
        #expect(report.notes.first?.hasPrefix("Against 7.129, 8 of 8 got worse") == true)
        #expect(report.notes.first?.hasSuffix(" and 3 more.") == true)
    }
}
