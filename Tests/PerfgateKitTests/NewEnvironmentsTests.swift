import PerfgateCompare
import PerfgateModel
import Testing

@testable import PerfgateKit

/// The environments that get baselines, and the messages on new ones.
struct NewEnvironmentsTests {
    private static let metric = Metric(id: "ttil", unit: .milliseconds, better: .lower)

    private static func cell(_ device: String) -> Cell {
        Cell(
            page: Page("A"), metric: "ttil",
            environment: EnvironmentKey(["device"]).environment(of: Context(["device": .text(device)])))
    }

    private static func plan(
        _ devices: [String], known: [String], expected: [String] = [], isWelcome: Bool = false
    ) throws -> UpdatePlan {
        let samples = [RunSamples(run: "r", samples: [Sample(1)])]
        var measurements = Measurements(runs: [Run(id: "r", context: Context(), streams: [])])
        var reference = Reference()
        for device in devices {
            measurements.cells[cell(device)] = CellMeasurement(metric: metric, runs: samples, iterations: ["r": [0]])
        }
        for device in known { reference.cells[cell(device)] = Reference.Entry(metric: metric, runs: samples) }
        var policy = Policy()
        policy.expectedEnvironments = expected.map { ExpectedEnvironment(["device": .text($0)], isRequired: false) }
        return try UpdatePlan(
            measurements, reference: reference, policy: policy, acceptance: nil, opensEnvironments: isWelcome)
    }

    @Test(arguments: [
        (["CI"], [String](), [String](), false, [String](), 0), (["CI"], ["CI"], [], false, [], 0),
        (["CI", "desk"], ["CI"], [], false, [], 1), (["CI", "desk"], ["CI"], ["CI"], false, ["desk"], 1),
        (["desk"], [], ["CI"], false, ["desk"], 1), (["CI", "desk"], ["CI"], ["CI"], true, [], 0),
        (["CI", "new"], ["CI"], ["CI", "new"], false, [], 1), (["old"], ["old"], ["CI"], false, [], 0),
    ])
    func areLetInWhereExpected(
        _ devices: [String], _ known: [String], _ expected: [String], _ isWelcome: Bool, _ refused: [String],
        _ told: Int
    ) throws {
        let plan = try Self.plan(devices, known: known, expected: expected, isWelcome: isWelcome)
        #expect(plan.strangers.map(\.description) == refused)
        #expect(plan.diagnostics.map(\.code) == Array(repeating: .newEnvironment, count: told))
        #expect(plan.places.map(\.environment.description) == devices.filter { !refused.contains($0) })
        #expect(plan.status == (refused.isEmpty ? .passed : .failed))
    }
}
