import Foundation
import SeededRandom
import Testing

@testable import PerfgateStats

/// The decisions of a search; `Studies/bench bisect` has its error rates.
struct CommitSearchTests {
    /// A range of commits with levels in logarithms, measured with noise that a seed repeats.
    private struct Range {
        var levels: [Double]
        var seed: UInt64 = 1
        var stored = 0.0

        func run(_ position: Int, _ number: Int) -> CommitSearch.Run {
            var random = SeededGenerator(seed: seed, stream: UInt64((position + 1) * 1_000 + number))
            func normal(_ scale: Double) -> Double {
                scale * ((0..<12).reduce(-6) { sum, _ in sum + random.uniform() })
            }
            let (shift, page) = (normal(0.02), normal(0.02))
            let level = position < 0 ? stored : levels[position]
            return CommitSearch.Run(
                samples: (0..<15).map { _ in 600 * exp(level + shift + page + normal(0.07)) },
                times: Dictionary(uniqueKeysWithValues: (0..<16).map { ("\($0)", 6 + shift + normal(0.03)) }))
        }

        func search(hasStored: Bool = false) -> CommitSearch {
            var prior = StepPrior(weights: Array(repeating: 1, count: levels.count - 1))
            let stored = hasStored ? (0..<8).map { (position: 0, run: run(-1, $0)) } : []
            if hasStored { prior.learn(from: stored.map(\.run)) }
            return CommitSearch(prior, .times(least: 16, withinRun: 0.07), tolerance: 0.1, stored: stored.suffix(5))
        }

        /// Measures until the end; runs of `broken` positions don't count.
        func finish(_ search: inout CommitSearch, broken: Set<Int> = []) {
            while case .measure(let position, _) = search.step {
                let attempts = search.attempts.count
                search.add(
                    broken.contains(position)
                        ? .skipped(position, isFinal: false) : .measured(position, run(position, attempts)))
            }
        }
    }

    private func levels(_ count: Int, _ steps: [Int: Double]) -> [Double] {
        (0..<count).map { position in steps.reduce(0) { $1.key <= position ? $0 + $1.value : $0 } }
    }

    @Test(arguments: 1...8) func namesTheStep(seed: UInt64) throws {
        let range = Range(levels: levels(33, [Int(3 * seed): 0.18]), seed: seed)
        var search = range.search()
        range.finish(&search)
        #expect(search.step == .end(.named))
        let found = try #require(search.found.first)
        #expect((found.good, found.bad) == (Int(3 * seed) - 1, Int(3 * seed)))
        let interval = try #require(found.interval)
        #expect(interval[0] > 0 && interval[1] < 0.45 && found.probability >= 0.95)
        #expect(search.runs(at: 0) >= 3 && search.runs(at: 32) >= 3)
    }

    @Test func everyDecisionFollowsFromTheAttempts() {
        let range = Range(levels: levels(65, [20: 0.12]), seed: 5)
        var search = range.search(hasStored: true)
        var steps: [CommitSearch.Step] = []
        while case .measure(let position, _) = search.step {
            steps.append(search.step)
            search.add(.measured(position, range.run(position, search.attempts.count)))
        }
        var again = range.search(hasStored: true)
        for (attempt, step) in zip(search.attempts, steps) {
            #expect(again.step == step)
            again.add(attempt)
        }
        #expect(again.found == search.found && again.step == search.step)
    }

    @Test func findsNothingWithoutAChange() {
        let range = Range(levels: levels(33, [:]), seed: 3)
        var search = range.search()
        range.finish(&search)
        #expect(search.step == .end(.nothing) && search.found.isEmpty)
        #expect(abs(search.endsDifference ?? 1) < 0.05)
    }

    /// A commit that can't be measured is never evidence: the step is somewhere between its neighbours.
    @Test(arguments: [Set([11]), [11, 10, 9], [12]]) func namesTheSetBesideABrokenCommit(broken: Set<Int>) throws {
        let range = Range(levels: levels(33, [12: 0.2]))
        var search = range.search()
        range.finish(&search, broken: broken)
        let found = try #require(search.found.first)
        #expect(found.good == (11 - broken.count(where: { $0 < 12 })) && found.bad == (broken.contains(12) ? 13 : 12))
        #expect(search.unmeasurable == broken)
    }

    @Test func aCommandThatAlwaysFailsStopsAndGoesOnWhenMended() {
        let range = Range(levels: levels(33, [12: 0.2]))
        var search = range.search()
        for _ in 0..<3 { search.add(.skipped(32, isFinal: false)) }
        #expect(search.step == .end(.unmeasurable(32)))
        search.add(.resumed)
        #expect(search.step == .measure(32, .ends))
        search.add(.measured(32, range.run(32, 0)))
        search.add(.measured(0, range.run(0, 0)))
        var failures = 0
        while case .measure(let position, _) = search.step {
            search.add(.skipped(position, isFinal: false))
            failures += 1
        }
        #expect(search.step == .end(.failing) && failures <= 5)
        search.add(.resumed)
        range.finish(&search)
        #expect(search.found.first?.bad == 12 && search.unmeasurable.isEmpty)
    }

    @Test func aCommitThatSaysSoIsLeftOutAtOnce() {
        let range = Range(levels: levels(9, [4: 0.3]))
        var search = range.search()
        search.add(.measured(8, range.run(8, 0)))
        search.add(.measured(0, range.run(0, 0)))
        guard case .measure(let position, .search) = search.step else { return #expect(Bool(false), "\(search.step)") }
        search.add(.skipped(position, isFinal: true))
        #expect(search.unmeasurable == [position])
    }

    /// A good commit that is slower than its stored runs, with a bad one that isn't slower still.
    @Test func tellsThatTheChangeIsOlderThanTheRange() {
        let range = Range(levels: levels(17, [:]), stored: -0.2)
        var search = range.search(hasStored: true)
        range.finish(&search)
        guard case .end(.outside(let change)) = search.step else { return #expect(Bool(false), "\(search.step)") }
        #expect(abs(change - 0.2) < 0.08 && search.measuredRuns <= 5)
        let both = Range(levels: levels(17, [9: 0.3]), stored: -0.2)
        var other = both.search(hasStored: true)
        both.finish(&other)
        #expect(other.found.first?.bad == 9 && other.alreadySlower != nil)
    }

    @Test func tellsASecondStepAndFindsItIfAsked() {
        let range = Range(levels: levels(33, [8: 0.3, 24: 0.4]), seed: 2)
        var search = range.search()
        range.finish(&search)
        #expect(search.found.count == 1 && (search.found.first?.other ?? 0) > 0.2)
        var all = range.search()
        all.findsAll = true
        range.finish(&all)
        #expect(Set(all.found.map(\.bad)) == [8, 24])
    }

    /// A good commit that is slower than its stored runs isn't blamed in a part of the range, either.
    @Test func storedRunsStayOutOfASecondSearch() {
        let range = Range(levels: levels(33, [8: 0.3, 24: 0.4]), seed: 2, stored: -0.2)
        var search = range.search(hasStored: true)
        search.findsAll = true
        range.finish(&search)
        #expect(Set(search.found.map(\.bad)) == [8, 24] && search.alreadySlower != nil)
    }

    /// A time of 0 among others is an outlier, not an infinity.
    @Test func zeroIsClipped() {
        let centre = CommitSearch.centre([0, 500, 510], least: 0, withinRun: 0.07)
        #expect(log(450) < centre && centre < log(510))
        #expect(CommitSearch.centre([0, 0, 0], least: 0, withinRun: 0.07) == log(1e-3))
        #expect(CommitSearch.centre([3, 20, 30], least: 16, withinRun: 1) == (log(16) + log(20) + log(30)) / 3)
    }

    /// A limit within a pair doesn't name a commit that two whole pairs must confirm.
    @Test(arguments: 4..<16) func aLimitNamesNothingUnconfirmed(limit: Int) {
        let range = Range(levels: levels(33, [12: 0.2]))
        var search = range.search()
        search.mostRuns = limit
        var confirming = 0
        while case .measure(let position, let stage) = search.step {
            confirming += stage == .confirm ? 1 : 0
            search.add(.measured(position, range.run(position, search.attempts.count)))
        }
        #expect(search.found.isEmpty ? search.isCut : search.found.map(\.bad) == [12] && confirming >= 4)
    }

    /// The runs of the ends after a name count, too: if they show the opposite of a step, the name is withdrawn.
    @Test func theLevelsOfTheEndsCanWithdrawAName() {
        let range = Range(levels: levels(33, [12: 0.14]))
        let opposite = Range(levels: levels(33, [0: 0.14, 20: -0.14]))
        var search = range.search()
        var hadLevels = false
        while case .measure(let position, let stage) = search.step {
            if stage == .levels { hadLevels = true } else if hadLevels { break }
            let number = search.attempts.count
            search.add(.measured(position, (stage == .levels ? opposite : range).run(position, number)))
        }
        #expect(hadLevels && search.found.isEmpty)
    }

    @Test func tellsWhatWasTakenBack() {
        let range = Range(levels: levels(33, [8: 0.5, 20: -0.25]), seed: 4)
        var search = range.search()
        range.finish(&search)
        #expect(search.found.first?.bad == 8 && (search.found.first?.reverted ?? 0) < -0.1)
    }

    @Test func theLimitEndsItWithAnEstimate() {
        let range = Range(levels: levels(65, [20: 0.18]))
        var search = range.search()
        search.mostRuns = 5
        range.finish(&search)
        #expect(search.step == .end(.undecided) && search.attempts.count == 5)
        #expect(4...40 ~= search.runsNeeded ?? 0)
    }

    /// Ten frames in half of the iterations from a commit on; and a score that falls.
    @Test(arguments: [CommitSearch.Kind.counts, .values]) func countsAndScores(kind: CommitSearch.Kind) {
        var search = CommitSearch(StepPrior(weights: Array(repeating: 1, count: 32)), kind, tolerance: 0.1)
        var random = SeededGenerator(seed: 9)
        while case .measure(let position, _) = search.step {
            let isBad = position >= 21
            let samples = (0..<15).map { _ in
                kind == .counts
                    ? (isBad && random.uniform() < 0.5 ? 10.0 : random.uniform() < 0.2 ? 1 : 0)
                    : (isBad ? -70 : -90) + 6 * random.uniform()
            }
            search.add(.measured(position, .init(samples: samples)))
        }
        #expect(search.found.first?.bad == 21 && search.found.first?.share == nil)
    }
}
