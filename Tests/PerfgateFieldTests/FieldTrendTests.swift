import PerfgateModel
import PerfgateStats
import Testing

@testable import PerfgateField

struct FieldTrendTests {
    private let bench: Bench

    init() throws { bench = try Bench() }

    /// Rolls up this many events of `ttil` in each condition; each is 100 ms plus its index.
    private func roll(
        _ parts: [(release: String, day: Int, os: String, count: Int)], page: String = "Search", by: [FieldStratum] = []
    ) throws {
        let lines = parts.flatMap { part in
            (0..<part.count).map { number in
                """
                {"at":"2026-11-\(part.day)T08:00:00Z","app":"shop","app_version":"\(part.release)","page":"\(page)",\
                "os":"\(part.os)","ttil_ms":\(100 + number)}
                """
            }
        }
        var options = FieldOptions()
        options.mapping.strata = by
        _ = try FieldRollUp.run([bench.write(lines, to: "\(page).ndjson")], options, into: bench.store)
    }

    private func values(_ trend: FieldTrend = FieldTrend(), _ metric: String = "ttil") throws -> [FieldTrend.Value] {
        try trend.read(bench.store)?.pages.first?.metrics[metric] ?? []
    }

    @Test func aDaysReleasesAreOne() throws {
        try roll([("7.1", 18, "iOS 17", 60), ("7.2", 18, "iOS 17", 101), ("7.2", 19, "iOS 17", 25)])
        let days = try #require(try FieldTrend().read(bench.store))
        let first = try #require(CalendarDay("2026-11-18")?.number)
        #expect(days.range == first...first + 1)
        #expect(days.releases == ["shop": ["7.1": [first: 60], "7.2": [first: 101, first + 1: 25]]])
        let found = days.pages[0].metrics["ttil"] ?? []
        #expect(found.map(\.day) == [first, first + 1])
        #expect(found.map(\.events) == [161, 25])
        let rows = try #require(try bench.store.days().first.flatMap(bench.store.day)).rows
        let all = WeightedHistogram(merging: rows.map(\.histogram))
        #expect(found[0].p50 == all.quantile(0.5))
        #expect(found[0].p75 == all.quantile(0.75))
        #expect(found[0].p90 == all.quantile(0.9))
        #expect(found[1].p90 > found[1].p75 && found[1].p75 > found[1].p50)
        // (Σ 0…59 + Σ 0…100) / 161 above 100 ms
        #expect(abs(found[0].mean / 1_000 - 100 - (1_770 + 5_050) / 161.0) < 1e-9)
    }

    @Test func aDayWithFewEventsIsNoValue() throws {
        try roll([("7.1", 18, "iOS 17", 19), ("7.1", 19, "iOS 17", 20)])
        #expect(try values().map(\.events) == [20])
        #expect(try FieldTrend().read(bench.store)?.rare == 0)
        try roll([("7.1", 18, "iOS 17", 3)], page: "Rare")
        #expect(try FieldTrend().read(bench.store)?.rare == 1)
        #expect(try FieldTrend().read(bench.store)?.pages.map(\.page) == ["Search"])
    }

    @Test func linesAreTheMostFrequentValuesAndTheOthersTogether() throws {
        let systems = (10..<18).map { ("7.1", 18, "iOS \($0).1", 20 + $0) }
        try roll(systems, by: [.os])
        var trend = FieldTrend()
        trend.by = .os
        let days = try #require(try trend.read(bench.store))
        #expect(days.lines == ["iOS 17", "iOS 16", "iOS 15", "iOS 14", "iOS 13"])
        #expect(days.otherLines == 3)
        let found = days.pages[0].metrics["ttil"] ?? []
        #expect(found.map(\.line) == [nil, 0, 1, 2, 3, 4, 5])
        #expect(found.map(\.events) == [268, 37, 36, 35, 34, 33, 93])
    }

    @Test func oneValueMoreThanLinesNeedsNoOthers() throws {
        try roll((10..<16).map { ("7.1", 18, "iOS \($0)", 20 + $0) }, by: [.os])
        var trend = FieldTrend()
        trend.by = .os
        let days = try #require(try trend.read(bench.store))
        #expect(days.lines.count == 6 && days.otherLines == 0)
    }

    @Test func conditionsChooseRows() throws {
        try roll([("7.1", 18, "iOS 16", 30), ("7.2", 18, "iOS 17", 40), ("7.2", 19, "iOS 16", 50)], by: [.os])
        var trend = FieldTrend()
        trend.conditions = [.stratum(.os): ["iOS 16"]]
        #expect(try values(trend).map(\.events) == [30, 50])
        trend.conditions = [.stratum(.os): ["iOS 16"], .release: ["7.2"]]
        #expect(try values(trend).map(\.events) == [50])
        trend.conditions = [.stratum(.os): ["iOS 16", "iOS 17"]]
        trend.until = CalendarDay("2026-11-18")
        #expect(try values(trend).map(\.events) == [70])
        #expect(try trend.values(of: .release, in: bench.store) == ["7.1", "7.2"])
        trend.conditions = [.metric: ["ttfl"]]
        #expect(try values(trend).isEmpty)
    }

    @Test func whatAStoreIsntDistinguishedByIsAnError() throws {
        try roll([("7.1", 18, "iOS 16", 30)], by: [.network])
        var trend = FieldTrend()
        trend.by = .os
        let error = #expect(throws: FieldTrendError.self) { try trend.read(bench.store) }
        #expect(error?.description.contains("isn't grouped by os: write `field: { by: [os] }`") == true)
    }

    @Test func aStoreWithoutDaysSaysNothing() throws {
        #expect(try FieldTrend().read(bench.store)?.pages.count == nil)
    }

    @Test func whatFailsInParallelIsThrownInOrder() throws {
        struct Failure: Error, Equatable { let number: Int }
        #expect(throws: Failure(number: 3)) {
            try Array(0..<50).concurrentMap { number in
                if number % 10 == 3 { throw Failure(number: number) }
                return number
            }
        }
        #expect(Array(0..<500).concurrentMap { $0 * 2 } == (0..<500).map { $0 * 2 })
    }
}
