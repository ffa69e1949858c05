import LibC
import PerfgateModel
import PerfgateStats
import SeededRandom
import Testing

@testable import PerfgateCompare

struct TrendTests {
    private static let app = Environment([.init(name: "app", value: .text("shop"))])

    private static func graph(
        _ page: String, _ metric: Metric = Metric(.ttil), at level: Double = 500, _ change: (Int) -> Double
    ) -> TrendGraph {
        var generator = SeededGenerator(seed: 5)
        let values = (0..<60).map { day in
            let value = level * change(day) * generator.uniform(0.99...1.01)
            return TrendGraph.Value(place: day, count: 900, center: value, high: 2 * value, level: value)
        }
        return TrendGraph(
            page: Page(page), metric: metric, level: MetricQuantile(of: metric, percent: 75).metric, centerName: "p50",
            values: values, .init())
    }

    @Test func theWorstPageIsFirst() {
        let group = TrendGroup(
            Self.app, .days(0...59),
            [
                Self.graph("Calm") { _ in 1 }, Self.graph("Better") { $0 < 30 ? 1 : 0.8 },
                Self.graph("Worse") { $0 < 30 ? 1 : 1.1 }, Self.graph("Worst") { $0 < 30 ? 1 : 1.2 },
                Self.graph("Slowly") { 1 + Double($0) * 0.0004 },
            ])
        #expect(group.graphs.map(\.page.name) == ["Worst", "Worse", "Slowly", "Calm", "Better"])
        #expect(group.findings.count == 1)
        #expect(group.findings[0].changes.map(\.page.name) == ["Better", "Worst", "Worse"])
        #expect(TrendReport(tool: "t", groups: [group]).hasDrift)
    }

    @Test func theWorstMetricOfAPageIsFirstThenTheCataloguesOrder() {
        let own = Metric(id: "own", unit: .milliseconds, better: .lower)
        let group = TrendGroup(
            Self.app, .days(0...59),
            [
                Self.graph("Search", own) { _ in 1 }, Self.graph("Search", Metric(.ttil)) { _ in 1 },
                Self.graph("Search", Metric(.ttfl)) { _ in 1 },
                Self.graph("Search", Metric(.rclt)) { $0 < 30 ? 1 : 1.1 },
            ])
        #expect(group.graphs.map(\.metric.id) == ["rclt", "ttfl", "ttil", "own"])
    }

    @Test func lessOfWhatShouldBeMuchIsWorse() throws {
        let graph = Self.graph("Search", Metric(.fpsMean), at: 60) { $0 < 30 ? 1 : 0.8 }
        try #require(graph.series.changes.count == 1)
        #expect(graph.series.changes[0].isWorse)
        let better = TrendGroup(Self.app, .days(0...59), [Self.graph("Search") { $0 < 30 ? 1 : 0.8 }])
        #expect(!TrendReport(tool: "t", groups: [better]).hasDrift)
        #expect(better.findings.count == 1)
    }

    @Test func onlyAGatedMetricFailsACall() {
        let metric = Metric(.fpsMean)
        func report(isGated: Bool) -> TrendReport {
            let policy = CellPolicy(
                isGated: Setting(isGated, from: .builtIn), tolerance: Setting(0.1, from: .builtIn),
                minChange: Setting(2, from: .builtIn), limit: nil)
            let values = Self.graph("Search", metric, at: 60) { $0 < 30 ? 1 : 0.8 }.values
            let graph = TrendGraph(
                page: Page("Search"), metric: metric, level: metric, centerName: "mean", values: values,
                .init(policy, hasWeekdays: false, among: 1))
            return TrendReport(tool: "t", groups: [TrendGroup(Self.app, .days(0...59), [graph])])
        }
        #expect(report(isGated: true).hasDrift)
        #expect(!report(isGated: false).hasDrift && report(isGated: false).groups[0].findings.count == 1)
    }

    @Test func aChangeHasTheLevelsAroundIt() throws {
        let graph = Self.graph("Search") { $0 < 20 ? 1 : $0 < 40 ? 1.2 : 0.9 }
        try #require(graph.series.changes.count == 2)
        let levels = graph.series.changes.map { [$0.before, $0.after] }
        for (level, expected) in zip(levels.joined(), [500.0, 600, 600, 450]) {
            #expect(abs(level / expected - 1) < 0.01, "\(levels)")
        }
    }

    @Test func whatWasNothingCanBecomeSomething() throws {
        var generator = SeededGenerator(seed: 9)
        let values = (0..<30).map { day in
            let level = day < 15 ? 0.0 : 3 + generator.uniform(-0.2...0.2)
            return TrendGraph.Value(place: day, count: 30, center: level, high: nil, level: level)
        }
        let graph = TrendGraph(
            page: Page("Search"), metric: Metric(.droppedFrames), level: Metric(.droppedFrames), centerName: "mean",
            values: values, .init(hasWeekdays: false))
        try #require(graph.series.changes.count == 1)
        #expect(graph.series.changes[0].first == 15)
        #expect(graph.series.changes[0].isWorse)
        #expect(graph.series.changes[0].before == 0)
        #expect(abs(graph.series.changes[0].after - 3) < 0.2)
    }

    /// For a metric that is mostly 0, a single day above 0 isn't a change, and a level counts only above the minimum
    /// change: 16 ms here.
    @Test(arguments: [(12..<13, 80.0, 0), (12..<30, 8, 0), (12..<30, 24, 1)])
    func lessThanTheSmallestChangeIsNoneBesideZero(days: Range<Int>, value: Double, count: Int) {
        let metric = Metric(id: "scroll_thread_hang", unit: .milliseconds, better: .lower)
        let values = (0..<30).map { day in
            let level = days ~= day ? value : 0
            return TrendGraph.Value(place: day, count: 30, center: level, high: nil, level: level)
        }
        let graph = TrendGraph(
            page: Page("Search"), metric: metric, level: MetricQuantile(of: metric, percent: 75).metric,
            centerName: "p50", values: values, .init(smallest: 16))
        #expect(graph.series.changes.count == count && graph.series.passing.isEmpty)
    }

    /// The sum of twelve uniform numbers is nearly normal.
    private func normal(_ generator: inout SeededGenerator) -> Double {
        (0..<12).reduce(-6) { sum, _ in sum + generator.uniform() }
    }

    /// Of many series of noise, some appear to change if each is tested alone; tested together, none does.
    @Test func manySeriesRaiseNoAlarmByChance() {
        func changes(among count: Int) -> Int {
            (0..<200).reduce(0) { sum, number in
                var generator = SeededGenerator(seed: 40, stream: UInt64(number))
                let levels = (0..<60).map { day in
                    DriftSeries.Level(place: day, value: 500 * exp(0.1 * normal(&generator)))
                }
                let metric = MetricQuantile(of: Metric(.ttil), percent: 75).metric
                return sum
                    + DriftSeries(page: Page("p"), metric: metric, levels: levels, .init(count: count)).changes.count
            }
        }
        #expect(changes(among: 1) > 0)
        #expect(changes(among: 200) == 0)
    }

    @Test func aChangeIsFoundAmongMany() {
        var generator = SeededGenerator(seed: 41)
        let levels = (0..<60).map { day in
            DriftSeries.Level(place: day, value: (day < 30 ? 500 : 525) * exp(0.015 * normal(&generator)))
        }
        let series = DriftSeries(page: Page("p"), metric: Metric(.ttil), levels: levels, .init(count: 5_000))
        #expect(series.changes.count == 1)
    }

    @Test func whatPassedIsDistinguished() throws {
        let group = TrendGroup(Self.app, .days(0...59), [Self.graph("Search") { 30...32 ~= $0 ? 1.3 : 1 }])
        #expect(group.findings.isEmpty)
        try #require(group.passing.count == 1)
        #expect([group.passing[0].first, group.passing[0].last] == [30, 32])
        #expect(!TrendReport(tool: "t", groups: [group]).hasDrift)
    }

    /// A level of 200 ms that changes by this many: lastingly from day 30 on, or for three days.
    @Test(arguments: [(12.0, 0), (15, 0), (24, 1)])
    func lessThanTheGatesSmallestChangeIsNoFinding(change: Double, count: Int) {
        func series(_ days: ClosedRange<Int>) -> DriftSeries {
            let graph = Self.graph("Search", at: 200) { days ~= $0 ? 1 + change / 200 : 1 }
            let levels = graph.values.map { DriftSeries.Level(place: $0.place, value: $0.level) }
            return DriftSeries(page: Page("Search"), metric: Metric(.ttil), levels: levels, .init(smallest: 16))
        }
        #expect(series(30...59).changes.count == count && series(30...59).passing.isEmpty)
        #expect(series(30...32).passing.count == count && series(30...32).changes.isEmpty)
    }

    /// About three frames per iteration, and on one day this many more.
    @Test(arguments: [(0.9, 0), (2, 1)])
    func aFrameThatWasDroppedOnceIsNoTemporaryChange(more: Double, count: Int) {
        let metric = Metric(.droppedFramesTotal)
        let levels = Self.graph("Search", metric, at: 3) { $0 == 30 ? 1 + more / 3 : 1 }.values.map {
            DriftSeries.Level(place: $0.place, value: $0.level)
        }
        let series = DriftSeries(page: Page("Search"), metric: metric, levels: levels, .init(smallest: 0.5))
        #expect(series.changes.isEmpty && series.passing.count == count)
    }

    @Test func releasesStandInTheOrderOfTheirFirstDay() {
        let adoption = ReleaseAdoption(["7.9": [1: 10, 2: 5], "7.10": [2: 5, 3: 10], "7.11": [3: 30]])
        #expect(adoption.releases.map(\.name) == ["7.9", "7.10", "7.11"])
        #expect(adoption.releases.map(\.first) == [1, 2, 3])
        #expect(adoption.releases.map(\.peak) == [1, 2, 3])
        #expect(adoption.releases[1].shares == [2: 0.5, 3: 0.25])
    }
}
