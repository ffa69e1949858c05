import Foundation
import Testing

@testable import PerfgateStats

/// The shares of slow times, by SciPy's beta-binomial distribution; `share_vectors.json` holds its numbers.
struct SlowShareTests {
    struct Vector: Decodable {
        let over_by_time_and_run: [[Int]]
        let k: Int
        let runs: [Int]
        let over: Int
        let rho, weight, icc_run, rate, p: Double
    }

    static let vectors: [Vector] = {
        guard let url = Bundle.module.url(forResource: "share_vectors", withExtension: "json"),
            let data = try? Data(contentsOf: url), let vectors = try? JSONDecoder().decode([Vector].self, from: data)
        else { fatalError("share_vectors.json does not read as expected") }
        return vectors
    }()

    @Test(arguments: vectors.indices)
    func agreesWithTheVectors(_ index: Int) throws {
        let vector = Self.vectors[index]
        let times = vector.over_by_time_and_run.map { $0.map { ShareTest.Side(all: vector.k, over: $0) } }
        let prior = SlowShares.Prior(times)
        let first = try #require(times.first)
        let own = ShareTest.Side(all: first.reduce(0) { $0 + $1.all }, over: first.reduce(0) { $0 + $1.over })
        expectClose(prior.rate, vector.rho, "rate of all times")
        expectClose(prior.weight, vector.weight, "weight")
        expectClose(prior.runCorrelation, vector.icc_run, absolute: 1e-12, "correlation within a run")
        expectClose(prior.rate(of: own), vector.rate, "rate")
        expectClose(prior.chance(ofOver: vector.over, in: vector.runs, own: own), vector.p, "p")
    }

    /// Samples of one run that are slow together make many slow samples of one run less surprising, not fewer.
    @Test func runsThatAreSlowTogetherExplainMore() {
        let usual = Array(repeating: ShareTest.Side(all: 5, over: 0), count: 9)
        let alike = (0..<16).map { _ in usual + [ShareTest.Side(all: 5, over: 4)] }
        let mixed = (0..<16).map { _ in
            Array(repeating: ShareTest.Side(all: 5, over: 0), count: 6)
                + Array(repeating: ShareTest.Side(all: 5, over: 1), count: 4)
        }
        let own = ShareTest.Side(all: 50, over: 4)
        let (together, apart) = (SlowShares.Prior(alike), SlowShares.Prior(mixed))
        #expect(together.runCorrelation > 0.5 && apart.runCorrelation == 0)
        #expect(together.rate == apart.rate)
        #expect(together.chance(ofOver: 4, in: [5], own: own) > 20 * apart.chance(ofOver: 4, in: [5], own: own))
    }

    private static func runs(_ count: Int, _ values: [Double]) throws -> MeasuredRuns {
        try MeasuredRuns(Array(repeating: values, count: count))
    }

    private static let usual = [480.0, 490, 500, 510, 520]

    /// At M = 16: three of five are red in one look, two are told, one is nothing.
    @Test(arguments: [(1, false, false, false), (2, true, true, false), (3, true, true, true)])
    func countsSlowSamples(_ slow: Int, isSuspect: Bool, isReported: Bool, isRed: Bool) throws {
        let times = try (0..<16).map { _ in (baseline: try Self.runs(10, Self.usual), least: 16.0) }
        let shares = try #require(SlowShares(times))
        let run = try SortedSamples(Self.usual.enumerated().map { $0 < slow ? 10 * $1 : $1 })
        let test = try #require(shares.tests(times[0], first: [run], again: []).last)
        #expect(test.all.cut == .quadruple && test.all.bound == 2_000 && test.all.candidateOver == slow)
        #expect(test.isSuspect == isSuspect && test.isReported == isReported && !test.isConfirmed(1))
        #expect(test.all.isBeyondChance(Significance(comparisons: 16, comparesShares: true).ofShare) == isRed)
    }

    /// A page whose loads take no time: no multiple of 0 is far longer, but five times the smallest change is.
    @Test(arguments: [
        (0.0, 1, false), (0, 2, true), (0, 3, true), (4, 3, true), (8, 3, false), (8.1, 3, false),
    ])
    func timesOfNothingAreTested(_ usual: Double, _ slow: Int, isSuspect: Bool) throws {
        let times = try (0..<16).map { index in
            (baseline: try Self.runs(10, index < 8 ? Self.usual : [usual, usual, usual, usual, usual]), least: 8.0)
        }
        let shares = try #require(SlowShares(times))
        let run = try SortedSamples((0..<5).map { $0 < slow ? 46 : usual })
        let found = shares.tests(times[15], first: [run], again: [])
        let small = found.first { $0.all.cut == .minChange }
        #expect((small?.isSuspect ?? false) == isSuspect)
        #expect(small?.all.bound == (usual > 8 ? nil : usual + 40))
        #expect(shares.tests(times[0], first: [run], again: []).allSatisfy { $0.all.cut != .minChange })
    }

    /// Two clean reruns clear a suspect, two slow loads in them confirm it.
    @Test(arguments: [(0, false), (1, false), (4, true)])
    func rerunsConfirm(_ slow: Int, isConfirmed: Bool) throws {
        let times = try (0..<16).map { _ in (baseline: try Self.runs(10, Self.usual), least: 16.0) }
        let shares = try #require(SlowShares(times))
        let first = try SortedSamples(Self.usual.enumerated().map { $0 < 2 ? 10 * $1 : $1 })
        let again = try SortedSamples((Self.usual + Self.usual).enumerated().map { $0 < slow ? 10 * $1 : $1 })
        let test = try #require(shares.tests(times[0], first: [first], again: [again]).last)
        #expect(test.isConfirmed(Significance(comparisons: 16, comparesShares: true).ofShare) == isConfirmed)
    }

    /// A first look without slow loads says that the server was slow during the rerun.
    @Test(arguments: [0, 1])
    func aSlowRerunAloneConfirmsNothing(_ slow: Int) throws {
        let times = try (0..<16).map { _ in (baseline: try Self.runs(10, Self.usual), least: 16.0) }
        let shares = try #require(SlowShares(times))
        let first = try SortedSamples(Self.usual.enumerated().map { $0 < slow ? 10 * $1 : $1 })
        let again = try SortedSamples((Self.usual + Self.usual).map { 10 * $0 })
        let test = try #require(shares.tests(times[0], first: [first], again: [again]).last)
        #expect(!test.isConfirmed(1) && test.isReported == (slow > 0))
    }

    /// A time is tested if its baseline has five samples.
    @Test func smallBaselinesArentTested() throws {
        #expect(SlowShares([(baseline: try Self.runs(1, Array(Self.usual.prefix(4))), least: 16)]) == nil)
        #expect(SlowShares([(baseline: try Self.runs(10, [0, 0, 0, 0, 0]), least: 0)]) == nil)
        #expect(SlowShares([]) == nil)
    }
}
