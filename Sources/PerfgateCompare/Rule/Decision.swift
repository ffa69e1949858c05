import PerfgateModel

/// What a step of the rule decided, with its reason as data.
package struct Decision: Sendable, Hashable {
    /// The verdict.
    package let verdict: Verdict
    /// Why, where the verdict's name alone doesn't say.
    package let detail: VerdictDetail?
    /// The reason.
    package let reason: Reason

    /// Makes a decision of its parts.
    package init(_ verdict: Verdict, _ detail: VerdictDetail? = nil, because reason: Reason) {
        self.verdict = verdict
        self.detail = detail
        self.reason = reason
    }
}

/// Why a step decided as it did, as data: the wording stands in `Sentence`.
package enum Reason: Sendable, Hashable {
    /// No line of the page was there.
    case pageAbsent
    /// No line of a required environment was there, and the reference asks nothing of it.
    case environmentAbsent
    /// A `run` line says the environment, and no line of it measures a page.
    case environmentSilent
    /// The page was measured, the metric wasn't.
    case metricAbsent
    /// So many iterations were measured of so many expected.
    case tooFewIterations(measured: Int, expected: Int)
    /// Less of it was measured than the reference's runs or the configuration ask for.
    case tooLittle(Shortfall)
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

/// What the rule says of one comparison, from the worst to the best.
package enum Verdict: String, Sendable, Hashable, CaseIterable {
    /// It became worse by more than the tolerance, and chance doesn't explain it.
    case regressed
    /// It breaks its limit.
    case overLimit = "over_limit"
    /// It should have been measured and wasn't.
    case missing
    /// The data can't tell.
    case inconclusive
    /// There is nothing to compare it with.
    case noBaseline = "no_baseline"
    /// It regressed or broke its limit, and a waiver allows that.
    case waived
    /// It became better by more than the tolerance, and chance doesn't explain it.
    case improved
    /// None of the others.
    case passed

    /// The place in every list: worst first.
    package var rank: Int {
        switch self {
        case .regressed: 0
        case .overLimit: 1
        case .missing: 2
        case .inconclusive: 3
        case .noBaseline: 4
        case .waived: 5
        case .improved: 6
        case .passed: 7
        }
    }

    /// The word that people read.
    package var word: String {
        switch self {
        case .regressed, .overLimit: "worse"
        case .missing: "not measured"
        case .inconclusive, .noBaseline: "can't tell"
        case .waived, .improved, .passed: "passed"
        }
    }
}

/// Why a verdict is what it is, where its name alone doesn't say.
package enum VerdictDetail: String, Sendable, Hashable, CaseIterable {
    /// A suspect that a second run must confirm.
    case confirm
    /// Too few samples to tell.
    case needMore = "need_more"
    /// A second run did not confirm the suspicion.
    case notConfirmed = "not_confirmed"
    /// The tolerance is 0, so any change would count.
    case noTolerance = "no_tolerance"
    /// Measured, and nothing happened that would give a sample.
    case noEvents = "no_events"
    /// Fewer iterations or scrolls than expected, or no sample where there always were some.
    case tooFew = "too_few"
    /// Scrolls or visits began, and none ended.
    case unfinished
    /// The frame ticks cover too little of their scrolls.
    case framesStopped = "frames_stopped"
    /// The page was visited, and no visit loaded it.
    case notLoaded = "not_loaded"
    /// No line of the page was there.
    case noPage = "no_page"
    /// No line of the environment was there, and the baseline asks nothing of it either.
    case noEnvironment = "no_environment"
    /// The page was there, this metric wasn't.
    case noMetric = "no_metric"
    /// Every sample is far beyond the young baseline's worst.
    case gross
    /// The page was not meant to run, or the policy excuses it.
    case excused
    /// The baseline holds values of another formula or counting.
    case otherFormula = "other_formula"
    /// The baseline holds a limit and no samples, so that the limit alone decided.
    case limitOnly = "limit_only"
}
