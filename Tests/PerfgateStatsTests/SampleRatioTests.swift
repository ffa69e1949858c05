import SeededRandom
import Testing

@testable import PerfgateStats

/// The ratio of an experiment's users: exact tails as a judge, and the rate of false refusals.
struct SampleRatioTests {
    /// Twice the exact lower tails of 4,850 of 10,000 at .5, and of 840 at .1; the normal ones are within a factor of 3.
    @Test(arguments: [(5_150, 4_850, 0.5, 0.00279), (9_160, 840, 0.1, 5.0e-8), (500, 500, 0.5, 1)])
    func isTheTailOfTheBinomialDistribution(base: Int, candidate: Int, share: Double, p: Double) throws {
        let found = try #require(SampleRatio([(base, candidate)], candidate: share)).p
        #expect(p == 1 ? found > 0.98 : found > p / 3 && found < 3 * p, "\(found)")
    }

    @Test func theWorstDayCountsForAll() throws {
        let day = try #require(SampleRatio([(5_150, 4_850)], candidate: 0.5)).p
        let days = try #require(SampleRatio([(5_000, 5_000), (5_150, 4_850), (0, 0)], candidate: 0.5)).p
        #expect(abs(days / day - 2) < 1e-9)
        #expect(SampleRatio([(0, 0)], candidate: 0.5) == nil && SampleRatio([], candidate: 0.5) == nil)
    }

    /// The same users on each of ten days: a seeded simulation.
    @Test func returningUsersArentRefusedMoreOften() {
        var generator = SeededGenerator(seed: 2_026)
        let refused = (0..<4_000).count { _ in
            let users = 2_000, candidate = (0..<users).count { _ in generator.uniform() < 0.5 }
            let days = (0..<10).map { _ in (base: users - candidate, candidate: candidate) }
            return (SampleRatio(days, candidate: 0.5)?.p ?? 1) < SampleRatio.least
        }
        #expect(refused <= 6)
    }
}
