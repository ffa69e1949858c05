import PerfgateModel

/// A value of the policy with its origin, so every report can name it.
package struct Setting<Value: Sendable & Hashable>: Sendable, Hashable {
    package let value: Value
    package let origin: Origin

    package init(_ value: Value, from origin: Origin) {
        (self.value, self.origin) = (value, origin)
    }
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
    /// The compared value.
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

    /// The default fractions.
    package init() {}
}
