import PerfgateModel
import PerfgateStats

/// The use of two releases of an app on the compared days, and the scores of their pages, for reports.
package struct ReleaseTraffic: Sendable, Hashable {
    /// The events of the metric with the most events, which approximates all visits.
    package struct Events: Sendable, Hashable {
        /// The older and the newer release's; 0 or more.
        package var base, candidate: Int

        package init(base: Int = 0, candidate: Int = 0) { (self.base, self.candidate) = (base, candidate) }

        /// Sums saturate.
        package mutating func add(base: Int, candidate: Int) {
            self.base = self.base.saturatingSum(base)
            self.candidate = self.candidate.saturatingSum(candidate)
        }
    }

    package struct Day: Sendable, Hashable {
        package var day: String, events: Events
        /// Σ w, sums of event weights, which are almost equal; 0 or more, at most `ReleaseDay.fullWeight` per event.
        package var weights: Events

        package init(day: String, events: Events, weights: Events) {
            (self.day, self.events, self.weights) = (day, events, weights)
        }
    }

    /// A subset of the users, if the roll-up distinguishes it, and its events of all shared days.
    package struct Stratum: Sendable, Hashable {
        /// The dimension, such as `device_class`, and the value, such as `slow`; empty if events have none.
        package var name, value: String
        package var events: Events

        package init(name: String, value: String, events: Events) {
            (self.name, self.value, self.events) = (name, value, events)
        }
    }

    package struct Scores: Sendable, Hashable {
        /// The scores of one page, from 0 to 100; `nil` if a metric of the formula is absent.
        package struct PageScores: Sendable, Hashable {
            package var page: Page, visits: Int, base, candidate: Double?

            package init(page: Page, visits: Int, base: Double?, candidate: Double?) {
                (self.page, self.visits, self.base, self.candidate) = (page, visits, base, candidate)
            }
        }

        package var formula: String, isCandidate: Bool
        /// The means over pages with a score in both releases, weighted by the same visits; `nil` without such pages.
        package var base, candidate: Double?
        /// The fraction of all visits that these pages have, 0 … 1.
        package var share: Double
        /// The most visited first.
        package var pages: [PageScores]

        package init(
            formula: String, isCandidate: Bool, base: Double?, candidate: Double?, share: Double, pages: [PageScores]
        ) {
            (self.formula, self.isCandidate, self.base, self.candidate) = (formula, isCandidate, base, candidate)
            (self.share, self.pages) = (share, pages)
        }
    }

    package var base, candidate: String
    /// Ascending.
    package var days: [Day]
    /// The subsets of the users, sorted; empty if the roll-up has none.
    package var strata: [Stratum]
    /// The scores by each formula, the one in use first; empty if pages aren't scored.
    package var scores: [Scores]
    /// The hangs that devices reported; `nil` if no reports were given.
    package var hangs: Hangs?
    /// The experiment's users; `nil` for releases, or without users.
    package var experiment: ExperimentUsers?

    package init(base: String, candidate: String, days: [Day], strata: [Stratum] = [], scores: [Scores] = []) {
        (self.base, self.candidate, self.days, self.strata, self.scores) = (base, candidate, days, strata, scores)
    }

    /// The value of a weight of 1 in Σ w.
    package static let fullWeight = ReleaseDay.fullWeight

    package var shared: [Day] { days.filter { $0.events.base > 0 && $0.events.candidate > 0 } }

    package var events: Events {
        shared.reduce(into: Events()) { $0.add(base: $1.events.base, candidate: $1.events.candidate) }
    }

    /// The overlapping share of the traffic, 0…1: 1 with the same mix of devices, systems, networks and power modes.
    package var overlap: Double { Self.overlap(days) }

    package static func overlap(_ days: [Day]) -> Double {
        days.reduce(into: TrafficOverlap()) { overlap, day in
            overlap.add(
                base: day.events.base, candidate: day.events.candidate,
                weights: (day.weights.base, day.weights.candidate))
        }.share
    }
}

package struct ExperimentUsers: Sendable, Hashable {
    package struct Day: Sendable, Hashable {
        package var day = ""
        /// The users of one arm only; 0 or more.
        package var base = 0, candidate = 0
        /// The users of both arms; 0 or more.
        package var both = 0

        package init() {}
    }

    package var days: [Day]
    /// The expected share of the candidate's users, above 0 and below 1.
    package var share: Double
    /// The probability of such shares by chance, 0…1; below `SampleRatio.least` the arms aren't comparable.
    package var p: Double?

    package init(days: [Day] = [], share: Double = 0.5) {
        (self.days, self.share) = (days, share)
        p = SampleRatio(days.map { ($0.base, $0.candidate) }, candidate: share)?.p
    }

    package var isComparable: Bool { p ?? 1 >= SampleRatio.least }

    /// The ratio of the users on the days that deviate most, and of users in both arms.
    package func sentence(_ traffic: ReleaseTraffic) -> String {
        func deviation(_ day: Day) -> Double {
            let users = Double(day.base + day.candidate)
            return users > 0 ? abs(Double(day.candidate) - users * share) / users.squareRoot() : 0
        }
        guard let worst = days.max(by: { (deviation($0), $1.day) < (deviation($1), $0.day) }) else { return "" }
        func percent(_ part: Int, _ all: Int) -> String {
            all > 0 ? "\(Figure.text((1_000 * Double(part) / Double(all)).rounded() / 10)) %" : "0 %"
        }
        let (both, all) = (days.reduce(0) { $0 + $1.both }, days.reduce(0) { $0 + $1.base + $1.candidate + $1.both })
        let isFair = isComparable ? "as by chance" : "not by chance, so the arms' users differ"
        return "Users by day: \(percent(worst.candidate, worst.base + worst.candidate)) in "
            + "\(traffic.candidate) instead of \(Figure.text(100 * share)) % on the worst day (\(worst.day), "
            + "\(worst.base):\(worst.candidate)), \(isFair) (p = \(Figure.probability(p ?? 1))); "
            + "\(percent(both, all)) of a day's users are in both arms, and count in both."
    }
}

extension ReleaseTraffic {
    /// The heaviest stacks of the hangs that devices reported: evidence on which no verdict depends.
    package struct Hangs: Sendable, Hashable {
        /// Hangs, as whole numbers or per thousand visits; sums of whole numbers don't depend on their order.
        package struct Amount: Sendable, Hashable {
            /// Their number and their time in ms; 0 or more.
            package var hangs, milliseconds: Double

            package init(hangs: Double = 0, milliseconds: Double = 0) {
                (self.hangs, self.milliseconds) = (hangs, milliseconds)
            }

            package static func + (one: Self, other: Self) -> Self {
                Self(hangs: one.hangs + other.hangs, milliseconds: one.milliseconds + other.milliseconds)
            }

            package func perThousand(of visits: Int) -> Self {
                Self(hangs: 1_000 * hangs / Double(visits), milliseconds: 1_000 * milliseconds / Double(visits))
            }
        }

        package struct Stack: Sendable, Hashable {
            /// `nil`: the whole app, since no state of the app names a page.
            package var page: Page?
            /// The app's innermost calls, innermost first.
            package var frames: [String] = []
            /// Both releases' per thousand visits of the page, or of all pages; `nil` if unknown: no hang of the
            /// release was reported, it has no visits, or its build has other places for the same calls.
            package var base, candidate: Amount?

            package init(page: Page? = nil, frames: [String] = [], base: Amount? = nil, candidate: Amount? = nil) {
                (self.page, self.frames, self.base, self.candidate) = (page, frames, base, candidate)
            }
        }

        package var reported: Events
        /// The stacks, the one with the most time in the newer release first.
        package var stacks: [Stack]
        package var left: Int

        package init(reported: Events = Events(), stacks: [Stack] = [], left: Int = 0) {
            (self.reported, self.stacks, self.left) = (reported, stacks, left)
        }

        package static let mostOfPage = 5, most = 10
    }
}

/// A kind of hang of an app, as its users' devices reported them.
package struct ReportedHang: Sendable, Hashable {
    package let app: String?, release: String
    /// The day in UTC, such as 2026-11-19; `nil` if unknown.
    package let day: String?
    package let labels: [String]
    /// The app's innermost calls on the main thread, innermost first.
    package let frames: [String]
    /// Whether all calls are functions: the place of a call in a build isn't found in other builds.
    package let isNamed: Bool

    package init(
        app: String? = nil, release: String, day: String? = nil, labels: [String], frames: [String], isNamed: Bool
    ) {
        (self.app, self.release, self.day, self.labels) = (app, release, day, labels)
        (self.frames, self.isNamed) = (frames, isNamed)
    }
}

package struct ReportedHangs: Sendable {
    package var amounts: [ReportedHang: ReleaseTraffic.Hangs.Amount] = [:]
    /// About reports that can't be read or used.
    package var diagnostics: [Diagnostic] = []

    package init() {}
}
