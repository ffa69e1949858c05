import Foundation
import PerfgateModel
import Testing

@testable import PerfgateCompare

/// Verdicts computed by independent oracles; see `meta.oracle` in the file.
struct VerdictVectorTests {
    struct Case: Decodable, CustomTestStringConvertible {
        struct Expected: Decodable {
            let verdict: String
        }

        let name: String
        let kind: String
        let M: Int
        let baseline_runs: [[Double]]
        let candidate_runs: [[Double]]
        let budget: Double?
        let confirm: Bool?
        let expected: Expected
        var testDescription: String { name }
    }

    struct File: Decodable {
        let verdict_cases: [Case]
    }

    /// Cases that predate two steps of the rule: a limit has no hidden slack of 5 %.
    static let superseded = ["budget 500, within 5% tolerance": "over_limit"]

    static let names = [
        "pass": "passed", "pass-not-confirmed": "passed (not_confirmed)", "improved": "improved",
        "inconclusive-unconfirmed": "inconclusive (confirm)", "inconclusive-need-more": "inconclusive (need_more)",
        "over-budget": "over_limit", "missing-page": "missing", "no-baseline": "no_baseline", "regressed": "regressed",
    ]

    static func cases() throws -> [Case] {
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "PerfgateStatsTests/verdict_vectors.json")
        return try JSONDecoder().decode(File.self, from: Data(contentsOf: file)).verdict_cases
    }

    @Test(arguments: try cases())
    func agreesWithTheOracle(_ vector: Case) throws {
        let metric = Self.metric(vector.kind)
        let cell = Cell(page: Page("Search"), metric: metric.id, environment: Environment([]))
        var expectation = Expectation()
        expectation.isPageMeasured = !vector.candidate_runs.isEmpty
        let decision = VerdictRule.decide(
            try CellCase(
                cell: cell, metric: metric, policy: Self.policy(metric, budget: vector.budget),
                confirmation: vector.confirm == false ? .off : .rerun, expectation: expectation,
                measurement: vector.candidate_runs.isEmpty
                    ? nil : CellMeasurement(metric: metric, runs: Self.runs(vector.candidate_runs)),
                entry: vector.baseline_runs.isEmpty
                    ? nil : Reference.Entry(metric: metric, runs: Self.runs(vector.baseline_runs)),
                comparisons: vector.M, reruns: Reruns(inOrder: Self.runs(vector.candidate_runs).map(\.run))))
        let detail = [.gross, .noPage].contains(decision.detail) ? nil : decision.detail
        let answer = decision.verdict.rawValue + (detail.map { " (\($0.rawValue))" } ?? "")
        #expect(answer == Self.superseded[vector.name] ?? Self.names[vector.expected.verdict])
    }

    private static func metric(_ kind: String) -> Metric {
        kind == "ms"
            ? Metric(id: "ttil", unit: .milliseconds, better: .lower)
            : Metric(id: "dropped_frames", unit: .frames, better: .lower)
    }

    private static func policy(_ metric: Metric, budget: Double?) -> CellPolicy {
        CellPolicy(
            isGated: Setting(true, from: .builtIn), tolerance: Setting(0.1, from: .builtIn),
            minChange: Setting(MetricCatalog.definition(for: metric).minChange(at: 60), from: .builtIn),
            limit: budget.map { Setting(Limit($0), from: .builtIn) })
    }

    private static func runs(_ values: [[Double]]) -> [RunSamples] {
        values.enumerated().map { index, values in
            RunSamples(
                run: "r\(index)", samples: values.enumerated().map { Sample($0.element, iteration: $0.offset) })
        }
    }
}
