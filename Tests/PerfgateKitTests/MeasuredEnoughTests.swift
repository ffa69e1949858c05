import PerfgateBaselines
import PerfgateCompare
import PerfgateIngest
import PerfgateModel
import Testing

@testable import PerfgateKit

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
