import ComparisonFixtures
import PerfgateModel
import Testing

@testable import PerfgateCompare
@testable import PerfgateKit

/// The remarks on waivers without an effect.
struct WaiverRemarksTests {
    private static let metric = Metric(id: "ttil", unit: .milliseconds, better: .lower)

    private static func remarks(
        _ waivers: [(page: String, until: String)], on verdict: Verdict, partial: Bool = false
    ) throws -> [String] {
        try told(waivers, on: verdict, partial: partial).waiverDiagnostics.map {
            "\($0.code.rawValue) \($0.location ?? "")"
        }
    }

    private static func told(
        _ waivers: [(page: String, until: String)], on verdict: Verdict, partial: Bool = false
    ) throws -> GateFindings {
        var policy = Policy()
        policy.isPartial = partial
        policy.day = CalendarDay("2026-12-01")
        policy.waivers = try waivers.enumerated().map { index, waiver in
            Waiver(
                page: Page(waiver.page), metric: "ttil", ceiling: 1, until: try #require(CalendarDay(waiver.until)),
                reason: "r", from: .configuration(path: "w.yml", line: index + 1))
        }
        let result = CellResult(
            page: Page("A"), metric: metric, environment: Environment([]), isGated: true, verdict: verdict,
            reason: "")
        return GateFindings(tool: "", policy: policy, comparisons: [result])
    }

    @Test func whatIsWaivedIsReported() throws {
        let notes = try Self.told([("A", "2026-11-01"), ("A", "2026-12-24")], on: .waived).waiverNotes
        #expect(notes == ["ttil of A is worse, and waived until 2026-12-24 up to 1 ms: r (w.yml:2)."])
        #expect(try Self.told([("A", "2026-12-24")], on: .regressed).waiverNotes == [])
    }

    @Test(arguments: [
        (Verdict.waived, [String]()), (.regressed, []), (.overLimit, []), (.passed, ["PG311 w.yml:1"]),
        (.inconclusive, []), (.missing, []), (.noBaseline, []), (.improved, ["PG311 w.yml:1"]),
    ])
    func aWaiverThatNothingNeedsIsReported(_ verdict: Verdict, _ expected: [String]) throws {
        #expect(try Self.remarks([("A", "2026-12-24")], on: verdict) == expected)
    }

    @Test func aWaiverOfNothingIsReportedUnlessTheRunIsPartial() throws {
        #expect(try Self.remarks([("B", "2026-12-24")], on: .passed) == ["PG311 w.yml:1"])
        #expect(try Self.remarks([("B", "2026-12-24")], on: .passed, partial: true) == [])
        #expect(try Self.remarks([("A", "2026-12-24")], on: .missing, partial: true) == [])
    }

    /// A waiver for another device, which this call doesn't measure, is kept.
    @Test func aWaiverOfAnotherDeviceIsLeftAlone() throws {
        var remarks = try Self.told([("B", "2026-12-24")], on: .passed)
        #expect(remarks.waiverDiagnostics.count == 1)
        remarks.known = [Cell(page: Page("B"), metric: "ttil", environment: Environment([]))]
        #expect(remarks.waiverDiagnostics.isEmpty)
    }

    @Test func anExpiredWaiverIsReportedWhateverTheVerdict() throws {
        for verdict in [Verdict.passed, .regressed] {
            #expect(try Self.remarks([("A", "2026-12-01")], on: verdict) == ["PG310 w.yml:1"])
        }
    }

    @Test func twoForOneCellContradict() throws {
        let day = "2026-12-24"
        #expect(
            try Self.remarks([("A", day), ("B", day), ("A", day)], on: .waived) == [
                "PG311 w.yml:2", "PG312 w.yml:3",
            ])
        #expect(try Self.remarks([("A", "2026-11-01"), ("A", day)], on: .waived) == ["PG310 w.yml:1"])
    }
}
