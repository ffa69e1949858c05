import LibC
import PerfgateModel
import PerfgateStats
import SeededRandom
import Testing

@testable import PerfgateCompare

struct DriftTests {
    private static let adoption = ReleaseAdoption([
        "7.1": Dictionary(uniqueKeysWithValues: (0..<84).map { ($0, $0 < 40 ? 1_000 : 100) }),
        "7.2": Dictionary(uniqueKeysWithValues: (40..<84).map { ($0, 700) }),
        "7.3": Dictionary(uniqueKeysWithValues: (43..<84).map { ($0, 500) }),
    ])

    @Test func aPointNamesTheReleaseThatGrewMost() {
        #expect(Self.adoption.release(around: 40) == "7.2")
        #expect(Self.adoption.release(around: 48) == "7.3")
        #expect(Self.adoption.release(around: 20) == nil)
        #expect(Self.adoption.release(around: 400) == nil)
        #expect(ReleaseAdoption([:]).release(around: 1) == nil)
    }

    @Test func pointsWithinTwoDaysAreOneFinding() throws {
        let series = [
            Self.series("Search", on: 40, by: 0.1), Self.series("Cart", on: 41, by: 0.2),
            Self.series("Home", on: 60, by: -0.1), Self.series("Quiet", on: 84, by: 0),
        ]
        let findings = DriftFinding.all(in: series, Self.adoption)
        try #require(findings.count == 2)
        #expect(findings[0].changes.map(\.page.name) == ["Cart", "Search"])
        #expect(findings[0].release == "7.2")
        #expect(findings[0].changes.map(\.isWorse) == [true, true])
        #expect(findings[1].changes.map(\.isWorse) == [false])
        #expect(findings[1].changes.map(\.metric) == ["ttil@p75"])
    }

    /// One run without a hitch: the difference of logarithms, from a base that the runs after it raise, led below 0.
    @Test func noLevelIsBelowZero() {
        let levels = [1.887, 1.905, 3.883, 0, 3.848, 3.884, 3.81, 3.774].enumerated().map {
            DriftSeries.Level(place: $0, value: $1)
        }
        var terms = DriftSeries.Terms(hasWeekdays: false, smallest: 1, count: 10)
        let metric = Metric(.hitchRatioScreen)
        let passing = DriftSeries(page: Page("Search"), metric: metric, levels: levels, terms).passing
        #expect(passing.count == 1 && passing.allSatisfy { $0.before >= 0 && $0.after >= 0 }, "\(passing)")
        // What isn't gated and has ended is no finding.
        terms.isGated = false
        #expect(DriftSeries(page: Page("Search"), metric: metric, levels: levels, terms).passing.isEmpty)
    }

    private static func series(_ page: String, on day: Int, by change: Double) -> DriftSeries {
        var generator = SeededGenerator(seed: UInt64(day))
        return DriftSeries(
            page: Page(page), metric: MetricQuantile(of: Metric(.ttil), percent: 75).metric,
            levels: (0..<84).map { place in
                .init(place: place, value: exp(7 + (place >= day ? change : 0) + generator.uniform(-0.01...0.01)))
            })
    }
}
