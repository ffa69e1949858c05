import PerfgateModel

/// A value of the policy with its origin, so every report can name it.
package struct Setting<Value: Sendable & Hashable>: Sendable, Hashable {
    package let value: Value, origin: Origin

    package init(_ value: Value, from origin: Origin) { (self.value, self.origin) = (value, origin) }
}

package enum Origin: Sendable, Hashable {
    case builtIn
    case configuration(path: String, line: Int)
    /// A flag of the command line, with its dashes.
    case commandLine(String)
    /// The input file, such as for a tolerance that another tool stored.
    case input(path: String)
}

extension Origin: CustomStringConvertible {
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
        case any
    }

    /// In the metric's unit; finite.
    package let value: Double
    package let subject: Subject
    /// Whether the value is taken as written: only global limits of dropped frames scale by the refresh rate.
    package let isTakenAsWritten: Bool

    package init(_ value: Double, subject: Subject = .median, isTakenAsWritten: Bool = false) {
        (self.value, self.subject, self.isTakenAsWritten) = (value, subject, isTakenAsWritten)
    }

    package var settled: Limit { Limit(value, subject: subject, isTakenAsWritten: true) }
}

extension Setting<Limit> {
    func scaled(by scale: Double) -> Setting {
        Setting(Limit(value.value * scale, subject: value.subject, isTakenAsWritten: true), from: origin)
    }
}

/// The fractions of the reference's amounts that a candidate must measure: the configuration's `measured`.
package struct MeasuredShares: Sendable, Hashable {
    /// The fraction of the usual scrolls and visits per iteration, and of a run's iterations that usually measure it.
    package var scrolls = 0.8
    /// The fraction of the usual iterations and frames per iteration; with 0 single runs aren't checked either.
    package var iterations = 0.5
    /// The number of iterations that is always enough; at least 0.
    package var enoughIterations = 5
    /// If each run of the reference has at least this many samples, no samples are too few; 0: never checked.
    package var samples = 5

    package init() {}
}

package struct Waiver: Sendable, Hashable {
    package let page: Page, metric: String
    /// The required fields of the environment, by name; empty: every environment.
    package let environment: [String: FieldValue]
    /// The value that must not be exceeded, in the metric's unit; a floor if higher is better.
    package let ceiling: Double
    package let until: CalendarDay, reason: String, link: String?, origin: Origin

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

    package func isExpired(on day: CalendarDay?) -> Bool { day.map { $0 >= until } ?? false }

    package func allows(_ value: Double, better: Better) -> Bool { !better.isWorse(value, than: ceiling) }
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

package struct WaiverAnswer: Sendable, Hashable {
    enum Effect: Sendable, Hashable {
        case holds, expired
        case exceeded(by: Double)
        /// By the share of samples that take more than twice as long; 0.25 to 1.
        case oftenExceeded(Double)
    }

    let waiver: Waiver, effect: Effect
}

extension CellResult.Facts {
    /// Whether it regressed beyond an active waiver, which must be changed then: the strictest of several applies.
    package var regressedBeyondWaiver: Bool {
        guard verdict == .regressed else { return false }
        for case .waiver(let answer) in remarks { return ![.holds, .expired].contains(answer.effect) }
        return false
    }
}

package struct FitnessRule: Sendable, Hashable {
    package enum Action: String, Sendable, Hashable, CaseIterable {
        case allow, warn
        /// The run is compared and shown, but doesn't gate.
        case show
        /// The run is bad data; if the condition held in one iteration, only that iteration is left out.
        case refuse
    }

    package enum Test: Sendable, Hashable {
        case equals(FieldValue)
        case above(Double)
        case below(Double)
    }

    package let field: String, test: Test, action: Action, origin: Origin

    package init(_ field: String, _ test: Test, _ action: Action, from origin: Origin = .builtIn) {
        (self.field, self.test, self.action, self.origin) = (field, test, action, origin)
    }

    /// Whether the conditions match; an unknown field never does.
    package func applies(to conditions: Context) -> Bool {
        guard let value = conditions[field] else { return false }
        switch (test, value) {
        case (.equals(let expected), _): return value.description.lowercased() == expected.description.lowercased()
        case (.above(let bound), .number(let number)): return number > bound
        case (.below(let bound), .number(let number)): return number < bound
        case (.above, .text), (.above, .flag), (.below, .text), (.below, .flag): return false
        }
    }

    package static let thermalStates = ["nominal", "fair", "serious", "critical"]

    /// The default rules: doubtful conditions are reported and don't fail.
    package static let standard = [
        FitnessRule("thermal_state", .equals(.text("serious")), .warn),
        FitnessRule("thermal_state", .equals(.text("critical")), .warn),
        FitnessRule("low_power_mode", .equals(.flag(true)), .warn),
        FitnessRule("build", .equals(.text("Debug")), .warn),
    ]
}

extension FitnessRule {
    /// The condition of the measurement, as the end of a sentence.
    package func words(for conditions: Context) -> String {
        let value = conditions[field].map { FitnessRule.text($0) } ?? "unknown"
        switch (field, test) {
        case ("thermal_state", _): return "in the thermal state \(value)"
        case ("low_power_mode", .equals(.flag(true))): return "in low-power mode"
        case ("charging", .equals(.flag(true))): return "while charging"
        case ("simulator", .equals(.flag(true))): return "on a simulator"
        case ("build", _): return "with a \(value) build"
        case (_, .above(let bound)): return "with \(field) \(value), above \(Figure.text(bound))"
        case (_, .below(let bound)): return "with \(field) \(value), below \(Figure.text(bound))"
        case (_, .equals): return "with \(field) \(value)"
        }
    }

    private static func text(_ value: FieldValue) -> String {
        if case .number(let number) = value { return Figure.text(number) }
        return value.description
    }
}

/// A device whose runs are shown but can't fail for a while, because it measures wrongly.
package struct QuarantinedDevice: Sendable, Hashable {
    package let id: String, until: CalendarDay, reason: String, origin: Origin

    package init(id: String, until: CalendarDay, reason: String, from origin: Origin) {
        (self.id, self.until, self.reason, self.origin) = (id, until, reason, origin)
    }

    package func isExpired(on day: CalendarDay?) -> Bool { day.map { $0 >= until } ?? false }
}
