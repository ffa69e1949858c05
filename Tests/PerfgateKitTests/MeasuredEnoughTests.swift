import Foundation
import PerfgateBaselines
import PerfgateCompare
import PerfgateIngest
import PerfgateModel
import Testing

@testable import PerfgateKit

/// A run of one page as the recorder writes it, line by line: visits that load, and scrolls that end.
struct PageLog {
    var run = "pr"
    var page = "Search"
    /// Additional fields of the `run` line.
    var header = ""
    var device = "iPhone12,1"
    /// The start; `nil`: unknown.
    var start: String? = "2026-11-10T03:00:00Z"
    /// The slowdown of its visits, in ms.
    var slower = 0
    var iterations = 0..<5
    var scrolls = 0..<6
    /// The duration of each scroll, in ms.
    var duration = 200.0
    var images = 4
    /// Changes an iteration's lines.
    var change: (_ iteration: Int, _ lines: [String]) -> [String] = { $1 }

    /// The lines of the run.
    var lines: [String] {
        [
            #"{"type":"run","schema":1,"run_id":"\#(run)","app":"shop","build":"Release","device":"\#(device)","#
                + #""os":"iOS 17.5","max_fps":60\#(start.map { #","started_at":"\#($0)""# } ?? "")\#(header)}"#
        ] + iterations.flatMap { change($0, lines(of: $0)) }
    }

    private func lines(of iteration: Int) -> [String] {
        scrolls.flatMap { [frames(iteration, $0), end(iteration, $0)] } + [visit(iteration)]
    }

    /// The ticks of a scroll, at 60 Hz.
    func frames(_ iteration: Int, _ scroll: Int, count: Int? = nil) -> String {
        let ticks = (0..<(count ?? Int(duration * 60 / 1_000))).map { String($0 * 16_666_667) }
        return #"{"type":"frames","page":"\#(page)","iteration":\#(iteration),"scroll":\#(scroll),"timestamps_ns":["#
            + ticks.joined(separator: ",") + #"],"duration_ns":16666667}"#
    }

    /// The line that ends a scroll.
    func end(_ iteration: Int, _ scroll: Int) -> String {
        #"{"type":"scroll","page":"\#(page)","iteration":\#(iteration),"scroll":\#(scroll),"duration_ms":\#(duration)}"#
    }

    /// The line of a visit.
    func visit(_ iteration: Int, _ outcome: String = "loaded", rclt: String? = nil) -> String {
        let entry = #"{"ms":90,"outcome":"loaded"}"#
        let entries = rclt ?? Array(repeating: entry, count: images).joined(separator: ",")
        return #"{"type":"pps","page":"\#(page)","iteration":\#(iteration),"visit_id":"\#(run)-\#(iteration)","#
            + #""outcome":"\#(outcome)","ttil_ms":\#(500 + iteration % 5 + slower),"alt_ms":[100],"rclt":[\#(entries)]}"#
    }
}

/// A gate with a baseline of three nights of this page.
struct NightlyGate {
    var gate = Gate()
    /// The measurements of the nights.
    var night = PageLog()
    /// Whether the baselines contain the amount that was measured.
    var keepsCounts = true
    /// The number of iterations and loaded visits that the baselines claim for each; `nil`: the measured one.
    var claimed: Int?
    /// Runs that are stored after the nights.
    var more: [PageLog] = []

    /// The report for some lines.
    func report(_ lines: [String], again: [[String]] = []) throws -> GateReport {
        let folder = try Folder()
        return try gate.report(
            on: [folder.write(lines)], again: again.map(folder.write),
            against: .baselines(series(in: folder).baselines))
    }

    /// The result of storing some lines.
    func update(_ lines: [String], _ acceptance: UpdatePlan.Acceptance? = nil) throws -> (UpdatePlan, Baselines) {
        let folder = try Folder()
        var series = UpdateSeries(
            of: BaselineStore(folder: "Baselines"), holding: try series(in: folder).baselines,
            by: terms(acceptance))
        return (try series.take(Ingest(gate.ingest).read([folder.write(lines)])).plan, series.baselines)
    }

    private func series(in folder: Folder) throws -> UpdateSeries {
        var series = UpdateSeries(of: BaselineStore(folder: "Baselines"), holding: Baselines(), by: terms(nil))
        for number in 1...3 {
            var night = night
            night.run = "night-\(number)"
            var measured = Ingest().read([try folder.write(night.lines)])
            if !keepsCounts { for place in measured.pages.keys { measured.pages[place]?.measured = [:] } }
            if let claimed {
                let counts = MeasuredCounts(iterations: claimed, visits: .init(loaded: claimed))
                for place in measured.pages.keys { measured.pages[place]?.measured = [night.run: [0: counts]] }
            }
            _ = try series.take(measured)
        }
        for log in more { _ = try series.take(Ingest().read([folder.write(log.lines)])) }
        return series
    }

    private func terms(_ acceptance: UpdatePlan.Acceptance?) -> UpdateTerms {
        UpdateTerms(
            policy: gate.policy, acceptance: acceptance, now: Timestamp(secondsSince1970: 1_800_000_000), tool: "t")
    }
}

/// A folder of logs, removed with the value.
private final class Folder {
    private let url = FileManager.default.temporaryDirectory.appending(path: "perfgate-\(UUID().uuidString)")
    private var count = 0

    init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(at: url) }

    func write(_ lines: [String]) throws -> String {
        count += 1
        let file = url.appending(path: "\(count).ndjson")
        try (lines.joined(separator: "\n") + "\n").write(to: file, atomically: true, encoding: .utf8)
        return file.path
    }
}

extension GateReport {
    /// The reasons for missing measurements, by metric.
    var missed: [String: VerdictDetail?] {
        Dictionary(comparisons.filter { $0.verdict == .missing }.map { ($0.metric.id, $0.detail) }) { first, _ in first
        }
    }
}

/// Regressions and missing measurements that once passed.
struct MeasuredEnoughTests {
    /// A log, and its missing measurements.
    struct Loss: Sendable, CustomTestStringConvertible {
        let name: String
        let metric: String
        let detail: VerdictDetail
        let change: @Sendable (inout PageLog) -> Void
        var testDescription: String { name }
    }

    static let losses = [
        Loss(name: "killed in the second scroll of every iteration", metric: "dropped_frames", detail: .tooFew) { log in
            let page = log
            log.change = { iteration, lines in
                [lines.last ?? ""] + lines.prefix(2) + [page.frames(iteration, 1, count: 3)]
            }
        },
        Loss(name: "one of six scrolls without a tick", metric: "dropped_frames", detail: .framesStopped) { log in
            log.change = { _, lines in Array(lines.dropFirst()) }
        },
        Loss(name: "one of six scrolls with ticks in its first half", metric: "drop_events", detail: .framesStopped) {
            let page = $0
            $0.change = { iteration, lines in [page.frames(iteration, 0, count: 6)] + lines.dropFirst() }
        },
        Loss(name: "empty values instead of any frame", metric: "dropped_frames", detail: .tooFew) { log in
            log.change = { iteration, lines in
                lines.suffix(1) + [
                    #"{"type":"metric","page":"Search","iteration":\#(iteration),"metric":"dropped_frames","#
                        + #""unit":"frames","values":[]}"#
                ]
            }
        },
        Loss(name: "no image", metric: "rclt", detail: .tooFew) { $0.images = 0 },
        Loss(name: "no image loads", metric: "rclt", detail: .tooFew) { log in
            let page = log
            log.change = { iteration, lines in
                lines.dropLast() + [page.visit(iteration, rclt: #"{"ms":5,"outcome":"error"}"#)]
            }
        },
        Loss(name: "cut after its first whole iteration", metric: "ttil", detail: .tooFew) { $0.iterations = 0..<1 },
        Loss(name: "one iteration fewer than it says", metric: "ttil", detail: .tooFew) { log in
            log.header = #","iterations":2"#
            log.iterations = 0..<1
        },
        Loss(name: "scrolls that don't say how long they lasted", metric: "dropped_frames", detail: .tooFew) { log in
            log.change = { _, lines in lines.map { $0.replacing(#","duration_ms":200.0"#, with: "") } }
        },
        Loss(name: "half of the scrolls", metric: "hitch_ratio", detail: .tooFew) { $0.scrolls = 0..<3 },
    ]

    @Test(arguments: losses)
    func fails(_ loss: Loss) throws {
        var log = PageLog()
        loss.change(&log)
        let report = try NightlyGate().report(log.lines)
        #expect(report.exitCode == 2)
        #expect(report.missed[loss.metric] == loss.detail, "\(report.missed)")
        let (plan, _) = try NightlyGate().update(log.lines)
        #expect(plan.status == .failed && plan.refused.contains { $0.metric == loss.metric })
    }

    @Test func failsWhereFourOfFiveVisitsDo() throws {
        var log = PageLog()
        let page = log
        log.change = { iteration, lines in
            iteration == 0 ? lines : lines.dropLast() + [page.visit(iteration, iteration < 3 ? "error" : "abandoned")]
        }
        let report = try NightlyGate().report(log.lines)
        #expect(report.exitCode == 2)
        #expect(report.comparisons.first { $0.metric.id == "load_failures" }?.verdict == .regressed)
    }

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

    @Test(arguments: [#"{"msec":90,"outcome":"loaded"}"#, #"{"outcome":"loaded"}"#, #"{"ms":null}"#])
    func anImageThatLoadedInNoTimeIsBadData(_ entry: String) throws {
        var log = PageLog()
        let page = log
        log.change = { iteration, lines in lines.dropLast() + [page.visit(iteration, rclt: entry)] }
        #expect(try NightlyGate().report(log.lines).exitCode == 65)
    }

    @Test func failsWhereOnlyOneIterationIsFit() throws {
        var log = PageLog()
        log.change = { iteration, lines in
            let state = iteration == 0 ? "nominal" : "critical"
            return [#"{"type":"state","iteration":\#(iteration),"thermal_state":"\#(state)"}"#] + lines
        }
        var gate = NightlyGate()
        gate.gate.policy.fitness = [FitnessRule("thermal_state", .equals(.text("critical")), .refuse)]
        let report = try gate.report(log.lines)
        #expect(report.exitCode == 2 && report.missed["ttil"] == .tooFew)
    }

    @Test func failsWhereTheWholeRunHasOneIteration() throws {
        var (bad, good) = (PageLog(), PageLog())
        bad.run = "bad"
        good.iterations = 0..<1
        var gate = NightlyGate()
        gate.gate.policy.badRun = .exclude
        let report = try gate.report(good.lines + bad.lines + ["{"])
        #expect(report.exitCode == 2 && report.missed["ttil"] == .tooFew)
    }

    /// Each configured share of 0 requires nothing.
    @Test func sharesAreSettable() throws {
        var log = PageLog()
        log.iterations = 0..<1
        log.scrolls = 0..<1
        log.images = 0
        var gate = NightlyGate()
        gate.gate.policy.measured.iterations = 0
        gate.gate.policy.measured.scrolls = 0
        gate.gate.policy.measured.samples = 0
        #expect(try gate.report(log.lines).exitCode == 0)
        gate.gate.policy.expected = [ExpectedPage(page: Page("Search"), scrolls: 2)]
        #expect(try gate.report(log.lines).missed["dropped_frames"] == .tooFew)
    }

    @Test func acceptingASmallerMeasurementMakesItUsual() throws {
        var log = PageLog()
        log.scrolls = 0..<2
        log.header = #","commit":"abc""#
        let acceptance = UpdatePlan.Acceptance(reason: "two of them say as much")
        let (plan, baselines) = try NightlyGate().update(log.lines, acceptance)
        #expect(plan.refused.isEmpty && plan.accepted.contains { $0.metric == "dropped_frames" })
        let place = try #require(baselines.places.first)
        #expect(baselines[place]?.measured["pr"]?.scrolls == 10)
        #expect(baselines[place]?.accepted.contains { $0.metric == "dropped_frames" } == true)
    }
}

/// Fewer measurements than usual with a good reason, which pass.
struct MeasuredLessTests {
    @Test func aNightOfTwentyAndAPullRequestOfFivePass() throws {
        var gate = NightlyGate()
        gate.night.iterations = 0..<20
        #expect(try gate.report(PageLog().lines).exitCode == 0)
    }

    @Test func aPageThatGotFasterOrCachesPasses() throws {
        var log = PageLog()
        log.duration = 100
        log.images = 1
        #expect(try NightlyGate().report(log.lines).exitCode == 0)
    }

    @Test func runsWithoutCountsAskNothing() throws {
        var gate = NightlyGate()
        gate.keepsCounts = false
        var log = PageLog()
        log.iterations = 0..<1
        log.scrolls = 0..<2
        log.images = 0
        #expect(try gate.report(log.lines).exitCode == 0)
    }

    @Test(arguments: ["says so", "is partial", "is a selection"])
    func fewerIterationsPassWhereTheRun(_ excuse: String) throws {
        var log = PageLog()
        log.iterations = 0..<1
        var gate = NightlyGate()
        switch excuse {
        case "says so": log.header = #","iterations":1"#
        case "is partial": gate.gate.policy.isPartial = true
        default: gate.gate.ingest.conditions = [IngestOptions.Condition(field: "device", value: "iPhone12,1")]
        }
        let report = try gate.report(log.lines)
        #expect(report.exitCode == 0)
        let told = report.diagnostics.filter { $0.code == .smallerRun }
        #expect(told.count == 1 && told[0].message.contains("Fewer iterations than usual measured 1 page (Search)"))
    }

    @Test func fewerScrollsAreExcusedByNothing() throws {
        var log = PageLog()
        log.header = #","iterations":5"#
        log.scrolls = 0..<3
        #expect(try NightlyGate().report(log.lines).exitCode == 2)
    }

    @Test func oneFailingVisitInAHundredPasses() throws {
        var gate = NightlyGate()
        gate.night.iterations = 0..<100
        var log = gate.night
        log.run = "pr"
        let page = log
        log.change = { iteration, lines in
            iteration == 7 ? lines.dropLast() + [page.visit(iteration, "error")] : lines
        }
        #expect(try gate.report(log.lines).exitCode == 0)
    }

    /// A UI test ends its app by killing it.
    @Test func aKillInTheLastScrollOfAnIterationPasses() throws {
        var log = PageLog()
        log.change = { iteration, lines in iteration == 4 ? lines.filter { !$0.contains(#""scroll":5,"dur"#) } : lines }
        let report = try NightlyGate().report(log.lines)
        #expect(report.exitCode == 0)
        #expect(report.diagnostics.contains { $0.code == .openScroll })
    }

    @Test func aScrollShorterThanTwoFramesPasses() throws {
        var log = PageLog()
        log.change = { iteration, lines in
            lines + [
                #"{"type":"scroll","page":"Search","iteration":\#(iteration),"scroll":6,"duration_ms":20}"#
            ]
        }
        #expect(try NightlyGate().report(log.lines).exitCode == 0)
    }
}
