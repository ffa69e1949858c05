import LibC
import PerfgateCompare
import PerfgateModel
import PerfgateStats
import SeededRandom

/// The world that releases are used in: who the users are, who takes a new release first, and what days do.
///
/// Users have a device class, a system, a speed of their own and an activity, and keep all of it for all days and pages. An
/// event's logarithm is the sum of its page's level, its user's class and speed, the network's and the power mode's effect,
/// the day's, the day's on this release, and noise of its own; now and then it is an outlier.
package struct ReleaseWorld: Sendable {
    /// Who takes the new release first.
    package enum Adopters: Sendable {
        /// Anybody.
        case any
        /// Users of fast devices.
        case fast
        /// Users of slow devices.
        case slow
        /// Users who are quicker than others with the same device, which no stratum tells.
        case quick
        /// Users who are slower than others with the same device, likewise.
        case sluggish
    }

    /// How many pages.
    package var pages = 125
    /// How many events a page has a day in both releases, from the least visited page to the most: Zipf's law between.
    package var events = 1_000.0...20_000
    /// How many days.
    package var days = 7
    /// How many users.
    package var users = 30_000
    /// How differently active users are: a standard deviation in logarithms.
    package var activity = 1.0
    /// How differently fast users are beside their device, likewise.
    package var speed = 0.4
    /// What a day does to a page, likewise.
    package var dayEffect = 0.03
    /// What a day does to one release of a page beside that, likewise.
    package var releaseEffect = 0.01
    /// Whether a day does the same to all pages of a release.
    package var isReleaseEffectShared = false
    /// The noise of an event, likewise.
    package var noise = 0.6
    /// The share of users that have the new release on the first day, and on the last.
    package var adoption = 0.15...0.7
    /// Who takes it first.
    package var adopters = Adopters.any
    /// Whether events name their user.
    package var namesUsers = true

    /// The world as it is documented.
    package init() {}

    /// The shares and effects of device classes, the fast ones first.
    static let classes: [(share: Double, effect: Double)] = [(0.35, -0.25), (0.45, 0), (0.2, 0.35)]
    /// The share of events on a slow network, and its effect.
    static let slowNetwork = (share: 0.3, effect: 0.2)
    /// The share of events in low-power mode, and its effect.
    static let lowPower = (share: 0.05, effect: 0.15)
    /// The share of outliers, and by what they are multiplied.
    static let outliers = (share: 0.03, factors: 1.5...6.0)
    /// The levels of pages in ms, log-uniform.
    static let levels = 250.0...1_500
    /// Strata: three classes, two systems, two networks, two power modes.
    static let strata = 24

    /// How many events the page of a rank has a day, the first being the most visited.
    func eventsPerDay(ofPage rank: Int) -> Int {
        guard pages > 1 else { return Int(events.upperBound) }
        let exponent = log(events.upperBound / events.lowerBound) / log(Double(pages))
        return Int(events.upperBound / pow(Double(rank + 1), exponent))
    }
}

/// The users of a world.
struct Population {
    /// A user.
    struct User {
        /// The device class and the system, a part of the stratum.
        let stratum: Int
        /// What class and speed do to a value, in logarithms.
        let effect: Double
        /// The first day with the new release.
        let adoption: Int
    }

    /// The users.
    let users: [User]
    private let chances: [UInt32]
    private let aliases: [Int]

    /// Draws the users, of whom each day's share has the new release: those first whom it comes to first.
    init(_ world: ReleaseWorld, _ generator: inout SeededGenerator) {
        var drawn: [(stratum: Int, effect: Double, order: Double)] = []
        for _ in 0..<world.users {
            let place = generator.uniform()
            let kind = place < 0.35 ? 0 : place < 0.8 ? 1 : 2
            let speed = world.speed * generator.normal()
            // Half by chance, half by what makes users eager.
            let order: Double =
                switch world.adopters {
                case .any: generator.normal()
                case .fast: generator.normal() + 1.2 * Double(kind)
                case .slow: generator.normal() - 1.2 * Double(kind)
                case .quick: generator.normal() + 0.2 * speed / max(world.speed, 1e-9)
                case .sluggish: generator.normal() - 0.2 * speed / max(world.speed, 1e-9)
                }
            drawn.append(
                (kind * 2 + (generator.uniform() < 0.5 ? 0 : 1), ReleaseWorld.classes[kind].effect + speed, order))
        }
        let ranks = drawn.indices.sorted { drawn[$0].order < drawn[$1].order }
        var adoption = Array(repeating: world.days, count: drawn.count)
        for (rank, user) in ranks.enumerated() {
            let share = (Double(rank) + 0.5) / Double(drawn.count)
            adoption[user] = (0..<world.days).first { share < Self.share($0, world) } ?? world.days
        }
        users = zip(drawn, adoption).map { User(stratum: $0.stratum * 4, effect: $0.effect, adoption: $1) }
        (chances, aliases) = Self.aliases(users.map { _ in exp(world.activity * generator.normal()) })
    }

    /// The share of users with the new release on a day.
    private static func share(_ day: Int, _ world: ReleaseWorld) -> Double {
        let progress = world.days > 1 ? Double(day) / Double(world.days - 1) : 1
        return world.adoption.lowerBound + (world.adoption.upperBound - world.adoption.lowerBound)
            * progress.squareRoot()
    }

    /// A user, more active ones more often.
    func draw(_ generator: inout SeededGenerator) -> Int {
        let bits = generator.next()
        let place = Int(((bits >> 32) * UInt64(users.count)) >> 32)
        return UInt32(truncatingIfNeeded: bits) < chances[place] ? place : aliases[place]
    }

    /// Tables to draw by weights with one random number (A. J. Walker, ACM TOMS 3 (1977) 253–256).
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

/// Normal numbers by a table of 65,536 quantiles: quick, and cut at 4.3 deviations.
struct NormalTable {
    private let quantiles: [Double]

    init() {
        quantiles = (0..<1 << 16).map { Normal.quantile((Double($0) + 0.5) / Double(1 << 16)) }
    }

    func draw(_ bits: UInt64) -> Double { quantiles[Int(bits & 0xFFFF)] }

    static let shared = NormalTable()
}
