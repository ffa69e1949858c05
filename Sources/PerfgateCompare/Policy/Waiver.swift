import PerfgateModel

/// A temporary permission for a page's metric to be worse, up to a ceiling.
package struct Waiver: Sendable, Hashable {
    package let page: Page
    package let metric: String
    /// The required fields of the environment, by name; empty: every environment.
    package let environment: [String: FieldValue]
    /// The value that must not be exceeded, in the metric's unit; a floor if higher is better.
    package let ceiling: Double
    /// The first UTC day on which it no longer applies.
    package let until: CalendarDay
    package let reason: String
    /// A link to the discussion; `nil` without one.
    package let link: String?
    package let origin: Origin

    package init(
        page: Page, metric: String, environment: [String: FieldValue] = [:], ceiling: Double, until: CalendarDay,
        reason: String, link: String? = nil, from origin: Origin
    ) {
        (self.page, self.metric, self.environment, self.ceiling) = (page, metric, environment, ceiling)
        (self.until, self.reason, self.link, self.origin) = (until, reason, link, origin)
    }

    package func concerns(_ cell: Cell) -> Bool {
        cell.page == page && cell.metric == metric && cell.environment.has(environment)
    }

    /// Whether it has expired on a day; without a day it hasn't.
    package func isExpired(on day: CalendarDay?) -> Bool { day.map { $0 >= until } ?? false }

    package func allows(_ value: Double, better: Better) -> Bool {
        better == .lower ? value <= ceiling : value >= ceiling
    }
}

extension Waiver {
    /// For an active waiver: the end of a sentence with its date, bound and reason.
    package func terms(of metric: Metric) -> String {
        let link = link.map { ", \($0)" } ?? ""
        let why = reason.replacing(/\.+$/, with: "")
        return "waived until \(until) \(bound(of: metric)): \(why) (\(origin)\(link))"
    }

    func text(_ effect: WaiverAnswer.Effect, of metric: Metric) -> String {
        let bound = bound(of: metric)
        return switch effect {
        case .holds: "It is \(terms(of: metric))."
        case .expired: "The waiver in \(origin) expired on \(until)."
        case .exceeded(let value):
            "\(Figure.text(value, metric.unit.symbol)) is beyond the waiver in \(origin), which applies \(bound)."
        case .oftenExceeded(let share):
            "\(Figure.text(100 * share, "%")) of its samples are beyond twice the waiver in \(origin), which applies \(bound)."
        }
    }

    private func bound(of metric: Metric) -> String {
        "\(metric.better == .lower ? "up" : "down") to \(Figure.text(ceiling, metric.unit.symbol))"
    }
}

/// The effect of waivers on a cell that regressed or broke its limit.
package struct WaiverAnswer: Sendable, Hashable {
    enum Effect: Sendable, Hashable {
        case holds, expired
        case exceeded(by: Double)
        /// By the share of samples that take more than twice as long; 0.25 to 1.
        case oftenExceeded(Double)
    }

    let waiver: Waiver
    let effect: Effect
}

extension CellResult.Facts {
    /// Whether it regressed beyond an active waiver, which must be changed then: the strictest of several applies.
    package var regressedBeyondWaiver: Bool {
        guard verdict == .regressed else { return false }
        for case .waiver(let answer) in remarks { return ![.holds, .expired].contains(answer.effect) }
        return false
    }
}

/// A value of the policy with its origin, so every report can name it.
package struct Setting<Value: Sendable & Hashable>: Sendable, Hashable {
    package let value: Value
    package let origin: Origin

    package init(_ value: Value, from origin: Origin) { (self.value, self.origin) = (value, origin) }
}

package enum Origin: Sendable, Hashable {
    /// perfgate's own default.
    case builtIn
    case configuration(path: String, line: Int)
    /// A flag of the command line, with its dashes.
    case commandLine(String)
    /// The input file, such as for a tolerance that another tool stored.
    case input(path: String)
}

extension Origin: CustomStringConvertible {
    /// The origin as a person looks it up: `perfgate.yml:12`.
    package var description: String {
        switch self {
        case .builtIn: "built-in default"
        case .configuration(let path, let line): "\(path):\(line)"
        case .commandLine(let flag): flag
        case .input(let path): path
        }
    }
}

/// A bound on a metric that applies without a baseline; a maximum, or a minimum if higher is better.
package struct Limit: Sendable, Hashable {
    /// Which value of the candidate is compared with the bound.
    package enum Subject: String, Sendable, Hashable, CaseIterable {
        /// The lower median, or the upper one if higher is better.
        case median
        /// The worst sample.
        case any
    }

    /// The bound, in the metric's unit; finite.
    package let value: Double
    package let subject: Subject
    /// Whether the value is taken as written: only global limits of dropped frames scale by the refresh rate.
    package let isTakenAsWritten: Bool

    package init(_ value: Double, subject: Subject = .median, isTakenAsWritten: Bool = false) {
        (self.value, self.subject, self.isTakenAsWritten) = (value, subject, isTakenAsWritten)
    }

    /// The limit after scaling, taken as written.
    package var settled: Limit { Limit(value, subject: subject, isTakenAsWritten: true) }
}

/// The fractions of the reference's amounts that a candidate must measure: the configuration's `measured`.
package struct MeasuredShares: Sendable, Hashable {
    /// The fraction of the usual scrolls and visits per iteration, and of a run's iterations that usually measure a
    /// page, from 0 to 1.
    package var scrolls = 0.8
    /// The fraction of the usual iterations, and of the usual frames per iteration, from 0 to 1; with 0 single runs aren't checked either.
    package var iterations = 0.5
    /// The number of iterations that is always enough; at least 0.
    package var enoughIterations = 5
    /// If each run of the reference has at least this many samples, no samples are too few; 0: never checked.
    package var samples = 5

    package init() {}
}
