import LibC
import PerfgateCompare
import PerfgateField
import PerfgateModel
import PerfgateStats
import SeededRandom

/// The events of one page, rolled up like `perfgate field rollup --pair`.
struct PageTraffic {
    /// One compared event, for studies of users.
    struct Event {
        let day: Int
        let user: Int
        let bucket: Int
        let isCandidate: Bool
        let weight: Int
    }

    private(set) var days: [ReleaseDay] = []
    /// The same events as loads that fail or don't.
    private(set) var failures: [ReleaseDay] = []
    /// All events; empty unless they are stored.
    private(set) var events: [Event] = []

    /// Draws a page's events on all days.
    ///
    /// - Parameters:
    ///   - change: The slowdown of the new release, in logarithms.
    ///   - failing: The failures that the new release adds, as a share of its events.
    ///   - releaseEffects: The effect of each day on both releases of every page, in logarithms; `nil`: separate per
    ///     page.
    init(
        _ world: ReleaseWorld, _ population: Population, eventsPerDay: Int, change: Double, failing: Double = 0,
        releaseEffects: [(base: Double, candidate: Double)]?, keepsEvents: Bool = false,
        _ generator: inout SeededGenerator
    ) {
        let level = log(1_000 * generator.logUniform(ReleaseWorld.levels))
        let failureShare = generator.logUniform(ReleaseWorld.failureShares)
        var tally = UserTally(users: world.users)
        for day in 0..<world.days {
            let shift = level + world.dayEffect * generator.normal()
            let own =
                releaseEffects?[day] ?? (
                    base: world.releaseEffect * generator.normal(), candidate: world.releaseEffect * generator.normal()
                )
            let drawn = Self.draw(
                world, population, count: eventsPerDay, day: day, base: shift + own.base,
                candidate: shift + own.candidate + change, &generator)
            let weights = world.treated == nil ? StratumWeights(drawn) : nil
            // Days move failures four times as much as times.
            let failureEffect = 4 * (shift - level)
            let failed = drawn.map { event in
                let effect = failureEffect + 4 * (event.isCandidate ? own.candidate : own.base)
                let chance =
                    failureShare * population.users[event.user].fragility * exp(effect)
                    * (event.stratum & 2 > 0 ? ReleaseWorld.slowFailures : 1) + (event.isCandidate ? failing : 0)
                return event.counted(generator.uniform() < chance)
            }
            func side(_ drawn: [Draw], _ isCandidate: Bool) -> ReleaseDay.Side {
                var sums = Array(repeating: (n: 0, w: 0, squares: 0), count: QuantumBucket.count)
                for event in drawn where event.isCandidate == isCandidate {
                    let w = weights?[event.stratum, isCandidate] ?? Int(ReleaseDay.fullWeight)
                    sums[event.bucket].n += 1
                    sums[event.bucket].w += w
                    sums[event.bucket].squares += w * w
                }
                let buckets = sums.indices.filter { sums[$0].n > 0 }.map {
                    WeightedHistogram.Bucket(
                        index: $0, count: sums[$0].n, weight: sums[$0].w, squares: sums[$0].squares)
                }
                let users = world.namesUsers ? tally.sums(drawn.lazy.filter { $0.isCandidate == isCandidate }) : nil
                return ReleaseDay.Side(WeightedHistogram(buckets), users: users)
            }
            days.append(ReleaseDay(day: 20_000 + day, base: side(drawn, false), candidate: side(drawn, true)))
            failures.append(ReleaseDay(day: 20_000 + day, base: side(failed, false), candidate: side(failed, true)))
            guard keepsEvents else { continue }
            events += drawn.map {
                Event(
                    day: day, user: $0.user, bucket: $0.bucket, isCandidate: $0.isCandidate,
                    weight: weights?[$0.stratum, $0.isCandidate] ?? Int(ReleaseDay.fullWeight))
            }
        }
    }

    /// A drawn event.
    fileprivate struct Draw {
        let user: Int
        let stratum: Int
        let bucket: Int
        let isCandidate: Bool

        /// The event as one that happened or not.
        func counted(_ happened: Bool) -> Draw {
            Draw(
                user: user, stratum: stratum, bucket: QuantumBucket(of: happened ? 1_000 : 0).index,
                isCandidate: isCandidate)
        }
    }

    private static func draw(
        _ world: ReleaseWorld, _ population: Population, count: Int, day: Int, base: Double, candidate: Double,
        _ generator: inout SeededGenerator
    ) -> [Draw] {
        let (slow, low, odd) = (ReleaseWorld.slowNetwork, ReleaseWorld.lowPower, ReleaseWorld.outliers)
        let normal = NormalTable.shared
        var drawn: [Draw] = []
        drawn.reserveCapacity(count)
        for _ in 0..<count {
            let index = population.draw(&generator)
            let user = population.users[index]
            let bits = generator.next()
            let isSlow = Double(bits >> 48) < slow.share * 65_536
            let isLow = Double(bits >> 32 & 0xFFFF) < low.share * 65_536
            let isCandidate = day >= user.adoption
            var logarithm = (isCandidate ? candidate : base) + user.effect + world.noise * normal.draw(bits)
            if isSlow { logarithm += slow.effect }
            if isLow { logarithm += low.effect }
            if Double(bits >> 16 & 0xFFFF) < odd.share * 65_536 { logarithm += log(generator.uniform(odd.factors)) }
            let quantum = min(Quantum.most, Int(exp(logarithm)))
            drawn.append(
                Draw(
                    user: index, stratum: user.stratum + (isSlow ? 2 : 0) + (isLow ? 1 : 0),
                    bucket: QuantumBucket(of: quantum).index, isCandidate: isCandidate))
        }
        return drawn
    }
}

/// The weights of a page's events on a day by stratum: of small strata together, as `PairWeights` says.
private struct StratumWeights {
    private var weights: [Int: (base: Int, candidate: Int)] = [:]

    /// The strata that are weighted together, each level coarser: all, without the device, only the system.
    private static let levels: [@Sendable (Int) -> Int] = [{ $0 }, { $0 % 8 }, { $0 >> 2 & 1 }]

    init(_ drawn: [PageTraffic.Draw]) {
        var counts: [Int: (base: Int, candidate: Int)] = [:]
        for event in drawn {
            counts[event.stratum, default: (0, 0)].base += event.isCandidate ? 0 : 1
            counts[event.stratum, default: (0, 0)].candidate += event.isCandidate ? 1 : 0
        }
        for (number, level) in Self.levels.enumerated() {
            var sums: [Int: (base: Int, candidate: Int)] = [:]
            for (stratum, own) in counts {
                sums[level(stratum), default: (0, 0)].base += own.base
                sums[level(stratum), default: (0, 0)].candidate += own.candidate
            }
            for stratum in counts.keys {
                let sum = sums[level(stratum)] ?? (0, 0), all = sum.base + sum.candidate
                guard all >= PairWeights.fewestEvents || number == Self.levels.count - 1 else { continue }
                func weight(_ other: Int) -> Int { Int(ReleaseDay.fullWeight * Double(other) / Double(all) + 0.5) }
                weights[stratum] = (weight(sum.candidate), weight(sum.base))
                counts[stratum] = nil
            }
        }
    }

    subscript(stratum: Int, isCandidate: Bool) -> Int {
        let both = weights[stratum] ?? (0, 0)
        return isCandidate ? both.candidate : both.base
    }
}

/// The sums of users, separate for each side and day.
private struct UserTally {
    private var events: [Int]
    private var sums: [Int]

    init(users: Int) {
        events = Array(repeating: 0, count: users)
        sums = events
    }

    mutating func sums(_ drawn: some Sequence<PageTraffic.Draw>) -> UserSums {
        var touched: [Int] = []
        for event in drawn {
            let user = event.user
            if events[user] == 0 { touched.append(user) }
            events[user] += 1
            sums[user] += event.bucket
        }
        var total = UserSums()
        for user in touched {
            total.add(events: events[user], indices: sums[user])
            events[user] = 0
            sums[user] = 0
        }
        return total
    }
}

/// A pair of releases with all its pages, judged by the product's rule.
struct ReleaseTrial {
    /// The results of each page's quantile, on all days.
    let results: [CellResult]
    /// The events of all days.
    private let pair: ReleasePair
    /// The slower pages.
    let changed: Set<Page>
    let eventsPerDay: [Page: Int]
    /// Draws a pair and judges it.
    ///
    /// - Parameters:
    ///   - slower: The slowdown of the changed pages: 0.2 is +20 %.
    ///   - failing: The additional failures of the changed pages, as a share of their events.
    ///   - share: The fraction of pages that change.
    init(
        _ world: ReleaseWorld, slower: Double = 0, failing: Double = 0, share: Double = 0,
        _ generator: inout SeededGenerator
    ) {
        let population = Population(world, &generator)
        let shared =
            world.isReleaseEffectShared
            ? (0..<world.days).map { _ in
                (base: world.releaseEffect * generator.normal(), candidate: world.releaseEffect * generator.normal())
            } : nil
        var drawnUsers: [[PageTraffic.Event]] = []
        var (cells, changed, traffic) = ([ReleasePair.Cell](), Set<Page>(), [Page: Int]())
        for rank in 0..<world.pages {
            let page = Page("page \(rank)")
            // Evenly over busy and quiet pages.
            let isChanged = Int(share * Double(rank + 1)) > Int(share * Double(rank))
            if isChanged { changed.insert(page) }
            traffic[page] = world.eventsPerDay(ofPage: rank)
            let events = PageTraffic(
                world, population, eventsPerDay: world.eventsPerDay(ofPage: rank),
                change: isChanged ? log1p(slower) : 0, failing: isChanged ? failing : 0,
                releaseEffects: shared, keepsEvents: world.treated != nil, &generator)
            drawnUsers.append(events.events)
            cells.append(ReleasePair.Cell(page: page, metric: Metric(.ttil), days: events.days))
            cells.append(ReleasePair.Cell(page: page, metric: .loadFailures, days: events.failures))
        }
        self.changed = changed
        eventsPerDay = traffic
        var pair = ReleasePair(app: "shop", base: "7.117", candidate: "7.129", cells: cells)
        if world.treated != nil {
            let users = AllPagesUsers.sums(of: drawnUsers, days: world.days, users: world.users)
            pair.experiment = .init(release: nil, looks: 1, users: world.namesUsers ? [Metric(.ttil).id: users] : [:])
        }
        self.pair = pair
        results = ReleaseJudge(policy: Policy()).compare(pair)
    }

    /// The results of an experiment that is checked after some of its days, as one of several checks.
    func results(after days: Int, looks: Int) -> [CellResult] {
        let last = 20_000 + days
        let cells = pair.cells.map { cell in
            ReleasePair.Cell(page: cell.page, metric: cell.metric, days: cell.days.filter { $0.day < last })
        }
        var part = ReleasePair(app: pair.app, base: pair.base, candidate: pair.candidate, cells: cells)
        let users = (pair.experiment?.users ?? [:]).mapValues { $0.filter { $0.key < last } }
        part.experiment = .init(release: nil, looks: looks, users: users)
        return ReleaseJudge(policy: Policy()).compare(part)
    }

    /// The probability of an experiment's shares of users by chance; `nil` without users.
    func ratio(treated: Double) -> Double? {
        let days = (pair.experiment?.users[Metric(.ttil).id] ?? [:]).values
        return SampleRatio(days.map { ($0[0].users, $0[1].users) }, candidate: treated)?.p
    }

    /// The comparisons of single pages.
    var pages: [CellResult] { results.filter { $0.subject != .allPages } }

    /// The findings about all pages.
    var shifts: [CellResult] { results.filter { $0.subject == .allPages } }
}

/// The users' sums of all pages together by day and side, as `perfgate field rollup` makes them for experiments.
private enum AllPagesUsers {
    static func sums(of pages: [[PageTraffic.Event]], days: Int, users: Int) -> [Int: [UserSums]] {
        var sums: [Int: [UserSums]] = [:]
        for day in 0..<days {
            var own = Array(repeating: (events: 0, indices: 0, isCandidate: false), count: users)
            for page in pages {
                for event in page where event.day == day {
                    own[event.user].events += 1
                    own[event.user].indices += event.bucket
                    own[event.user].isCandidate = event.isCandidate
                }
            }
            var sides = [UserSums(), UserSums()]
            for user in own where user.events > 0 {
                sides[user.isCandidate ? 1 : 0].add(events: user.events, indices: user.indices)
            }
            sums[20_000 + day] = sides
        }
        return sums
    }
}
