import PerfgateCompare
import PerfgateJSON
import PerfgateModel

// The records of a comparison.
extension ReportRecords {
    static let comparison = JSONShape<CellResult>(
        "comparison", "A compared page, metric and environment.",
        blank: CellResult(
            .init(.environment, Metric(id: "", unit: Unit(""), better: .lower), in: Environment([]), verdict: .passed))
    ) { result, member in
        var facts = result.facts
        var (page, reason) = (facts.page, member.isReading ? "" : result.reason)
        // Each change of a shared fact makes a new reference.
        var (numbers, releases, phases, why) = (facts.numbers, facts.releases, facts.phases, facts.why)
        member("page", &page, .page, "The page.")
        metric(&facts.metric, &member)
        member("counting", &facts.counting, counting, "The counting method for frames.")
        member("formula", &facts.formula, .text, "The version of its formula.")
        member("environment", &facts.environment, environment)
        member("gated", &facts.isGated, .flag, "Whether it can fail the run.")
        member("gate_origin", &facts.gateOrigin, .text, "The source of the setting that it can or can't fail the run.")
        member("verdict", &facts.verdict, verdict, "The verdict.")
        member("detail", &facts.detail, detail, "The reason, if the verdict's name doesn't give it.")
        member("reason", &reason, .text, "One sentence with the numbers.")
        member("baseline", &facts.baseline, side)
        member("candidate", &facts.candidate, side)
        member.together(with: "p", &numbers, blank: CellResult.Numbers(), change)
        member("tolerance", &facts.tolerance, .notNegative, "The tolerance in the metric's unit.")
        member(
            "rule", &facts.rule, rule, absent: [],
            "The steps that the rule evaluated, in order, the deciding step last.")
        member(
            "tolerance_terms", &facts.toleranceTerms, toleranceTerms,
            "The sources of the tolerance: the larger of a share of the baseline's median and the smallest change that "
                + "matters.")
        var limit = facts.limit.map { (value: $0.value, subject: $0.subject) }
        member.together(with: "limit", &limit, blank: (0, .median)) { limit, member in
            member(
                "limit", &limit.value, .number,
                "The limit in the metric's unit: a maximum, or a minimum if higher is better.")
            member(
                "limit_subject", &limit.subject, limitSubject,
                "The value that the limit judges: the median, or any sample.")
        }
        facts.limit = limit.map { Limit($0.value, subject: $0.subject, isTakenAsWritten: true) }
        member("limit_origin", &facts.limitOrigin, .text, "The source of the limit, such as perfgate.yml:12.")
        member.together(with: "p", &numbers, blank: CellResult.Numbers(), chances)
        member(
            "releases", &releases, Self.releases,
            "The known facts of both releases, if releases in the field were compared; absent for test runs. There `n` "
                + "counts events and `runs` days.")
        member(
            "phases", &phases, Self.phases,
            "The phase of the visits that carries most of the change of a time to initial load; absent if none does.")
        member("why", &why, Self.why)
        guard member.isReading else { return }
        (facts.numbers, facts.releases, facts.phases, facts.why) = (numbers, releases, phases, why)
        facts.subject = .init(listedAs: page, facts.metric, isOfReleases: releases != nil)
        facts.said = reason
        result = CellResult(facts)
    }

    private static let counting = JSONShape<Counting>.word()
    private static let verdict = JSONShape<Verdict>.word()
    private static let detail = JSONShape<VerdictDetail>.word()
    private static let better = JSONShape<Better>.word()
    private static let limitSubject = JSONShape<Limit.Subject>.word()

    private static func metric(_ metric: inout Metric, _ member: inout JSONMembers) {
        var (id, unit, better) = (metric.id, metric.unit.symbol, metric.better)
        member("metric", &id, .text, "The metric's identifier.")
        member("unit", &unit, .text, "The unit of its values; empty for a pure number.")
        member("better", &better, Self.better, "The better direction.")
        metric = Metric(id: id, unit: Unit(unit), better: better)
    }

    private static let side = JSONShape<CellResult.Side>("side", "The samples of one side.", blank: .init()) {
        side, member in
        member("n", &side.count, .whole, "The number of samples.")
        member("runs", &side.runs, .whole, "The number of their runs.")
        member("center", &side.center, .number, "The mean of counts and rates, else the median, in the metric's unit.")
        member(
            "samples", &side.samples, samples,
            "The samples in the order of run, shard, iteration, value; left out above 1,000 samples.")
        member(
            "quantiles", &side.quantiles, quantiles,
            "The quantiles at 0, 5, 25, 50, 75, 95 and 100 %, if the samples are left out.")
        member(
            "limit_samples", &side.limitSamples, samples,
            "The samples, or their quantiles if they are left out, as the limit judges them: dropped frames by their "
                + "duration. Absent if the limit judges the samples themselves.")
        member(
            "history", &side.history, history, absent: [],
            "The centres of the runs, oldest first, up to the newest 30.")
        member("by_run", &side.shares, shares, absent: [], "The number of samples by run, in the order of the samples.")
    }

    private static let samples = JSONShape.number.list(.line, most: CellResult.Side.mostSamples)
    private static let quantiles = JSONShape.number.list(exactly: CellResult.Side.quantileProbabilities.count)
    private static let history = JSONShape.number.list(.line, most: CellResult.Side.mostHistory)

    private static let shares = JSONShape<CellResult.Side.RunShare>(blank: .init(), layout: .line) { share, member in
        member("run_id", &share.run, .text, "The identifier of the run.")
        member("n", &share.count, .positive, "The number of samples.")
        member(
            "shift", &share.shift, .number,
            "The subtracted shift of the run, in logarithms: 0.02 is 2 % slower. Absent without a shift.")
        member("pair", &share.pair, .text, "Its pair, if pairs of runs in turn were judged one by one.")
    }.list()

    private static let toleranceTerms = JSONShape<CellResult.ToleranceTerms>(blank: .init()) { terms, member in
        member("relative", &terms.relative, .notNegative, "The share: 0.1 is 10 %.")
        member("relative_origin", &terms.relativeOrigin, .text, "The source of the share, such as perfgate.yml:12.")
        member("min_change", &terms.minChange, .notNegative, "The smallest change, in the metric's unit.")
        member("min_change_origin", &terms.minChangeOrigin, .text, "The source of the smallest change.")
    }

    private static let phases = JSONShape<PhaseShift>(blank: .init()) { phases, member in
        member("part", &phases.part, .word(), "The phase: up to the first layout, or from there to the initial load.")
        member("total_ms", &phases.total, .number, "The change of the median time to initial load, in ms.")
        member("baseline_ms", &phases.own.baseline, .number, "The phase's median in the baseline, in ms.")
        member("candidate_ms", &phases.own.candidate, .number, "The phase's median in the candidate, in ms.")
        member("other_baseline_ms", &phases.other.baseline, .number, "The other phase's median in the baseline, in ms.")
        member(
            "other_candidate_ms", &phases.other.candidate, .number, "The other phase's median in the candidate, in ms.")
        member("metric", &phases.metric, .text, absent: "", "A metric of the page that changed too and explains it.")
        member(
            "metric_baseline", &phases.values.baseline, .number, absent: 0, "Its centre in the baseline; 0 if absent.")
        member(
            "metric_candidate", &phases.values.candidate, .number, absent: 0,
            "Its centre in the candidate; 0 if absent.")
        member(
            "main_thread_calm", &phases.isMainThreadCalm, .flag, absent: false,
            "Whether the hangs of the main thread were measured and didn't change; false if absent.")
    }

    private static let rule = JSONShape<RuleStep>(blank: .init(.measured), layout: .line) { step, member in
        member.written("step", step.found.step, stepName, "The step of the rule.")
        member("found", &step.found, found, "The finding of the step.")
        member("subject", &step.subject, stepSubject, "The sample that the limit judges.")
        member(
            "value", &step.value, .number,
            "The value in the step: in the metric's unit, a share of 0 to 1, or a number of iterations.")
        member("bound", &step.bound, .number, "The value's threshold, in the same unit.")
        member("p", &step.p, .chance, "The probability in the step.")
        member("alpha", &step.alpha, .chance, "The threshold of the probability.")
        member("run_id", &step.run, .text, "The deciding run, or the deciding runs with their metrics.")
        member("iteration", &step.iteration, .whole, "The deciding iteration, from 0.")
    }.list(most: RuleStep.Name.allCases.count)

    private static let stepName = JSONShape<RuleStep.Name>.word()
    private static let found = JSONShape<RuleStep.Found>.word()
    private static let stepSubject = JSONShape<RuleStep.Subject>.word()

    private static func change(_ numbers: inout CellResult.Numbers, _ member: inout JSONMembers) {
        member(
            "delta", &numbers.delta, .number, "The candidate's center minus the baseline's, with the metric's own sign."
        )
        member("shift", &numbers.shift, .number, "The Hodges-Lehmann shift, with the metric's own sign.")
        member(
            "common_shift", &numbers.commonShift, .number,
            "The subtracted shift of the runs in the candidate's samples, the mean as a share of the samples: 0.02 is "
                + "2 % slower. Absent without a shift.")
        member(
            "own_delta", &numbers.ownDelta, .number,
            "The change without the shifts of the runs of both sides, in the metric's unit; absent without a shift.")
        if numbers.interval?.allSatisfy(\.isFinite) == false { numbers.interval = nil }
        member("interval", &numbers.interval, interval, "The shift's 95 % interval, lower then upper.")
    }

    private static let interval = JSONShape.number.list(exactly: 2)

    private static func chances(_ numbers: inout CellResult.Numbers, _ member: inout JSONMembers) {
        member(
            "p", &numbers.p, .chance,
            "The probability of the data if the change were margin_share times the tolerance, towards worse.")
        member("p_improve", &numbers.pImprove, .chance, "The same probability, towards better.")
        member("p_zero", &numbers.pZero, .chance, "The probability of the data if nothing changed, towards worse.")
        member("alpha", &numbers.alpha, .chance, "The maximum of significant `p` and `p_improve`.")
        member("comparisons", &numbers.comparisons, .whole, "The number of comparisons by which alpha was divided.")
        member("p_min", &numbers.pMin, .chance, "The smallest probability that these sizes can give.")
        member(
            "margin_share", &numbers.marginShare, .notNegative,
            "The change that chance must not explain, in tolerances: 0.5, 1, or more if runs differ by more; 0 for all "
                + "pages together, where chance must not explain any change.")
        member(
            "decided_by", &numbers.decidedBy, test,
            "The deciding test, by the kind of measurement and the number of baseline runs: the order of the samples "
                + "(rank); for times with a baseline of up to four runs the noise that times have in common (noise); for "
                + "counts the number of samples beyond a cut (share); the distance of all samples from all others "
                + "(gross); for all pages together the common shift of runs (shift); the pairs of runs in turn, one by one "
                + "(sequence).")
        member(
            "noise", &numbers.noise, noise,
            "The noise of the test if noise decides, as standard deviations of logarithms: between runs of one time, and "
                + "of samples within a run that times have in common, or the time's own before --accept; and the degrees "
                + "of freedom of the t test.")
        member(
            "sequence", &numbers.sequence, sequence,
            "The evidence of pairs of runs in turn that were judged one by one; absent if a fixed number is compared. `p` "
                + "is then a bound at any number of looks.")
        member(
            "pairs", &numbers.pairs, .whole, absent: 0,
            "The number of pairs of runs that were measured in turn and are compared; absent if all samples are compared "
                + "together.")
        member(
            "shares", &numbers.shares, cuts, absent: [],
            "For counts, the number of samples over a cut; absent if only ranks are compared.")
        member(
            "share_alpha", &numbers.shareAlpha, .chance,
            "The maximum probability at which a share fails, if at least three of the candidate's samples are over.")
    }

    private static let test = JSONShape<CellResult.Test>.word()

    private static let sequence = JSONShape<CellResult.Sequence>(blank: .init()) { sequence, member in
        member("evidence", &sequence.evidence, .number, "The logarithm of the evidence that it became worse.")
        member("needed", &sequence.needed, .number, "The evidence that accuses.")
        member("opposite", &sequence.opposite, .number, "The evidence that a time became better.")
        member("pairs", &sequence.pairs, .whole, "The pairs in which both sides measured it.")
        member("most_pairs", &sequence.mostPairs, .whole, "The most pairs of the call.")
        member("pairs_needed", &sequence.pairsNeeded, .whole, "How many more pairs would decide it.")
        member(
            "needed_if_changed", &sequence.isNeededIfChanged, .flag,
            "Whether these are needed if it had changed by what must be found, since it shows less.")
        member(
            "detectable", &sequence.detectable, .number,
            "The smallest change that all pairs would find with a probability of .9: of a time as a share, 0.14 is 14 %; "
                + "of a count in its unit.")
    }

    private static let noise = JSONShape<CellResult.Noise>(blank: .init(betweenRuns: 0, withinRun: 0, degrees: 1)) {
        noise, member in
        var (between, within) = (noise.betweenRuns, noise.commonVariance.squareRoot())
        var degrees = noise.degrees
        member("between_runs", &between, .notNegative)
        member("within_run", &within, .notNegative)
        member("degrees", &degrees, .positive)
        noise = CellResult.Noise(betweenRuns: between, withinRun: within, degrees: degrees)
    }

    private static let cuts = JSONShape<CellResult.Share>(
        blank: .init(cut: .limit, bound: 0, baselineOver: 0, candidateOver: 0, p: 0), layout: .line
    ) { share, member in
        member(
            "over", &share.cut, cut,
            "The cut: the cell's limit, the baseline's 99th percentile by the nearest rank, or for times twice or four "
                + "times the baseline's median, or five times the smallest change that matters beyond it.")
        member("bound", &share.bound, .number, "The cut's value; worse values are over it.")
        member("baseline", &share.baselineOver, .whole, "The number of the baseline's samples over the cut.")
        member("candidate", &share.candidateOver, .whole, "The number of the candidate's samples over the cut.")
        member(
            "p", &share.p, .chance,
            "The probability of at least as many in the candidate if the sides didn't differ; R. A. Fisher's exact test, "
                + "one-sided.")
    }.list(most: CellResult.Share.Cut.allCases.count)

    private static let cut = JSONShape<CellResult.Share.Cut>.word()
}
