import PerfgateModel
import PerfgateStats

/// How much two releases of an app were used on the days that were compared, and what their pages score: what reports say
/// beside the comparisons.
package struct ReleaseTraffic: Sendable, Hashable {
    /// The events of the metric that has most of them, which is as good as all visits.
    package struct Events: Sendable, Hashable {
        /// How many of the older release; 0 or more.
        package var base: Int
        /// How many of the newer one; 0 or more.
        package var candidate: Int

        /// Makes numbers of their parts.
        package init(base: Int = 0, candidate: Int = 0) {
            self.base = base
            self.candidate = candidate
        }
    }

    /// A day.
    package struct Day: Sendable, Hashable {
        /// The day, such as 2026-11-19.
        package var day: String
        /// The events.
        package var events: Events
        /// Σ w, the sums of the events' weights, which are nearly alike; 0 or more, `ReleaseDay.fullWeight` an event at most.
        package var weights: Events

        /// Makes a day of its parts.
        package init(day: String, events: Events, weights: Events) {
            self.day = day
            self.events = events
            self.weights = weights
        }
    }

    /// A part of the users, where the roll-up is told apart by it.
    package struct Stratum: Sendable, Hashable {
        /// By what, such as `device_class`.
        package var name: String
        /// The part, such as `slow`; empty where events don't say.
        package var value: String
        /// The events of all shared days.
        package var events: Events

        /// Makes a part of its parts.
        package init(name: String, value: String, events: Events) {
            self.name = name
            self.value = value
            self.events = events
        }
    }

    /// What pages score by one formula.
    package struct Scores: Sendable, Hashable {
        /// One page; scores are from 0 to 100, and `nil` where a metric of the formula is absent.
        package struct PageScores: Sendable, Hashable {
            /// The page.
            package var page: Page
            /// How often it was visited in both releases.
            package var visits: Int
            /// The score in the older release.
            package var base: Double?
            /// The score in the newer one.
            package var candidate: Double?

            /// Makes scores of their parts.
            package init(page: Page, visits: Int, base: Double?, candidate: Double?) {
                self.page = page
                self.visits = visits
                self.base = base
                self.candidate = candidate
            }
        }

        /// The version of the formula.
        package var formula: String
        /// Whether it is the formula that is tried beside the one in use.
        package var isCandidate: Bool
        /// The mean of the pages that have a score in both releases, by their visits; `nil` where no page has one.
        package var base: Double?
        /// The same of the newer release, by the same visits.
        package var candidate: Double?
        /// The share of all visits that these pages have, 0 … 1.
        package var share: Double
        /// The pages, the most visited first.
        package var pages: [PageScores]

        /// Makes scores of their parts.
        package init(
            formula: String, isCandidate: Bool, base: Double?, candidate: Double?, share: Double, pages: [PageScores]
        ) {
            self.formula = formula
            self.isCandidate = isCandidate
            self.base = base
            self.candidate = candidate
            self.share = share
            self.pages = pages
        }
    }

    /// The older release.
    package var base: String
    /// The newer one.
    package var candidate: String
    /// The days that were compared, ascending.
    package var days: [Day]
    /// The parts of the users, sorted; empty where the roll-up isn't told apart.
    package var strata: [Stratum]
    /// The scores by each formula, the one in use first; empty where pages aren't scored.
    package var scores: [Scores]

    /// Makes traffic of its parts.
    package init(base: String, candidate: String, days: [Day], strata: [Stratum] = [], scores: [Scores] = []) {
        self.base = base
        self.candidate = candidate
        self.days = days
        self.strata = strata
        self.scores = scores
    }

    /// What a weight of 1 is in Σ w.
    package static let fullWeight = ReleaseDay.fullWeight

    /// The days on which both releases were used.
    package var shared: [Day] { days.filter { $0.events.base > 0 && $0.events.candidate > 0 } }

    /// The events of the days on which both releases were used.
    package var events: Events {
        shared.reduce(into: Events()) { sum, day in
            sum.base = sum.base.addingReportingOverflow(day.events.base).partialValue
            sum.candidate = sum.candidate.addingReportingOverflow(day.events.candidate).partialValue
        }
    }

    /// The share of the traffic that overlaps, 0 … 1: 1 where both releases have the same mix of devices, systems, networks
    /// and power modes.
    package var overlap: Double { Self.overlap(days) }

    /// The same of some days.
    package static func overlap(_ days: [Day]) -> Double {
        days.reduce(into: TrafficOverlap()) { overlap, day in
            overlap.add(
                base: day.events.base, candidate: day.events.candidate,
                weights: (day.weights.base, day.weights.candidate))
        }.share
    }
}
