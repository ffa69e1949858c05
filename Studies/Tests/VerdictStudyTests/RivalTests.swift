import PerfgateStats
import Testing

@testable import VerdictStudy

/// Each rule on samples with a known answer, by hand or, for tests, by SciPy.
struct RivalTests {
    static let quiet = [[100.0, 101, 99, 100, 102], [98, 100, 101, 99, 100]]

    static func sight(_ candidate: [Double], _ baseline: [[Double]] = quiet) throws -> Sight {
        Sight(baseline: baseline, pooled: try SortedSamples(baseline.flatMap { $0 }), candidate: candidate)
    }

    static let titles = ["fixed", "Mann–Whitney", "z-test", "+5 %", "200 %", "t prediction"]

    /// A candidate, and the prefixes of the titles of the rules that fail it.
    @Test(
        arguments: [
            ([100, 101, 99, 100, 100], []),
            ([106, 107, 105, 106, 108], ["Mann–Whitney", "z-test", "+5 %"]),
            ([112, 111, 113, 112, 111], ["fixed", "Mann–Whitney", "z-test", "+5 %"]),
            ([100, 100, 100, 100, 140], ["z-test", "+5 %"]),
            ([210, 215, 190, 220, 230], titles),
            ([50, 50, 50, 50, 50], []),
        ] as [([Double], [String])])
    func answers(candidate: [Double], failedBy expected: [String]) throws {
        let sight = try Self.sight(candidate)
        let failing = Study.rivals.filter { $0.flags(sight) }.map(\.title)
        #expect(failing.map { title in Self.titles.first { title.hasPrefix($0) } } == expected)
    }

    @Test func titlesTellThemApart() {
        for (rival, start) in zip(Study.rivals, Self.titles) { #expect(rival.title.hasPrefix(start)) }
        #expect(Study.rivals.count == Self.titles.count)
    }

    @Test func zeroMediansAreNoTrap() throws {
        let sight = try Self.sight([0, 0, 0, 0, 0], [[0, 0, 0, 0, 0], [0, 0, 0, 0, 0]])
        for rival in Study.rivals { #expect(!rival.flags(sight), "\(rival.title)") }
    }

    @Test func aPredictionNeedsTwoRuns() throws {
        #expect(!PredictionInterval().flags(try Self.sight([900, 900], [[1, 2, 3]])))
    }

    @Test(arguments: [(0.25, 2.0), (0.5, 3), (0.75, 4), (0.9, 5), (0, 1), (1, 5)])
    func percentilesAreNearestRanks(share: Double, expected: Double) {
        #expect(Percentiles.percentile(share, of: [1, 2, 3, 4, 5]) == expected)
    }
}
