import ComparisonFixtures
import PerfgateModel
import PerfgateStats
import Testing

@testable import PerfgateCompare

/// Runs of base and head in turn, judged pair by pair, as comparisons.
struct SequencedPairsTests {
    /// The pages' ttil in some pairs; head's run is slower by a factor, and may lack pages.
    private struct Turns {
        var pages = 8
        var pairs = 6
        var slower: [String: Double] = [:]
        var all = 1.0
        var absent: (page: String, pairs: [Int]) = ("", [])
        /// Whether base lacks those pages, and not head.
        var isBaseAbsent = false
        var fewer: (page: String, samples: Int) = ("", 5)
        /// The number of P2's alt of each pair, if not each visit has one.
        var additional: (base: [Int], head: [Int])?

        func measurements(isHead: Bool) -> Measurements {
            var result = Measurements(
                runs: (1...pairs).map {
                    Run(id: "\(isHead ? "h" : "b")\($0)", context: Context(["pair": .text("\($0)")]), streams: [])
                })
            for number in 0..<pages {
                let cell = JudgeTests.cell("P\(number)")
                let runs = (1...pairs).compactMap { pair -> RunSamples? in
                    guard isHead == isBaseAbsent || absent.page != "P\(number)" || !absent.pairs.contains(pair) else {
                        return nil
                    }
                    // Runs and pages differ by up to 2 %, without a random number.
                    let noise = 1 + 0.02 * Double((7 * number + 3 * pair + (isHead ? 5 : 0)) % 11 - 5) / 5
                    let factor = isHead ? (slower["P\(number)"] ?? 1) * all : 1
                    let count = isHead && fewer.page == "P\(number)" ? fewer.samples : 5
                    let samples = (0..<count).map {
                        Sample(500 * noise * factor * (1 + 0.01 * Double($0 - 2)), iteration: $0)
                    }
                    return RunSamples(run: "\(isHead ? "h" : "b")\(pair)", samples: samples)
                }
                result.cells[cell] = CellMeasurement(metric: JudgeTests.ttil, runs: runs)
                let alt = Cell(page: cell.page, metric: Metric(.alt).id, environment: cell.environment)
                let own = number == 2 ? additional.map { isHead ? $0.head : $0.base } : nil
                let some = own?.enumerated().map { pair, count in
                    RunSamples(
                        run: "\(isHead ? "h" : "b")\(pair + 1)", samples: (0..<count).map { Sample(100, iteration: $0) }
                    )
                }
                result.cells[alt] = CellMeasurement(metric: Metric(.alt), runs: some ?? runs)
                result.pages[PageInEnvironment(page: cell.page, environment: cell.environment)] = PageMeasurement()
            }
            return result
        }

        func results(_ change: (inout Policy) -> Void = { _ in }) throws -> [CellResult] {
            var policy = Policy()
            policy.sequence = PairSequence.Rule()
            change(&policy)
            let reference = Reference(measurements(isHead: false), key: .standard)
            return try Judge(policy: policy).compare(measurements(isHead: true), with: reference)
        }

        func result(of page: String, _ change: (inout Policy) -> Void = { _ in }) throws -> CellResult {
            try #require(results(change).first { $0.page.name == page && $0.metric == JudgeTests.ttil })
        }
    }

    @Test func aSlowerPageRegressesAndTellsItsEvidence() throws {
        let result = try Turns(slower: ["P3": 1.3]).result(of: "P3")
        let sequence = try #require(result.numbers?.sequence)
        #expect(result.verdict == .regressed && result.numbers?.decidedBy == .sequence)
        #expect(sequence.pairs == 6 && sequence.evidence >= sequence.needed && sequence.pairsNeeded == nil)
        #expect(result.numbers?.p ?? 1 <= result.numbers?.alpha ?? 0)
        #expect(result.reason.contains("evidence 1 : ") && result.reason.contains(" of the needed 1 : "))
        #expect(result.baseline?.shares.map(\.pair) == (1...6).map { "\($0)" })
    }

    @Test func unchangedPagesPassAndSayWhatTheyWouldShow() throws {
        let results = try Turns().results().filter(\.isGated)
        #expect(results.allSatisfy { $0.verdict == .passed })
        #expect(results.contains { $0.isOfAllPages })
        let detectable = try #require(Turns().result(of: "P1").numbers?.sequence?.detectable)
        #expect(0.1...0.4 ~= detectable)
    }

    @Test func tooFewPairsAreUndecidedAndSayHowManyMore() throws {
        let result = try Turns(pairs: 4, slower: ["P3": 1.3]).result(of: "P3")
        #expect(result.verdict == .inconclusive && result.detail == .needMore)
        #expect(result.rule.last?.found == .undecided)
        #expect(result.reason.contains("not decided by 4 of at most 20 pairs; about 2 more would decide"))
        #expect(Explanation(result).outlook.contains("About 2 more pairs of runs decide it."))
    }

    @Test func oneAbsencePassesAndTwoAreMissing() throws {
        #expect(try Turns(absent: ("P2", [4])).result(of: "P2").verdict == .passed)
        let result = try Turns(absent: ("P2", [4, 5])).result(of: "P2")
        #expect(result.verdict == .missing && result.detail == .tooFew)
        #expect(result.reason.contains("Head's runs measured ttil in 4 of the 6 pairs in which base's did."))
        #expect(try Turns(pairs: 11, absent: ("P2", [4, 5])).result(of: "P2").verdict == .passed)
    }

    /// A metric that few visits have is absent from either side by chance; only a clear majority of pairs shows a loss.
    @Test(arguments: [
        ([0, 0, 0, 0, 1, 0, 2, 1, 1, 1], [2, 2, 2, 1, 0, 1, 0, 2, 0, 0], false),
        ([1, 2, 0, 3, 2, 1, 1, 0, 2, 1], [0, 0, 1, 0, 0, 0, 0, 1, 0, 0], false),
        ([1, 2, 2, 3, 2, 1, 1, 4, 2, 1, 2, 1], [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], true),
        ([1, 2, 2, 3, 2, 1, 1, 4, 2, 1, 2, 1], Array(repeating: 0, count: 12), true),
        ([1, 2, 2], [0, 0, 0], false),
        ([5, 5, 5, 4], [5, 0, 5, 1], true), ([2, 2], [0, 0], false), ([3, 3], [0, 1], false), ([3, 3], [0, 0], true),
    ])
    func aMetricOfFewVisitsIsMissingOnlyBeyondChance(_ base: [Int], _ head: [Int], _ isMissing: Bool) throws {
        let results = try Turns(pairs: base.count, additional: (base, head)).results { policy in
            policy.metrics[Metric(.alt).id] = MetricSettings(gate: Setting(true, from: .builtIn))
        }
        let alt = try #require(results.first { $0.page.name == "P2" && $0.metric == Metric(.alt) })
        #expect((alt.verdict == .missing) == isMissing, "\(alt.reason)")
    }

    /// A head that stops after its first slow loads must not pass because its pairs don't count.
    /// As after an interruption in the middle of a pair.
    @Test(arguments: [true, false])
    func aRunWithoutItsPartnerMovesNoShownValue(_ isBaseAbsent: Bool) throws {
        let result = try Turns(absent: ("P3", [6]), isBaseAbsent: isBaseAbsent).result(of: "P3")
        let (before, after) = (try #require(result.baseline?.center), try #require(result.candidate?.center))
        #expect(abs(after - before - (result.numbers?.delta ?? .infinity)) < 1e-9)
    }

    @Test func headWithLessThanHalfOfTheSamplesIsMissing() throws {
        let few = try Turns(slower: ["P2": 1.2], fewer: ("P2", 2)).result(of: "P2")
        #expect(few.verdict == .missing && few.detail == .tooFew)
        let enough = try Turns(slower: ["P2": 2], fewer: ("P2", 3)).result(of: "P2")
        #expect(enough.verdict == .regressed)
    }

    @Test func nothingPassesWithoutTwoPairsThatCount() throws {
        let results = try Turns(pairs: 1).results().filter(\.isGated)
        #expect(results.allSatisfy { $0.verdict == .inconclusive && $0.detail == .nothingCompared })
        #expect(results.first?.reason.contains("too few pairs count to decide it") == true)
    }

    @Test func allPagesTogetherRegressAndNameTheirPages() throws {
        let results = try Turns(all: 1.3).results()
        let all = try #require(results.first { $0.isOfAllPages })
        #expect(all.verdict == .regressed && all.reason.contains("All pages are ") && all.reason.contains("evidence"))
        let page = try #require(results.first { $0.page.name == "P1" })
        #expect(page.verdict == .passed && page.detail == .allPages)
    }

    @Test func limitsJudgeHeadAlone() throws {
        let result = try Turns(slower: ["P3": 1.05]).result(of: "P3") { policy in
            policy.metrics[Metric(.ttil).id] = MetricSettings(limit: Setting(Limit(515), from: .builtIn))
        }
        #expect(result.verdict == .overLimit)
    }

    /// Of many runs one is always slow, so all runs of head together are judged by a limit.
    @Test func oneSlowRunOfHeadKeepsTheLimit() throws {
        let unchanged = try Turns().result(of: "P3") { policy in
            policy.metrics[Metric(.ttil).id] = MetricSettings(limit: Setting(Limit(506), from: .builtIn))
        }
        #expect(unchanged.candidate?.history.contains { $0 > 506 } == true)
        #expect(unchanged.verdict == .passed)
    }
}
