import ComparisonFixtures
import PerfgateModel
import Testing

@testable import PerfgateCompare
@testable import PerfgateReport

/// The place that a failing case refers its reader to.
struct JUnitReportTests {
    private func text(_ report: GateReport, _ set: (inout JUnitReport.Options) -> Void = { _ in }) throws -> String {
        var options = JUnitReport.Options()
        set(&options)
        return String(decoding: try JUnitReport(report, options: options).bytes(), as: UTF8.self)
    }

    private let search = MarkdownFixtures.result("Search", .regressed)

    private var anchor: String { HTMLAnchor.metric("ttil", of: search.place) }

    @Test func aFailingCaseNamesItsPlaceAndAttachesTheFile() throws {
        let report = MarkdownFixtures.report([search, MarkdownFixtures.result("Home", .passed)])
        let text = try text(report) { $0.attachment = "out/report.html" }
        #expect(
            text.contains(
                "<system-out>\nSee out/report.html#\(anchor)\n[[ATTACHMENT|out/report.html]]\n</system-out>"))
        #expect(text.ranges(of: "<system-out>").count == 1)
    }

    @Test func anAddressGoesBeforeAPath() throws {
        let report = MarkdownFixtures.report([search])
        let both = try text(report) {
            $0.attachment = "report.html"
            $0.link = "https://ci.example/report.html?a=1&b=2"
        }
        #expect(
            both.contains(
                "\nSee https://ci.example/report.html?a=1&amp;b=2#\(anchor)\n[[ATTACHMENT|report.html]]\n"))
        let address = try text(report) { $0.link = "https://ci.example/report.html" }
        #expect(address.contains("See https://ci.example/report.html#\(anchor)\n</system-out>"))
        #expect(try !text(report).contains("system-out"))
    }

    @Test func whatIsMissingLeadsThereTooAndAnInputToThePage() throws {
        var report = MarkdownFixtures.report([MarkdownFixtures.result("Search", .missing, candidate: nil)])
        report.faultyInputs = [FaultyInput(path: "a", fault: .badData, message: "It was cut.")]
        let text = try text(report) { $0.attachment = "report.html" }
        #expect(text.contains("See report.html#\(anchor)\n"))
        #expect(text.contains("See report.html\n[[ATTACHMENT|report.html]]\n"))
    }

    @Test func aPathCantWriteASecondAttachment() throws {
        let text = try text(MarkdownFixtures.report([search])) { $0.attachment = "a]]\n[[ATTACHMENT|/etc/passwd" }
        #expect(text.contains("[[ATTACHMENT|a]] [[ATTACHMENT|/etc/passwd]]\n"))
    }

    @Test func theStrictFormHasNoOutputOfCasesAndAnOwnerIsAProperty() throws {
        var report = MarkdownFixtures.report([search])
        report.pages[0].owner = "team <search>"
        let strict = try text(report) {
            $0.dialect = .strict
            $0.attachment = "report.html"
        }
        #expect(!strict.contains("ATTACHMENT"))
        #expect(strict.contains("<property name=\"owner\" value=\"team &lt;search&gt;\"/>"))
    }

    @Test(
        arguments: [
            (1.2345, "1.235"), (0, "0.000"), (-1, "0.000"), (1e300, "1000000000000.000"), (.nan, "0.000"),
        ] as [(Double, String)])
    func secondsHaveThreeDecimalsWhateverTheyAre(seconds: Double, expected: String) {
        #expect(Seconds.text(seconds) == expected)
    }

    @Test func whatFailsAgainstAPinnedReferenceIsAFailingCaseAndARow() throws {
        var report = MarkdownFixtures.report([])
        let worse = MarkdownFixtures.result("Search", .regressed, numbers: MarkdownFixtures.numbers)
        report.pinned = PinnedFindings(name: "7.129", comparisons: [worse])
        let xml = try text(report)
        #expect(xml.contains("tests=\"1\" failures=\"1\""))
        #expect(xml.contains("<testcase classname=\"perfgate.against.7.129\" name=\"Search ttil\""))
        let markdown = try MarkdownReport(report, templates: TemplateSet()).text(at: .whole)
        #expect(markdown.contains("Worse than the pinned reference (1)") && markdown.contains("| **Search**"))
    }
}
