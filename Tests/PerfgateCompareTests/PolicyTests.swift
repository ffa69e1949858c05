import PerfgateModel
import Testing

@testable import PerfgateCompare

/// The precedence of settings, and limits at other refresh rates.
struct PolicyTests {
    static let frames = Metric(id: "dropped_frames", unit: .frames, better: .lower)

    static func environment(_ rate: Double?, device: String = "iPhone12,1", simulator: Bool = false) -> Environment {
        var context = Context(["device": .text(device), "simulator": .flag(simulator)])
        context["max_fps"] = rate.map { .number($0) }
        return EnvironmentKey.standard.environment(of: context)
    }

    static func limit(_ value: Double, asWritten: Bool = false) -> MetricSettings {
        MetricSettings(limit: Setting(Limit(value, isTakenAsWritten: asWritten), from: .builtIn))
    }

    private static func limit(_ policy: Policy, _ environment: Environment, page: String = "Search") -> Double? {
        policy.cellPolicy(page: Page(page), metric: frames, environment: environment).limit?.value.value
    }

    @Test(arguments: [(60.0 as Double?, 1.0), (120, 2), (30, 1), (nil, 1)])
    func limitsScaleWithTheRefreshRate(_ rate: Double?, _ expected: Double) {
        #expect(Self.limit(Policy(), Self.environment(rate)) == expected)
    }

    @Test func laterPlacesWinKeyByKey() {
        var policy = Policy()
        policy.metrics["dropped_frames"] = MetricSettings(tolerance: Setting(0.2, from: .builtIn))
        policy.environments = [
            PolicyRule(
                environment: ["max_fps": .number(120)], metrics: ["dropped_frames": Self.limit(3, asWritten: true)])
        ]
        policy.pages = [PolicyRule(page: "Sea*", metrics: ["dropped_frames": Self.limit(4)])]
        #expect(Self.limit(policy, Self.environment(120), page: "Home") == 3)
        #expect(Self.limit(policy, Self.environment(60), page: "Home") == 1)
        #expect(Self.limit(policy, Self.environment(120)) == 8)
        let cell = policy.cellPolicy(page: Page("Search"), metric: Self.frames, environment: Self.environment(120))
        #expect(cell.tolerance.value == 0.2)
    }

    @Test func simulatorsShowFramesAndGateTimes() {
        let simulator = Self.environment(60, simulator: true)
        let time = Metric(id: "ttil", unit: .milliseconds, better: .lower)
        #expect(simulator.isSimulator)
        #expect(!Policy().cellPolicy(page: Page("A"), metric: Self.frames, environment: simulator).isGated.value)
        #expect(Policy().cellPolicy(page: Page("A"), metric: time, environment: simulator).isGated.value)
        var policy = Policy()
        policy.simulator = .gate
        #expect(policy.cellPolicy(page: Page("A"), metric: Self.frames, environment: simulator).isGated.value)
    }

    @Test func aConfiguredLimitGates() {
        let mean = Metric(id: "fps_mean", unit: .framesPerSecond, better: .higher)
        var policy = Policy()
        #expect(!policy.cellPolicy(page: Page("A"), metric: mean, environment: Self.environment(60)).isGated.value)
        policy.metrics["fps_mean"] = Self.limit(50)
        #expect(policy.cellPolicy(page: Page("A"), metric: mean, environment: Self.environment(60)).isGated.value)
        policy.metrics["fps_mean"]?.gate = Setting(false, from: .builtIn)
        #expect(!policy.cellPolicy(page: Page("A"), metric: mean, environment: Self.environment(60)).isGated.value)
    }

    @Test(arguments: [
        ("*", "", true), ("Sea*", "Search", true), ("Sea*", "search", false), ("S?arch", "Search", true),
        ("*a*b*c", "xaybzc", true), ("*a*b*c", "xaybzd", false), ("", "x", false), ("a*", "a", true),
    ])
    func patterns(_ pattern: String, _ name: String, _ matches: Bool) {
        #expect(NamePattern(pattern).matches(name) == matches)
    }
}
