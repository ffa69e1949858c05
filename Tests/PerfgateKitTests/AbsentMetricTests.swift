import PerfgateCompare
import PerfgateModel
import Testing

@testable import PerfgateKit

/// A metric that a call, a run, or most of its visits lack: lost, or absent by chance because some visits always lack it.
struct AbsentMetricTests {
    /// Ten nights of few visits; `alt` is measured where it isn't lost.
    private static func nights(
        of iterations: Int, isLost: @escaping (_ night: Int, _ iteration: Int) -> Bool = { _, _ in false }
    ) -> NightlyGate {
        var gate = NightlyGate()
        gate.night = log(iterations) { isLost(0, $0) }
        gate.more = (4...10).map { night in log(iterations, run: "night-\(night)") { isLost(night, $0) } }
        return gate
    }

    private static func log(
        _ iterations: Int, run: String = "pr", without key: String = "",
        isLost: @escaping (Int) -> Bool = { _ in true }
    ) -> PageLog {
        var log = PageLog(run: run, header: #","iterations":\#(iterations)"#, iterations: 0..<iterations)
        log.change = { iteration, lines in
            isLost(iteration) ? lines.map { $0.replacing(#""alt_ms":[100],"#, with: key) } : lines
        }
        return log
    }

    /// Few samples per run, but in each visit of each night. Without its key, the visit doesn't know the metric.
    @Test(arguments: ["", #""alt_ms":[],"#])
    func aMetricThatIsLostFromAShortRunIsMissed(_ key: String) throws {
        let lines = Self.log(3, without: key).lines
        let report = try Self.nights(of: 3).report(lines)
        #expect(report.exitCode == 2 && report.missed == ["alt": key.isEmpty ? VerdictDetail.noMetric : .tooFew])
        let whole = Self.log(3, run: "whole") { _ in false }.lines
        let beside = try Self.nights(of: 3).report(whole + lines)
        let alt = try #require(beside.comparisons.first { $0.metric.id == "alt" })
        #expect(beside.exitCode == 2 && beside.missed == ["alt": .tooFew])
        #expect(alt.reason == "It has no samples in run pr, but every run of the baseline has at least 3.")
    }

    /// No run of one visit shows it, but all together.
    @Test func aMetricThatIsLostFromManyRunsOfOneVisitIsMissed() throws {
        let gate = Self.nights(of: 1)
        func missed(_ runs: Int) throws -> [String: VerdictDetail?] {
            try gate.report((0..<runs).flatMap { Self.log(1, run: "pr-\($0)", without: #""alt_ms":[],"#).lines }).missed
        }
        #expect(try missed(5) == ["alt": .tooFew])
        #expect(try missed(2) == [:])
    }

    /// Whoever stops measuring at the first slow load has only fast ones.
    @Test func aMetricThatMostVisitsLoseIsMissed() throws {
        let gate = Self.nights(of: 8)
        let report = try gate.report(Self.log(8) { $0 > 1 }.lines)
        #expect(report.exitCode == 2 && report.missed == ["alt": .tooFew])
        let alt = try #require(report.comparisons.first { $0.metric.id == "alt" })
        #expect(alt.reason == "Only 2 of the 8 iterations whose visits loaded have a sample, clearly fewer than usual.")
        #expect(try gate.report(Self.log(8) { $0 > 3 }.lines).missed == [:])
    }

    /// Where many of the baseline's visits lack it, a run of few visits may have none by chance.
    @Test(arguments: ["", #""alt_ms":[],"#])
    func aMetricOfSomeVisitsMayBeAbsentFromAShortRun(_ key: String) throws {
        var gate = Self.nights(of: 3) { night, iteration in !(night + iteration).isMultiple(of: 2) }
        let report = try gate.report(Self.log(3, without: key).lines)
        #expect(report.exitCode == 0 && report.missed == [:])
        let alt = try #require(report.comparisons.first { $0.metric.id == "alt" })
        #expect(alt.reason == "Measured, but nothing happened that gives a sample.")
        gate.gate.policy.expected = [ExpectedPage(page: Page("Search"), metrics: ["alt"])]
        #expect(try gate.report(Self.log(3).lines).missed == ["alt": .noMetric])
    }

    @Test func aBaselineMayClaimAnyNumberOfIterations() throws {
        var gate = Self.nights(of: 8)
        gate.claimed = .max / 2
        #expect(try gate.report(Self.log(8) { $0 > 1 }.lines).exitCode == 0)
        #expect(try gate.report(Self.log(8).lines).exitCode == 0)
    }

    /// What is no loss in one night is a loss in the third.
    @Test func nightsWithoutAMetricCountTogether() throws {
        var gate = Self.nights(of: 3) { night, iteration in !(night + iteration).isMultiple(of: 2) }
        for night in 11...12 {
            #expect(try gate.report(Self.log(3).lines).exitCode == 0, "night \(night)")
            gate.more.append(Self.log(3, run: "night-\(night)"))
            gate.more[gate.more.count - 1].start = "2026-11-\(night)T03:00:00Z"
        }
        #expect(try gate.report(Self.log(3).lines).missed == ["alt": .noMetric])
    }
}
