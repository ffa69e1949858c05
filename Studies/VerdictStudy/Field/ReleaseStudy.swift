import LibC
import PerfgateCompare
import PerfgateModel
import PerfgateStats
import SeededRandom

/// The error rates and the power of the rule for releases, in Markdown.
package struct ReleaseStudy: Sendable {
    private let seed: UInt64
    private let runs: Int

    /// A study with this many pairs of releases per line.
    package init(seed: UInt64, runs: Int) {
        self.seed = seed
        self.runs = runs
    }

    /// The worlds without changes, by their difference from the documented one.
    package static let worlds: [(title: String, world: ReleaseWorld)] = {
        func world(_ change: (inout ReleaseWorld) -> Void) -> ReleaseWorld {
            var world = ReleaseWorld()
            change(&world)
            return world
        }
        return [
            ("as documented", ReleaseWorld()),
            ("5,500–60,000 events", world { $0.events = 5_500...60_000 }),
            ("fast devices first", world { $0.adopters = .fast }),
            ("slow devices first", world { $0.adopters = .slow }),
            ("events without users", world { $0.namesUsers = false }),
            ("3,000 users", world { $0.users = 3_000 }),
            ("300 users", world { $0.users = 300 }),
            ("days shift a release by 3 %", world { $0.releaseEffect = 0.03 }),
            (
                "days shift a release by 2 %, equally on all pages",
                world { ($0.releaseEffect, $0.isReleaseEffectShared) = (0.02, true) }
            ),
            ("200–5,000 events", world { $0.events = 200...5_000 }),
            ("200–5,000 events, two days", world { ($0.events, $0.days) = (200...5_000, 2) }),
            (
                "200–5,000 events, 1–10 % have the release",
                world { ($0.events, $0.adoption) = (200...5_000, 0.01...0.1) }
            ),
            ("200–5,000 events, 20 pages", world { ($0.events, $0.pages) = (200...5_000, 20) }),
            ("200–5,000 events, 5 pages", world { ($0.events, $0.pages) = (200...5_000, 5) }),
            ("quicker users first, in every stratum", world { $0.adopters = .quick }),
            ("slower users first, in every stratum", world { $0.adopters = .sluggish }),
        ]
    }()

    /// Prints the worlds without changes, line by line.
    package func writeNull(_ chosen: [Int] = Array(worlds.indices), _ line: (String) -> Void) {
        line(
            "| world | any time or shift worse | any share of failures worse | any improved | can't tell, of a release's "
                + "comparisons | δ/SE at p50, p90, of failures |")
        line("|---|---|---|---|---|---|")
        for index in chosen {
            let (title, world) = Self.worlds[index]
            var (worse, failing, improved, unsure) = (Tally(), Tally(), Tally(), Tally())
            var spread = ["p50": [Double](), "p90": [], "share": []]
            for run in 0..<runs {
                var generator = generator(run, stream: UInt64(index))
                let trial = ReleaseTrial(world, &generator)
                let red = trial.results.filter { $0.verdict == .regressed }
                worse.count(red.contains { !$0.isOfFailures })
                failing.count(red.contains(where: \.isOfFailures))
                improved.count(trial.results.contains { $0.verdict == .improved })
                for result in trial.pages {
                    unsure.count(result.verdict == .inconclusive)
                    guard let (name, distance) = result.distance else { continue }
                    spread[name]?.append(distance)
                }
            }
            let spreads = ["p50", "p90", "share"].map { Self.decimal(Self.rootMeanSquare(spread[$0] ?? [])) }
            let cells = [worse, failing, improved].map { Tally.text([$0]) } + [unsure.percent]
            line("| \(title) | \(cells.joined(separator: " | ")) | \(spreads.joined(separator: ", ")) |")
        }
    }

    /// The world for changes: pages with 5,500 events per day and more.
    static let busy = {
        var world = ReleaseWorld()
        world.events = 5_500...20_000
        return world
    }()

    /// The changes of 30 % of the pages.
    package static let changes = [0.1, 0.15, 0.2, 0.3]

    /// Prints the power with some slower pages, line by line.
    package func writePower(_ line: (String) -> Void) {
        line(
            "| 30 % of the pages slower by | found at p50 | found at p90 | … of pages below 7,000 events | another page worse |"
        )
        line("|---|---|---|---|---|")
        for (index, change) in Self.changes.enumerated() {
            var (p50, p90, quiet50, quiet90, others) = (Tally(), Tally(), Tally(), Tally(), Tally())
            for run in 0..<runs {
                var generator = generator(run, stream: UInt64(32 + index))
                let trial = ReleaseTrial(Self.busy, slower: change, share: 0.3, &generator)
                for result in trial.pages where trial.changed.contains(result.page) && !result.isOfFailures {
                    let (isFound, isMedian) = (result.verdict == .regressed, result.metric.id.hasSuffix("p50"))
                    if isMedian { p50.count(isFound) } else { p90.count(isFound) }
                    guard trial.eventsPerDay[result.page] ?? 0 < 7_000 else { continue }
                    if isMedian { quiet50.count(isFound) } else { quiet90.count(isFound) }
                }
                others.count(
                    trial.results.contains { $0.verdict == .regressed && !trial.changed.contains($0.page) })
            }
            line(
                "| +\(Int((change * 100).rounded())) % | \(p50.percent) | \(p90.percent) | \(quiet50.percent), "
                    + "\(quiet90.percent) | \(Tally.text([others])) |")
        }
    }

    /// The additional failures of 30 % of the pages.
    package static let failures = [0.03, 0.05, 0.1, 0.36]

    /// Prints the power for shares of failures, line by line.
    package func writeFailures(_ line: (String) -> Void) {
        line("| 30 % of the pages fail more often, by | found | another page worse |")
        line("|---|---|---|")
        for (index, change) in Self.failures.enumerated() {
            var (found, others) = (Tally(), Tally())
            for run in 0..<runs {
                var generator = generator(run, stream: UInt64(56 + index))
                let trial = ReleaseTrial(Self.busy, failing: change, share: 0.3, &generator)
                for result in trial.pages where trial.changed.contains(result.page) && result.isOfFailures {
                    found.count(result.verdict == .regressed)
                }
                others.count(
                    trial.results.contains { $0.verdict == .regressed && !trial.changed.contains($0.page) })
            }
            line("| \(Int((change * 100).rounded())) points | \(found.percent) | \(Tally.text([others])) |")
        }
    }

    /// Prints the standard errors compared with a bootstrap over users, line by line.
    package func writeDesignEffects(pages: Int = 20, draws: Int = 200, _ line: (String) -> Void) {
        line("| users, events a page and day | design effect | SE of the bootstrap / of the rule at p50 | at p90 |")
        line("|---|---|---|---|")
        for (index, (users, events)) in [(300_000, 5_500.0), (30_000, 5_500), (30_000, 60_000), (3_000, 5_500)]
            .enumerated()
        {
            var world = ReleaseWorld()
            (world.users, world.events, world.pages) = (users, events...events, 1)
            var (effects, ratios) = ([Double](), [[Double](), []])
            for page in 0..<pages {
                var generator = generator(page, stream: UInt64(48 + index))
                let population = Population(world, &generator)
                let traffic = PageTraffic(
                    world, population, eventsPerDay: Int(events), change: 0, releaseEffects: nil, keepsEvents: true,
                    &generator)
                let shared = SharedDays(traffic.days)
                let bootstrap = UserBootstrap(traffic.events, users: users)
                effects.append((shared.base.designEffect.factor + shared.candidate.designEffect.factor) / 2)
                for (place, share) in [0.5, 0.9].enumerated() {
                    let spread = bootstrap.deviation(at: share, draws: draws, &generator)
                    guard let shift = QuantileShift(shared.base, shared.candidate, .quantile(share)) else { continue }
                    ratios[place].append(spread / shift.samplingVariance.squareRoot())
                }
            }
            let cells = ([effects] + ratios).map { Self.decimal($0.mean) }
            line("| \(users), \(Int(events)) | \(cells.joined(separator: " | ")) |")
        }
    }

    private static func rootMeanSquare(_ values: [Double]) -> Double { values.map { $0 * $0 }.mean.squareRoot() }

    /// A nonnegative number with two decimals.
    private static func decimal(_ value: Double) -> String {
        let hundredths = String(Int((value * 100).rounded()) % 100)
        return "\(Int((value * 100).rounded()) / 100).\(hundredths.count < 2 ? "0" : "")\(hundredths)"
    }

    private func generator(_ run: Int, stream: UInt64) -> SeededGenerator {
        SeededGenerator(seed: seed, stream: UInt64(run) << 6 | stream)
    }
}

extension CellResult.Facts {
    fileprivate var isOfFailures: Bool { metric.id.hasPrefix(Metric.loadFailures.id) }

    /// The name of the quantile, and δ in standard errors; `nil` if nothing was compared.
    fileprivate var distance: (name: String, distance: Double)? {
        guard let before = baseline?.center, let after = candidate?.center, let error = releases?.standardError,
            let parts = MetricQuantile.parts(of: metric.id), error > 0
        else { return nil }
        let offset = isOfFailures ? toleranceTerms?.minChange ?? 0 : 0
        return (parts.name, log((after + offset) / (before + offset)) / error)
    }
}

/// The variation of a quantile's change when whole users are resampled, each as often as a Poisson number with mean 1,
/// which approximates drawing with replacement.
private struct UserBootstrap {
    private let events: [PageTraffic.Event]
    private let users: Int

    init(_ events: [PageTraffic.Event], users: Int) {
        self.events = events
        self.users = users
    }

    /// The standard deviation of δ.
    func deviation(at share: Double, draws: Int, _ generator: inout SeededGenerator) -> Double {
        (0..<draws).map { _ in
            let times = (0..<users).map { _ in generator.poisson(1) }
            var sums = [false, true].map { _ in Array(repeating: 0, count: QuantumBucket.count) }
            for event in events {
                sums[event.isCandidate ? 1 : 0][Int(event.bucket)] += times[Int(event.user)] * Int(event.weight)
            }
            let quantiles = sums.map { sums in
                let buckets = sums.indices.filter { sums[$0] > 0 }.map {
                    WeightedHistogram.Bucket(index: $0, count: 1, weight: sums[$0], squares: 1)
                }
                return log(WeightedHistogram(buckets).quantile(share) ?? 1)
            }
            return quantiles[1] - quantiles[0]
        }.deviation
    }
}
