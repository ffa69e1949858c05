import PerfgateCompare
import PerfgateModel
import Testing

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
                    "::error worse%3A ttil of Search:", "::error worse%3A dropped_frames ",
                    "::error not measured%3A ttil of ", "::error can't tell%3A ttil of Bo",
                    "::error perfgate PG102::ttil_ms ", "::warning can't tell%3A ttil of Pi",
                ])
        #expect(lines(report)[0].hasPrefix("::error file=Sources/Search.swift,line=42,title=worse%3A ttil of Search::"))
    }

    @Test func tenOfEachTheLastWithHowManyAreLeft() {
        let many = (0..<13).map { MarkdownFixtures.result("P\($0)", .regressed) }
        let few = (0..<10).map { MarkdownFixtures.result("W\($0)", .inconclusive) }
        var report = MarkdownFixtures.report(many + few)
        report.diagnostics = []
        let errors = lines(report).filter { $0.hasPrefix("::error ") }
        #expect(errors.count == 10 && errors.last == "::error title=perfgate::4 more stand in the report.")
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
                "title=worse%3A ttil of a%2Cfile=/etc/passwd%3A%3Awarning%3A%3Ax %3A%3Aerror%3A%3Ay%250A%253A::"))
        #expect(lines(report).allSatisfy { $0.hasPrefix("::error ") || $0.hasPrefix("::warning ") })
    }

    @Test func anInputThatFailedIsToldOnce() {
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
