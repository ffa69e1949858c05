import ComparisonFixtures
import Foundation
import PerfgateModel
import PerfgateStats
import Testing

@testable import PerfgateCompare

/// Whole runs judged by `Tests/Judges/run-vectors.py` with the documentation's formulas, NumPy and SciPy.
struct RunVectorTests {
    struct Case: Decodable, CustomTestStringConvertible {
        struct Time: Decodable {
            struct Earlier: Decodable { let within, between: Double }

            let page: String
            let baseline: [[Double]]
            let candidate: [[Double]?]
            let earlier: Earlier?
        }

        struct Judged: Decodable {
            let test: String
            let delta, own, p: Double
            let verdict: String
        }

        struct Together: Decodable {
            let delta, p: Double
            let verdict: String
        }

        struct Expected: Decodable {
            let spread: Double?
            let shifts: [String: Double]
            let baseline_shifts: [Double]
            let settled: Double?
            let young, common: Double
            let all_pages: Together?
            let times: [Judged]
        }

        let name: String
        let comparisons: Int
        let confirmation: String
        let times: [Time]
        let expected: Expected
        var testDescription: String { name }
    }

    private struct File: Decodable { let cases: [Case] }

    static func cases() throws -> [Case] {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "run_vectors.json")
        return try JSONDecoder().decode(File.self, from: Data(contentsOf: file)).cases
    }

    private let environment = Environment([])
    private let metric = Metric(.ttil)

    private func cell(_ index: Int, _ time: Case.Time) -> Cell {
        Cell(page: Page(time.page), metric: "\(metric.id)_\(index)", environment: environment)
    }

    private func metric(_ index: Int) -> Metric {
        Metric(id: "\(metric.id)_\(index)", unit: .milliseconds, better: .lower)
    }

    private func runs(_ values: [[Double]?], _ prefix: String, from first: Int = 0) -> [RunSamples] {
        values.enumerated().compactMap { index, values in
            values.map { RunSamples(run: "\(prefix)\(index + first)", samples: $0.map { Sample($0) }) }
        }
    }

    @Test(arguments: try cases())
    func agreesWithTheOracle(_ vector: Case) throws {
        let most = vector.times.map(\.baseline.count).max() ?? 0
        let looks = vector.times.map(\.candidate.count).max() ?? 0
        var policy = Policy()
        policy.confirmation = vector.confirmation == "rerun" ? .rerun : .off
        var reference = Reference()
        var measurements = Measurements()
        for (index, time) in vector.times.enumerated() {
            var entry = Reference.Entry(
                metric: metric(index), runs: runs(time.baseline, "b", from: most - time.baseline.count))
            entry.earlier = time.earlier.map { Noise(withinRun: $0.within, betweenRuns: $0.between) }
            reference.cells[cell(index, time)] = entry
            measurements.cells[cell(index, time)] = CellMeasurement(
                metric: metric(index), runs: runs(time.candidate, "c"))
        }
        for index in vector.times.indices {
            policy.metrics[metric(index).id] = MetricSettings(
                gate: Setting(true, from: .builtIn), minChange: Setting(16, from: .builtIn))
        }
        let reruns = Reruns(inOrder: (0..<looks).map { "c\($0)" })
        let together = try TimesTogether(
            measurements, reference, policy, hidden: [], pairing: Pairing(), reruns: reruns,
            comparisons: vector.comparisons)
        let noise = try #require(try together.noises(in: [environment])[environment])
        let expected = vector.expected
        expectClose(noise.spread?.deviation, expected.spread)
        for run in Set(expected.shifts.keys).union(noise.candidateShifts.keys) {
            expectClose(noise.candidateShifts[run], expected.shifts[run])
        }
        for (index, shift) in expected.baseline_shifts.enumerated() {
            expectClose(noise.baselineShifts["b\(index)"], shift)
        }
        expectClose(noise.common.settledBetweenRuns, expected.settled)
        expectClose(noise.common.youngBetweenRuns, expected.young)
        expectClose(noise.common.commonVariance, expected.common)
        try judge(vector, measurements, reference, policy, reruns, noise)
        let all = together.allPages(noise, in: environment)
        expectClose(all?.numbers?.delta, expected.all_pages?.delta)
        expectClose(all?.numbers?.p, expected.all_pages?.p)
        #expect(all.map { word(CellResult($0)) } == expected.all_pages?.verdict)
    }

    /// An epoch stores a time's own τ if it has one, otherwise the common τ; too few runs keep the previous one.
    @Test func anEpochLeavesItsNoise() throws {
        let vector = try #require(try Self.cases().first { $0.name.contains("differ much more") })
        let times = vector.times.enumerated().map { index, time in
            RunNoise.Time(
                cell: cell(index, time),
                entry: Reference.Entry(metric: metric(index), runs: runs(time.baseline, "b")), measurement: nil,
                minChange: 16)
        }
        let noise = try RunNoise(times, runs: [])
        let left = try times.map { try #require(try noise.earlier($0.cell, $0.entry)) }
        let common = try #require(noise.common.settledBetweenRuns)
        #expect(try #require(left[0].betweenRuns) > 2 * common)
        #expect(left.dropFirst().allSatisfy { $0.betweenRuns == common && $0.withinRun != nil })
        var short = times[0].entry
        short.runs = short.runs.suffix(2)
        short.earlier = Noise(withinRun: 0.05, betweenRuns: 0.02)
        #expect(try noise.earlier(times[0].cell, short) == short.earlier)
    }

    /// One page is a third of a small app: nights in which it is held still show how much the others vary.
    @Test(arguments: [("A", true), ("AB", false)])
    func nightsWithOnePageHeldAreUsualForTheOthers(held: String, areUsual: Bool) throws {
        let stored = (0..<8).map { (run: Int) -> RunSamples in
            let values: [Double] = [490, 495, 500 + Double(run % 3) * 5, 510, 515]
            return RunSamples(run: "b\(run)", samples: values.map { Sample($0) })
        }
        let times = ["A", "B", "C"].map { name in
            var entry = Reference.Entry(metric: metric(0), runs: held.contains(name) ? stored.dropLast(4) : stored)
            entry.series = stored
            let cell = Cell(page: Page(name), metric: metric(0).id, environment: environment)
            return RunNoise.Time(cell: cell, entry: entry, measurement: nil, minChange: 16)
        }
        let noise = try RunNoise(times, runs: [])
        #expect((noise.common.settledBetweenRuns != nil) == areUsual)
    }

    private func judge(
        _ vector: Case, _ measurements: Measurements, _ reference: Reference, _ policy: Policy, _ reruns: Reruns,
        _ noise: RunNoise
    ) throws {
        for (index, (time, judged)) in zip(vector.times, vector.expected.times).enumerated() {
            let cell = cell(index, time)
            let entry = try #require(reference.cells[cell])
            let prepared = try CellCase(
                cell: cell, metric: metric(index), policy: policy.cellPolicy(of: cell, entry),
                confirmation: policy.confirmation, expectation: Expectation(), measurement: measurements.cells[cell],
                entry: entry, comparisons: vector.comparisons, reruns: reruns, noise: noise)
            let comparison = try #require(prepared.comparison)
            #expect((comparison.noise == nil ? "rank" : "noise") == judged.test)
            expectClose(comparison.delta, judged.delta)
            expectClose(comparison.ownWorsening, judged.own)
            expectClose(comparison.pMargin, judged.p)
            let result = CellResult(CellResult.Facts(nil, VerdictRule.decide(prepared), on: prepared))
            #expect(word(result) == judged.verdict, "\(cell.page) \(cell.metric)")
            #expect(result.numbers?.decidedBy?.rawValue == judged.test)
        }
    }

    private func word(_ result: CellResult) -> String {
        result.verdict == .inconclusive && result.detail == .confirm ? "suspect" : result.verdict.rawValue
    }

    private func expectClose(
        _ value: Double?, _ expected: Double?, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect((value == nil) == (expected == nil), "\(String(describing: value))", sourceLocation: sourceLocation)
        guard let value, let expected else { return }
        #expect(
            abs(value - expected) <= 1e-9 + 1e-7 * abs(expected), "\(value) is not \(expected)",
            sourceLocation: sourceLocation)
    }
}
