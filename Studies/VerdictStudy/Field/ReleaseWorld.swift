import LibC
import PerfgateCompare
import PerfgateModel
import PerfgateStats
import SeededRandom

/// The world of releases: the users, who adopts a new release first, and the effects of days.
///
/// Users have a device class, a system, a speed and an activity, constant over days and pages. An event's logarithm is
/// the sum of its page's level, its user's class and speed, the effects of network, power mode, day, and day on this
/// release, and noise; some events are outliers.
package struct ReleaseWorld: Sendable {
    /// The first adopters of the new release.
    package enum Adopters: Sendable {
        /// Random users.
        case any
        /// Users of fast devices.
        case fast
        /// Users of slow devices.
        case slow
        /// Users who are faster than others with the same device, which no stratum shows.
        case quick
        /// Users who are slower than others with the same device, which no stratum shows.
        case sluggish
    }

    package var pages = 125
    /// The events per page and day in both releases, from the least visited page to the most, by Zipf's law.
    package var events = 1_000.0...20_000
    package var days = 7
    package var users = 30_000
    /// The variation of users' activity: a standard deviation in logarithms.
    package var activity = 1.0
    /// The variation of users' speed beside their device, in the same measure.
    package var speed = 0.4
    /// The effect of a day on a page, in the same measure.
    package var dayEffect = 0.03
    /// The additional effect of a day on one release of a page, in the same measure.
    package var releaseEffect = 0.01
    /// Whether a day has the same effect on all pages of a release.
    package var isReleaseEffectShared = false
    /// The noise of an event, in the same measure.
    package var noise = 0.6
    /// The fraction of users with the new release on the first day, and on the last.
    package var adoption = 0.15...0.7
    /// The first adopters.
    package var adopters = Adopters.any
    package var namesUsers = true
    /// The number of equally frequent devices in a class, each a stratum of its own.
    package var models = 1
    /// The share of users who are in the candidate's arm of an experiment by chance; `nil`: releases are compared.
    package var treated: Double?

    /// The documented world.
    package init() {}

    /// The shares and effects of device classes, the fast ones first.
    static let classes: [(share: Double, effect: Double)] = [(0.35, -0.25), (0.45, 0), (0.2, 0.35)]
    /// The fraction of events on a slow network, and its effect.
    static let slowNetwork = (share: 0.3, effect: 0.2)
    /// The fraction of events in low-power mode, and its effect.
    static let lowPower = (share: 0.05, effect: 0.15)
    /// The fraction of outliers, and their factors.
    static let outliers = (share: 0.03, factors: 1.5...6.0)
    /// The shares of loads that fail, by page, log-uniform; how much users differ in it, as a standard deviation in
    /// logarithms; and the factor of a slow network.
    static let failureShares = 0.003...0.15
    static let fragility = 0.7
    static let slowFailures = 1.5
    /// The levels of pages in ms, log-uniform.
    static let levels = 250.0...1_500

    /// The events per day of the page with a rank; the first is the most visited.
    func eventsPerDay(ofPage rank: Int) -> Int {
        guard pages > 1 else { return Int(events.upperBound) }
        let exponent = log(events.upperBound / events.lowerBound) / log(Double(pages))
        return Int(events.upperBound / pow(Double(rank + 1), exponent))
    }
}

/// The users of a world.
struct Population {
    struct User {
        /// The device class and the system, part of the stratum.
        let stratum: Int
        /// The effect of class and speed on a value, in logarithms.
        let effect: Double
        /// The first day with the new release.
        let adoption: Int
        /// The factor of failures, 1 on average.
        let fragility: Double
    }

    let users: [User]
    private let chances: [UInt32]
    private let aliases: [Int]

    /// Draws the users. On each day a fraction of them has the new release, the earliest adopters first.
    init(_ world: ReleaseWorld, _ generator: inout SeededGenerator) {
        var drawn: [(stratum: Int, effect: Double, order: Double)] = []
        for _ in 0..<world.users {
            let place = generator.uniform()
            let kind = place < 0.35 ? 0 : place < 0.8 ? 1 : 2
            let speed = world.speed * generator.normal()
            // Half chance, half the adopters' trait.
            let order: Double =
                switch world.adopters {
                case .any: generator.normal()
                case .fast: generator.normal() + 1.2 * Double(kind)
                case .slow: generator.normal() - 1.2 * Double(kind)
                case .quick: generator.normal() + 0.2 * speed / max(world.speed, 1e-9)
                case .sluggish: generator.normal() - 0.2 * speed / max(world.speed, 1e-9)
                }
            drawn.append(
                (
                    stratum: (kind * world.models + Int(generator.uniform() * Double(world.models))) * 2
                        + (generator.uniform() < 0.5 ? 0 : 1),
                    effect: ReleaseWorld.classes[kind].effect + speed, order: order
                ))
        }
        let ranks = drawn.indices.sorted { drawn[$0].order < drawn[$1].order }
        var adoption = Array(repeating: world.days, count: drawn.count)
        for (rank, user) in ranks.enumerated() {
            let share = (Double(rank) + 0.5) / Double(drawn.count)
            if let treated = world.treated {
                adoption[user] = generator.uniform() < treated ? 0 : world.days
            } else {
                adoption[user] = (0..<world.days).first { share < Self.share($0, world) } ?? world.days
            }
        }
        users = zip(drawn, adoption).map { user, day in
            User(
                stratum: user.stratum * 4, effect: user.effect, adoption: day,
                fragility: exp(ReleaseWorld.fragility * (generator.normal() - ReleaseWorld.fragility / 2)))
        }
        (chances, aliases) = Self.aliases(users.map { _ in exp(world.activity * generator.normal()) })
    }

    /// The fraction of users with the new release on a day.
    private static func share(_ day: Int, _ world: ReleaseWorld) -> Double {
        let progress = world.days > 1 ? Double(day) / Double(world.days - 1) : 1
        return world.adoption.lowerBound + (world.adoption.upperBound - world.adoption.lowerBound)
            * progress.squareRoot()
    }

    /// Draws a user, weighted by activity.
    func draw(_ generator: inout SeededGenerator) -> Int {
        let bits = generator.next()
        let place = Int(((bits >> 32) * UInt64(users.count)) >> 32)
        return UInt32(truncatingIfNeeded: bits) < chances[place] ? place : aliases[place]
    }

    /// Alias tables for weighted drawing with one random number (A. J. Walker, ACM TOMS 3 (1977) 253–256).
    private static func aliases(_ weights: [Double]) -> ([UInt32], [Int]) {
        let mean = weights.reduce(0, +) / Double(weights.count)
        var rest = weights.map { $0 / mean }
        var chances = Array(repeating: UInt32.max, count: weights.count)
        var aliases = Array(weights.indices)
        var (small, large) = (rest.indices.filter { rest[$0] < 1 }, rest.indices.filter { rest[$0] >= 1 })
        while let low = small.popLast(), let high = large.last {
            chances[low] = UInt32(rest[low] * Double(UInt32.max))
            aliases[low] = high
            rest[high] -= 1 - rest[low]
            if rest[high] < 1 {
                large.removeLast()
                small.append(high)
            }
        }
        return (chances, aliases)
    }
}

/// Normal numbers from a table of 65,536 quantiles: fast, cut at 4.3 deviations.
struct NormalTable {
    private let quantiles: [Double]

    init() {
        quantiles = (0..<1 << 16).map { Normal.quantile((Double($0) + 0.5) / Double(1 << 16)) }
    }

    func draw(_ bits: UInt64) -> Double { quantiles[Int(bits & 0xFFFF)] }

    static let shared = NormalTable()
}
