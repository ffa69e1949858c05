import PerfgateCompare
import PerfgateModel
import Testing

@testable import PerfgateKit

/// Measurements and limits are checked for each run separately; changes are judged together, and must not hide there.
struct EachRunTests {
    private static func log(_ run: String, hour: Int, _ change: (inout PageLog) -> Void = { _ in }) -> [String] {
        var log = PageLog(run: run, start: "2026-11-20T\(hour + 10):00:00Z")
        change(&log)
        return log.lines
    }

    /// Without the ticks of this many frames in the first scroll.
    private static func dropping(_ frames: Int, _ log: inout PageLog) {
        log.duration = 400
        log.change = { _, lines in
            lines.map { line in
                guard line.contains(#""type":"frames""#), line.contains(#""scroll":0"#) else { return line }
                let gap = (3...(2 + frames)).map { ",\($0 * 16_666_667)" }.joined()
                return line.replacing(gap + ",", with: ",")
            }
        }
    }

    private static func result(_ metric: String, _ report: GateReport) throws -> CellResult {
        try #require(report.comparisons.first { $0.metric.id == metric })
    }

    @Test func twoCleanRunsHideNoRunOverItsLimit() throws {
        let clean = Self.log("a", hour: 1) + Self.log("b", hour: 2)
        let bad = Self.log("c", hour: 0) { Self.dropping(9, &$0) }
        let report = try NightlyGate().report(clean + bad)
        let drops = try Self.result("dropped_frames", report)
        #expect(report.exitCode == 2 && drops.verdict == .overLimit && drops.judgedValue == 9)
        #expect(drops.reason.hasPrefix("The median of run c, 9 frames, is above the limit of 1 frame"))
        #expect(
            Explanation(drops).outlook.first
                == "5 of 5 samples break the limit of 1 frame; it is kept if at most 2 do.")
    }

    /// A run with fewer iterations than expected of each run, beside a complete one.
    @Test func aRunWithEnoughIterationsHidesNoShortOne() throws {
        var gate = NightlyGate()
        gate.gate.policy.expected = [ExpectedPage(page: Page("Search"), metrics: ["ttil"], iterations: 5)]
        let report = try gate.report(Self.log("a", hour: 0) + Self.log("b", hour: 1) { $0.iterations = 0..<4 })
        let ttil = try Self.result("ttil", report)
        #expect(ttil.detail == .tooFew && report.exitCode == 2)
        #expect(ttil.reason == "Only 4 iterations of the expected 5 of run b measured it.")
    }

    /// A run in which every visit fails.
    private static func failing(_ header: String = "") -> [String] {
        log("b", hour: 1) { log in
            log.header = header
            log.change = { iteration, lines in
                lines.dropLast() + [
                    #"{"type":"pps","page":"Search","iteration":\#(iteration),"visit_id":"b\#(iteration)","#
                        + #""outcome":"error","duration_ms":90}"#
                ]
            }
        }
    }

    @Test func aRunThatLoadsHidesNoneThatNeverDid() throws {
        let ttil = try Self.result("ttil", try NightlyGate().report(Self.log("a", hour: 0) + Self.failing()))
        #expect(ttil.detail == .notLoaded && ttil.reason.contains("of run b"))
    }

    @Test(arguments: ["shown only", "bad"])
    func aRunThatGatesNothingIsNotAsked(_ kind: String) throws {
        var gate = NightlyGate()
        gate.gate.policy.badRun = .exclude
        gate.gate.policy.fitness = [FitnessRule("thermal_state", .equals(.text("critical")), .show)]
        let header = kind == "bad" ? "" : #","thermal_state":"critical""#
        let lines = Self.log("a", hour: 0) + Self.failing(header) + (kind == "bad" ? ["{"] : [])
        #expect(try gate.report(lines).exitCode == 0)
    }

    @Test func aRunThatEndsItsScrollsHidesNoneThatEndedNone() throws {
        let killed = Self.log("b", hour: 1) { log in
            log.change = { _, lines in lines.filter { !$0.contains(#""type":"scroll""#) || $0.contains(#""scroll":9"#) }
            }
        }
        let report = try NightlyGate().report(Self.log("a", hour: 0) + killed)
        #expect(try Self.result("dropped_frames", report).verdict == .missing)
    }

    /// Only the suspects' pages are measured again.
    @Test func aRunThatDidNotMeasureAPageIsNotAsked() throws {
        var gate = NightlyGate()
        gate.more = [PageLog(run: "home", page: "Home")]
        gate.gate.policy.expected = ["Search", "Home"].map { ExpectedPage(page: Page($0), iterations: 5) }
        let first = Self.log("a", hour: 0) + Array(Self.log("a", hour: 0) { $0.page = "Home" }.dropFirst())
        let report = try gate.report(first + Self.log("b", hour: 1))
        #expect(report.exitCode == 0)
    }

    // What runs show by themselves.

    /// Four runs of one build, of which those with these numbers take 300 ms longer.
    private static func slow(_ runs: Set<Int>) -> [String] {
        (0..<4).flatMap { run in log("r\(run)", hour: run) { $0.slower = runs.contains(run) ? 300 : 0 } }
    }

    /// Most of its visits are left before they load.
    private static let left = log("left", hour: 1) { log in
        log.change = { iteration, lines in
            guard iteration > 0 else { return lines }
            return lines.dropLast() + [
                #"{"type":"pps","page":"Search","iteration":\#(iteration),"visit_id":"left-\#(iteration)","#
                    + #""outcome":"abandoned","duration_ms":90}"#
            ]
        }
    }

    @Test func runsThatAreWorseInDifferentWaysHideNothing() throws {
        let slow = Self.log("slow", hour: 0) { $0.slower = 300 }
        #expect(try Self.result("ttil", NightlyGate().report(slow)).isWorse)
        #expect(try Self.result("load_failures", NightlyGate().report(Self.left)).isWorse)
        let clean = Self.log("clean-1", hour: 2) + Self.log("clean-2", hour: 3)
        let report = try NightlyGate().report(slow + Self.left + clean)
        let (ttil, failures) = (try Self.result("ttil", report), try Self.result("load_failures", report))
        #expect(report.exitCode == 2 && ttil.isWorse && failures.isWorse)
        for result in [ttil, failures] {
            #expect(
                result.reason.hasPrefix(
                    "1 of the 4 runs got worse by itself, and other metrics of the page in others, beyond chance: left (load_failures), slow (ttil). All together: "
                ))
        }
    }

    @Test func halfOfTheRunsFailAPageAndFewerDoNot() throws {
        let half = try Self.result("ttil", NightlyGate().report(Self.slow([1, 2])))
        #expect(half.isWorse && half.reason.contains("2 of the 4 runs got worse by themselves"))
        #expect(try Self.result("ttil", NightlyGate().report(Self.slow([1]))).verdict == .passed)
        let five = Self.slow([1, 2]) + Self.log("r4", hour: 4)
        #expect(try Self.result("ttil", NightlyGate().report(five)).verdict == .passed)
    }

    /// A gate that waives load times.
    private static func waiving(upTo ceiling: Double = 900) throws -> NightlyGate {
        var gate = NightlyGate()
        let day = try #require(CalendarDay("2099-01-01"))
        gate.gate.policy.waivers = [
            Waiver(page: Page("Search"), metric: "ttil", ceiling: ceiling, until: day, reason: "known", from: .builtIn)
        ]
        return gate
    }

    @Test func aWaiverHoldsForWhatRunsShowByThemselves() throws {
        let report = try Self.waiving().report(Self.slow([1, 2]))
        #expect(report.exitCode == 0)
        #expect(try Self.result("ttil", report).verdict == .waived)
    }

    /// All runs are slow, which is waived; another metric is worse in one of them only.
    @Test func whatIsWaivedAccusesNoOtherMetric() throws {
        let slow = Self.slow([0, 1, 2, 3]).map { line in
            line.contains(#""visit_id":"r1-"#) ? line.replacing(#""alt_ms":[100]"#, with: #""alt_ms":[200]"#) : line
        }
        let report = try Self.waiving().report(slow)
        #expect(try Self.result("alt", report).verdict == .passed)
        #expect(report.exitCode == 0)
    }

    /// The slow runs take 802 ms, and all together 652 ms.
    @Test func aWaiverMustCoverTheWorstRun() throws {
        let ttil = try Self.result("ttil", Self.waiving(upTo: 700).report(Self.slow([1, 2])))
        #expect(ttil.isWorse && ttil.reason.contains("802 ms is beyond the waiver"), "\(ttil.reason)")
    }

    @Test func aPageThatFailsHidesNoOtherMetric() throws {
        let slow = Self.slow([1, 2]).map { $0.replacing(#""alt_ms":[100]"#, with: #""alt_ms":[200]"#) }
        let report = try NightlyGate().report(slow)
        #expect(try Self.result("alt", report).isWorse && Self.result("ttil", report).isWorse)
    }

    /// A run of one iteration can't fail by itself.
    @Test func aRunThatMeasuredLittleClearsNothing() throws {
        let short = Self.log("short", hour: 0) { $0.iterations = 0..<1 }
        let others = (1...4).flatMap { run in Self.log("r\(run)", hour: run) { $0.slower = run < 3 ? 300 : 0 } }
        #expect(try Self.result("ttil", NightlyGate().report(short + others)).isWorse)
    }

    /// Where a rerun must confirm, two runs at the same time confirm nothing, and clean reruns clear them.
    @Test(arguments: [([0, 0, 0, 0], 3), ([0, 0, 1, 2], 0), ([0, 1, 2, 3], 2)])
    func whereARerunMustConfirm(_ hours: [Int], _ code: Int) throws {
        var gate = NightlyGate()
        gate.gate.policy.confirmation = .rerun
        let slow = code == 2 ? [0, 2] : [0, 1]
        let runs = hours.indices.flatMap { run in
            Self.log("r\(run)", hour: hours[run]) { $0.slower = slow.contains(run) ? 300 : 0 }
        }
        let report = try gate.report(runs)
        #expect(report.exitCode == code, "\(report.headline)")
        #expect(try Self.result("ttil", report).isSuspect == (code == 3))
    }

    // Missing measurements that a rerun replaces.

    private static let frozen: [String] = log("first", hour: 0) { log in
        log.duration = 400
        let page = log
        log.change = { iteration, lines in
            iteration == 2 ? [page.frames(iteration, 0, count: 5)] + lines.dropFirst() : lines
        }
    }

    @Test func anIterationWhoseFramesStoppedIsForgivenWhereItWasMeasuredAgain() throws {
        let first = try NightlyGate().report(Self.frozen)
        #expect(first.exitCode == 2)
        #expect(first.next.contains { $0.purpose.contains("judge the old logs and the new ones") })
        let report = try NightlyGate().report(Self.frozen + Self.log("again", hour: 1))
        #expect(report.exitCode == 0)
        #expect(report.diagnostics.contains { $0.code == .forgivenRun && $0.message.contains("Run first") })
        #expect(try Self.result("ttil", report).candidate?.runs == 2)
    }

    @Test func aShortRunIsForgivenWhereItWasMeasuredAgain() throws {
        let short = Self.log("first", hour: 0) { $0.iterations = 0..<1 }
        #expect(try NightlyGate().report(short).exitCode == 2)
        #expect(try NightlyGate().report(short + Self.log("again", hour: 1)).exitCode == 0)
        let few = Self.log("first", hour: 0) { $0.scrolls = 0..<2 }
        #expect(try NightlyGate().report(few + Self.log("again", hour: 1)).exitCode == 0)
    }

    @Test(arguments: ["before", "at once", "without a time", "another build", "short as well"])
    func nothingElseMakesUpForIt(_ why: String) throws {
        let again: [String]
        switch why {
        case "before": again = PageLog(run: "again", start: "2026-11-20T09:00:00Z").lines
        case "at once": again = Self.log("again", hour: 0)
        case "without a time": again = PageLog(run: "again", start: nil).lines
        case "another build": again = Self.log("again", hour: 1) { $0.header = #","commit":"bbbb""# }
        default: again = Self.log("again", hour: 1) { $0.iterations = 0..<1 }
        }
        var gate = NightlyGate()
        gate.gate.policy.poolsBuilds = true
        let first =
            why == "another build"
            ? Self.frozen.map { $0.replacing(#""app":"shop""#, with: #""app":"shop","commit":"aaaa""#) } : Self.frozen
        let drops = try Self.result("dropped_frames", try gate.report(first + again))
        #expect(drops.detail == .framesStopped)
    }

    /// The measurements of the excused run still count.
    @Test func aForgivenRunKeepsItsLimits() throws {
        let frozen = Self.frozen.map { line in
            guard line.contains(#""type":"frames""#), !line.contains(#""iteration":2"#) else { return line }
            return line.replacing((3...11).map { ",\($0 * 16_666_667)" }.joined() + ",", with: ",")
        }
        let report = try NightlyGate().report(frozen + Self.log("again", hour: 1))
        #expect(try Self.result("dropped_frames", report).verdict == .overLimit)
    }
}

/// A rerun is a later run of the same build; nothing else confirms or clears a suspect.
struct RerunTests {
    private static func report(
        _ second: PageLog, firstStart: String? = "2026-11-20T10:00:00Z", isAttempt: Bool = false
    ) throws -> GateReport {
        var gate = NightlyGate()
        gate.gate.policy.confirmation = .rerun
        gate.gate.policy.poolsBuilds = true
        let first = PageLog(run: "first", header: #","commit":"aaaa""#, start: firstStart, slower: 200).lines
        return try isAttempt
            ? gate.report(first, again: [second.lines]) : gate.report(first + second.lines)
    }

    private static func ttil(_ report: GateReport) throws -> CellResult {
        try #require(report.comparisons.first { $0.metric.id == "ttil" })
    }

    @Test(arguments: [
        ("2026-11-20T10:00:00Z", "aaaa", "none of the others began later"),
        ("2026-11-20T09:00:00Z", "aaaa", "none of the others began later"),
        (nil, "aaaa", "the others don't all say by started_at when they began"),
        ("2026-11-20T11:00:00Z", "bbbb", "the others measured another build"),
    ])
    func whatIsNoRerunLeavesTheSuspect(_ start: String?, _ commit: String, _ why: String) throws {
        for slower in start == "2026-11-20T09:00:00Z" ? [0] : [0, 200] {
            let second = PageLog(run: "second", header: #","commit":"\#(commit)""#, start: start, slower: slower)
            let ttil = try Self.ttil(Self.report(second))
            #expect(ttil.detail == .confirm || slower == 0)
            #expect(ttil.isSuspect && ttil.reason.contains("no rerun confirms it, because \(why): "), "\(ttil.reason)")
        }
    }

    @Test func aRerunConfirmsOrClears() throws {
        var again = PageLog(run: "second", header: #","commit":"aaaa0001""#, start: "2026-11-20T11:00:00Z", slower: 200)
        #expect(try Self.report(again).exitCode == 2)
        again.slower = 0
        #expect(try Self.report(again).exitCode == 0)
    }

    /// Runs of --rerun-command count as later if their logs give no time; a given time is used.
    @Test(arguments: [(nil, 2), ("2026-11-20T11:00:00Z", 2), ("2026-11-20T10:00:00Z", 3)] as [(String?, Int)])
    func theCommandsLogsAreLater(_ start: String?, _ code: Int) throws {
        let again = PageLog(run: "second", start: start, slower: 200)
        #expect(try Self.report(again, isAttempt: true).exitCode == code)
        #expect(try Self.report(again, firstStart: nil, isAttempt: true).exitCode == 2)
    }

    /// A slow run after a fast one isn't a rerun.
    @Test func theRunThatMadeTheSuspectIsTheOneToRepeat() throws {
        let before = PageLog(run: "second", header: #","commit":"aaaa""#, start: "2026-11-20T09:00:00Z")
        #expect(try Self.ttil(Self.report(before)).isSuspect)
    }
}
