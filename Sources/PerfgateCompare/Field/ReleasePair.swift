import PerfgateModel
import PerfgateStats

/// Two releases of an app as their users met them: what `ReleaseJudge` compares.
package struct ReleasePair: Sendable {
    /// A metric of a page, day by day.
    package struct Cell: Sendable {
        /// The page.
        package let page: Page
        /// The metric with its unit and direction.
        package let metric: Metric
        /// How many quanta a unit of the metric has, above 0.
        package let scale: Double
        /// The days on which either release has events, each once; in any order.
        package let days: [ReleaseDay]

        /// Makes a cell of its parts.
        package init(page: Page, metric: Metric, scale: Double = 1_000, days: [ReleaseDay]) {
            self.page = page
            self.metric = metric
            self.scale = scale
            self.days = days
        }
    }

    /// The app; `nil` where no event names it.
    package let app: String?
    /// The older release.
    package let base: String
    /// The newer one, which is judged.
    package let candidate: String
    /// The metrics of pages, each once; in any order.
    package let cells: [Cell]

    /// Makes a pair of its parts.
    package init(app: String?, base: String, candidate: String, cells: [Cell]) {
        self.app = app
        self.base = base
        self.candidate = candidate
        self.cells = cells
    }

    /// What stands for the environment of a test run: the app and both releases.
    package var environment: Environment {
        Environment([
            .init(name: "app", value: app.map { .text($0) }),
            .init(name: "releases", value: .text("\(base) → \(candidate)")),
        ])
    }
}

/// What is known of two releases on the days that they share, beside the comparison's own numbers.
package struct ReleaseNumbers: Sendable, Hashable {
    /// One release.
    package struct Side: Sendable, Hashable {
        /// Its name.
        package var release: String
        /// How many events it has on the shared days; 0 or more.
        package var events: Int
        /// How many independent events of equal weight tell as much; 0 or more.
        package var effectiveEvents: Double
        /// By how much users with more than one event make the numbers less certain, as a factor; 1 or more.
        package var designEffect: Double
        /// Whether the design effect was computed from users; else it is assumed.
        package var isDesignEffectMeasured: Bool
        /// The quantiles at `percentages`, weighted, in the metric's unit; empty without events.
        package var quantiles: [Double]

        /// Makes a side of its parts.
        package init(
            release: String, events: Int, effectiveEvents: Double, designEffect: Double, isDesignEffectMeasured: Bool,
            quantiles: [Double] = []
        ) {
            self.release = release
            self.events = events
            self.effectiveEvents = effectiveEvents
            self.designEffect = designEffect
            self.isDesignEffectMeasured = isDesignEffectMeasured
            self.quantiles = quantiles
        }

        /// Of what `quantiles` are, in percent.
        package static let percentages = [50, 75, 90, 99]
    }

    /// How the weighted values of both releases spread, between two values whose logarithms are cut into equal parts.
    package struct Spread: Sendable, Hashable {
        /// Where the parts begin, in the metric's unit; above 0.
        package var lower: Double
        /// Where they end; above `lower`.
        package var upper: Double
        /// The shares of the older release in ten thousandths: below `lower`, then part by part, then above `upper`.
        package var base: [Int]
        /// The same of the newer one, as many.
        package var candidate: [Int]

        /// Makes a spread of its parts.
        package init(lower: Double, upper: Double, base: [Int], candidate: [Int]) {
            self.lower = lower
            self.upper = upper
            self.base = base
            self.candidate = candidate
        }

        /// How many parts there are.
        package static let parts = 40
        /// What the shares of a release sum to, but for their rounding.
        package static let whole = 10_000
    }

    /// What would tell a change that can't be told.
    package struct Needed: Sendable, Hashable {
        /// How many shared days in all, at the same traffic; 2 or more.
        package var days: Int
        /// How many events of the newer release in all; 0 or more.
        package var events: Int

        /// Makes a need of its parts.
        package init(days: Int, events: Int) {
            self.days = days
            self.events = events
        }
    }

    /// The older release.
    package var base: Side
    /// The newer one.
    package var candidate: Side
    /// How many days they share; 0 or more.
    package var days: Int
    /// The share of the traffic that overlaps: 1 where both releases are used on the same devices, systems and networks, 0
    /// where they have none in common.
    package var overlap: Double
    /// The standard error of the change in logarithms, 0 or more; `nil` where nothing was compared.
    package var standardError: Double?
    /// τ, what a day does to one release and not to the other, as a standard deviation in logarithms; `nil` where nothing
    /// was compared.
    package var daySpread: Double?
    /// The shift of all pages as a share, 0.1 for +10 %; `nil` where it isn't beyond half of the tolerance.
    package var allPages: Double?
    /// How the values of both spread; `nil` where none is above 0, or nothing is shared.
    package var spread: Spread?
    /// What would tell; `nil` where it was told, or nothing would tell within a year.
    package var needed: Needed?

    /// Makes numbers of their parts.
    package init(
        base: Side, candidate: Side, days: Int, overlap: Double, standardError: Double? = nil, daySpread: Double? = nil,
        allPages: Double? = nil, spread: Spread? = nil, needed: Needed? = nil
    ) {
        self.base = base
        self.candidate = candidate
        self.days = days
        self.overlap = overlap
        self.standardError = standardError
        self.daySpread = daySpread
        self.allPages = allPages
        self.spread = spread
        self.needed = needed
    }
}
