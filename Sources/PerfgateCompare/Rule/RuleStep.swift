/// One step of the rule on one cell: what it looked at, and what it found. `RuleWords` words it.
package struct RuleStep: Sendable, Hashable {
    /// What the step found.
    package let found: Finding
    /// Which sample stands for all; `nil` where none does.
    package let subject: Subject?
    /// The value that the step looked at: in the metric's unit, of `framesStopped` a share of 0 to 0.8, of `tooFew`,
    /// `fewIterations`, `fewerThanSaid` and `notLoaded` a number of iterations, of `fewScrolls` and `fewVisits` one of those
    /// an iteration, of `noSamples` one of samples, of `fewEvents` one of effective events, of `fewDays` one of days; `nil`
    /// where it looked at none.
    package let value: Double?
    /// What the value was held against, in the same unit; `nil` where it was held against nothing.
    package let bound: Double?
    /// The chance that the step looked at, 0 to 1; `nil` where it looked at none.
    package let p: Double?
    /// What the chance was held against, 0 to 1.
    package let alpha: Double?
    /// The run that decided; `nil` where no single one did.
    package let run: String?
    /// The iteration that decided, from 0; `nil` where no single one did.
    package let iteration: Int?

    /// Makes a step of its parts.
    package init(
        _ found: Finding, subject: Subject? = nil, value: Double? = nil, bound: Double? = nil, p: Double? = nil,
        alpha: Double? = nil, run: String? = nil, iteration: Int? = nil
    ) {
        self.found = found
        self.subject = subject
        self.value = value
        self.bound = bound
        self.p = p
        self.alpha = alpha
        self.run = run
        self.iteration = iteration
    }

    /// The same with the run that decided.
    func named(_ run: String) -> RuleStep {
        RuleStep(
            found, subject: subject, value: value, bound: bound, p: p, alpha: alpha, run: run, iteration: iteration)
    }

    /// The steps of the rule, in their order.
    package enum Name: String, Sendable, Hashable, CaseIterable {
        /// Was it measured?
        case measured
        /// Does it keep its limit?
        case limit
        /// Is there something to compare it with?
        case baseline
        /// Is a young baseline left far behind?
        case gross
        /// Is it worse, beyond tolerance and chance?
        case worse
        /// Is it better, by the same measure?
        case better
        /// Nothing objected.
        case passed

        /// The place among the steps, from 1.
        package var number: Int { (Self.allCases.firstIndex(of: self) ?? 0) + 1 }
    }

    /// The sample that a limit judges.
    package enum Subject: String, Sendable, Hashable, CaseIterable {
        /// The middle sample; of an even count both middle ones, which are equal.
        case median
        /// Of an even count the lesser one of the middle two.
        case lowerMedian = "lower_median"
        /// Of an even count the greater one of the middle two.
        case upperMedian = "upper_median"
        /// The worst one.
        case worstSample = "worst_sample"
        /// The quantile of all events that the metric names.
        case quantile

        /// The words for it.
        package var words: String {
            switch self {
            case .median: "median"
            case .lowerMedian: "lower median"
            case .upperMedian: "upper median"
            case .worstSample: "worst sample"
            case .quantile: "quantile"
            }
        }
    }

    /// What a step can find. Every finding belongs to one step, and gives one verdict or leaves that to the next step.
    package enum Finding: String, Sendable, Hashable, CaseIterable {
        /// It was measured.
        case measured
        /// No line of the page was there.
        case noPage = "no_page"
        /// No line of the page was there, and only a part of the pages was meant to run.
        case pageExcused = "page_excused"
        /// No line of a required environment was there, and the reference asks nothing of it.
        case noEnvironment = "no_environment"
        /// The same, where only a part of the pages was meant to run.
        case environmentExcused = "environment_excused"
        /// A `run` line says the environment, and no line of it measures a page.
        case environmentSilent = "environment_silent"
        /// The page was measured, the metric wasn't.
        case noMetric = "no_metric"
        /// Scrolls or visits of the page began, and none ended.
        case unfinished
        /// Fewer iterations (`value`) were measured than expected (`bound`).
        case tooFew = "too_few"
        /// The whole call measured the page in so many iterations (`value`) of those that are usual (`bound`); or a run did
        /// of its own (`bound`).
        case fewIterations = "few_iterations"
        /// The run has fewer iterations (`value`) than it says (`bound`).
        case fewerThanSaid = "fewer_than_said"
        /// So many scrolls an iteration (`value`) ended of those that are usual or asked for (`bound`).
        case fewScrolls = "few_scrolls"
        /// So many visits an iteration (`value`) ended of those that are usual (`bound`).
        case fewVisits = "few_visits"
        /// No sample came, where each of the reference's runs has at least so many (`bound`).
        case noSamples = "no_samples"
        /// The frame ticks of an iteration cover too small a share (`value`) of one of its scrolls.
        case framesStopped = "frames_stopped"
        /// So many iterations (`value`) visited the page, and no visit loaded it.
        case notLoaded = "not_loaded"
        /// Measured, and nothing happened that gives a sample.
        case noEvents = "no_events"
        /// No limit holds.
        case noLimit = "no_limit"
        /// The judged sample (`value`) keeps the limit (`bound`).
        case withinLimit = "within_limit"
        /// The judged sample (`value`) breaks the limit (`bound`).
        case overLimit = "over_limit"
        /// There are values to compare with.
        case comparable
        /// The reference has nothing of this cell.
        case noBaseline = "no_baseline"
        /// The reference holds no values, only a limit, which isn't broken.
        case limitOnly = "limit_only"
        /// The reference's values come from another formula or counting.
        case otherFormula = "other_formula"
        /// Any change would count, since the tolerance is 0.
        case noTolerance = "no_tolerance"
        /// A release has so few effective events (`value`) that none of its quantiles is judged (below `bound`).
        case fewEvents = "few_events"
        /// The releases share so few days (`value`) that their quantiles aren't compared (below `bound`).
        case fewDays = "few_days"
        /// Samples of these sizes can fail in the next step, so that no gap is asked for.
        case enoughSamples = "enough_samples"
        /// A side has fewer samples than a gap is asked of.
        case tooFewSamples = "too_few_samples"
        /// The best candidate sample isn't far enough (`value`, above `bound`) beyond the baseline's worst.
        case noGap = "no_gap"
        /// The best candidate sample is so far (`value`) beyond the baseline's worst.
        case gross
        /// The change (`value`) isn't worse by more than the tolerance (`bound`).
        case notWorse = "not_worse"
        /// The change exceeds the tolerance and chance doesn't explain it.
        case worse
        /// The same, or it may be chance, and no rerun was measured that could confirm it.
        case suspect
        /// The change exceeds the tolerance, and the second run says it is chance.
        case notConfirmed = "not_confirmed"
        /// The change exceeds the tolerance, and the data can't say whether by chance.
        case cannotTell = "cannot_tell"
        /// The change exceeds the tolerance, and chance explains it.
        case worseByChance = "worse_by_chance"
        /// The change (`value`) exceeds the tolerance (`bound`), and beside the shift of all pages it doesn't.
        case worseWithAll = "worse_with_all"
        /// The change (`value`) isn't better by more than the tolerance (`bound`).
        case notBetter = "not_better"
        /// The metric became better.
        case better
        /// The metric became better by more than the tolerance, and chance explains it.
        case betterByChance = "better_by_chance"
        /// No step objects.
        case noObjection = "no_objection"
    }
}

extension RuleStep.Finding {
    /// The step that finds it.
    package var step: RuleStep.Name {
        switch self {
        case .measured, .noPage, .pageExcused, .noEnvironment, .environmentExcused, .environmentSilent, .noMetric,
            .unfinished, .tooFew, .fewIterations, .fewerThanSaid, .fewScrolls, .fewVisits, .noSamples, .framesStopped,
            .notLoaded, .noEvents:
            .measured
        case .noLimit, .withinLimit, .overLimit: .limit
        case .comparable, .noBaseline, .limitOnly, .otherFormula, .noTolerance, .fewEvents, .fewDays: .baseline
        case .enoughSamples, .tooFewSamples, .noGap, .gross: .gross
        case .notWorse, .worse, .suspect, .notConfirmed, .cannotTell, .worseByChance, .worseWithAll: .worse
        case .notBetter, .better, .betterByChance: .better
        case .noObjection: .passed
        }
    }

    /// The verdict that it gives; `nil` where the next step is asked.
    package var answer: (verdict: Verdict, detail: VerdictDetail?)? {
        switch self {
        case .noPage: (.missing, .noPage)
        case .noEnvironment, .environmentSilent: (.missing, .noEnvironment)
        case .pageExcused, .environmentExcused: (.missing, .excused)
        case .noMetric: (.missing, .noMetric)
        case .unfinished: (.missing, .unfinished)
        case .tooFew, .fewIterations, .fewerThanSaid, .fewScrolls, .fewVisits, .noSamples: (.missing, .tooFew)
        case .framesStopped: (.missing, .framesStopped)
        case .notLoaded: (.missing, .notLoaded)
        case .noEvents: (.passed, .noEvents)
        case .overLimit: (.overLimit, nil)
        case .noBaseline: (.noBaseline, nil)
        case .limitOnly: (.passed, .limitOnly)
        case .otherFormula: (.noBaseline, .otherFormula)
        case .noTolerance: (.inconclusive, .noTolerance)
        case .fewEvents, .fewDays: (.inconclusive, .exposure)
        case .gross: (.regressed, .gross)
        case .worse: (.regressed, nil)
        case .suspect: (.inconclusive, .confirm)
        case .notConfirmed: (.passed, .notConfirmed)
        case .cannotTell: (.inconclusive, .needMore)
        case .worseByChance, .noObjection: (.passed, nil)
        case .worseWithAll: (.passed, .allPages)
        case .better: (.improved, nil)
        case .measured, .noLimit, .withinLimit, .comparable, .enoughSamples, .tooFewSamples, .noGap, .notWorse,
            .notBetter, .betterByChance:
            nil
        }
    }

    /// Whether it gives the verdict.
    package var isDeciding: Bool { answer != nil }
}

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
    /// Fewer iterations, scrolls or visits than expected, or no sample where there always were some.
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
    /// Its metric changed a thousandfold everywhere, so that its unit is in doubt.
    case unitSlip = "unit_slip"
    /// The baseline holds a limit and no samples, so that the limit alone decided.
    case limitOnly = "limit_only"
    /// Too few users have a release, or too few days, to compare it.
    case exposure
    /// It changed as all pages did.
    case allPages = "all_pages"
}
