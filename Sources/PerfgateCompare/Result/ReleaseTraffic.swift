import PerfgateModel
import PerfgateStats

/// The use of two releases of an app on the compared days, and the scores of their pages, for reports.
package struct ReleaseTraffic: Sendable, Hashable {
    /// The events of the metric with the most events, which approximates all visits.
    package struct Events: Sendable, Hashable {
        /// The older release's; 0 or more.
        package var base: Int
        /// The newer release's; 0 or more.
        package var candidate: Int

        package init(base: Int = 0, candidate: Int = 0) {
            (self.base, self.candidate) = (base, candidate)
        }
    }

    package struct Day: Sendable, Hashable {
        /// The day, such as 2026-11-19.
        package var day: String
        package var events: Events
        /// Σ w, sums of event weights, which are almost equal; 0 or more, at most `ReleaseDay.fullWeight` per event.
        package var weights: Events

        package init(day: String, events: Events, weights: Events) {
            (self.day, self.events, self.weights) = (day, events, weights)
        }
    }

    /// A subset of the users, if the roll-up distinguishes it.
    package struct Stratum: Sendable, Hashable {
        /// The dimension, such as `device_class`.
        package var name: String
        /// The value, such as `slow`; empty if events have none.
        package var value: String
        /// The events of all shared days.
        package var events: Events

        package init(name: String, value: String, events: Events) {
            (self.name, self.value, self.events) = (name, value, events)
        }
    }

    package struct Scores: Sendable, Hashable {
        /// The scores of one page, from 0 to 100; `nil` if a metric of the formula is absent.
        package struct PageScores: Sendable, Hashable {
            package var page: Page
            /// The visits in both releases.
            package var visits: Int
            package var base: Double?
            package var candidate: Double?

            package init(page: Page, visits: Int, base: Double?, candidate: Double?) {
                (self.page, self.visits, self.base, self.candidate) = (page, visits, base, candidate)
            }
        }

        /// The version of the formula.
        package var formula: String
        package var isCandidate: Bool
        /// The mean over pages with a score in both releases, weighted by visits; `nil` without such pages.
        package var base: Double?
        /// The same for the newer release, with the same weights.
        package var candidate: Double?
        /// The fraction of all visits that these pages have, 0 … 1.
        package var share: Double
        /// The pages, the most visited first.
        package var pages: [PageScores]

        package init(
            formula: String, isCandidate: Bool, base: Double?, candidate: Double?, share: Double, pages: [PageScores]
        ) {
            (self.formula, self.isCandidate, self.base, self.candidate) = (formula, isCandidate, base, candidate)
            (self.share, self.pages) = (share, pages)
        }
    }

    package var base: String
    package var candidate: String
    /// The compared days, ascending.
    package var days: [Day]
    /// The subsets of the users, sorted; empty if the roll-up has none.
    package var strata: [Stratum]
    /// The scores by each formula, the one in use first; empty if pages aren't scored.
    package var scores: [Scores]

    package init(base: String, candidate: String, days: [Day], strata: [Stratum] = [], scores: [Scores] = []) {
        (self.base, self.candidate, self.days, self.strata) = (base, candidate, days, strata)
        self.scores = scores
    }

    /// The value of a weight of 1 in Σ w.
    package static let fullWeight = ReleaseDay.fullWeight

    package var shared: [Day] { days.filter { $0.events.base > 0 && $0.events.candidate > 0 } }

    /// The events on the days with both releases.
    package var events: Events {
        shared.reduce(into: Events()) { sum, day in
            sum.base = sum.base.addingReportingOverflow(day.events.base).partialValue
            sum.candidate = sum.candidate.addingReportingOverflow(day.events.candidate).partialValue
        }
    }

    /// The overlapping share of the traffic, 0 … 1: 1 if both releases have the same mix of devices, systems, networks
    /// and power modes.
    package var overlap: Double { Self.overlap(days) }

    package static func overlap(_ days: [Day]) -> Double {
        days.reduce(into: TrafficOverlap()) { overlap, day in
            overlap.add(
                base: day.events.base, candidate: day.events.candidate,
                weights: (day.weights.base, day.weights.candidate))
        }.share
    }
}
