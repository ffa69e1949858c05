/// What the rule decided on one cell, with every step that it asked.
package struct Decision: Sendable, Hashable {
    /// The step that decided.
    package let deciding: RuleStep
    /// The steps in their order, the deciding one last.
    package let steps: [RuleStep]

    /// Makes a decision of the step that gave it, and of those that were asked before.
    package init(_ deciding: RuleStep, after asked: [RuleStep] = []) {
        self.deciding = deciding
        steps = asked + [deciding]
    }

    /// The verdict.
    package var verdict: Verdict { deciding.found.answer?.verdict ?? .passed }

    /// Why, where the verdict's name alone doesn't say.
    package var detail: VerdictDetail? { deciding.found.answer?.detail }
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
    /// There is no baseline, and nothing else of the environment was compared either.
    case nothingCompared = "nothing_compared"
    /// The baseline holds a limit and no samples, so that the limit alone decided.
    case limitOnly = "limit_only"
}
