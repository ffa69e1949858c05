/// One step of the rule on one cell: what it checked and found. `Words` says it.
package struct RuleStep: Sendable, Hashable {
    package var found: Found, subject: Subject?
    /// The value that the step checked, and the bound for it, as its finding says, else in the metric's unit.
    package var value, bound: Double?
    /// The checked p-value and its significance level, 0 to 1.
    package var p, alpha: Double?
    /// The deciding run, or the deciding ones with their metrics; `nil` if all together decided.
    package var run: String?
    /// The deciding iteration, from 0; `nil` if no single iteration decided.
    package var iteration: Int?

    package init(
        _ found: Found, subject: Subject? = nil, value: Double? = nil, bound: Double? = nil, p: Double? = nil,
        alpha: Double? = nil, run: String? = nil, iteration: Int? = nil
    ) {
        (self.found, self.subject, self.value, self.bound) = (found, subject, value, bound)
        (self.p, self.alpha, self.run, self.iteration) = (p, alpha, run, iteration)
    }

    package enum Name: String, Sendable, Hashable, CaseIterable {
        case measured, limit, baseline, gross, worse, better, passed

        package var number: Int { (Self.allCases.firstIndex(of: self) ?? 0) + 1 }
    }

    package enum Subject: String, Sendable, Hashable, CaseIterable {
        /// The middle sample; with an even count both, which are equal, the lower or the upper one.
        case median
        case lowerMedian = "lower_median"
        case upperMedian = "upper_median"
        case worstSample = "worst_sample"
        /// The quantile of all events that the metric names.
        case quantile

        package var words: String { rawValue.replacing("_", with: " ") }
    }

    /// The possible findings. Each belongs to one step, and either gives a verdict or passes on to the next step. Of
    /// amounts, `value` is the measured one, and `bound` the usual, expected or allowed one.
    package enum Found: String, Sendable, Hashable, CaseIterable {
        case measured
        case noPage = "no_page"
        /// There was no line of the page, and only a part of the pages was meant to run.
        case pageExcused = "page_excused"
        case noEnvironment = "no_environment"
        case environmentExcused = "environment_excused"
        /// A `run` line declares the environment, but no line measures a page in it.
        case environmentSilent = "environment_silent"
        case noMetric = "no_metric"
        case unfinished
        case tooFew = "too_few"
        /// The call measured the page in fewer iterations (`value`) than usual (`bound`), or a run in fewer of its own.
        case fewIterations = "few_iterations"
        case fewerThanDeclared = "fewer_than_said"
        case fewScrolls = "few_scrolls"
        case fewVisits = "few_visits"
        case fewFrames = "few_frames"
        /// The display showed fewer frames per second (`value`) than usual (`bound`) without being late.
        case slowDisplay = "slow_display"
        /// There are no samples, although each of the reference's runs has at least `bound`.
        case noSamples = "no_samples"
        case fewSamples = "few_samples"
        /// The frame ticks of an iteration cover too small a fraction (`value`) of one of its scrolls.
        case framesStopped = "frames_stopped"
        case crashed
        case absentInPairs = "absent_in_pairs"
        /// `value` iterations visited the page, and no visit loaded it.
        case notLoaded = "not_loaded"
        case noEvents = "no_events"
        case noLimit = "no_limit"
        case withinLimit = "within_limit"
        case overLimit = "over_limit"
        case comparable
        case noBaseline = "no_baseline"
        /// The reference has no values, only a limit, which isn't broken.
        case limitOnly = "limit_only"
        /// Or the reference's values have another counting or unit.
        case otherFormula = "other_formula"
        case noTolerance = "no_tolerance"
        /// A release has too few effective events (`value`, below `bound`) to judge its quantiles.
        case fewEvents = "few_events"
        /// The releases share too few days (`value`, below `bound`) to compare their quantiles.
        case fewDays = "few_days"
        /// Samples of these sizes can fail in the next step, so the gap isn't checked.
        case enoughSamples = "enough_samples"
        /// A side has too few samples to check the gap.
        case tooFewSamples = "too_few_samples"
        /// The gap from the baseline's worst sample to the candidate's best (`value`) is too small (`bound`).
        case noGap = "no_gap"
        /// The candidate's best sample is far (`value`) beyond the baseline's worst.
        case gross
        /// Fewer than five samples, and the best of them (`value`) is beyond twice the baseline's centre (`bound`).
        case doubled
        case notWorse = "not_worse"
        /// The change exceeds the tolerance and chance doesn't explain it.
        case worse
        /// The same, or inconclusive, without a rerun that could confirm it.
        case suspect
        /// Some of the runs (`value` of `bound`) are worse by themselves, maybe in other metrics; all together aren't.
        case inRuns = "in_runs"
        /// The same, without a rerun that could confirm it.
        case suspectRuns = "suspect_runs"
        /// The change exceeds the tolerance, and the second run shows that it is chance.
        case notConfirmed = "not_confirmed"
        /// The change exceeds the tolerance, and the data doesn't show whether by chance.
        case cannotTell = "cannot_tell"
        /// The change exceeds the tolerance, and a difference between runs explains it.
        case withinNoise = "within_noise"
        /// A share of the samples is far beyond the baseline, too rarely to fail and too often to pass in silence.
        case told
        /// The pairs of runs so far don't show whether it changed by what must be found.
        case undecided
        /// The change exceeds the tolerance, and chance explains it.
        case worseByChance = "worse_by_chance"
        /// The change (`value`) exceeds the tolerance (`bound`), but not relative to the shift of all pages.
        case worseWithAll = "worse_with_all"
        case notBetter = "not_better"
        case better
        /// The metric became better by more than the tolerance, and chance explains it.
        case betterByChance = "better_by_chance"
        case noObjection = "no_objection"
    }
}

extension RuleStep.Found {
    package var step: RuleStep.Name { row.step }
    /// Its verdict; `nil` if the next step follows.
    package var answer: (verdict: Verdict, detail: VerdictDetail?)? { row.verdict.map { ($0, row.detail) } }
    package var isDeciding: Bool { row.verdict != nil }

    private var row: (step: RuleStep.Name, verdict: Verdict?, detail: VerdictDetail?) {
        switch self {
        case .measured: (.measured, nil, nil)
        case .noPage: (.measured, .missing, .noPage)
        case .noEnvironment, .environmentSilent: (.measured, .missing, .noEnvironment)
        case .pageExcused, .environmentExcused: (.measured, .missing, .excused)
        case .noMetric: (.measured, .missing, .noMetric)
        case .crashed: (.measured, .missing, .crashed)
        case .unfinished: (.measured, .missing, .unfinished)
        case .tooFew, .fewIterations, .fewerThanDeclared, .fewScrolls, .fewVisits, .fewFrames, .noSamples,
            .fewSamples, .absentInPairs:
            (.measured, .missing, .tooFew)
        case .framesStopped: (.measured, .missing, .framesStopped)
        case .slowDisplay: (.measured, .missing, .slowDisplay)
        case .notLoaded: (.measured, .missing, .notLoaded)
        case .noEvents: (.measured, .passed, .noEvents)
        case .noLimit, .withinLimit: (.limit, nil, nil)
        case .overLimit: (.limit, .overLimit, nil)
        case .comparable: (.baseline, nil, nil)
        case .noBaseline: (.baseline, .noBaseline, nil)
        case .limitOnly: (.baseline, .passed, .limitOnly)
        case .otherFormula: (.baseline, .noBaseline, .otherFormula)
        case .noTolerance: (.baseline, .inconclusive, .noTolerance)
        case .fewEvents, .fewDays: (.baseline, .inconclusive, .exposure)
        case .enoughSamples, .tooFewSamples, .noGap: (.gross, nil, nil)
        case .gross: (.gross, .regressed, .gross)
        case .doubled: (.gross, .inconclusive, .needMore)
        case .notWorse: (.worse, nil, nil)
        case .worse, .inRuns: (.worse, .regressed, nil)
        case .suspect, .suspectRuns: (.worse, .inconclusive, .confirm)
        case .notConfirmed: (.worse, .passed, .notConfirmed)
        case .cannotTell, .told, .undecided: (.worse, .inconclusive, .needMore)
        case .withinNoise: (.worse, .passed, .withinNoise)
        case .worseByChance: (.worse, .passed, nil)
        case .worseWithAll: (.worse, .passed, .allPages)
        case .notBetter, .betterByChance: (.better, nil, nil)
        case .better: (.better, .improved, nil)
        case .noObjection: (.passed, .passed, nil)
        }
    }
}

package struct Decision: Sendable, Hashable {
    package let deciding: RuleStep, steps: [RuleStep]

    package init(_ deciding: RuleStep, after asked: [RuleStep] = []) {
        self.deciding = deciding
        steps = asked + [deciding]
    }

    package var verdict: Verdict { deciding.found.answer?.verdict ?? .passed }
    package var detail: VerdictDetail? { deciding.found.answer?.detail }
}

/// From the worst to the best.
package enum Verdict: String, Sendable, Hashable, CaseIterable {
    /// It became worse by more than the tolerance, and chance doesn't explain it.
    case regressed
    case overLimit = "over_limit"
    /// It should have been measured and wasn't.
    case missing
    case inconclusive
    /// There is nothing to compare it with.
    case noBaseline = "no_baseline"
    /// It regressed or broke its limit, and a waiver allows that.
    case waived
    /// It became better by more than the tolerance, and chance doesn't explain it.
    case improved
    case passed

    /// The rank in every list: worst first.
    package var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }

    package var word: String {
        switch self {
        case .regressed, .overLimit: "worse"
        case .missing: "not measured"
        case .inconclusive, .noBaseline: "can't tell"
        case .waived, .improved, .passed: "passed"
        }
    }
}

/// The reason of a verdict, if its name alone doesn't give it; those named as a finding mean the same.
package enum VerdictDetail: String, Sendable, Hashable, CaseIterable {
    /// A second run must confirm the suspicion.
    case confirm
    case needMore = "need_more"
    case notConfirmed = "not_confirmed"
    /// Too few samples to decide, and the difference is as large as between runs of one build.
    case withinNoise = "within_noise"
    case noTolerance = "no_tolerance"
    case noEvents = "no_events"
    /// Fewer iterations, scrolls or visits than expected, or no samples where there always were some.
    case tooFew = "too_few"
    case unfinished, crashed
    case framesStopped = "frames_stopped"
    case slowDisplay = "slow_display"
    case notLoaded = "not_loaded"
    case noPage = "no_page"
    case noEnvironment = "no_environment"
    case noMetric = "no_metric"
    case gross
    case excused
    case otherFormula = "other_formula"
    case drifted
    /// There is no baseline, and nothing else of the environment was compared either.
    case nothingCompared = "nothing_compared"
    case unitSlip = "unit_slip"
    case limitOnly = "limit_only"
    /// A release has too few users or days to compare.
    case exposure
    case allPages = "all_pages"
}
