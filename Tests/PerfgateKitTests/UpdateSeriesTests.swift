import PerfgateBaselines
import PerfgateCompare
import PerfgateModel
import Testing

@testable import PerfgateKit

/// Runs that are stored one after the other, each judged by the baseline after the previous ones.
struct UpdateSeriesTests {
    private static let metric = Metric(id: "ttil", unit: .milliseconds, better: .lower)
    private static let key = EnvironmentKey(["device"])
    private static let environment = key.environment(ofStored: ["device": .text("phone")])
    private static let store = BaselineStore(folder: "/nowhere/Baselines", key: key)

    private static func cell(_ page: String = "Search") -> Cell {
        Cell(page: Page(page), metric: "ttil", environment: environment)
    }

    private static func run(_ day: Int) -> Run {
        var context = Context()
        context["started_at"] = .text("2026-01-\(day < 10 ? "0" : "")\(day)T03:00:00Z")
        return Run(id: "night-\(day)", context: context, streams: [Run.Stream(path: "night-\(day).ndjson")])
    }

    /// One run per day with these levels, in an order other than that of their times.
    private static func measurements(_ levels: [Int: Double], pages: [String] = ["Search"]) -> Measurements {
        var result = Measurements(runs: levels.keys.sorted().reversed().map(run))
        for page in pages {
            let runs = levels.map { day, level in
                RunSamples(
                    run: "night-\(day)", samples: (0..<5).map { Sample(level + Double($0 + day), iteration: $0) })
            }
            result.cells[cell(page)] = CellMeasurement(
                metric: metric, runs: runs.sorted { $0.run.precedesInUTF8($1.run) },
                iterations: Dictionary(uniqueKeysWithValues: levels.keys.map { ("night-\($0)", Array(0..<5)) }))
            result.pages[cell(page).place] = PageMeasurement()
        }
        return result
    }

    private static func days(_ range: ClosedRange<Int>, at level: Double) -> [Int: Double] {
        Dictionary(uniqueKeysWithValues: range.map { ($0, level) })
    }

    private static func take(
        _ measurements: Measurements, over baselines: Baselines = Baselines(),
        accepting acceptance: UpdatePlan.Acceptance? = nil, window: Int = 10
    ) throws -> (updates: [RunUpdate], baselines: Baselines) {
        let now = try #require(Timestamp("2026-12-31T00:00:00Z"))
        let terms = UpdateTerms(
            policy: Policy(), window: WindowPolicy(runs: window, perDay: 2), acceptance: acceptance, now: now,
            tool: "perfgate")
        var series = UpdateSeries(of: store, holding: baselines, by: terms)
        let collected = CollectedRuns(measurements, policy: Policy())
        #expect(collected.faults.isEmpty)
        return (try series.take(collected), series.baselines)
    }

    private static func stored(_ baselines: Baselines, _ page: String = "Search") -> [String] {
        baselines[cell(page).place]?.samples(of: "ttil").map(\.run.id) ?? []
    }

    @Test func runsAreTakenInByTheirTimes() throws {
        let (updates, baselines) = try Self.take(Self.measurements(Self.days(1...12, at: 500)))
        #expect(updates.map(\.candidate.run.id) == (1...12).map { "night-\($0)" })
        #expect(updates.map(\.takenCount) == Array(repeating: 1, count: 12))
        #expect(Self.stored(baselines) == (3...12).map { "night-\($0)" })
    }

    /// Judged together, two slow nights would be one candidate without a reference; judged in order, each is refused.
    @Test func eachIsJudgedByThoseBeforeIt() throws {
        var levels = Self.days(1...6, at: 500)
        levels[7] = 800
        levels[8] = 800
        levels[9] = 500
        let (updates, baselines) = try Self.take(Self.measurements(levels))
        #expect(updates.map(\.refusedCount) == [0, 0, 0, 0, 0, 0, 1, 1, 0])
        #expect(Self.stored(baselines) == (1...6).map { "night-\($0)" })
        #expect(Self.held(baselines) == ["night-7": .refused, "night-8": .refused, "night-9": .normal])
    }

    @Test func anAcceptedChangeStartsAnEpochForTheRunsAfterIt() throws {
        var levels = Self.days(1...6, at: 500)
        levels.merge(Self.days(7...9, at: 800)) { $1 }
        let acceptance = UpdatePlan.Acceptance(reason: "new map")
        let (updates, baselines) = try Self.take(Self.measurements(levels), accepting: acceptance)
        #expect(updates.map { $0.plan?.accepted.count } == [0, 0, 0, 0, 0, 0, 1, 0, 0])
        #expect(Self.stored(baselines) == ["night-7", "night-8", "night-9"])
        #expect(baselines[Self.cell().place]?.accepted.map(\.at.text) == ["2026-01-07T03:00:00Z"])
    }

    @Test(arguments: [nil, UpdatePlan.Acceptance(reason: "new map")])
    func theSameRunsAgainChangeNothing(_ acceptance: UpdatePlan.Acceptance?) throws {
        var levels = Self.days(1...14, at: 500)
        levels[8] = 800
        levels[14] = 800
        let all = Self.measurements(levels, pages: ["Home", "Search"])
        let (_, once) = try Self.take(all, accepting: acceptance)
        let (updates, twice) = try Self.take(all, over: once, accepting: acceptance)
        #expect(twice == once)
        #expect(updates.allSatisfy { $0.takenCount == 0 })
    }

    @Test func runsThatAreStoredOrTooOldAreSkipped() throws {
        let all = Self.measurements(Self.days(1...12, at: 500))
        let (updates, _) = try Self.take(all, over: try Self.take(all).baselines)
        let reasons = updates.map { update -> RunUpdate.Reason? in
            guard case .skipped(let reason) = update.outcome else { return nil }
            return reason
        }
        #expect(reasons == [.tooOld, .tooOld] + Array(repeating: .stored(others: 0), count: 10))
    }

    /// Two pull requests that accept different pages must not change the same files.
    @Test func onlyWhatIsAcceptedIsStoredUnlessTheRestIsAskedFor() throws {
        let pages = ["Home", "Search"]
        let (_, before) = try Self.take(Self.measurements(Self.days(1...6, at: 500), pages: pages))
        let slow = Self.measurements([7: 800], pages: pages)
        var acceptance = UpdatePlan.Acceptance(reason: "new map", pages: ["Search"], metrics: ["ttil"])
        let (updates, one) = try Self.take(slow, over: before, accepting: acceptance)
        #expect(Self.stored(one) == ["night-7"])
        #expect(one[Self.cell("Home").place] == before[Self.cell("Home").place])
        #expect(updates[0].plan?.status == .passed && updates[0].plan?.untouched == [Self.cell("Home")])
        #expect(updates[0].takenCount == 1 && updates[0].refusedCount == 0)
        let (others, same) = try Self.take(
            Self.measurements([7: 800], pages: ["Home"]), over: before, accepting: acceptance)
        #expect(same == before)
        guard case .skipped(.notAccepted) = others[0].outcome else {
            Issue.record("It was not skipped as not accepted.")
            return
        }
        acceptance.storesOthers = true
        for start in [before, one] {
            let (updates, all) = try Self.take(slow, over: start, accepting: acceptance)
            #expect(Self.stored(all) == ["night-7"])
            #expect(Self.held(all, "Home") == ["night-7": .refused])
            #expect(updates[0].plan?.untouched.isEmpty == true && updates[0].plan?.status == .failed)
        }
    }

    /// A refused page of a run stays out, and can be accepted later.
    @Test func whatWasRefusedMayBeAcceptedLater() throws {
        var measurements = Self.measurements(Self.days(1...6, at: 500))
        var slow = Self.measurements([7: 800])
        slow.cells[Cell(page: Page("Search"), metric: "ttfl", environment: Self.environment)] = CellMeasurement(
            metric: Metric(id: "ttfl", unit: .milliseconds, better: .lower),
            runs: [RunSamples(run: "night-7", samples: (0..<5).map { Sample(40 + Double($0)) })],
            iterations: ["night-7": Array(0..<5)])
        let (_, before) = try Self.take(measurements)
        let (_, refused) = try Self.take(slow, over: before)
        #expect(Self.stored(refused).last == "night-6")
        let again = try Self.take(slow, over: refused)
        #expect(again.baselines == refused)
        guard case .skipped(.stored(others: 1)) = again.updates[0].outcome else {
            Issue.record("It was not skipped as stored but for a cell.")
            return
        }
        let acceptance = UpdatePlan.Acceptance(reason: "new map", pages: ["Search"], metrics: ["ttil"])
        #expect(Self.stored(try Self.take(slow, over: refused, accepting: acceptance).baselines) == ["night-7"])
        measurements.runs.removeAll()
        #expect(CollectedRuns(measurements, policy: Policy()).runs.isEmpty)
    }

    /// A shard that arrives a day late adds the pages that the store lacks of its run.
    @Test func aLateShardIsTakenIn() throws {
        let (_, before) = try Self.take(Self.measurements(Self.days(1...6, at: 500)))
        let late = Self.measurements(Self.days(5...6, at: 500), pages: ["Home", "Search"])
        let (updates, baselines) = try Self.take(late, over: before)
        #expect(updates.map(\.takenCount) == [1, 1])
        #expect(Self.stored(baselines, "Home") == ["night-5", "night-6"])
    }

    @Test func samplesThatDifferFromTheStoredOnesAreFoundBeforeAnythingIsWritten() throws {
        let (_, before) = try Self.take(Self.measurements([1: 500]))
        let terms = UpdateTerms(
            policy: Policy(), now: try #require(Timestamp("2026-12-31T00:00:00Z")), tool: "perfgate")
        var series = UpdateSeries(of: Self.store, holding: before, by: terms)
        #expect(throws: BaselineError.self) { try series.take(Self.measurements([1: 501])) }
    }

    // The first runs of a store.

    @Test(arguments: 1...5)
    func oneSlowRunAmongFourGoodOnesIsRefused(_ slow: Int) throws {
        var levels = Self.days(1...5, at: 500)
        levels[slow] = 1500
        let (updates, baselines) = try Self.take(Self.measurements(levels))
        #expect(updates.map(\.refusedCount) == (1...5).map { $0 == slow ? 1 : 0 })
        // After a refused run, the first normal one waits for the next.
        #expect(Self.stored(baselines) == (1...5).filter { $0 != slow && (slow, $0) != (4, 5) }.map { "night-\($0)" })
        #expect(updates.status(Policy()) == .failed)
    }

    @Test func aSingleFirstRunGoesIn() throws {
        let (updates, baselines) = try Self.take(Self.measurements([1: 1500]))
        #expect(updates.map(\.takenCount) == [1] && Self.stored(baselines) == ["night-1"])
    }

    /// Improvements of later nights are no reason to refuse earlier ones.
    @Test func nightsBeforeAnImprovementGoIn() throws {
        var levels = Self.days(1...5, at: 800)
        levels.merge(Self.days(6...10, at: 500)) { $1 }
        #expect(try Self.take(Self.measurements(levels)).updates.map(\.refusedCount) == Array(repeating: 0, count: 10))
    }

    @Test func aCellThatTheStoreHoldsIsJudgedByTheStore() throws {
        let (_, before) = try Self.take(Self.measurements(Self.days(1...6, at: 500)))
        var levels = Self.days(7...8, at: 500)
        levels[9] = 1500
        let (updates, _) = try Self.take(Self.measurements(levels, pages: ["Home", "Search"]), over: before)
        #expect(updates.map(\.refusedCount) == [0, 0, 2])
    }

    @Test func aRunWithoutAStartCountsAsOfNow() throws {
        var measurements = Self.measurements(Self.days(1...4, at: 500))
        measurements.runs[0].context["started_at"] = nil
        let now = try #require(Timestamp("2026-01-03T12:00:00Z"))
        let collected = CollectedRuns(measurements, policy: Policy(), now: now)
        #expect(collected.faults.isEmpty)
        #expect(collected.runs.map(\.run.id) == ["night-1", "night-2", "night-3", "night-4"])
        #expect(CollectedRuns(measurements, policy: Policy()).faults.count == 1)
    }

    /// Their paths order them: night-2 before night-10.
    @Test func runsWithoutAStartFollowTheirPaths() throws {
        var measurements = Self.measurements(Self.days(1...3, at: 500))
        for (index, name) in ["n10", "n9", "n1"].enumerated() {
            measurements.runs[index].context["started_at"] = nil
            measurements.runs[index].streams[0].path = "\(name).ndjson"
        }
        let now = try #require(Timestamp("2026-01-03T12:00:00.9991Z"))
        let collected = CollectedRuns(measurements, policy: Policy(), now: now)
        #expect(collected.runs.map { $0.run.streams[0].path } == ["n1.ndjson", "n9.ndjson", "n10.ndjson"])
        #expect(
            collected.runs.map(\.start.text) == [
                "2026-01-03T12:00:00.999Z", "2026-01-03T12:00:01.000Z", "2026-01-03T12:00:01.001Z",
            ])
        #expect(collected.diagnostics.map(\.code) == [.undatedRuns])
    }

    @Test func anotherRunUnderAStoredIdentifierIsAnError() throws {
        let (_, before) = try Self.take(Self.measurements(Self.days(1...3, at: 500)))
        #expect(throws: BaselineError.self) { try Self.take(Self.measurements([3: 530]), over: before) }
    }

    // Runs that can't be separated from chance.

    /// A run with four worse samples of five.
    private static func doubtful(_ days: [Int], by change: Double = 90) -> Measurements {
        var result = measurements(Dictionary(uniqueKeysWithValues: days.map { ($0, 500) }))
        for index in result.cells[cell()]?.runs.indices ?? 0..<0 {
            result.cells[cell()]?.runs[index].samples = SampleList(
                [-30, change, change + 1, change + 2, change + 3].enumerated()
                    .map { Sample(500 + $1, iteration: $0) })
        }
        return result
    }

    private static func held(_ baselines: Baselines, _ page: String = "Search") -> [String: HeldRun.Why] {
        baselines[cell(page).place]?.metrics["ttil"]?.held.mapValues(\.why) ?? [:]
    }

    @Test func tenDoubtfulRunsNeverMoveTheBaseline() throws {
        let (_, before) = try Self.take(Self.measurements(Self.days(1...3, at: 500)))
        var baselines = before
        for day in 10...19 {
            let (updates, after) = try Self.take(Self.doubtful([day]), over: baselines)
            #expect(updates[0].takenCount + updates[0].refusedCount == 1)
            if day == 10 {
                #expect(updates[0].plan?.held == [Self.cell(): .doubtful] && updates.status(Policy()) == .passed)
            }
            baselines = after
        }
        #expect(Self.stored(baselines) == ["night-1", "night-2", "night-3"])
        #expect(Self.held(baselines).keys.sorted() == (10...19).map { "night-\($0)" })
        #expect(Reference(baselines).runs[Self.environment]?.count == 13)
        #expect(Reference(baselines).cells[Self.cell()]?.runs.count == 3)
        let (updates, _) = try Self.take(Self.measurements([20: 600]), over: baselines)
        #expect(updates.map(\.refusedCount) == [1])
    }

    /// A normal run after one in doubt closes the episode, whose pool then decides.
    @Test(arguments: [(500.0, 90.0, ["night-1", "night-2", "night-3", "night-5"]), (540, 60, nil)])
    func theNextRunsDecide(_ level: Double, _ change: Double, _ left: [String]?) throws {
        let (_, before) = try Self.take(Self.measurements(Self.days(1...3, at: 500)))
        let (_, doubted) = try Self.take(Self.doubtful([4], by: change), over: before)
        #expect(Self.held(doubted) == ["night-4": .doubtful])
        let (_, decided) = try Self.take(Self.measurements([5: level]), over: doubted)
        #expect(Self.stored(decided) == left ?? (1...5).map { "night-\($0)" })
    }

    /// A refused regression stays refused for as many nights as it lasts, and the settled runs stay.
    @Test(arguments: [1, 2]) func aRefusedRunNeverGetsInByAge(_ perDay: Int) throws {
        var (_, baselines) = try Self.take(Self.measurements(Self.days(1...5, at: 500)))
        for day in 6...26 {
            let (updates, after) = try Self.take(Self.measurements([day: 800]), over: baselines)
            #expect(updates.map(\.refusedCount) == [1], "night \(day)")
            baselines = after
        }
        #expect(Self.stored(baselines) == (1...5).map { "night-\($0)" })
        let nights = try #require(Reference(baselines).held[Self.cell()])
        #expect(nights.runs == 21 && nights.isRefused && nights.compared.count == 5)
    }

    /// After a refused run, the first normal one is held, and the next one settles both.
    @Test func twoNormalRunsEndAnEpisode() throws {
        var (_, baselines) = try Self.take(Self.measurements(Self.days(1...5, at: 500)))
        (_, baselines) = try Self.take(Self.measurements([6: 800]), over: baselines)
        #expect(Self.held(baselines) == ["night-6": .refused])
        (_, baselines) = try Self.take(Self.measurements([7: 501]), over: baselines)
        #expect(Self.held(baselines) == ["night-6": .refused, "night-7": .normal])
        (_, baselines) = try Self.take(Self.measurements([8: 502]), over: baselines)
        #expect(Self.held(baselines) == ["night-6": .refused])
        #expect(Self.stored(baselines).suffix(2) == ["night-7", "night-8"])
    }

    @Test func acceptingSettles() throws {
        let (_, before) = try Self.take(Self.measurements(Self.days(1...3, at: 500)))
        let acceptance = UpdatePlan.Acceptance(reason: "a map")
        let (_, at) = try Self.take(Self.doubtful([4]), over: before, accepting: acceptance)
        #expect(Self.stored(at).last == "night-4" && Self.held(at).isEmpty)
        let (_, doubted) = try Self.take(Self.doubtful([4]), over: before)
        let (updates, later) = try Self.take(Self.doubtful([4]), over: doubted, accepting: acceptance)
        #expect(updates.map(\.takenCount) == [1] && later == at)
        #expect(later[Self.cell().place]?.accepted.isEmpty == true)
    }

    @Test func doubtfulRunsTakenInTwiceChangeNothing() throws {
        let (_, before) = try Self.take(Self.measurements(Self.days(1...3, at: 500)))
        let (_, once) = try Self.take(Self.doubtful([4, 5]), over: before)
        #expect(try Self.take(Self.doubtful([4, 5]), over: once).baselines == once)
        #expect(Self.held(once).keys.sorted() == ["night-4", "night-5"])
    }
}
