/// A bound on a metric that holds without any baseline; a maximum, or a minimum where higher is better.
public struct Limit: Sendable, Hashable {
    /// Which value of the candidate is held against the bound.
    public enum Subject: String, Sendable, Hashable, CaseIterable {
        /// The lower median, or the upper one where higher is better.
        case median
        /// The worst sample.
        case any
    }

    /// The bound, in the metric's unit; finite.
    public let value: Double
    /// Which value it is held against.
    public let subject: Subject
    /// Whether the value is taken as written: limits of dropped frames given for all environments are scaled by the
    /// refresh rate over 60 Hz, those under `environments` are not.
    public let isTakenAsWritten: Bool

    /// Makes a limit of its parts.
    public init(_ value: Double, subject: Subject = .median, isTakenAsWritten: Bool = false) {
        self.value = value
        self.subject = subject
        self.isTakenAsWritten = isTakenAsWritten
    }

    /// The limit as it holds where it is judged: nothing scales it any more.
    public var settled: Limit { Limit(value, subject: subject, isTakenAsWritten: true) }
}
