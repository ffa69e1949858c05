import PerfgateCompare
import PerfgateModel
import Testing

@testable import PerfgateKit

/// Screens that stand still for a second or more, or show so few frames that none can be late.
struct FrozenScreenTests {
    /// The ticks of a scroll with a regular interval, and one interval that is longer.
    private static func frames(_ iteration: Int, _ scroll: Int, everyNS step: Int, freezeNS: Int = 0) -> String {
        let ticks = (0..<13).map { String($0 * step + ($0 > 6 ? freezeNS : 0)) }
        return #"{"type":"frames","page":"Search","iteration":\#(iteration),"scroll":\#(scroll),"timestamps_ns":["#
            + ticks.joined(separator: ",") + #"],"duration_ns":\#(step)}"#
    }

    /// A run in which the first scroll of some iterations has an interval of ten seconds.
    private static func frozen(_ iterations: Range<Int>, run: String = "pr", hour: Int = 10) -> [String] {
        PageLog(run: run, start: "2026-11-10T\(hour):00:00Z") { frozen($0, $1, in: iterations) }.lines
    }

    private static func frozen(_ iteration: Int, _ lines: [String], in iterations: Range<Int>) -> [String] {
        guard iterations.contains(iteration) else { return lines }
        let end = lines[1].replacing("\"duration_ms\":200.0", with: "\"duration_ms\":10200")
        return [frames(iteration, 0, everyNS: 16_666_667, freezeNS: 10_000_000_000), end] + lines.dropFirst(2)
    }

    /// The lines of an iteration; those before `until` scroll at ten frames per second.
    private static func slow(_ iteration: Int, _ lines: [String], until: Int) -> [String] {
        guard iteration < until else { return lines }
        return (0..<6).flatMap { scroll in
            [
                frames(iteration, scroll, everyNS: 100_000_000),
                lines[2 * scroll + 1].replacing("\"duration_ms\":200.0", with: "\"duration_ms\":1200"),
            ]
        } + lines.suffix(1)
    }

    /// Every frame was on time, because the display was asked for ten a second.
    @Test(arguments: [(0, 0), (1, 0), (2, 2), (5, 2)] as [(Int, Int32)])
    func aSlowDisplayIsNotMeasured(_ slow: Int, _ exitCode: Int32) throws {
        let log = PageLog { Self.slow($0, $1, until: slow) }
        let report = try NightlyGate().report(log.lines)
        #expect(report.exitCode == exitCode, "\(report.headline)")
        let drops = try #require(report.comparisons.first { $0.metric.id == "dropped_frames" })
        #expect((drops.detail == .slowDisplay) == (exitCode == 2))
        #expect((drops.rule.last?.found == .slowDisplay) == (exitCode == 2))
        guard exitCode == 2 else { return }
        #expect(report.headline.contains("Search: the display showed far fewer frames per second than usual"))
        #expect(drops.reason.contains("only 10 of the usual 60 frames per second"))
        #expect(try NightlyGate().update(log.lines).0.refused.map(\.metric).contains("dropped_frames"))
    }

    /// Nights of it don't make it the usual rate, and a night with two freezes isn't what the next is compared with.
    @Test(arguments: [true, false])
    func nightsOfItAreNotStored(isSlow: Bool) throws {
        func night(_ run: String, day: Int) -> PageLog {
            PageLog(run: run, start: "2026-11-\(day)T03:00:00Z") { iteration, lines in
                guard isSlow else { return Self.frozen(iteration, lines, in: 0..<2) }
                return Self.slow(iteration, lines, until: 5)
            }
        }
        var gate = NightlyGate()
        gate.more = (11...20).map { night("slow-\($0)", day: $0) }
        let report = try gate.report(night("pr", day: 21).lines)
        #expect(report.exitCode == (isSlow ? 2 : 3), "\(report.headline)")
        let stored = try gate.update(night("again", day: 22).lines).1.storedCells
        let rate = try #require(stored.first { $0.cell.metric == (isSlow ? "fps_mean" : "dropped_frames") })
        #expect(rate.runs.count == 3, "\(rate)")
    }

    /// A freeze is no slow display, whatever it does to the mean frame rate.
    @Test(arguments: [(1, false), (2, true)])
    func aFreezeIsNamed(_ count: Int, isUndecided: Bool) throws {
        var gate = NightlyGate()
        gate.gate.policy.confirmation = .rerun
        let report = try gate.report(Self.frozen(0..<count))
        #expect(
            report.notes.contains(
                "Search froze: 600 frames dropped at one instant in \(count) of 5 samples, at most 0 in the baseline."),
            "\(report.notes)")
        let drops = try #require(report.comparisons.first { $0.metric.id == "dropped_frames" })
        #expect(drops.isSuspect == isUndecided)
        #expect(report.exitCode == (isUndecided ? 3 : 0))
    }

    /// With few runs in the baseline no test can fail it, and a rerun that froze as well clears nothing.
    @Test func aFreezeInTheRerunTooIsNoPass() throws {
        var gate = NightlyGate()
        gate.gate.policy.confirmation = .rerun
        let again = Self.frozen(0..<1, run: "again", hour: 11)
        let report = try gate.report(Self.frozen(0..<2), again: [again])
        let drops = try #require(report.comparisons.first { $0.metric.id == "dropped_frames" })
        #expect(drops.rule.last?.found == .told && report.exitCode == 3, "\(drops.reason)")
        #expect(!report.notes.contains { $0.contains("cleared by") }, "\(report.notes)")
        let cleared = try gate.report(Self.frozen(0..<2), again: [Self.frozen(0..<0, run: "again", hour: 11)])
        #expect(cleared.exitCode == 0, "\(cleared.headline)")
    }
}
