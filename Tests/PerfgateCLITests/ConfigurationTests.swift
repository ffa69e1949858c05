import PerfgateBaselines
import PerfgateCompare
import PerfgateModel
import Testing

@testable import PerfgateCLI
@testable import PerfgateKit

/// The settings from a valid configuration.
struct ConfigurationTests {
    static func read(_ text: String, path: String = "perfgate.yml") throws -> GateConfiguration {
        try ConfigurationFile.read(Array(text.utf8), path: path)
    }

    /// Every key, with the documentation's example.
    static let complete = """
        schema: 1
        baselines: Stored
        environment: [app, device, os_major, max_fps, build]
        window: { runs: 12, per_day: 3 }
        confirmation: rerun
        inconclusive: fail
        no_baseline: fail
        missing: warn
        bad_lines: 2
        bad_run: exclude
        simulator: gate
        fit:
          thermal_state: { nominal: allow, fair: warn, serious: refuse, critical: refuse }
          low_power_mode: refuse
          debug_build: show
          simulator: allow
          charging: warn
          max_fps: { below: 60, then: refuse }
          cpu_percent: { above: 50, then: warn }
          memory_bytes: { above: 2e9, then: show }
          threads: { above: 200 }
        metrics:
          dropped_frames: { limit: 1 }
          ttil: { limit: 1200, tolerance: 10%, min_change: 16 }
          fps_mean: { gate: false, unit: fps, better: higher }
        environments:
          - match: { max_fps: 120 }
            metrics: { dropped_frames: { limit: 2 } }
        pages:
          - match: "Search*"
            source: Sources/Search/SearchViewController.swift:42
            owner: "@search-team"
            metrics: { dropped_frames: { limit: { any: 3 } } }
        expected:
          - { page: Search, metrics: [dropped_frames, drop_events, ttil], iterations: 5, scrolls: 6 }
        expected_environments:
          - { device: "iPhone12,1", required: true }
        quarantine:
          - { device_id: "a91c", until: 2026-12-24, reason: "battery swollen" }
        waivers: waivers.yml
        map:
          - { format: xcresult-metrics, pattern: '^(?<page>\\w+)PerformanceTests/' }
        score:
          version: "2026-11"
          traffic: traffic.yml
          metrics:
            ttfl: { weight: 0.25, good: 300, poor: 1000 }
            ttil: { weight: 0.75, p10: 1200, median: 3000, cap: 30000 }
          candidate: { version: "2026-12", metrics: { ttil: { weight: 1, good: 900, poor: 2500 } } }
        drift: fail
        views:
        measured: { scrolls: 90%, iterations: 0.6, enough_iterations: 4, samples: 3 }
        field:
          columns: { page: screen_name, user: ~, network: { sql: "lower(net)" }, day: event_date }
          device_classes: { small: ["iPhone12,1", "iPhone1*"], large: ["iPhone17,3"] }
          by: [os, device_class]
          tags: { market: Market, arm: { sql: "json_value(x, '$.arm')" } }
          metrics: { ttil: { p50: 1200, p75: 2500, p90: 4000, p95: 6000, p99: 9000 }, load_failures: { share: 0.05 } }
        inconclusive_gross: warn
        baseline_drift: fail
        """

    @Test func readsEveryKey() throws {
        let read = try Self.read(Self.complete, path: "ci/perfgate.yml")
        #expect(read.path == "ci/perfgate.yml")
        #expect(read.baselines == "ci/Stored")
        #expect(read.waivers == "ci/waivers.yml")
        #expect(read.environmentKey == .standard)
        #expect(read.window == WindowPolicy(runs: 12, perDay: 3))
        #expect(read.badLines == 2)
        let measured = read.policy.measured
        #expect((measured.scrolls, measured.iterations) == (0.9, 0.6))
        #expect((measured.enoughIterations, measured.samples) == (4, 3))
        #expect(read.policy.expected.map(\.scrolls) == [6])
        #expect(read.mapping.map(\.format) == ["xcresult-metrics"])
        #expect(read.mapping.map(\.pattern) == ["^(?<page>\\w+)PerformanceTests/"])
        #expect(read.traffic == "ci/traffic.yml")
        #expect(read.scoring?.formula.version == "2026-11" && read.scoring?.candidate?.version == "2026-12")
        #expect(read.scoring?.formula.components.map(\.metric) == [.ttfl, .ttil])
        #expect(read.scoring?.formula.components.map(\.cap) == [nil, 30_000])
        #expect(read.scoring?.formula.components.map(\.curve.median) == [1_000, 3_000])
        #expect(read.field.partition == .name("event_date"))
        let policy = read.policy
        #expect(policy.confirmation == .rerun)
        #expect([policy.inconclusive, policy.missing] == [.fail, .warn] && policy.noBaseline == .fail)
        #expect(policy.inconclusiveGross == .warn)
        #expect(policy.baselineDrift == .fail)
        #expect(policy.drift == .fail)
        #expect(policy.badRun == .exclude)
        #expect(policy.simulator == .gate)
        #expect(policy.expected.map(\.page.name) == ["Search"])
        #expect(policy.expected.map(\.metrics) == [["dropped_frames", "drop_events", "ttil"]])
        #expect(policy.expected.map(\.iterations) == [5])
        #expect(policy.expectedEnvironments.map(\.fields) == [["device": .text("iPhone12,1")]])
        #expect(policy.expectedEnvironments.map(\.isRequired) == [true])
        #expect(policy.quarantine.map(\.id) == ["a91c"])
        #expect(policy.quarantine.map(\.until.text) == ["2026-12-24"])
        #expect(policy.quarantine.map(\.origin.description) == ["ci/perfgate.yml:39"])
    }

    @Test func readsWhatEventsAreCalled() throws {
        let mapping = try Self.read(Self.complete).field
        #expect(mapping.source(of: .page) == .name("screen_name") && mapping.source(of: .at) == .name("at"))
        #expect(mapping.source(of: .user) == nil && mapping.source(of: .network) == .sql("lower(net)"))
        #expect(mapping.strata == [.os, .deviceClass])
        #expect(mapping.tags == ["market": .name("Market"), "arm": .sql("json_value(x, '$.arm')")])
        let list = try Self.read("field: { tags: [plan] }").field
        #expect(list.tags == ["plan": .name("plan")])
        #expect(mapping.deviceClasses.map(\.name) == ["small", "large"])
        #expect(mapping.deviceClasses.map(\.devices) == [["iPhone12,1", "iPhone1*"], ["iPhone17,3"]])
        let limits = try Self.read(Self.complete).policy.field.mapValues { $0.limit?.value.value }
        #expect(
            limits == [
                "ttil@p50": 1200, "ttil@p75": 2500, "ttil@p90": 4000, "ttil@p95": 6000, "ttil@p99": 9000,
                "load_failures@share": 0.05,
            ])
    }

    @Test func everySettingKnowsItsLine() throws {
        let policy = try Self.read(Self.complete).policy
        func at(_ line: Int) -> Origin { .configuration(path: "perfgate.yml", line: line) }
        #expect(policy.metrics["dropped_frames"] == MetricSettings(limit: Setting(Limit(1), from: at(23))))
        #expect(
            policy.metrics["ttil"]
                == MetricSettings(
                    tolerance: Setting(0.1, from: at(24)), minChange: Setting(16, from: at(24)),
                    limit: Setting(Limit(1200), from: at(24))))
        #expect(policy.metrics["fps_mean"] == MetricSettings(gate: Setting(false, from: at(25))))
        let scaled = MetricSettings(limit: Setting(Limit(2, isTakenAsWritten: true), from: at(28)))
        #expect(
            policy.environments
                == [
                    PolicyRule(
                        environment: ["max_fps": .number(120)], metrics: ["dropped_frames": scaled], from: at(27))
                ])
        let worst = MetricSettings(limit: Setting(Limit(3, subject: .any), from: at(33)))
        #expect(
            policy.pages
                == [
                    PolicyRule(
                        page: "Search*", metrics: ["dropped_frames": worst],
                        source: "Sources/Search/SearchViewController.swift:42", owner: "@search-team", from: at(30))
                ])
    }

    @Test func everyConditionHasItsActionAndLine() throws {
        let rules = try Self.read(Self.complete).policy.fitness
        #expect(
            rules.map(\.action) == [
                .allow, .warn, .refuse, .refuse, .refuse, .show, .allow, .warn, .refuse, .warn, .show, .warn,
            ])
        #expect(rules.map(\.test).suffix(4) == [.below(60), .above(50), .above(2e9), .above(200)])
        #expect(rules.first { $0.field == "build" }?.test == .equals(.text("Debug")))
        #expect(rules.first { $0.field == "charging" }?.origin == .configuration(path: "perfgate.yml", line: 17))
    }

    @Test func aConditionThatIsSaidReplacesItsDefaultOnly() throws {
        let rules = try Self.read("fit: { thermal_state: { fair: refuse }, charging: warn }").policy.fitness
        #expect(rules.map(\.field) == ["thermal_state", "low_power_mode", "build", "charging"])
        #expect(rules.map(\.action) == [.refuse, .warn, .warn, .warn])
    }

    @Test(arguments: [
        "", "{}", "# nothing\n", "---\n", "schema: 1", "metrics:\npages:\nexpected: []\n", "\u{FEFF}{}",
        "\u{FEFF}schema: 1",
    ])
    func sayingNothingIsTheDefault(_ text: String) throws {
        let read = try Self.read(text)
        let standard = GateConfiguration()
        #expect(read.policy == standard.policy)
        #expect(read.environmentKey == standard.environmentKey)
        #expect(read.baselines == standard.baselines)
        #expect(read.window == standard.window)
        #expect(read.badLines == standard.badLines)
        #expect(read.mapping.isEmpty && read.waivers == nil)
    }

    @Test(arguments: [
        ("confirmation: off", Policy.Confirmation.off), ("confirmation: false", .off), ("confirmation: no", .off),
        ("confirmation: \"off\"", .off), ("confirmation: rerun", .rerun),
    ])
    func offMayBeABoolean(_ text: String, _ expected: Policy.Confirmation) throws {
        #expect(try Self.read(text).policy.confirmation == expected)
    }

    @Test(arguments: [("10%", 0.1), ("'2.5 %'", 0.025), ("0.1", 0.1), ("0", 0), ("250%", 2.5), ("1", 1)])
    func tolerancesAreShares(_ text: String, _ expected: Double) throws {
        let read = try Self.read("metrics: { ttil: { tolerance: \(text) } }")
        #expect(read.policy.metrics["ttil"]?.tolerance?.value == expected)
    }

    @Test func plainWordsAreTexts() throws {
        let read = try Self.read(
            "pages: [{ match: 404, owner: yes }]\nexpected: [{ page: null-page }, { page: 'null' }]")
        #expect(read.policy.pages.map(\.page) == ["404"])
        #expect(read.policy.pages.map(\.owner) == ["yes"])
        #expect(read.policy.expected.map(\.page.name) == ["null-page", "null"])
    }

    @Test func anAnchorMayBeReferredTo() throws {
        let text = "metrics:\n  ttil: &strict { tolerance: 5% }\n  ttfl: *strict\n"
        #expect(try Self.read(text).policy.metrics["ttfl"]?.tolerance?.value == 0.05)
    }

    @Test func aRuleMayAskForTheNameInTheLogOrInTheKey() throws {
        let text = "environments: [{ match: { os: iOS 17 } }, { match: { os_major: iOS 17 } }]"
        let phone = EnvironmentKey.standard.environment(of: Context(["os": .text("iOS 17.5")]))
        let other = EnvironmentKey.standard.environment(of: Context(["os": .text("iOS 18.0")]))
        for rule in try Self.read(text).policy.environments {
            #expect(rule.concerns(Page("A"), in: phone))
            #expect(!rule.concerns(Page("A"), in: other))
        }
    }

    @Test(arguments: [
        ("perfgate.yml", "Baselines", "Baselines"), ("../perfgate.yml", "Baselines", "../Baselines"),
        ("/a/b.yml", "c/d", "/a/c/d"), ("a/b.yml", "/d", "/d"),
    ])
    func pathsBeginAtTheFile(_ file: String, _ path: String, _ expected: String) throws {
        #expect(try Self.read("baselines: \(path)", path: file).baselines == expected)
    }

    /// A team's own metric may have a name similar to a known one.
    @Test(arguments: ["ttil_v2", "ttil2", "launch_cold", "score"])
    func aTeamsOwnMetricIsNoSlip(_ metric: String) throws {
        #expect(try Self.read("metrics: { \(metric): { limit: 5 } }").policy.metrics[metric] != nil)
    }

    @Test func twoEntriesForOnePageMayAgree() throws {
        let text = "expected: [{ page: P, iterations: 5 }, { page: P, iterations: 5, metrics: [ttil] }, { page: P }]"
        #expect(try Self.read(text).policy.expected.count == 3)
    }
}
