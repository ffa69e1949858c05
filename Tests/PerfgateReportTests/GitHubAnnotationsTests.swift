import ComparisonFixtures
import PerfgateModel
import Testing

@testable import PerfgateCompare
@testable import PerfgateReport

struct GitHubAnnotationsTests {
    private func lines(_ report: GateReport) -> [String] {
        GitHubAnnotations(report).text.split(separator: "\n").map(String.init)
    }

    @Test func aReportWithEveryVerdict() {
        var report = MarkdownFixtures.mixed
        report.failing = FailingKinds(inconclusive: false, noBaseline: true, missing: true)
        #expect(
            lines(report).map {
                $0.split(separator: " ")[0] + " " + ($0.split(separator: "title=").last ?? "").prefix(24)
            }
                == [
                    "::error worse%3A Search%3A time ", "::error worse%3A Feed drops 4 fr",
                    "::error not measured%3A Profile ", "::error can't tell%3A Board%3A n",
                    "::error perfgate PG102::ttil_ms ", "::warning can't tell%3A Pin%3A tim",
                ])
        #expect(
            lines(report)[0].hasPrefix(
                "::error file=Sources/Search.swift,line=42,title=worse%3A Search%3A time to initial load "))
    }

    @Test func tenOfEachTheLastWithHowManyAreLeft() {
        func results(_ name: String, _ verdict: Verdict, _ count: Int) -> [CellResult] {
            (0..<count).map { number in
                let metric = Metric(id: "metric_\(number)", unit: .milliseconds, better: .lower)
                return MarkdownFixtures.result("\(name)\(number)", verdict, metric)
            }
        }
        let (many, few) = (results("P", .regressed, 13), results("W", .inconclusive, 10))
        var report = MarkdownFixtures.report(many + few)
        report.diagnostics = []
        let errors = lines(report).filter { $0.hasPrefix("::error ") }
        #expect(errors.count == 10 && errors.last == "::error title=perfgate::4 more are in the report.")
        #expect(lines(report).count { $0.hasPrefix("::warning ") } == 10)
        #expect(lines(report).last?.contains("W9") == true)
    }

    @Test func aNameCantLeaveItsProperty() {
        let report = MarkdownFixtures.report([
            MarkdownFixtures.result("a,file=/etc/passwd::warning::x\n::error::y%0A%3A", .regressed)
        ])
        let line = lines(report)[0]
        #expect(
            line.contains(
                "title=worse%3A a%2Cfile=/etc/passwd%3A%3Awarning%3A%3Ax %3A%3Aerror%3A%3Ay%250A%253A%3A time to initial"
            ))
        #expect(lines(report).allSatisfy { $0.hasPrefix("::error ") || $0.hasPrefix("::warning ") })
    }

    @Test func anInputThatFailedIsReportedOnce() {
        var report = MarkdownFixtures.report([])
        report.faultyInputs = [FaultyInput(path: "a", run: nil, fault: .badData, message: "It was cut.")]
        report.diagnostics = [Diagnostic(.badRecord, severity: .error, path: "a", "It was cut.")]
        #expect(lines(report).count == 1)
    }

    @Test func whatIsntGatedAndWhatIsWellHasNone() {
        let report = MarkdownFixtures.report([
            MarkdownFixtures.result("A", .regressed, gated: false), MarkdownFixtures.result("B", .improved),
            MarkdownFixtures.result("C", .waived),
        ])
        #expect(lines(report).allSatisfy { $0.contains("PG102") })
    }
}
