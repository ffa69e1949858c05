import PerfgateCompare
import PerfgateField
import PerfgateModel
import Testing

@testable import PerfgateKit

/// The hangs that devices reported, beside the verdicts of releases.
struct FieldHangsTests {
    private static func hang(
        _ frame: String, release: String = "7.129", labels: [String] = ["wifi", "Search"], day: String? = "2026-01-02",
        app: String? = "shop", isNamed: Bool = true
    ) -> ReportedHang {
        ReportedHang(app: app, release: release, day: day, labels: labels, frames: [frame], isNamed: isNamed)
    }

    private static func report(_ sums: [ReportedHang: (hangs: Double, milliseconds: Double)]) throws -> GateReport {
        // 1,200 visits of each page and release.
        try FieldGateTests.report(FieldGateTests.page("Search") + FieldGateTests.page("Cart")) { gate in
            var hangs = ReportedHangs()
            for (hang, sum) in sums { hangs.amounts[hang] = .init(hangs: sum.hangs, milliseconds: sum.milliseconds) }
            gate.hangs = hangs
        }
    }

    private static func hangs(
        _ sums: [ReportedHang: (hangs: Double, milliseconds: Double)]
    ) throws -> ReleaseTraffic.Hangs {
        try #require(report(sums).environments.first?.releases?.hangs)
    }

    @Test func aStackHasItsRatesPerThousandVisitsOfItsPage() throws {
        let hangs = try Self.hangs([
            Self.hang("bind", release: "7.117"): (6, 6_000), Self.hang("bind"): (12, 24_000),
            Self.hang("bind", labels: ["Home"]): (3, 2_400), Self.hang("bind", release: "7.0"): (99, 99),
        ])
        #expect(hangs.reported == .init(base: 6, candidate: 15) && hangs.left == 0)
        #expect(hangs.stacks.map(\.page) == [Page("Search"), nil])
        #expect(hangs.stacks[0].base == .init(hangs: 5, milliseconds: 5_000))
        #expect(hangs.stacks[0].candidate == .init(hangs: 10, milliseconds: 20_000))
        // No page is called Home, so its hangs are of the whole app with 2,400 visits.
        #expect(hangs.stacks[1].base == .init())
        #expect(hangs.stacks[1].candidate == .init(hangs: 1.25, milliseconds: 1_000))
    }

    @Test func hangsNeverChangeAVerdict() throws {
        let quiet = try Self.report([:])
        let loud = try Self.report([Self.hang("bind"): (1_000_000, 8.64e13)])
        #expect(quiet.exitCode == 0 && loud.exitCode == 0 && quiet.comparisons == loud.comparisons)
        #expect(loud.notes.contains { $0.contains("evidence, no verdict") })
    }

    @Test func aPlaceInABuildIsUnknownInTheOther() throws {
        let hangs = try Self.hangs([
            Self.hang("Shop+0x10 (AE3C9338)", isNamed: false): (1, 900), Self.hang("bind", release: "7.117"): (1, 900),
        ])
        #expect(hangs.stacks.map { $0.base == nil } == [true, false])
        #expect(hangs.stacks.map { $0.candidate?.hangs } == [1_000.0 / 1_200, 0])
    }

    @Test func aReleaseWithoutReportsIsUnknown() throws {
        #expect(try Self.hangs([Self.hang("bind"): (1, 900)]).stacks.map { $0.base } == [nil])
    }

    @Test func otherDaysAreLeftOut() throws {
        let hangs = try Self.hangs([
            Self.hang("early", day: "2025-12-31"): (1, 900), Self.hang("late", day: "2026-01-04"): (1, 900),
            Self.hang("first", day: "2026-01-01"): (1, 900), Self.hang("unknown", day: nil): (1, 800),
        ])
        #expect(hangs.stacks.map(\.frames) == [["first"], ["unknown"]])
    }

    @Test func theHeaviestStacksAreListed() throws {
        var sums: [ReportedHang: (hangs: Double, milliseconds: Double)] = [:]
        for number in 0..<9 {
            for page in ["Search", "Cart", "none"] {
                sums[Self.hang("\(page) \(number)", labels: [page])] = (1, 1_000 * Double(number + 1))
            }
        }
        let hangs = try Self.hangs(sums)
        #expect(hangs.stacks.count == 10 && hangs.left == 17)
        #expect(Dictionary(grouping: hangs.stacks, by: \.page).values.map(\.count).max() == 5)
        #expect(hangs.stacks.prefix(2).map(\.frames) == [["Cart 8"], ["Search 8"]])
    }

    @Test func ofSeveralAppsEachHasItsOwn() throws {
        let events = FieldGateTests.page("Search") + FieldGateTests.page("Search", app: "tablet")
        let report = try FieldGateTests.report(events) { gate in
            var hangs = ReportedHangs()
            for hang in [Self.hang("phone"), Self.hang("other", app: "other")] {
                hangs.amounts[hang] = .init(hangs: 1, milliseconds: 9)
            }
            gate.hangs = hangs
        }
        #expect(report.environments.compactMap(\.releases?.hangs).map { $0.stacks.map(\.frames) } == [[["phone"]], []])
    }
}
