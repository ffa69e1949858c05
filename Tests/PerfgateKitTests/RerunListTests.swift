import Foundation
import PerfgateModel
import Testing

@testable import PerfgateKit

/// The list of suspects in every format, also with names that are unsafe in a shell.
struct RerunListTests {
    private static let suspects = Suspects(pages: [
        .init(page: Page("Search results"), metrics: ["ttil"], tests: ["AppUITests/SearchTests/testScroll()"]),
        .init(page: Page("a\n::error"), metrics: ["alt", "ttil"], tests: ["$(rm -rf x)", "AppUITests/T/testA"]),
        .init(page: Page("c"), metrics: ["ttil"], tests: ["-x", "a b"]),
    ])

    private static func text(_ format: RerunList.Format) -> String { RerunList(suspects, format: format).text }

    @Test func aPageStandsInALine() {
        #expect(Self.text(.plain) == "Search results\na-error-946ed57e4bd0\nc\n")
    }

    @Test func testsBecomeArguments() {
        #expect(
            Self.text(.xcodebuild)
                == "-only-testing:AppUITests/SearchTests/testScroll\n-only-testing:AppUITests/T/testA\n")
        #expect(Self.text(.gradle) == "--tests AppUITests.SearchTests.testScroll\n--tests AppUITests.T.testA\n")
        #expect(RerunList(Self.suspects, format: .gradle).pagesWithoutTest == [Page("c")])
    }

    @Test func jsonHoldsEverything() {
        let text = Self.text(.json)
        #expect(text.hasPrefix("{\n  \"schema\": 1,\n  \"pages\": [\n"))
        #expect(text.contains(#""page": "a\n::error""#))
        #expect(text.contains("$(rm -rf x)"))
    }

    @Test func anchorsAreMeasuredTooAndSaySo() {
        let suspects = Suspects(pages: [
            .init(page: Page("Search"), metrics: ["ttil"], tests: ["T/testSearch"]),
            .init(page: Page("Home"), metrics: [], tests: ["T/testHome"], isAnchor: true),
            .init(page: Page("Cart"), metrics: [], tests: [], isAnchor: true),
        ])
        #expect(RerunList(suspects, format: .plain).text == "Search\nHome\nCart\n")
        let tests = RerunList(suspects, format: .xcodebuild)
        #expect(tests.text == "-only-testing:T/testHome\n-only-testing:T/testSearch\n")
        #expect(tests.pagesWithoutTest.isEmpty)
        let json = RerunList(suspects, format: .json).text
        #expect(json.components(separatedBy: "\"anchor\": true").count == 3)
    }

    @Test func noSuspectGivesAnEmptyList() {
        #expect(RerunList(Suspects(pages: []), format: .plain).text.isEmpty)
        #expect(RerunList(Suspects(pages: []), format: .xcodebuild).text.isEmpty)
    }
}
