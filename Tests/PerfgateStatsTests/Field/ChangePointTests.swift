import LibC
import SeededRandom
import Testing

@testable import PerfgateStats

struct ChangePointTests {
    @Test func findsAStepAndItsDay() throws {
        let found = ChangePoints(Self.series { $0 >= 60 ? 0.08 : 0 })
        try #require(found.points.count == 1)
        #expect(abs(found.points[0].day - 60) <= 1)
        expectClose(found.points[0].change, 0.08, absolute: 0.01, "change")
        #expect(found.points[0].p <= ChangePoints.level)
        #expect(found.passing.isEmpty)
    }

    @Test func aWeekdayIsNoChange() {
        #expect(ChangePoints(Self.series { $0 % 7 < 2 ? 0.2 : 0 }).points.isEmpty)
        #expect(ChangePoints(Self.series { $0 % 7 < 2 ? 0.2 : 0 }).passing.isEmpty)
        #expect(ChangePoints(Self.series { ($0 % 7 < 2 ? 0.2 : 0) + ($0 >= 40 ? 0.06 : 0) }).points.count == 1)
    }

    @Test func aRunHasNoWeekday() {
        let series = Self.series { $0 % 7 < 2 ? 0.2 : 0 }
        var terms = ChangePoints.Terms()
        terms.hasWeekdays = false
        #expect(!ChangePoints(series, terms).passing.isEmpty)
        let step = Self.series { $0 >= 60 ? 0.08 : 0 }
        #expect(ChangePoints(step, terms).points.count == 1)
    }

    @Test(arguments: 1...5)
    func aLevelThatGoesBackIsAPassingEvent(_ length: Int) throws {
        let found = ChangePoints(Self.series { 40..<40 + length ~= $0 ? 0.2 : 0 })
        #expect(found.points.isEmpty)
        try #require(found.passing.count == 1)
        #expect(found.passing[0].first == 40)
        #expect(found.passing[0].last == 39 + length)
        expectClose(found.passing[0].change, 0.2, absolute: 0.03, "change")
    }

    @Test func aLevelThatStaysTenDaysIsTwoPoints() {
        let found = ChangePoints(Self.series { 40..<50 ~= $0 ? 0.2 : 0 })
        #expect(found.points.map { $0.change > 0 } == [true, false])
        #expect(found.passing.isEmpty)
    }

    @Test func whatIsTooSmallToMatterIsNoPoint() {
        #expect(ChangePoints(Self.series(noise: 0.001) { $0 >= 40 ? 0.02 : 0 }).points.isEmpty)
        #expect(ChangePoints(Self.series(noise: 0.001) { $0 >= 40 ? 0.04 : 0 }).points.count == 1)
    }

    @Test func aStepWithoutAnyNoiseIsFound() {
        let found = ChangePoints((0..<30).map { .init(day: $0, logarithm: $0 >= 20 ? 1.1 : 1) })
        #expect(found.points.map(\.day) == [20])
        #expect(found.points.map { $0.p < 1e-5 } == [true])
    }

    /// Where most values are equal, the others are no evidence beyond their ranks: of 30 runs five have another value
    /// by chance, in 6 of 142,506 cases in a row at the end.
    @Test func mostlyEqualValuesAreComparedByRanks() throws {
        var terms = ChangePoints.Terms()
        (terms.hasWeekdays, terms.centre, terms.level) = (false, .mean, 1)
        let last = ChangePoints((0..<30).map { .init(day: $0, logarithm: $0 >= 25 ? 1.7 : 1) }, terms)
        try #require(last.points.map(\.day) == [25])
        expectClose(last.points[0].p, 2 * 21 / 142_506.0, absolute: 1e-9, "p")
        #expect(last.passing.isEmpty)
        let change = log((2 * exp(1.7) + 8 * exp(1)) / 10) - 1
        let some = ChangePoints((0..<30).map { .init(day: $0, logarithm: [22, 27].contains($0) ? 1.7 : 1) }, terms)
        #expect(some.points.allSatisfy { $0.p > 0.5 && abs($0.change) < 2 * change })
    }

    @Test func aChangeBelowTheSmallestIsNone() {
        var terms = ChangePoints.Terms()
        let series = (0..<60).map { ChangePoints.Value(day: $0, logarithm: log($0 < 30 ? 40 : 52)) }
        for (smallest, count) in [(0, 1), (11.9, 1), (12.1, 0)] {
            terms.smallest = smallest
            #expect(ChangePoints(series, terms).points.count == count)
        }
    }

    /// At .05, one in twenty series of noise may have a change, though each has some cut that is significant alone.
    @Test func theChoiceOfTheCutIsCounted() {
        var terms = ChangePoints.Terms()
        terms.level = 0.05
        let changed = (0..<200).count { number in
            var generator = SeededGenerator(seed: 77, stream: UInt64(number))
            let values = (0..<60).map { day in
                let noise = (0..<12).reduce(-6.0) { sum, _ in sum + generator.uniform() }
                return ChangePoints.Value(day: day, logarithm: 7 + 0.1 * noise)
            }
            return !ChangePoints(values, terms).points.isEmpty
        }
        #expect(changed <= 15)
    }

    @Test func fewDaysSayNothing() {
        #expect(ChangePoints([]) == ChangePoints([.init(day: 3, logarithm: 1)]))
        #expect(ChangePoints((0..<9).map { .init(day: $0, logarithm: Double($0)) }).points.isEmpty)
    }

    @Test func theOrderAndTheLevelDontMatter() throws {
        let series = Self.series { $0 >= 60 ? 0.08 : 0 }
        var generator = SeededGenerator(seed: 3)
        #expect(ChangePoints(series.shuffled(using: &generator)) == ChangePoints(series))
        let moved = ChangePoints(series.map { .init(day: $0.day, logarithm: $0.logarithm + 5) })
        #expect(moved.points.map(\.day) == ChangePoints(series).points.map(\.day))
    }

    /// 84 days with 1.5 % noise from day to day.
    private static func series(noise: Double = 0.015, _ level: (Int) -> Double) -> [ChangePoints.Value] {
        var generator = SeededGenerator(seed: 11)
        return (0..<84).map { day in
            let sum = (0..<12).reduce(0.0) { sum, _ in sum + generator.uniform() } - 6
            return .init(day: day, logarithm: 7 + level(day) + noise * sum)
        }
    }
}
