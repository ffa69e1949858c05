import ComparisonFixtures
import PerfgateModel
import Testing

@testable import PerfgateCompare

/// Runs are compared in pairs if and only if they declare a pair.
struct PairingTests {
    /// A device's run: five samples around the device's level.
    private static func run(_ id: String, pair: String?, level: Double) -> (Run, RunSamples) {
        let context = Context(pair.map { ["pair": .text($0)] } ?? [:])
        let samples = (0..<5).map { Sample(level * (1 + 0.002 * Double($0)), iteration: $0) }
        return (Run(id: id, context: context, streams: []), RunSamples(run: id, samples: samples))
    }

    private static func measurements(_ runs: [(Run, RunSamples)]) -> Measurements {
        let cell = JudgeTests.cell("A")
        var result = Measurements(runs: runs.map(\.0))
        result.cells[cell] = CellMeasurement(metric: JudgeTests.ttil, runs: runs.map(\.1))
        result.pages[PageInEnvironment(page: cell.page, environment: cell.environment)] = PageMeasurement()
        return result
    }

    private static let levels = [300.0, 450, 600]

    private static func judge(base: [String?], candidate: [String?]) throws -> CellResult {
        let before = zip(base, levels).map { run("b\($1)", pair: $0, level: $1) }
        let after = zip(candidate, levels).map { run("c\($1)", pair: $0, level: 1.2 * $1) }
        let reference = Reference(measurements(before), key: .standard)
        let results = try Judge(policy: Policy()).compare(measurements(after), with: reference)
        return try #require(results.first)
    }

    @Test func pairsTellAChangeFromWhatDevicesDifferBy() throws {
        let result = try Self.judge(base: ["1", "2", "3"], candidate: ["1", "2", "3"])
        #expect(result.verdict == .regressed)
        #expect(result.reason.contains("15 samples of 3 runs against 15 of 3, in 3 pairs measured in turn."))
        #expect(result.numbers?.marginShare == 0.5)
    }

    @Test(
        arguments: [
            ([nil, nil, nil], [nil, nil, nil]), (["1", "2", "3"], [nil, nil, nil]),
            (["1", "2", "3"], ["1", "2", nil]), (["1", "2", "3"], ["1", "2", "4"]),
            ([nil, "2", "3"], ["1", "2", "3"]),
        ] as [([String?], [String?])])
    func aRunWithoutPartnerPutsAllTogether(base: [String?], candidate: [String?]) throws {
        let result = try Self.judge(base: base, candidate: candidate)
        #expect(result.verdict == .inconclusive || result.verdict == .passed)
        #expect(!result.reason.contains("in turn"))
        #expect(result.numbers?.marginShare == 1)
    }

    @Test func oneDeviceIsOnePair() throws {
        let result = try Self.judge(base: ["x", "x", "x"], candidate: ["x", "x", "x"])
        #expect(result.reason.contains("in 1 pair measured in turn"))
        #expect(result.verdict != .regressed)
    }
}
