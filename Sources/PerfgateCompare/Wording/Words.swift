import PerfgateModel
import PerfgateStats

/// The words of a comparison of runs or releases, made from the finished result when somebody asks for them.
package struct Words: Sendable {
    let result: CellResult

    package init(_ result: CellResult) { self.result = result }

    /// One sentence with the numbers, followed by what else there is to say.
    package var reason: String { result.said ?? ([sentence] + remarks).joined(separator: " ") }

    /// What follows the sentence. Of a report that was read, a broken limit's goes on about the unkept change.
    package var remarks: [String] {
        guard let said = result.said else { return result.remarks.compactMap(text) }
        return !result.facts.isOverLimit && said.hasPrefix("\(sentence) ")
            ? [String(said.dropFirst(sentence.count + 1))] : []
    }

    private var sentence: String {
        guard let step = result.rule.last else { return "" }
        if result.releases != nil { return releaseSentence(step) }
        return result.isOfAllPages ? sentenceOfAllPages(step) : step.shortfall ?? sentence(step)
    }

    /// `nil` if it is part of the main sentence.
    private func text(_ remark: CellResult.Remark) -> String? {
        switch remark {
        case .obstacle, .beside, .slowShare, .worseThanItsRuns, .pages: nil
        case .waiver(let answer): answer.waiver.text(answer.effect, of: result.metric)
        case .nothingCompared(.asBefore): "A gated metric that was compared before must stay comparable."
        case .nothingCompared(.inEnvironment): "Nothing in its environment was compared."
        case .nothingCompared(.ofReleases): "No quantile of the two releases could be judged."
        case .unitSlip: "It changed a thousandfold everywhere, which suggests a wrong unit."
        case .held(let nights): "On the main branch: \(nights.words)."
        case .drifted(let drift): "But it drifted: \(drift.words)."
        }
    }

    /// What would decide an inconclusive comparison, as a clause: more pairs, or a second run; `nil` for other doubts.
    var open: String? {
        switch result.rule.last?.found {
        case .undecided: undecided
        case .suspectRuns: "which a later run must confirm"
        case .suspect: obstacle.map { String($0.dropFirst(2)) } ?? "which a second run must confirm"
        default: nil
        }
    }

    private func remark<Value>(_ find: (CellResult.Remark) -> Value?) -> Value? {
        result.remarks.lazy.compactMap(find).first
    }
}

extension Words {
    private func sentence(_ step: RuleStep) -> String {
        switch step.found {
        case .noPage: "\(Self.noPage), and it was expected."
        case .noEnvironment: "\(noEnvironment), and the configuration requires it."
        case .pageExcused: "\(Self.noPage); a partial run excuses that."
        case .environmentExcused: "\(noEnvironment); a partial run excuses that."
        case .environmentSilent:
            "A run line declares the environment \(result.environment), but no line measures a page in it."
        case .noMetric: "The page was measured, but \(result.metric.id) was not, and it was expected."
        case .tooFew:
            "Only \(iterations(step)) of the expected \(Figure.text(step.bound ?? 0))\(run(step, " of")) measured it."
        case .crashed:
            "\(Figure.text(step.value ?? 0, "runs")) of head failed, and \(Figure.text(step.bound ?? 0)) of base."
        case .absentInPairs:
            "Head's runs measured \(result.metric.id) in \(Figure.text(step.value ?? 0)) of the "
                + "\(Figure.text(step.bound ?? 0)) pairs in which base's did."
        case .framesStopped: stopped(step)
        case .notLoaded: "It was visited in \(iterations(step))\(run(step, " of")), and no visit loaded it."
        case .noEvents: "Measured, but nothing happened that gives a sample."
        case .overLimit: broken(step)
        case .noBaseline where result.metric.isQuantile:
            "A percentile of users has no samples to compare: only a limit judges it."
        case .limitOnly where result.metric.isQuantile:
            "Within the limit of \(figure(result.limit?.value)); a percentile of users has no samples to compare."
        case .noBaseline: "There is no baseline to compare \(candidate) with."
        case .limitOnly:
            "Within the limit of \(figure(result.limit?.value)); the baseline has no samples to compare \(candidate) with."
        case .otherFormula:
            "The baseline's values have another formula, counting or unit, so they aren't comparable with \(candidate)."
        case .noTolerance: noTolerance
        case .noObjection: within
        case .gross, .doubled, .worse, .suspect, .notConfirmed, .cannotTell, .told, .withinNoise, .worseByChance,
            .worseWithAll, .better, .undecided:
            change(step)
        case .inRuns, .suspectRuns: inRuns(step)
        case .measured, .noLimit, .withinLimit, .comparable, .enoughSamples, .tooFewSamples, .noGap, .notWorse,
            .notBetter, .betterByChance, .fewEvents, .fewDays, .unfinished, .fewIterations, .fewerThanDeclared,
            .fewScrolls, .fewVisits, .fewFrames, .slowDisplay, .noSamples, .fewSamples:
            compared("within \(tolerance)")
        }
    }

    private func inRuns(_ step: RuleStep) -> String {
        let (own, all) = (step.value ?? 0, step.bound ?? 0)
        let others = CellResult.Facts.isEnough(own, of: all) ? "" : ", and other metrics of the page in others"
        let names = (step.found == .suspectRuns ? ", which a later run must confirm" : "") + ": \(step.run ?? "")"
        return "\(Figure.text(own)) of the \(Figure.text(all)) runs got worse by \(own == 1 ? "itself" : "themselves")"
            + "\(others), beyond chance\(names). All together: \(change)\(result.numbers.map { ", \(figures($0))" } ?? "")."
    }

    private func change(_ step: RuleStep) -> String {
        if step.found.step == .worse, let (share, again) = slowShare { return ofShare(share, again, step.found) }
        let meaning =
            switch step.found {
            case .gross:
                "and its best sample is \(figure(step.value)) beyond the baseline's worst, over five times \(tolerance)"
            case .doubled: "and every sample is beyond \(figure(step.bound)), but there are too few to fail"
            case .suspect:
                "worse by more than \(tolerance)\(obstacle ?? " in one run, which a second run must confirm")"
            case .notConfirmed: "worse by more than \(tolerance), but all runs together show that it is chance"
            case .cannotTell: "worse by more than \(tolerance), but with so few samples it may be chance"
            case .undecided: undecided
            case .told: "far worse in more samples than usual, but in too few to fail"
            case .withinNoise: "worse by more than \(tolerance), but within the noise of runs"
            case .worseByChance: "worse by more than \(tolerance), but chance explains it"
            case .worseWithAll: "worse by more than \(tolerance), but not relative to the other times of its runs"
            case .better: "better by more than \(tolerance), and chance doesn't explain it"
            default: "worse by more than \(tolerance), and chance doesn't explain it"
            }
        return compared(meaning)
    }

    private var within: String {
        if result.rule.contains(where: { $0.found == .betterByChance }) {
            return compared("better by more than \(tolerance), but chance explains it")
        }
        if result.remarks.contains(.worseThanItsRuns) {
            return compared(
                "worse by more than \(tolerance) relative to the other times of its runs, but not as measured")
        }
        if let worsening = result.worsening, -worsening > result.tolerance ?? 0 {
            return compared("better by more than \(tolerance), but not relative to the other times of its runs")
        }
        return compared("within \(tolerance)")
    }

    static let atHighestRate = " at the display's highest rate"
    private static let noPage = "There was no line of the page"
    private var noEnvironment: String { "No gating run has a line of the environment \(result.environment)" }

    var noTolerance: String {
        "It changed by \(change), and its tolerance is 0, so any change would count: give it a `min_change`."
    }

    /// Why no rerun confirms a suspect, as a clause; `nil`: there is only one run.
    private var obstacle: String? {
        remark { if case .obstacle(let clause) = $0 { ", and no rerun confirms it, because \(clause)" } else { nil } }
    }

    private var slowShare: (CellResult.Share, again: Int?)? {
        remark { if case .slowShare(let share, let again) = $0 { (share, again) } else { nil } }
    }

    private func run(_ step: RuleStep, _ word: String) -> String { step.run.map { "\(word) run \($0)" } ?? "" }

    private func iterations(_ step: RuleStep) -> String { Figure.text(step.value ?? 0, "iterations") }

    private func stopped(_ step: RuleStep) -> String {
        let iteration = step.iteration.map { " in iteration \($0)" } ?? ""
        let place = iteration + run(step, iteration.isEmpty ? " in" : " of")
        let percent = 100 * (step.value ?? 0)
        let cover = "Frame ticks cover only \(Figure.text(percent.rounded(.down))) % of"
        return "\(percent == 0 ? "No frame ticks came with" : cover) a scroll\(place): the recorder stopped."
    }

    private func broken(_ step: RuleStep) -> String {
        // Lifting the limit must not hide the change.
        let beside = remark { if case .beside(let step) = $0 { " \(change(step))" } else { nil } }
        return "The \(step.subject?.words ?? "value")\(run(step, " of")), \(duration(step.value)), is "
            + "\(result.metric.better.worseSide) the limit of \(figure(step.bound)) (\(count(result.candidate)))."
            + (beside ?? "")
    }

    /// The value that a limit judges, which may be the duration of frames.
    func duration(_ value: Double?) -> String {
        result.candidate?.limitSamples == nil ? figure(value) : "as long as \(figure(value))\(Self.atHighestRate)"
    }

    private var candidate: String {
        result.candidate?.center.map { "\(figure($0)) (\(count(result.candidate)))" } ?? "it"
    }

    private func compared(_ meaning: String) -> String {
        guard let numbers = result.numbers else { return "Not compared." }
        let isChanged = signed(numbers.delta) != "0"
        return "\(isChanged ? "It changed by \(change), \(meaning)" : "It didn't change"): \(figures(numbers))."
    }

    private func figures(_ numbers: CellResult.Numbers) -> String {
        if let sequence = numbers.sequence, sequence.pairs > 1 { return evidence(sequence, numbers) }
        let interval = numbers.interval.map { ", 95 % interval \($0.map(signed).joined(separator: " to "))" }
        let runs = result.candidate?.runs == 1 ? "the run" : "the runs"
        let shift = numbers.commonShift.map { "all times of \(runs) \(Figure.percentage($0)), " }
        // For a change for the better the p-value of an improvement, otherwise of a worsening.
        let p = (result.worsening ?? 0) < 0 ? numbers.pImprove : numbers.p
        return """
            shift \(signed(numbers.shift))\(interval ?? ""), \(shift ?? "")\
            p \(Figure.probability(p)) against \(Figure.probability(numbers.alpha)), \
            \(share(numbers).map { "\($0), " } ?? "")\(count(result.candidate)) against \
            \(result.baseline?.count ?? 0) of \(result.baseline?.runs ?? 0)\
            \(numbers.pairs > 0 ? ", in \(Figure.count(numbers.pairs, "pair")) measured in turn" : "")
            """
    }

    private var undecided: String {
        guard let sequence = result.numbers?.sequence, sequence.pairs > 1
        else { return "and too few pairs count to decide it" }
        let open = "not decided by \(sequence.pairs) of at most \(Figure.count(sequence.mostPairs, "pair"))"
        guard let more = sequence.pairsNeeded else { return open }
        let change = figure(2 * (result.tolerance ?? 0))
        let condition = sequence.isNeededIfChanged ? " if it were worse by \(change)" : ", if they are like these"
        return "\(open); about \(more) more would decide\(condition)"
    }

    private func evidence(_ sequence: CellResult.Sequence, _ numbers: CellResult.Numbers) -> String {
        let shift = numbers.commonShift.map { ", all times of head's runs \(Figure.percentage($0))" }
        return "\(evidence(sequence))\(shift ?? ""), \(count(result.candidate)) against \(result.baseline?.count ?? 0)"
    }

    /// The evidence of pairs and how much accuses, as odds.
    package func evidence(_ sequence: CellResult.Sequence) -> String {
        "evidence \(Figure.odds(sequence.evidence)) of the needed \(Figure.odds(sequence.needed)) after "
            + Figure.count(sequence.pairs, "pair")
    }

    /// The smallest change that the pairs of a call would find, such as `+14 %`; `nil` without one.
    package var detectable: String? {
        result.numbers?.sequence?.detectable.map { change in
            guard result.metric.isTime else { return signed(change) }
            // Of a short time, what matters is a number of ms.
            let least = max(result.baseline?.center ?? 0, result.toleranceTerms?.minChange ?? 0)
            return hasRelativeTolerance ? "+\(Figure.text((100 * change).rounded())) %" : signed(change * least)
        }
    }

    /// Whether the tolerance is a share of the baseline, not the smallest change that matters.
    package var hasRelativeTolerance: Bool {
        guard let tolerance = result.tolerance, let terms = result.toleranceTerms else { return true }
        return tolerance > terms.minChange
    }

    /// The share that shows more than the ranks, if there is one: the samples over its cut on both sides.
    private func share(_ numbers: CellResult.Numbers) -> String? {
        guard let worsening = result.worsening, worsening > result.tolerance ?? 0, numbers.p > numbers.alpha,
            let share = numbers.shares.filter({ !CellResult.Share.Cut.slow.contains($0.cut) }).min(by: { $0.p < $1.p }),
            share.p <= Significance.suspecting
        else { return nil }
        return """
            \(share.candidateOver) of \(result.candidate?.count ?? 0) beyond \(figure(share.bound)) against \
            \(share.baselineOver) of \(result.baseline?.count ?? 0), p \(Figure.probability(share.p)) against \
            \(chance(numbers.shareAlpha))
            """
    }

    /// The sentence of a share of slow samples: `3 of 5 loads took more than 4 times the usual 512 ms`.
    private func ofShare(_ share: CellResult.Share, _ again: Int?, _ found: RuleStep.Found) -> String {
        let meaning =
            switch found {
            case .worse: "and chance doesn't explain it"
            case .suspect: open ?? ""
            case .told: "which is too unusual to pass over, and too few to fail"
            case .notConfirmed: "but all runs together show that it is chance"
            default: "which may be chance"
            }
        let bound =
            share.cut.factor.map { "\(Figure.times($0)) the usual \(figure(share.bound / $0))" }
            ?? "\(figure(share.bound)), with a usual \(figure(result.baseline?.center))"
        return """
            \(share.candidateOver) of \(Figure.count(result.candidate?.count ?? 0, result.metric.sampleNoun)) took more \
            than \(bound)\
            \(again.map { ", \($0) of them in reruns" } ?? ""), \(meaning): \(share.baselineOver) of \
            \(result.baseline?.count ?? 0) did before, p \(Figure.probability(share.p)) against \
            \(chance(result.numbers?.shareAlpha)). The \(result.metric.centre.rawValue) changed by \(change).
            """
    }

    private func sentenceOfAllPages(_ step: RuleStep) -> String {
        let (delta, bound) = (result.numbers?.delta ?? 0, "the tolerance of \(figure(result.tolerance))")
        let p = chance(delta < 0 ? result.numbers?.pImprove : result.numbers?.p)
        let figures =
            result.numbers?.sequence.map { evidence($0) }
            ?? "p \(p) against \(chance(result.numbers?.alpha)), \(Figure.count(result.candidate?.runs ?? 0, "run"))"
        if result.facts.isInRuns { return inRuns(step) }
        let pages: [Page] = remark { if case .pages(let pages) = $0 { pages } else { nil } } ?? []
        let named = pages.prefix(Self.mostPages).map(\.name).joined(separator: ", ")
        let change =
            "All pages are \(Figure.text(abs(delta).rounded())) % \(delta < 0 ? "faster" : "slower"): \(named)"
            + "\(pages.count > Self.mostPages ? ", …" : ""). That is more than \(bound)"
        return switch step.found {
        case .worse, .better: "\(change), and runs usually differ less: \(figures)."
        case .undecided:
            "The pairs so far don't show whether all pages changed: \(Figure.percentage(delta / 100)), \(figures)."
        case .suspect: "\(change) in one run, which a second run must confirm: \(figures)."
        case .cannotTell: "\(change), but runs may differ by that much: \(figures)."
        case .notConfirmed: "\(change), but all runs together suggest chance: \(figures)."
        case .worseByChance: "\(change), but runs usually differ by that much: \(figures)."
        default: "All pages together are within \(bound): \(Figure.percentage(delta / 100)), \(figures)."
        }
    }

    static let mostPages = 5
}

extension Metric {
    /// What gives a sample, in the singular.
    var sampleNoun: String {
        [Metric(.ttil), Metric(.ttfl), Metric(.alt), Metric(.rclt)].contains(self) ? "load" : "sample"
    }
}

extension CellResult { package var reason: String { Words(self).reason } }
