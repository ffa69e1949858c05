import PerfgateModel
import PerfgateStats

/// The rule: its steps in order; the first that decides wins.
/// > A metric has regressed when its change exceeds the tolerance and would arise by chance from a change of half the
/// tolerance with a probability below 0.1 / M, where M is the number of comparisons in the run.
package enum VerdictRule {
    package static let steps: [@Sendable (CellCase) -> RuleStep] = [
        Attendance.look, LimitStep.look, BaselineStep.look, GrossStep.look, WorseStep.look, BetterStep.look,
    ]

    /// The decision on a case, with every step that was run; passed if no step fails it.
    package static func decide(_ cell: CellCase) -> Decision {
        var asked: [RuleStep] = []
        for look in cell.turn == nil ? steps[...] : steps.prefix(3) {
            let step = look(cell)
            if step.found.isDeciding { return Decision(step, after: asked) }
            asked.append(step)
        }
        return Decision(cell.turn.map { SequenceStep.look(at: cell, $0) } ?? RuleStep(.noObjection), after: asked)
    }
}

/// The second step: a limit applies from the first run on, without a baseline and without hidden slack.
enum LimitStep {
    /// Decides `over_limit` if any single run breaks the limit: good runs don't compensate. Head's runs in turn are one
    /// measurement of one build on one device, so all of them together are judged: among many, one run always is slow.
    @Sendable static func look(at cell: CellCase) -> RuleStep {
        guard let limit = cell.policy.limit?.value else { return RuleStep(.noLimit) }
        let runs = (cell.measurement?.runs ?? []).filter { !$0.samples.isEmpty }
        let parts = runs.map { (run: $0.run, samples: cell.policy.limitSamples(of: $0)) }
        let judgedParts = cell.turn == nil ? parts : [(run: "", samples: parts.flatMap(\.samples))]
        let answers = judgedParts.compactMap { part -> (run: String, subject: RuleStep.Subject, value: Double)? in
            guard let samples = try? SortedSamples(part.samples),
                let (subject, value) = judged(samples, by: limit.subject, cell.metric.better)
            else { return nil }
            return (part.run, subject, value)
        }
        let better = cell.metric.better
        guard let worst = answers.max(by: { better.isWorse($1.value, than: $0.value) })
        else { return RuleStep(.noLimit) }
        return RuleStep(
            better.isWorse(worst.value, than: limit.value) ? .overLimit : .withinLimit, subject: worst.subject,
            value: worst.value, bound: limit.value, run: answers.count > 1 ? worst.run : nil)
    }

    /// The sample that stands for all; of an even count the better middle one, so more than half must break a limit.
    private static func judged(
        _ samples: SortedSamples, by subject: Limit.Subject, _ better: Better
    ) -> (RuleStep.Subject, Double)? {
        guard let lower = samples.lowerMedian, let upper = samples.upperMedian, let least = samples.values.first,
            let greatest = samples.values.last
        else { return nil }
        return switch (subject, better) {
        case (.median, .lower): (lower == upper ? .median : .lowerMedian, lower)
        case (.median, .higher): (lower == upper ? .median : .upperMedian, upper)
        case (.any, .lower): (.worstSample, greatest)
        case (.any, .higher): (.worstSample, least)
        }
    }
}

/// The third step: without comparable values only limits apply, and without a tolerance there is no verdict.
enum BaselineStep {
    @Sendable static func look(at cell: CellCase) -> RuleStep {
        guard let comparison = cell.comparison else { return RuleStep(nothingComparable(cell)) }
        guard comparison.margin == 0, comparison.delta != 0 else { return RuleStep(.comparable) }
        return RuleStep(.noTolerance, value: comparison.delta, bound: 0)
    }

    private static func nothingComparable(_ cell: CellCase) -> RuleStep.Found {
        if cell.metric.isQuantile { return cell.policy.limit == nil ? .noBaseline : .limitOnly }
        guard let entry = cell.entry, let measurement = cell.measurement else { return .noBaseline }
        if entry.isLimitOnly, entry.limit(of: cell.metric) != nil, cell.policy.limit != nil { return .limitOnly }
        return entry.isComparable(with: measurement) ? .noBaseline : .otherFormula
    }
}

/// The fourth step, if so few samples can't fail by chance: a gap of over five tolerances between all old and new ones.
enum GrossStep {
    /// Per side: with 3 samples it would be wrong in half of all runs with 500 comparisons.
    static let fewestSamples = 5
    private static let tolerances = 5.0
    /// The fewest baseline samples with which fewer candidate samples are reported.
    private static let fewestToTell = 10
    /// The ratio to the baseline's centre beyond which they are reported.
    private static let toldRatio = 2.0

    @Sendable static func look(at cell: CellCase) -> RuleStep {
        guard let comparison = cell.comparison else { return RuleStep(.tooFewSamples) }
        let failing = comparison.significance.failing
        guard comparison.pMin > failing else { return RuleStep(.enoughSamples, p: comparison.pMin, alpha: failing) }
        let design = comparison.design
        guard min(design.baselineSamples, design.candidateSamples) >= fewestSamples
        else { return doubled(comparison, cell.metric) ?? RuleStep(.tooFewSamples) }
        let bound = tolerances * comparison.margin
        return RuleStep(comparison.gap > bound ? .gross : .noGap, value: comparison.gap, bound: bound)
    }

    /// A few samples that are all beyond twice the baseline's centre and beyond the tolerance. Counts and rates must
    /// also be beyond each of the baseline's samples, because their usual values may be far from their centre.
    private static func doubled(_ comparison: Comparison, _ metric: Metric) -> RuleStep? {
        let before = comparison.baselineCentre
        guard comparison.design.baselineSamples >= fewestToTell, metric.better == .lower, before > 0,
            metric.isTime || comparison.gap > 0
        else { return nil }
        let bound = max(toldRatio * before, before + comparison.margin)
        return comparison.leastOfCandidate > bound
            ? RuleStep(.doubled, value: comparison.leastOfCandidate, bound: bound) : nil
    }
}

/// The fifth step: the change exceeds the tolerance. Is it real?
enum WorseStep {
    /// Decides on changes for the worse beyond the tolerance, and on a share of a time's samples that takes far longer.
    @Sendable static func look(at cell: CellCase) -> RuleStep { slowShare(of: cell)?.step ?? centre(of: cell) }

    /// The step by a share of slow samples, if that finds more than the change of the centre.
    static func slowShare(of cell: CellCase) -> (step: RuleStep, share: SlowShare)? {
        guard let comparison = cell.comparison, !comparison.slow.isEmpty else { return nil }
        let level = comparison.significance.ofShare
        let found = comparison.slow.compactMap { share in
            finding(share, level, cell).map { (found: $0, share: share) }
        }
        // Of cuts with equal probabilities, the larger one says more.
        let worst = found.reversed().min { (rank($0.found), $0.share.all.p) < (rank($1.found), $1.share.all.p) }
        guard let worst, rank(worst.found) < rank(centre(of: cell).found) else { return nil }
        return (RuleStep(worst.found, comparison, p: worst.share.all.p, alpha: level), worst.share)
    }

    private static func rank(_ found: RuleStep.Found) -> Int {
        [.worse, .suspect, .told, .cannotTell, .notConfirmed].firstIndex(of: found) ?? .max
    }

    private static func finding(_ share: SlowShare, _ level: Double, _ cell: CellCase) -> RuleStep.Found? {
        let isConfirming = cell.confirmation == .rerun && cell.turn == nil
        let isAgain = isConfirming && cell.isMeasuredAgain
        if isAgain ? share.isConfirmed(level) : share.all.isBeyondChance(level) {
            return isConfirming && !isAgain ? .suspect : .worse
        }
        if share.isReported { return .told }
        guard share.isSuspect else { return nil }
        if isAgain { return .notConfirmed }
        return isConfirming && cell.candidateRuns > 1 ? .suspect : .cannotTell
    }

    private static func centre(of cell: CellCase) -> RuleStep {
        guard let comparison = cell.comparison, comparison.isOpen else { return RuleStep(.notWorse, cell.comparison) }
        guard comparison.ownWorsening > comparison.margin
        else { return RuleStep(.worseWithAll, value: comparison.ownWorsening, bound: comparison.margin) }
        return RuleStep(
            finding(comparison, cell), comparison, p: comparison.pMargin, alpha: comparison.significance.failing)
    }

    private static func finding(_ comparison: Comparison, _ cell: CellCase) -> RuleStep.Found {
        let failing = comparison.significance.failing
        let isConfirming = cell.confirmation == .rerun
        let isAgain = isConfirming && cell.isMeasuredAgain
        // A fast run hides a change, and its rerun shows it; in the end the measured values must show it.
        guard comparison.worsening > comparison.margin else {
            let isSuspect = isConfirming && !isAgain && (comparison.isBeyondChance || comparison.isSuspect)
            return isSuspect ? .suspect : .notWorse
        }
        if comparison.isBeyondChance {
            if isConfirming, !isAgain { return .suspect }
            // In the noise test, two contradicting runs would have a median between them: three of four must agree.
            if comparison.noise == nil || comparison.isMostlyWorse { return .worse }
        }
        if isAgain ? cell.freezesAgain : cell.freezes > 1 { return isConfirming && !isAgain ? .suspect : .told }
        if isAgain, comparison.pMin <= failing { return .notConfirmed }
        guard comparison.isSuspect || comparison.pMin > Significance.suspecting else { return .worseByChance }
        return isConfirming && !isAgain && cell.candidateRuns > 1 ? .suspect : .cannotTell
    }
}

/// The sixth step: the mirror image of the fifth, for changes for the better.
enum BetterStep {
    @Sendable static func look(at cell: CellCase) -> RuleStep {
        guard let comparison = cell.comparison,
            min(-comparison.worsening, comparison.ownImprovement) > comparison.margin
        else { return RuleStep(.notBetter, cell.comparison) }
        let (p, failing) = (comparison.pImproved, comparison.significance.failing)
        return RuleStep(p <= failing ? .better : .betterByChance, comparison, p: p, alpha: failing)
    }
}

/// The step for cells that `perfgate measure` measured in turn: the sequence of pairs decides.
private enum SequenceStep {
    static func look(at cell: CellCase, _ turn: SequencedPairs.Turn) -> RuleStep {
        func step(_ found: RuleStep.Found, p: Double) -> RuleStep {
            RuleStep(found, cell.comparison, p: p, alpha: turn.numbers.alpha)
        }
        // Two of five loads that take ten times as long move no centre. A doubt about them leaves the pairs' decision.
        let slow = WorseStep.slowShare(of: cell)?.step
        if turn.state != .regressed, let slow, slow.found != .cannotTell { return slow }
        switch turn.state {
        case .regressed: return step(.worse, p: turn.numbers.p)
        case .open, .tooNoisy: return step(.undecided, p: turn.numbers.p)
        case .same where turn.isWithAll: return RuleStep(.worseWithAll, cell.comparison)
        case .same where turn.isImproved: return step(.better, p: turn.numbers.pOpposite)
        case .same:
            let isWorse = cell.comparison.map { $0.worsening > $0.margin } ?? false
            return isWorse ? step(.worseByChance, p: turn.numbers.p) : RuleStep(.noObjection)
        }
    }
}

extension RuleStep {
    fileprivate init(_ found: Found, _ comparison: Comparison?, p: Double? = nil, alpha: Double? = nil) {
        self.init(found, value: comparison?.delta, bound: comparison?.margin, p: p, alpha: alpha)
    }
}

extension Decision {
    /// The decision of a check: an inconclusive change that runs' noise explains passes, unless a rerun will decide it.
    func told(on cell: CellCase) -> Decision {
        guard deciding.found == .cannotTell, let comparison = cell.comparison, !comparison.isReported,
            cell.confirmation == .off || cell.isMeasuredAgain
        else { return self }
        var step = deciding
        step.found = .withinNoise
        return Decision(step, after: Array(steps.dropLast()))
    }
}

extension Comparison {
    /// Whether an inconclusive change is reported: its distance in noise would arise in one of 33 unchanged runs, and three
    /// of four samples agree; or the candidate's median is more than twice the baseline's. Without known noise always.
    fileprivate var isReported: Bool {
        guard let standardScore else { return true }
        let bound = -Normal.quantile(0.03 / Double(significance.comparisons))
        return standardScore > bound && isMostlyWorse || self.candidateCentre > 2 * self.baselineCentre
    }
}

extension Better {
    func isWorse(_ value: Double, than other: Double) -> Bool { self == .lower ? value > other : value < other }

    var worseSide: String { self == .lower ? "above" : "below" }
}

extension Metric {
    /// The measure of the centre: the mean of counts and rates, else the median.
    package var centre: Centre { unit.isCountOrRate ? .mean : .median }
}
