import Foundation
import PerfgateBaselines
import PerfgateCompare
import PerfgateIngest
import PerfgateModel
import Testing

@testable import PerfgateKit

/// Scrolls and visits that began, or were declared, but have no measurements.
struct UnaccountedTests {
    private static let phone = PageLog(run: "other", header: "", device: "iPad1,1").lines[0]

    @Test(arguments: [
        [], [#"{"type":"fps","page":"Search","value":60}"#], [#"{"type":"pps","page":" ","ttil_ms":500}"#],
        [#"{"type":"state","iteration":0,"cpu_percent":3}"#],
    ])
    func aDeviceThatMeasuredNothingIsMissed(_ lines: [String]) throws {
        let report = try NightlyGate().report(PageLog().lines + [Self.phone] + lines)
        #expect(report.exitCode == 2)
        #expect(report.missed["environment"] == .noEnvironment)
        #expect(report.headline.contains("iPad1,1"))
    }

    @Test func anotherRunOfTheDeviceAccountsForIt() throws {
        var again = PageLog()
        again.run = "again"
        #expect(try NightlyGate().report([again.lines[0]] + PageLog().lines).exitCode == 0)
    }

    @Test func linesOfAnotherDeviceAccountForTheirRun() throws {
        let lines = PageLog().lines
        let header = #"{"type":"run","schema":1,"run_id":"pr","started_at":"2026-11-10T03:00:00Z"}"#
        let own = #","app":"shop","build":"Release","device":"iPhone12,1","os":"iOS 17.5","max_fps":60}"#
        let report = try NightlyGate().report([header] + lines.dropFirst().map { String($0.dropLast()) + own })
        #expect(report.exitCode == 0)
    }

    @Test func aDeviceThatIsNotLookedAtIsNotMissed() throws {
        var gate = NightlyGate()
        gate.gate.ingest.conditions = [IngestOptions.Condition(field: "device", value: "iPhone12,1")]
        #expect(try gate.report(PageLog().lines + [Self.phone]).exitCode == 0)
    }

    @Test func aPageWithOnlyAnUnfinishedScrollIsMissed() throws {
        var home = PageLog()
        home.page = "Home"
        let report = try NightlyGate().report(PageLog().lines + [home.frames(0, 0, count: 4)])
        #expect(report.exitCode == 2)
        #expect(report.comparisons.first { $0.verdict == .missing }?.detail == .unfinished)
    }

    @Test func aNewPageThatOnlyBeganIsMissed() throws {
        let drop = #"{"type":"frame_drop","page":"Home","scroll":0,"frames_dropped":2}"#
        let other = #"{"type":"frame_drop","page":"Home","iteration":1,"scroll":0,"frames_dropped":0}"#
        let end = #"{"type":"scroll","page":"Home","iteration":1,"scroll":0,"duration_ms":90}"#
        let elsewhere = String(drop.dropLast()) + #","device":"iPad1,1"}"#
        #expect(try NightlyGate().report(PageLog().lines + [drop, other, end]).exitCode == 0)
        let open = try NightlyGate().report(PageLog().lines + [elsewhere, other, end])
        #expect(open.exitCode == 2 && open.missed["page"] == .unfinished)
    }

    @Test func aPageWithOnlyACheckpointIsMissed() throws {
        let checkpoint = #"{"type":"pps","page":"Home","iteration":0,"visit_id":"a","ttfl_ms":41}"#
        let report = try NightlyGate().report(PageLog().lines + [checkpoint])
        #expect(report.exitCode == 2 && report.missed["ttfl"] == .unfinished)
        let ended = String(checkpoint.dropLast()) + #","outcome":"abandoned"}"#
        #expect(try NightlyGate().report(PageLog().lines + [ended]).exitCode == 0)
    }

    @Test(arguments: [
        (#","shard":"1/2""#, "2/2 isn't here"), (#","parts":3,"part":"a""#, "3 parts; 1 is here"),
    ])
    func absentPartsAreBadData(_ header: String, _ words: String) throws {
        var log = PageLog()
        log.header = header
        let report = try NightlyGate().report(log.lines)
        #expect(report.exitCode == 65 && report.headline.contains(words))
        var partial = NightlyGate()
        partial.gate.policy.isPartial = true
        let told = try partial.report(log.lines)
        #expect(told.exitCode == 0 && told.notes.contains { $0.contains(words) })
    }

    @Test func onlyRunsThatGateMeetARequiredEnvironment() throws {
        var gate = NightlyGate()
        let day = try #require(CalendarDay("9999-01-01"))
        gate.gate.policy.expectedEnvironments = [
            ExpectedEnvironment(["device": .text("iPad1,1")], isRequired: true)
        ]
        var pad = PageLog()
        (pad.run, pad.device, pad.header) = ("pad", "iPad1,1", #","device_id":"swollen""#)
        #expect(try gate.report(PageLog().lines + pad.lines).missed.isEmpty)
        gate.gate.policy.quarantine = [QuarantinedDevice(id: "swollen", until: day, reason: "r", from: .builtIn)]
        let report = try gate.report(PageLog().lines + pad.lines)
        #expect(report.exitCode == 2 && report.missed["environment"] == .noEnvironment)
    }
}
