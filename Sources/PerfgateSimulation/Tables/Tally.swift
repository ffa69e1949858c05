/// How often something happened in so many trials.
public struct Tally: Sendable, Hashable {
    /// In how many trials it happened.
    public private(set) var hits = 0
    /// The trials.
    public private(set) var trials = 0

    /// No trial yet.
    public init() {}

    /// Counts a trial.
    public mutating func count(_ happened: Bool) {
        trials += 1
        if happened { hits += 1 }
    }

    /// The share of trials in which it happened, 0…1; 0 without trials.
    public var share: Double { trials == 0 ? 0 : Double(hits) / Double(trials) }

    /// The standard error of the share, by A. Agresti and B. A. Coull's two successes and failures more (Am. Stat. 52
    /// (1998) 119–126), so that none in all trials isn't taken for certain.
    public var standardError: Double {
        let (n, p) = (Double(trials + 4), Double(hits + 2) / Double(trials + 4))
        return (p * (1 - p) / n).squareRoot()
    }

    /// The share in percent: one decimal below 10, else none.
    public var percent: String {
        let share = 100 * share
        return share < 9.95 ? Self.decimal(share) : "\(Int(share.rounded()))"
    }

    /// Shares in percent, with the greatest of their standard errors: `0.1/0.3/0.4 ± 0.1`.
    static func text(_ tallies: [Tally]) -> String {
        let error = tallies.map(\.standardError).max() ?? 0
        return "\(tallies.map(\.percent).joined(separator: "/")) ± \(decimal(100 * error))"
    }

    /// A number of 0 or more with one decimal.
    static func decimal(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }
}
