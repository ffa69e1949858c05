import PerfgateModel

/// What a step of the rule decided, with its reason as data.
public struct Decision: Sendable, Hashable {
    /// The verdict.
    public let verdict: Verdict
    /// Why, where the verdict's name alone doesn't say.
    public let detail: VerdictDetail?
    /// The reason.
    public let reason: Reason

    /// Makes a decision of its parts.
    public init(_ verdict: Verdict, _ detail: VerdictDetail? = nil, because reason: Reason) {
        self.verdict = verdict
        self.detail = detail
        self.reason = reason
    }
}

/// Why a step decided as it did, as data: the wording stands in `Sentence`.
public enum Reason: Sendable, Hashable {
    /// No line of the page was there.
    case pageAbsent
    /// No line of a required environment was there, and the reference asks nothing of it.
    case environmentAbsent
    /// The page was measured, the metric wasn't.
    case metricAbsent
    /// So many iterations were measured of so many expected.
    case tooFewIterations(measured: Int, expected: Int)
    /// Frame ticks cover too little of the scrolls of an iteration, a share of 0 to 0.8.
    case framesStopped(FrameCoverage)
    /// So many iterations visited the page, and no visit loaded it.
    case neverLoaded(iterations: Int)
    /// Measured, and nothing happened that gives a sample.
    case noEvents
    /// The judged value breaks the limit.
    case limitBroken(value: Double, limit: Limit)
    /// The reference has nothing of this cell.
    case nothingToCompareWith
    /// The reference holds no values, only a limit, which isn't broken.
    case withinLimitOnly(Limit)
    /// The reference's values come from another formula or counting.
    case otherFormula
    /// Any change would count, since the tolerance is 0.
    case noTolerance
    /// The best candidate sample is this far beyond the baseline's worst.
    case grossGap(Double)
    /// The change exceeds the tolerance and chance doesn't explain it.
    case worse
    /// The same, in one run only, which a second must confirm.
    case suspect
    /// The change exceeds the tolerance, and the second run says it is chance.
    case notConfirmed
    /// The change exceeds the tolerance, and the data can't say whether by chance.
    case cannotTell
    /// The change exceeds the tolerance, and chance explains it.
    case chance
    /// The metric became better.
    case better
    /// The change stays within the tolerance.
    case withinTolerance
}
