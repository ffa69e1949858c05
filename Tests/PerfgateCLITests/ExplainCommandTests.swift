import Foundation
import PerfgateCompare
import PerfgateReport
import Testing

/// A stored report explains itself with the same words as its logs.
struct ExplainCommandTests {
    /// For every comparison of every sample, the stored report contains everything that the explanation uses.
    @Test func everyComparisonIsKeptWhole() throws {
        var explained: Set<[RuleStep.Found]> = []
        for sample in try Self.samples() {
            let folder = try CommandFolder()
            try folder.copy("Baselines")
            try folder.copy("Tests/Samples/\(sample)")
            _ = try folder.run("check", sample, "--json", "result.json", "--quiet")
            let report = try GateReport(json: folder.bytes(of: "result.json"))
            for result in report.comparisons {
                let last = try #require(result.rule.last)
                #expect(result.rule.dropLast().allSatisfy { !$0.found.isDeciding })
                #expect(last.found.answer?.verdict == result.verdict && last.found.answer?.detail == result.detail)
            }
            // For each way through the rule, one comparison is also explained from the logs.
            for result in report.comparisons where explained.insert(result.rule.map(\.found)).inserted {
                let (page, metric) = (result.page.name, result.metric.id)
                let live = try folder.run("explain", page, metric, sample)
                let kept = try folder.run("explain", page, metric, "--result", "result.json")
                #expect(live.code == 0 && kept.code == 0 && kept.error.isEmpty && live.output == kept.output)
                let steps = ExplainedStep.all(of: result).map { "  \($0.title): \($0.text)\n" }.joined()
                #expect(live.output.contains(steps))
                let isOpen = !Explanation(result).outlook.isEmpty
                #expect(live.output.contains("What would change the verdict\n") == isOpen, "\(live.output)")
            }
        }
        #expect(explained.count > 10)
    }

    private static func samples() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: GoldenTests.root.appending(path: "Tests/Samples").path)
            .filter { $0.hasSuffix(".ndjson") }.sorted()
    }

    @Test func withoutAMetricEachFailureOfThePageIsExplained() throws {
        let folder = try CommandFolder()
        try folder.copy("Baselines")
        try folder.copy("Tests/Samples/regression.ndjson")
        _ = try folder.run("check", "regression.ndjson", "--json", "result.json", "--quiet")
        let one = try folder.run("explain", "Search", "ttil", "--result", "result.json")
        #expect(try folder.run("explain", "Search", "--result", "result.json").output == one.output)
        let none = try folder.run("explain", "Home", "--result", "result.json")
        #expect(none.code == 0 && none.output.hasPrefix("Nothing of Home fails. Its metrics: "), "\(none)")
        let unknown = try folder.run("explain", "Nowhere", "--result", "result.json")
        #expect(unknown.code == 66 && unknown.error.contains("There is no comparison of Nowhere"), "\(unknown)")
    }

    @Test func oneReportIsExplained() throws {
        let both = try CommandFolder().run("explain", "Home", "ttil", "a.ndjson", "--result", "result.json")
        #expect(both.code == 64 && both.error.contains("Give only one of them."))
    }
}
