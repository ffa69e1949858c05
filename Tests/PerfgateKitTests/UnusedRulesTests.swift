import PerfgateCompare
import PerfgateModel
import Testing

@testable import PerfgateKit

/// The configuration's rules that are reported as unused.
struct UnusedRulesTests {
    private static let metric = Metric(id: "ttil", unit: .milliseconds, better: .lower)
    private static let phone = EnvironmentKey.standard.environment(of: Context(["max_fps": .number(60)]))

    private static func remarks(_ change: (inout Policy) -> Void) -> [String] {
        var policy = Policy()
        change(&policy)
        let search = Cell(page: Page("Search"), metric: "ttil", environment: phone)
        let home = Cell(page: Page("Home"), metric: "our_metric", environment: phone)
        let entry = Reference.Entry(metric: metric, runs: [])
        let measurements = Measurements(cells: [search: CellMeasurement(metric: metric, runs: [])])
        return UnusedRules(policy: policy, measurements: measurements, reference: Reference(cells: [home: entry]))
            .diagnostics.map { "\($0.location ?? ""): \($0.message)" }
    }

    private static let origin = Origin.configuration(path: "p.yml", line: 7)
    private static let gate = MetricSettings(gate: Setting(false, from: origin))

    @Test(arguments: [("Sea*", true), ("Home", true), ("Soon", true), ("search", false), ("*x", false)])
    func pages(_ pattern: String, _ matches: Bool) {
        let told = Self.remarks { policy in
            policy.expected = [ExpectedPage(page: Page("Soon"))]
            policy.pages = [PolicyRule(page: pattern, from: Self.origin)]
        }
        let advice = pattern == "search" ? "did you mean Search?" : "correct the rule, or remove it."
        let remark = "p.yml:7: No page matches '\(pattern)': \(advice)"
        #expect(told == (matches ? [] : [remark]))
    }

    @Test(arguments: [(60.0, true), (120, false)])
    func environments(_ rate: Double, _ matches: Bool) {
        let told = Self.remarks { policy in
            policy.environments = [PolicyRule(environment: ["max_fps": .number(rate)], from: Self.origin)]
        }
        #expect(told.isEmpty == matches)
    }

    @Test(arguments: [("ttil", true), ("fps_mean", true), ("our_metric", true), ("all_pages", true), ("ttli", false)])
    func metrics(_ id: String, _ isKnown: Bool) {
        #expect(Self.remarks { $0.metrics[id] = Self.gate }.isEmpty == isKnown)
        let told = Self.remarks { $0.pages = [PolicyRule(page: "*", metrics: [id: Self.gate], from: Self.origin)] }
        #expect(told == (isKnown ? [] : ["p.yml:7: No metric is called '\(id)': did you mean ttil?"]))
    }

    /// Percentiles are for users: nothing of a run has one.
    @Test(arguments: [
        ("ttil@p95", true, false, true), ("ttil@p90", true, false, true), ("ttil@p90", false, false, false),
        ("ttil@p90", false, true, true), ("our_metric", true, true, false), ("ttil", true, true, false),
    ])
    func aPercentileJudgesNoRun(_ id: String, _ isGated: Bool, _ isLimited: Bool, _ isReported: Bool) {
        let settings = MetricSettings(
            gate: Setting(isGated, from: Self.origin), limit: isLimited ? Setting(Limit(1), from: Self.origin) : nil)
        let told = Self.remarks { $0.metrics[id] = settings }
        #expect(
            told
                == (isReported
                    ? [
                        "p.yml:7: '\(id)' judges nothing in a check of runs, which compares all samples of ttil: gate ttil, "
                            + "and limit percentiles of users under `field`."
                    ] : []))
        // A page's limit of a percentile has no other place.
        let ofPage = Self.remarks { $0.pages = [PolicyRule(page: "*", metrics: [id: settings], from: Self.origin)] }
        #expect(ofPage.count == (isReported && isGated ? 1 : 0))
    }

    @Test func aPartialRunAndAComparisonSayNothing() {
        let idle = PolicyRule(page: "x", from: Self.origin)
        #expect(Self.remarks { ($0.pages, $0.isPartial) = ([idle], true) } == [])
        #expect(Self.remarks { ($0.pages, $0.reportsUnusedRules) = ([idle], false) } == [])
    }

    @Test(arguments: [("Search", true), ("Checkout", true), ("Serch", false)])
    func expectedPages(_ page: String, _ isFine: Bool) {
        let told = Self.remarks { $0.expected = [ExpectedPage(page: Page(page))] }
        #expect(told == (isFine ? [] : [": Nothing measures the expected page 'Serch': did you mean Search?"]))
    }

    @Test(arguments: [("ttil", true), ("fps_mean", true), ("our_metric", true), ("ttill", false)])
    func expectedMetrics(_ id: String, _ isKnown: Bool) {
        let told = Self.remarks { $0.expected = [ExpectedPage(page: Page("Search"), metrics: [id])] }
        let remark = ": No metric is called '\(id)', which is expected of Search: did you mean ttil?"
        #expect(told == (isKnown ? [] : [remark]))
    }

    @Test(arguments: [("our_metrics", "did you mean our_metric?"), ("x", "correct the name, or remove it.")])
    func theNearestNameIsReported(_ id: String, _ hint: String) {
        #expect(Self.remarks { $0.metrics[id] = Self.gate } == ["p.yml:7: No metric is called '\(id)': \(hint)"])
    }

    @Test func whatIsNamedUnderMetricsIsReportedThereOnly() {
        let told = Self.remarks { policy in
            policy.metrics["x"] = Self.gate
            policy.expected = [ExpectedPage(page: Page("Search"), metrics: ["x"])]
        }
        #expect(told.count == 1)
    }
}
