import PerfgateModel
import PerfgateStats

/// Two releases of an app, measured by their users: the input of `ReleaseJudge`.
package struct ReleasePair: Sendable {
    /// A metric of a page, day by day.
    package struct Cell: Sendable {
        package let page: Page
        package let metric: Metric
        /// The number of quanta per unit of the metric, above 0.
        package let scale: Double
        /// The days with events of either release, each once, in any order.
        package let days: [ReleaseDay]

        package init(page: Page, metric: Metric, scale: Double = 1_000, days: [ReleaseDay]) {
            (self.page, self.metric, self.scale, self.days) = (page, metric, scale, days)
        }
    }

    /// The app; `nil` if no event names it.
    package let app: String?
    package let base: String
    /// The newer release, which is judged.
    package let candidate: String
    /// The metrics of pages, each once, in any order.
    package let cells: [Cell]
    /// The experiment whose arms the sides are; `nil`: they are releases.
    package var experiment: Experiment?

    package struct Experiment: Sendable, Hashable {
        /// The release of all users; `nil`: several.
        package let release: String?
        /// How often the experiment is checked; 1 or more.
        package let looks: Int
        /// The users' sums of all pages together by metric, day and side: base, then candidate.
        package let users: [String: [Int: [UserSums]]]

        package init(release: String?, looks: Int, users: [String: [Int: [UserSums]]] = [:]) {
            (self.release, self.looks, self.users) = (release, looks, users)
        }

        /// The effect on all pages that counts, unless the configuration says another: chance moves the arms' users
        /// less than those of two releases.
        package static let tolerance = 0.02

        /// The variance of the effect on all pages from which users are in the arms, in logarithms: the mean of the
        /// days, which more days don't reduce, since users return; 0 or more; `nil` without users.
        func userVariance(of cells: [Cell], _ metric: String) -> Double? {
            typealias Events = (count: Double, sum: Double, squares: Double)
            var events: [Int: [Events]] = [:]
            for cell in cells where cell.metric.id == metric {
                for day in cell.days {
                    for (side, histogram) in [day.base.histogram, day.candidate.histogram].enumerated() {
                        for bucket in histogram.buckets {
                            let (index, count) = (Double(bucket.index), Double(bucket.count))
                            var sums: Events = events[day.day]?[side] ?? (0, 0, 0)
                            sums.count += count
                            sums.sum += count * index
                            sums.squares += count * index * index
                            events[day.day, default: [(0, 0, 0), (0, 0, 0)]][side] = sums
                        }
                    }
                }
            }
            let variances = (users[metric] ?? [:]).sorted { $0.key < $1.key }.compactMap { day, sides -> Double? in
                guard let own = events[day], own.allSatisfy({ $0.count > 0 }),
                    let base = sides[0].logVarianceOfUsers(among: own[0]),
                    let candidate = sides[1].logVarianceOfUsers(among: own[1])
                else { return nil }
                return base + candidate
            }
            return variances.isEmpty ? nil : max(0, variances.reduce(0, +) / Double(variances.count))
        }
    }

    package init(app: String?, base: String, candidate: String, cells: [Cell]) {
        (self.app, self.base, self.candidate, self.cells) = (app, base, candidate, cells)
    }

    /// The environment of the comparison: the app and both sides.
    package var environment: Environment {
        let sides = Environment.Field(
            name: experiment == nil ? "releases" : "arms", value: .text("\(base) → \(candidate)"))
        let release = experiment?.release.map { [Environment.Field(name: "release", value: .text($0))] } ?? []
        return Environment([.init(name: "app", value: app.map { .text($0) }), sides] + release)
    }
}

/// Numbers of two releases on their shared days, in addition to the comparison's.
package struct ReleaseNumbers: Sendable, Hashable {
    package struct Side: Sendable, Hashable {
        package var release: String
        /// The number of events on the shared days; 0 or more.
        package var events = 0
        /// The number of equally weighted independent events with the same information; 0 or more.
        package var effectiveEvents = 0.0
        /// The factor by which users with more than one event increase the variance; 1 or more.
        package var designEffect = 1.0
        /// Whether the design effect was computed from users; otherwise it is assumed.
        package var isDesignEffectMeasured = false
        /// The quantiles at `percentages`, weighted, in the metric's unit; empty without events.
        package var quantiles: [Double] = []

        package static let percentages = [50, 75, 90, 99]
    }

    /// The distribution of both releases' weighted values, in parts of equal logarithmic width between two bounds.
    package struct Spread: Sendable, Hashable {
        /// The lower bound, in the metric's unit; above 0.
        package var lower: Double
        /// The upper bound; above `lower`.
        package var upper = 0.0
        /// The older release's shares in ten-thousandths: below `lower`, then part by part, then above `upper`.
        package var base: [Int] = []
        /// The newer release's shares, in the same form.
        package var candidate: [Int] = []

        package static let parts = 40
        /// The sum of a release's shares, except for rounding.
        package static let whole = 10_000
    }

    /// The amount of data that would make an inconclusive change conclusive.
    package struct Needed: Sendable, Hashable {
        /// The total number of shared days, at the same traffic; 2 or more.
        package var days: Int
        /// The total number of events of the newer release; 0 or more.
        package var events = 0
    }

    package var base: Side
    package var candidate = Side()
    /// The number of shared days; 0 or more.
    package var days = 0
    /// The overlapping share of the traffic: 1 if both releases are used on the same devices, systems and networks, 0
    /// if they have none in common.
    package var overlap = 0.0
    /// The standard error of the logarithmic change, 0 or more; `nil` if nothing was compared.
    package var standardError: Double?
    /// τ, the standard deviation of a day's effect on one release only, in logarithms; `nil` if nothing was compared.
    package var daySpread: Double?
    /// The shift of all pages as a fraction, 0.1 for +10 %; `nil` if it isn't beyond half the tolerance.
    package var allPages: Double?
    /// The distribution of both releases' values; `nil` if none is above 0, or nothing is shared.
    package var spread: Spread?
    /// The data needed; `nil` if the result is conclusive, or if a year of data wouldn't be enough.
    package var needed: Needed?
}

// The values that a reader of JSON fills in.
extension ReleaseNumbers {
    package init() { self.init(base: Side()) }
}

extension ReleaseNumbers.Side {
    package init() { self.init(release: "") }
}

extension ReleaseNumbers.Spread {
    package init() { self.init(lower: 0) }
}

extension ReleaseNumbers.Needed {
    package init() { self.init(days: 0) }
}
