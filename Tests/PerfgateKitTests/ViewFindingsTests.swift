import ComparisonFixtures
import PerfgateModel
import Testing

@testable import PerfgateCompare
@testable import PerfgateKit

/// The views that are listed for a page that got worse.
struct ViewFindingsTests {
    private static func view(
        _ type: String, _ complexity: Int, baseline: Int? = nil, file: String = "Search.swift", line: Int = 1,
        findings: String = ""
    ) -> String {
        """
        {"file": "\(file)", "line": \(line), "type": "\(type)", "unit": "body", "complexity": \(complexity),
        "baseline": \(baseline.map(String.init) ?? "null"), "findings": [\(findings)]}
        """
    }

    private static func leads(_ views: String...) throws -> [String] {
        let json = #"{"schema": 1, "limit": 10, "views": [\#(views.joined(separator: ","))], "new": 1}"#
        return try ViewFindings(json: Array(json.utf8)).leads(in: "Search.swift")
    }

    @Test func aViewIsOneSentence() throws {
        let findings = """
            {"rule": "view-body-complexity", "line": 1}, {"rule": "closure-stored", "line": 38},
            {"rule": "closure-stored", "line": 9}, {"rule": "changing-identity", "line": 7, "file": "a/Rows.swift"}
            """
        #expect(
            try Self.leads(Self.view("SearchView", 23, baseline: 9, findings: findings)) == [
                "SearchView: body 23, limit 10, was 9 in the baseline; changing identity: Rows.swift:7; "
                    + "closure stored: Search.swift:9, Search.swift:38"
            ])
    }

    @Test func aViewIsReportedBeyondTheLimitAboveItsBaselineOrWithAFinding() throws {
        let finding = #"{"rule": "formatter-in-body", "line": 4}"#
        #expect(try Self.leads(Self.view("A", 10)) == [])
        #expect(try Self.leads(Self.view("A", 10, baseline: 12)) == [])
        #expect(try Self.leads(Self.view("A", 11)) == ["A: body 11, limit 10"])
        #expect(try Self.leads(Self.view("A", 11, baseline: 11)) == ["A: body 11, limit 10, as in the baseline"])
        #expect(try Self.leads(Self.view("A", 5, baseline: 4)) == ["A: body 5, limit 10, was 4 in the baseline"])
        #expect(
            try Self.leads(Self.view("A", 1, findings: finding)) == [
                "A: body 1, limit 10; formatter in body: Search.swift:4"
            ])
        #expect(try Self.leads(Self.view("A", 99, file: "search.swift")) == [])
    }

    @Test func theWorstComeFirstAndAreBounded() throws {
        let places = (1...5).map { #"{"rule": "closure-stored", "line": \#($0)}"# }.joined(separator: ",")
        let leads = try Self.leads(
            Self.view("Known", 50, baseline: 50), Self.view("Small", 2, findings: places), Self.view("New", 12),
            Self.view("Risen", 20, baseline: 19), Self.view("Fine", 3))
        #expect(leads.map { $0.prefix { $0 != ":" } } == ["Risen", "New", "Known", "1 more view of Search.swift"])
        let small = try Self.leads(Self.view("Small", 2, findings: places))
        #expect(
            small.first?.hasSuffix("closure stored: Search.swift:1, Search.swift:2, Search.swift:3 and 2 more") == true)
        let long = try Self.leads(Self.view(String(repeating: "x", count: 5_000), 12))
        #expect(long.first?.hasSuffix("…: body 12, limit 10") == true)
    }

    @Test func onlyPagesThatGotWorseAreReported() throws {
        let phone = EnvironmentKey.standard.environment(of: Context(["device": .text("iPhone12,1")]))
        func result(_ page: String, _ verdict: Verdict, gated: Bool = true) -> CellResult {
            CellResult(
                page: Page(page), metric: Metric(id: "ttil", unit: .milliseconds, better: .lower), environment: phone,
                isGated: gated, verdict: verdict, reason: "")
        }
        let results = [
            result("Worse", .regressed), result("Over", .overLimit), result("Fine", .passed), result("Gone", .missing),
            result("Shown", .regressed, gated: false), result("Elsewhere", .regressed),
        ]
        var pages = results.map { PageSummary(place: $0.place, file: "Search.swift") }
        pages[5].file = "Other.swift"
        let json = #"{"schema": 1, "limit": 10, "views": [\#(Self.view("A", 11))]}"#
        let views = try ViewFindings(json: Array(json.utf8))
        #expect(views.lead(&pages, where: results) == nil)
        #expect(pages.map(\.leads.count) == [1, 1, 0, 0, 0, 0])
        var others = [PageSummary(place: results[0].place, file: "Other.swift"), PageSummary(place: results[1].place)]
        #expect(views.lead(&others, where: results)?.code == .unmatchedViews)
    }

    @Test(arguments: [
        ("[]", "1:1"), (#"{"schema": 2, "limit": 10, "views": []}"#, "schema 2 is not known"),
        (#"{"schema": 1, "views": []}"#, "there is no limit"),
        (#"{"schema": 1, "limit": 0, "views": []}"#, "limit: 0 is below 1"),
        (#"{"schema": 1, "limit": 1, "views": {}}"#, "views"),
        (#"{"schema": 1, "limit": 1, "views": [{"file": 3}]}"#, "views[0].file"),
        (#"{"schema": 1, "limit": 1, "views": [\#(Self.view("A", -1))]}"#, "views[0].complexity: -1 is below 0"),
        (#"{"schema": 1, "limit": 1, "views": [\#(Self.view("A", 1, line: 0))]}"#, "views[0].line: 0 is below 1"),
    ])
    func whatIsWrongIsReportedWithItsPlace(json: String, complaint: String) {
        let error = #expect(throws: (any Error).self) { try ViewFindings(json: Array(json.utf8)) }
        #expect(error.map { "\($0)" }?.contains(complaint) == true)
    }
}
