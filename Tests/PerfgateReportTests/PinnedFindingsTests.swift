import ComparisonFixtures
import PerfgateModel
import Testing

@testable import PerfgateCompare
@testable import PerfgateReport

/// Every report shows failures against a pinned reference under the reference's name, and counts them separately.
struct PinnedFindingsTests {
    private static func report(_ count: Int = 1) -> GateReport {
        var report = MarkdownFixtures.report([MarkdownFixtures.result("Search", .passed)])
        report.pinned = PinnedFindings(
            name: "7.1:\"29\"",
            comparisons: (0..<count).map {
                let metric = Metric(id: $0 == 0 ? "ttil" : "metric_\($0)", unit: .milliseconds, better: .lower)
                return MarkdownFixtures.result(
                    $0 == 0 ? "Search" : "P\($0)", .regressed, metric, numbers: MarkdownFixtures.numbers)
            })
        return report
    }

    @Test func annotationsNameTheReferenceAndTheSource() {
        let lines = GitHubAnnotations(Self.report()).text.split(separator: "\n")
        let own = lines.filter { $0.contains("against 7.1%3A\"29\"%3A Search%3A time to initial load") }
        #expect(own.count == 1 && own[0].hasPrefix("::error file=Sources/Search.swift,line=42,title=worse against "))
    }

    @Test func theJSONCountsItApart() throws {
        let bytes = Self.report().json()
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.contains("\"counts\": { \"passed\": 1 }") && text.contains("\"counts\": { \"regressed\": 1 }"))
        #expect(try GateReport(json: bytes).pinned?.counts == [.regressed: 1])
    }

    @Test func openMetricsHasFamiliesOfItsOwn() {
        let text = String(decoding: OpenMetricsReport(Self.report()).bytes(), as: UTF8.self)
        #expect(text.contains("perfgate_comparisons{verdict=\"regressed\"} 0\n"))
        #expect(text.contains("perfgate_pinned_comparisons{reference=\"7.1:\\\"29\\\"\",verdict=\"regressed\"} 1\n"))
        #expect(text.contains("# TYPE perfgate_pinned_change_seconds gauge\n"))
        #expect(text.contains("perfgate_pinned_change_seconds{page=\"Search\",metric=\"ttil\","))
        let without = String(decoding: OpenMetricsReport(MarkdownFixtures.report([])).bytes(), as: UTF8.self)
        #expect(!without.contains("pinned"))
    }

    @Test func theTerminalHasRowsOfItsOwn() {
        let text = TerminalSummary(Self.report()).text
        #expect(text.contains("\n  worse against 7.1:\"29\": Search: time to initial load "))
        let many = TerminalSummary(Self.report(18)).text
        #expect(
            many.ranges(of: "worse against 7.1").count == 15 && many.contains("\n  … and 3 more findings against 7.1"))
    }
}
