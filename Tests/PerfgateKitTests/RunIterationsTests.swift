import PerfgateCompare
import PerfgateIngest
import PerfgateModel
import Testing

@testable import PerfgateKit

/// A page must be measured in as many of its run's iterations as usual, and a run in as many as it declares.
struct RunIterationsTests {
    private typealias Change = (_ iteration: Int, _ lines: [String]) -> [String]

    /// The lines of an iteration, with the same lines for a second page if that is visited.
    private static func product(in isVisited: @escaping (Int) -> Bool) -> Change {
        { iteration, lines in
            guard isVisited(iteration) else { return lines }
            return lines
                + lines.map {
                    $0.replacing(#""page":"Search""#, with: #""page":"Product""#)
                        .replacing(#""visit_id":""#, with: #""visit_id":"product-"#)
                }
        }
    }

    private static func gate(
        iterations: Int = 5, visited isVisited: @escaping (Int) -> Bool = { _ in true }
    ) -> NightlyGate {
        var gate = NightlyGate()
        gate.night.iterations = 0..<iterations
        gate.night.change = product(in: isVisited)
        return gate
    }

    private static func log(
        _ iterations: Int = 5, _ header: String = "", visited isVisited: @escaping (Int) -> Bool = { _ in true }
    ) -> [String] {
        PageLog(header: header, iterations: 0..<iterations, change: product(in: isVisited)).lines
    }

    private static func missing(_ report: GateReport) -> Set<String> {
        Set(report.comparisons.filter { $0.verdict == .missing }.map(\.page.name))
    }

    // A page in fewer iterations than its run.

    @Test(arguments: [(20, 5), (20, 15), (5, 3)])
    func aPageThatIsLostFromItsRunIsMissed(_ iterations: Int, _ visited: Int) throws {
        let lines = Self.log(iterations) { $0 < visited }
        let report = try Self.gate().report(lines)
        #expect(report.exitCode == 2 && Self.missing(report) == ["Product"])
        let ttil = try #require(report.comparisons.first { $0.page.name == "Product" && $0.metric.id == "ttil" })
        #expect(ttil.detail == .tooFew && ttil.rule.last?.found == .fewIterations)
        #expect(
            ttil.reason
                == "Only \(visited) of the \(iterations) iterations of run pr measured its page, "
                + "a clearly smaller share than usual.")
        let (plan, _) = try Self.gate().update(lines)
        #expect(plan.status == .failed && plan.refused.contains { $0.page.name == "Product" })
    }

    @Test func aWholeRunBesideItHidesNoneThatLostAPage() throws {
        let whole = Self.log().map { $0.replacing(#""run_id":"pr""#, with: #""run_id":"whole""#) }
        let report = try Self.gate().report(whole + Self.log { $0 < 3 })
        #expect(report.exitCode == 2 && Self.missing(report) == ["Product"])
    }

    @Test func aPageThatFewerOfTheFewIterationsVisitIsMissed() throws {
        let gate = Self.gate(iterations: 20) { $0.isMultiple(of: 2) }
        #expect(try Self.missing(gate.report(Self.log(20) { $0.isMultiple(of: 4) })) == ["Product"])
    }

    @Test(arguments: ["is partial", "is a selection", "is expected so", "asks for none", "has no counts"])
    func aPageInFewerIterationsPassesWhereTheCall(_ excuse: String) throws {
        var gate = Self.gate()
        switch excuse {
        case "is partial": gate.gate.policy.isPartial = true
        case "is a selection":
            gate.gate.ingest.conditions = [IngestOptions.Condition(field: "device", value: "iPhone12,1")]
        case "is expected so":
            gate.gate.policy.expected = [ExpectedPage(page: Page("Product"), iterations: 3)]
        case "asks for none": gate.gate.policy.measured.iterations = 0
        default: gate.keepsCounts = false
        }
        let report = try gate.report(Self.log { $0 < 3 })
        #expect(report.exitCode == 0, "\(report.headline)")
        let isReported = report.diagnostics.contains {
            $0.code == .smallerRun && $0.message.contains("1 page (Product)")
        }
        #expect(isReported == ["is partial", "is a selection"].contains(excuse))
    }

    @Test(arguments: [(20, 5), (5, 5), (5, 3), (5, 2), (5, 1)])
    func aSmallerRunPasses(_ usual: Int, _ iterations: Int) throws {
        let report = try Self.gate(iterations: usual).report(Self.log(iterations, #","iterations":\#(iterations)"#))
        #expect(report.exitCode == 0, "\(report.headline)")
    }

    /// The baseline shows that not every iteration visits it.
    @Test(arguments: [3, 4, 5, 20])
    func aPageThatEveryOtherIterationVisitsPasses(_ iterations: Int) throws {
        let gate = Self.gate(iterations: 5) { $0.isMultiple(of: 2) }
        let report = try gate.report(Self.log(iterations, #","iterations":\#(iterations)"#) { !$0.isMultiple(of: 2) })
        #expect(report.exitCode == 0, "\(report.headline)")
    }

    /// The tests of another tool are pages with their own repetitions: one that is tried again shortens no other.
    @Test func testsOfAnotherToolRepeatOnTheirOwn() throws {
        func log(_ repetitions: [(page: String, count: Int)]) -> PageLog {
            PageLog(iterations: 0..<10) { iteration, _ in
                repetitions.filter { iteration < $0.count }.map { test in
                    #"{"type":"metric","page":"\#(test.page)","iteration":\#(iteration),"metric":"launch","#
                        + #""unit":"ms","values":[\#(50 + iteration % 5)]}"#
                }
            }
        }
        var gate = NightlyGate()
        gate.night = log([("Search", 5), ("Product", 5)])
        let report = try gate.report(log([("Search", 10), ("Product", 5)]).lines)
        #expect(report.exitCode == 0, "\(report.headline)")
        #expect(try gate.report(log([("Search", 10), ("Product", 2)]).lines).exitCode == 2)
    }

    @Test func aLossOfOneOfFivePasses() throws {
        #expect(try Self.gate().report(Self.log { $0 < 4 }).exitCode == 0)
    }

    /// Only the suspects' pages are measured again.
    @Test func aRerunOfOnePagePasses() throws {
        let rerun = PageLog(run: "again", start: "2026-11-10T04:00:00Z", iterations: 0..<2).lines
        #expect(try Self.gate().report(Self.log() + rerun).exitCode == 0)
    }

    /// A page that isn't in the baseline doesn't determine the others' number of iterations.
    @Test func aNewPageInMoreIterationsPasses() throws {
        var home = PageLog(iterations: 0..<20)
        home.page = "Home"
        #expect(try Self.gate().report(Self.log() + home.lines.dropFirst()).exitCode == 0)
    }

    /// Each machine opens the first page; only one machine measures the other page.
    @Test func aPageThatAllShardsMeasurePasses() throws {
        let shards = (1...3).flatMap { shard in Self.log(5, #","shard":"\#(shard)/3""#) { _ in shard == 1 } }
        #expect(try Self.gate().report(shards).exitCode == 0)
    }

    // A run with fewer iterations than it declares.

    @Test func aRunThatHasFewerIterationsThanItSaysIsMissed() throws {
        let report = try Self.gate().report(Self.log(3, #","iterations":20"#))
        #expect(report.exitCode == 2 && Self.missing(report) == ["Product", "Search"])
        let ttil = try #require(report.comparisons.first { $0.metric.id == "ttil" })
        #expect(ttil.detail == .tooFew && ttil.rule.last?.found == .fewerThanDeclared)
        #expect(ttil.reason == "Run pr declares 20 iterations, but only 3 measured anything.")
        var partial = Self.gate()
        partial.gate.policy.isPartial = true
        #expect(try partial.report(Self.log(3, #","iterations":20"#)).exitCode == 0)
    }

    /// Iterations that were left out for a reason count as measured.
    @Test func refusedIterationsWereMade() throws {
        var gate = Self.gate()
        gate.gate.policy.fitness = [FitnessRule("thermal_state", .equals(.text("critical")), .refuse)]
        let hot = [2, 3].map { #"{"type":"state","iteration":\#($0),"thermal_state":"critical"}"# }
        #expect(try gate.report(Self.log(10, #","iterations":10"#) + hot).exitCode == 0)
        #expect(try gate.report(Self.log(9, #","iterations":10"#) + hot).exitCode == 2)
    }

    /// Each launch of a run declares the run's number of iterations, and has some of them; so do machines that share
    /// them.
    @Test(arguments: [#","part":"a""#, #","shard":"1/2""#])
    func thePartsOfARunTogetherHaveWhatItSays(_ first: String) throws {
        let second = first.replacing(#""a""#, with: #""b""#).replacing("1/2", with: "2/2")
        var (one, two) = (PageLog(), PageLog())
        (one.header, one.iterations) = (first + #","iterations":6"#, 0..<3)
        (two.header, two.iterations) = (second + #","iterations":6"#, 3..<6)
        #expect(try NightlyGate().report(one.lines + two.lines).exitCode == 0)
        two.iterations = 3..<5
        #expect(try NightlyGate().report(one.lines + two.lines).exitCode == 2)
    }

    // Frames per iteration.

    /// A screen that doesn't scroll shows few frames, and no late ones.
    @Test(arguments: [(3, 2), (150, 2), (250, 0), (400, 0)])
    func aPageThatShowsFewFramesIsMissed(_ frames: Int, _ exitCode: Int32) throws {
        func log(_ frames: Int, _ time: Double) -> PageLog {
            PageLog { iteration, lines in
                [("frame_count", "frames", Double(frames + iteration)), ("frame_time_p90", "ms", time)].reduce(lines) {
                    $0 + [
                        #"{"type":"metric","page":"Search","iteration":\#(iteration),"metric":"\#($1.0)","#
                            + #""unit":"\#($1.1)","values":[\#($1.2)]}"#
                    ]
                }
            }
        }
        var gate = NightlyGate()
        gate.night = log(400, 10)
        let report = try gate.report(log(frames, 5).lines)
        #expect(report.exitCode == exitCode)
        let time = try #require(report.comparisons.first { $0.metric.id == "frame_time_p90" })
        #expect((time.rule.last?.found == .fewFrames) == (exitCode == 2))
        #expect(exitCode == 0 || time.reason == "Only \(frames + 2) of the usual 402 frames per iteration were shown.")
        #expect(report.comparisons.first { $0.metric.id == "ttil" }?.verdict == .passed)
        #expect(try gate.update(log(frames, 5).lines).0.refused.isEmpty == (exitCode == 0))
    }

    // Visits per iteration.

    private static func withoutVisits(_ isLost: @escaping (Int) -> Bool) -> [String] {
        PageLog { iteration, lines in isLost(iteration) ? lines.dropLast() : lines }.lines
    }

    @Test func visitsThatAreLostAreMissed() throws {
        let report = try NightlyGate().report(Self.withoutVisits { $0 > 0 })
        #expect(report.exitCode == 2)
        let missing = report.comparisons.filter { $0.verdict == .missing }
        #expect(Set(missing.map(\.metric.id)).isSuperset(of: ["ttil", "load_failures"]))
        #expect(!missing.contains { $0.metric.id == "dropped_frames" })
        let ttil = try #require(missing.first { $0.metric.id == "ttil" })
        #expect(ttil.rule.last?.found == .fewVisits)
        #expect(ttil.reason == "Only 0.2 of the usual 1 visits per iteration ended.")
    }

    @Test func oneLostVisitOfFiveAndFailedOnesAreEnough() throws {
        #expect(try NightlyGate().report(Self.withoutVisits { $0 == 0 }).exitCode == 0)
        var log = PageLog()
        let page = log
        log.change = { iteration, lines in
            lines.dropLast() + [page.visit(iteration, iteration == 3 ? "error" : "loaded")]
        }
        #expect(try NightlyGate().report(log.lines).exitCode == 0)
    }

    @Test func baselinesWithoutCountsAskForNoVisits() throws {
        var gate = NightlyGate()
        gate.keepsCounts = false
        #expect(try gate.report(Self.withoutVisits { $0 > 0 }).exitCode == 0)
        gate.keepsCounts = true
        gate.gate.policy.measured.scrolls = 0
        #expect(try gate.report(Self.withoutVisits { $0 > 0 }).exitCode == 0)
    }
}
