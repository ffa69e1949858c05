import Foundation
import PerfgateCompare
import PerfgateReport
import Testing

/// A stored report explains itself with the same words as its logs.
struct ExplainCommandTests {
    @Test(arguments: [
        ("regression", "Search", "ttil"), ("over-limit", "Product", "dropped_frames"), ("new-page", "Wishlist", "ttil"),
        ("missing-page", "Checkout", "ttfl"), ("pass", "Home", "ttil"), ("cut", "Home", "drop_events"),
    ])
    func theSameFromLogsAndFromTheReport(sample: String, page: String, metric: String) throws {
        let folder = try CommandFolder()
        try folder.copy("Baselines")
        try folder.copy("Tests/Samples/\(sample).ndjson")
        _ = try folder.run("check", "\(sample).ndjson", "--json", "result.json", "--quiet")
        let live = try folder.run("explain", page, metric, "\(sample).ndjson")
        let kept = try folder.run("explain", page, metric, "--result", "result.json")
        #expect(live.code == 0 && kept.code == 0 && kept.error.isEmpty)
        #expect(live.output == kept.output)
        #expect(kept.output.contains("What would change the verdict\n"))
    }

    /// For every comparison of every sample, the stored report contains everything that the explanation uses.
    @Test(arguments: try samples())
    func everyComparisonIsKeptWhole(sample: String) throws {
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
        // For each step of the rule, one comparison is also explained from the logs.
        for result in Dictionary(grouping: report.comparisons, by: { $0.rule.map(\.found) }).values.compactMap(\.first)
        {
            let (page, metric) = (result.page.name, result.metric.id)
            let live = try folder.run("explain", page, metric, sample)
            #expect(live.output == (try folder.run("explain", page, metric, "--result", "result.json").output))
            #expect(live.output.contains(ExplainedStep.all(of: result).map { "  \($0.title): \($0.text)\n" }.joined()))
        }
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
