import Testing

@testable import VerdictStudy

struct SeriesTests {
    /// A level with 1 % noise, and another level from index 40 on.
    static func step(to level: Double) -> [Double] {
        (0..<80).map { place -> Double in
            let wobble = Double(place * 7 % 5) / 5
            return place < 40 ? 100 + wobble : level + wobble
        }
    }

    @Test(arguments: [(100, 0), (104, 0), (130, 1), (70, 1)] as [(Double, Int)])
    func findsAStepBeyondTheTolerance(level: Double, expected: Int) throws {
        let scan = SeriesScan()
        let findings = try scan.findings(in: Self.step(to: level))
        #expect(findings.count == expected)
        #expect(findings.allSatisfy { $0.explains(40, window: scan.after) && $0.places.contains(40) })
    }

    @Test func aSmallerToleranceFindsASmallerStep() throws {
        var scan = SeriesScan()
        scan.tolerance = 0.02
        #expect(try scan.findings(in: Self.step(to: 104)).count == 1)
    }

    /// One outlier isn't a change; a rule based on means takes it for one.
    @Test func aFreakIsNoChange() throws {
        var values = Self.step(to: 100)
        values[40] = 900
        #expect(try SeriesScan().findings(in: values).isEmpty)
        #expect(try !SeriesScan().findings(in: values, by: SpreadTest()).isEmpty)
    }

    @Test func shortSeriesHaveNothingToCompare() throws {
        #expect(try SeriesScan().findings(in: Array(repeating: 1, count: 14)).isEmpty)
    }

    @Test func rowsCountWhatIsExplained() throws {
        let cells = try SeriesReport(Self.step(to: 130), changes: [40]).row().split(separator: "|").dropFirst(2)
        #expect(cells.prefix(3).map { $0.trimmingPrefix(" ") } == ["1 + 0 ", "1 + 0 ", "1 + 0 "])
        #expect(try SeriesReport(Self.step(to: 100), changes: []).row().hasPrefix("| 80 | none | 0 | 0 | 0 |"))
        #expect(SeriesReport.head.allSatisfy { $0.split(separator: "|").count == 5 + Study.rivals.count })
    }
}
