import Foundation
import PerfgateModel
import Testing

@testable import PerfgateIngest

/// The rules of `map:`, which map tests to pages.
struct MappingRuleTests {
    private static func mapper(_ patterns: [String]) throws -> PageMapper {
        PageMapper(rules: try patterns.map { try MappingRule(pattern: $0) }, format: "zoom")
    }

    @Test(arguments: [
        (#"^(?<page>\w+)PerformanceTests/"#, "SearchPerformanceTests/testScroll()", "Search"),
        (#"^(?<page>\w+)PerformanceTests/"#, "SearchTests/testScroll()", nil),
        (#"/test(?<page>[^_(]+)(_(?<metric>\w+))?"#, "A/testMap()", "Map"),
        (#"(?<=A/)(?<page>.+)"#, "A/Größe 🔍", "Größe 🔍"),
    ])
    func theFirstMatchNamesThePage(_ pattern: String, _ subject: String, _ page: String?) throws {
        var mapper = try Self.mapper([pattern])
        #expect(mapper.finding(in: subject)?.page == page)
        #expect(mapper.finding(in: subject)?.page == page)
        #expect(mapper.unusedPatterns == (page == nil ? [pattern] : []))
    }

    @Test func metricsAndConditionsCanBeNamed() throws {
        let pattern = #"(?<device>\w+)/(?<page>\w+)/(?<metric>\w+)@(?<max_fps>\d+)( \k<max_fps>)?"#
        var mapper = try Self.mapper([pattern])
        let expected = PageMapper.Finding(
            page: "Map", metric: "launch", fields: ["device": .text("Phone"), "max_fps": .number(60)], pattern: pattern)
        #expect(mapper.finding(in: "Phone/Map/launch@60 60") == expected)
    }

    @Test(arguments: [
        ("(", MappingRuleError.notAnExpression("(")), ("a", .namesNothing("a")), ("(?<=x)", .namesNothing("(?<=x)")),
        ("(?<pgae>a)", .unknownGroup("pgae")), (String(repeating: "a", count: 1_001), .tooLong(limit: 1_000)),
    ])
    func aRuleThatCantWorkIsRefused(_ pattern: String, _ error: MappingRuleError) {
        #expect(throws: error) { try MappingRule(pattern: pattern) }
        #expect(!error.description.isEmpty)
    }

    /// Backtracking takes 2^n steps here; the step limit ends it.
    @Test(.timeLimit(.minutes(30)), arguments: ["^(?<page>(a+)+)$", "^(?<page>(a|aa)+)$", "(?<page>.*.*.*.*.*x)"])
    func aCatastrophicPatternEnds(_ pattern: String) throws {
        var mapper = try Self.mapper([pattern])
        let subject = String(repeating: "a", count: PageMapper.textLimit - 1) + "!"
        #expect(mapper.finding(in: subject) == nil)
        #expect(mapper.unmatchable == [subject])
    }

    @Test func aLongSubjectIsNotMatched() throws {
        var mapper = try Self.mapper(["(?<page>a)"])
        #expect(mapper.finding(in: String(repeating: "a", count: PageMapper.textLimit + 1)) == nil)
        #expect(mapper.unmatchable.count == 1)
    }

    @Test(arguments: [
        (#"^(?<page>\w+)PerformanceTest/"#, "FeedPerfTests/testScroll()"),
        (#"(?<page>\w+)/testScrol\(\)$"#, "FeedPerfTests/testScroll()"),
        ("(?<page>Search)Map", "MapTests/testPan()"), ("(?<page>zoom)", nil), (#"(?<page>\d+)"#, nil),
    ])
    func aRuleThatMatchesNothingIsReportedWithTheNearestName(_ pattern: String, _ name: String?) throws {
        var mapper = try Self.mapper([pattern])
        for subject in ["FeedPerfTests/testScroll()", "MapTests/testPan()"] {
            #expect(mapper.finding(in: subject) == nil)
        }
        #expect(mapper.unusedPatterns == [pattern])
        #expect(mapper.nearest(to: pattern) == name)
    }

    @Test func rulesAreOfTheirFormat() throws {
        let rule = try MappingRule(format: "xcresult-metrics", pattern: #"^(?<page>\w+)Tests/"#)
        #expect(
            try LogFolder.measurements(XcresultFixture.text) { $0.mapping = [rule] }.values("Feed", "hitch_ratio") == [
                4.5, 0, 20,
            ])
        let other = try MappingRule(format: "zoom", pattern: #"^(?<page>\w+)Tests/"#)
        let unmapped = try LogFolder.measurements(XcresultFixture.text) { $0.mapping = [other] }
        #expect(unmapped.values("FeedTests/testScroll()", "hitch_ratio") == [4.5, 0, 20])
    }

    @Test func aRuleThatMatchesNothingIsReported() throws {
        let rule = try MappingRule(pattern: "(?<page>zoom)")
        #expect(try LogFolder.measurements(XcresultFixture.text) { $0.mapping = [rule] }.codes.contains(.unmatchedRule))
    }
}
