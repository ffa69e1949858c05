import LibC
import PerfgateCompare
import PerfgateStats
import SeededRandom
import Testing

@testable import VerdictStudy

/// Releases are used as the world's documentation describes, and rolled up like field data.
struct ReleaseStudyTests {
    private static let small = {
        var world = ReleaseWorld()
        (world.pages, world.events, world.users, world.days) = (24, 600...1_500, 1_500, 4)
        return world
    }()

    @Test func usersTakeTheReleaseDayByDay() {
        var generator = SeededGenerator(seed: 1)
        let population = Population(Self.small, &generator)
        let shares = (0..<4).map { day in
            Double(population.users.count { $0.adoption <= day }) / Double(population.users.count)
        }
        #expect(abs(shares[0] - 0.15) < 0.01 && abs(shares[3] - 0.7) < 0.01)
        #expect(zip(shares, shares.dropFirst()).allSatisfy { $0 < $1 })
    }

    @Test func eagerUsersAreThoseOfTheirDevices() {
        func firstDay(_ adopters: ReleaseWorld.Adopters) -> [Double] {
            var (world, generator) = (Self.small, SeededGenerator(seed: 2))
            world.adopters = adopters
            let users = Population(world, &generator).users
            let early = users.filter { $0.adoption == 0 }
            return [early, users].map { users in Double(users.count { $0.stratum >= 16 }) / Double(users.count) }
        }
        let (fast, slow, any) = (firstDay(.fast), firstDay(.slow), firstDay(.any))
        #expect(fast[0] < 0.6 * fast[1])
        #expect(slow[0] > 1.6 * slow[1])
        #expect(abs(any[0] - any[1]) < 0.08)
    }

    @Test func activeUsersAreDrawnMore() {
        var generator = SeededGenerator(seed: 3)
        let population = Population(Self.small, &generator)
        var draws = Array(repeating: 0.0, count: population.users.count)
        for _ in 0..<60_000 { draws[population.draw(&generator)] += 1 }
        #expect(draws.reduce(0, +) == 60_000)
        // Log-normal with deviation 1: half of the events come from the most active sixth of the users.
        let most = draws.sorted(by: >).prefix(draws.count / 6).reduce(0, +)
        #expect(abs(most / 60_000 - 0.5) < 0.05)
    }

    @Test func bothSidesWeighTheSame() throws {
        var (world, generator) = (Self.small, SeededGenerator(seed: 4))
        world.adopters = .slow
        let population = Population(world, &generator)
        let traffic = PageTraffic(
            world, population, eventsPerDay: 900, change: 0, releaseEffects: nil, keepsEvents: true, &generator)
        #expect(traffic.days.count == 4)
        #expect(traffic.events.count == 3_600)
        for day in traffic.days {
            let (base, candidate) = (day.base.histogram, day.candidate.histogram)
            #expect(base.count + candidate.count == 900)
            #expect(abs(base.weight - candidate.weight) < 900)
            #expect(day.base.users?.events == base.count)
        }
    }

    @Test func anUnchangedReleaseHasNoPageWorse() {
        var generator = SeededGenerator(seed: 5)
        let trial = ReleaseTrial(Self.small, &generator)
        #expect(trial.pages.count == 72)
        #expect(!trial.results.contains { $0.verdict == .regressed })
    }

    @Test func whatGotWorseIsNamedAndNothingElse() {
        var generator = SeededGenerator(seed: 6)
        let trial = ReleaseTrial(Self.small, slower: 0.8, share: 0.25, &generator)
        #expect(trial.changed.count == 6)
        #expect(trial.shifts.isEmpty)
        let worse = trial.results.filter { $0.verdict == .regressed && $0.metric.id == "ttil@p50" }
        #expect(Set(worse.map(\.page)) == trial.changed)
    }

    @Test func whatFailsMoreOftenIsNamedAndNothingElse() {
        var generator = SeededGenerator(seed: 8)
        let trial = ReleaseTrial(Self.small, failing: 0.36, share: 0.25, &generator)
        let worse = trial.results.filter { $0.verdict == .regressed }
        #expect(Set(worse.map(\.metric.id)) == ["load_failures@share"] && Set(worse.map(\.page)) == trial.changed)
    }

    /// One history of twelve pages a line: none is red, and a slower page is found.
    @Test(arguments: [2, 4])
    func historiesArePlayedThroughTheTrend(_ world: Int) throws {
        var lines: [String] = []
        try TrendStudy(seed: 3, histories: 1).write([world]) { lines.append($0) }
        let cells = try #require(lines.last).split(separator: "|").dropFirst().map { $0.split(separator: " ")[0] }
        #expect(cells == ["0.0", "0.0", "100", "0.0"])
    }

    @Test func seriesLookAsSaid() {
        var generator = SeededGenerator(seed: 7)
        var series = DriftStudy.Series()
        (series.days, series.weekday, series.resemblance) = (20_000, 0, 0.5)
        let values = series.draw(change: 0.1, on: 10_000, &generator).map(\.logarithm)
        let (before, after) = (Array(values[..<10_000]), Array(values[10_000...]))
        #expect(abs(after.mean - before.mean - log1p(0.1)) < 0.003)
        #expect(abs(before.deviation - series.noise) < 0.0015)
        let rests = before.map { $0 - before.mean }
        let product = zip(rests, rests.dropFirst()).map { $0 * $1 }.mean
        #expect(abs(product / (series.noise * series.noise) - 0.5) < 0.06)
    }
}
