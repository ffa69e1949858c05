import LibC
import PerfgateStats

/// The step for cells that `perfgate measure` measured in turn: the sequence of pairs decides.
package enum SequenceStep {
    /// Decides `regressed`, `inconclusive`, `improved` or `passed`.
    static func look(at cell: CellCase, _ turn: SequencedPairs.Turn) -> RuleStep {
        func step(_ found: RuleStep.Found) -> RuleStep {
            RuleStep(
                found, value: cell.comparison?.delta, bound: cell.comparison?.margin, p: turn.numbers.p,
                alpha: turn.numbers.alpha)
        }
        // Two of five loads that take ten times as long move no centre. A doubt about them leaves the pairs' decision.
        let slow = WorseStep.slowShare(of: cell)?.step
        if turn.state != .regressed, let slow, slow.found != .cannotTell { return slow }
        switch turn.state {
        case .regressed: return step(.worse)
        case .open, .tooNoisy: return step(.undecided)
        case .same where turn.isWithAll:
            return RuleStep(.worseWithAll, value: cell.comparison?.delta, bound: cell.comparison?.margin)
        case .same where turn.isImproved:
            var better = step(.better)
            better.p = turn.numbers.pOpposite
            return better
        case .same:
            guard let comparison = cell.comparison, comparison.worsening > comparison.margin else {
                return RuleStep(.noObjection)
            }
            return step(.worseByChance)
        }
    }
}

extension CellResult {
    /// The evidence of pairs of runs in turn that were judged one by one.
    package struct Sequence: Sendable, Hashable {
        /// S, the logarithm of the evidence that it became worse.
        package var evidence = 0.0
        /// A, the evidence that accuses; above 0.
        package var needed = 0.0
        /// The evidence of a time that it became better.
        package var opposite = 0.0
        /// The pairs that measured it on both sides.
        package var pairs = 0
        package var mostPairs = 0
        /// How many more pairs would decide it; `nil` if it is decided, or if nothing suggests a number.
        package var pairsNeeded: Int?
        /// Whether these are needed if it had changed by what must be found, since it shows less.
        package var isNeededIfChanged = false
        /// The smallest change that all pairs would find with a probability of .9: a fraction of a time, or a count.
        package var detectable: Double?

        package init(
            evidence: Double = 0, needed: Double = 0, opposite: Double = 0, pairs: Int = 0, mostPairs: Int = 0,
            pairsNeeded: Int? = nil, isNeededIfChanged: Bool = false, detectable: Double? = nil
        ) {
            (self.evidence, self.needed, self.opposite) = (evidence, needed, opposite)
            (self.pairs, self.mostPairs, self.pairsNeeded) = (pairs, mostPairs, pairsNeeded)
            (self.isNeededIfChanged, self.detectable) = (isNeededIfChanged, detectable)
        }

        /// e^−S, at most 1: a bound of the probability of that much evidence without a change.
        package var p: Double { min(1, exp(-evidence)) }
        package var pOpposite: Double { min(1, exp(-opposite)) }
        package var alpha: Double { exp(-needed) }
    }
}

extension [CellResult] {
    /// Marks the cells of environments in which no cell has two pairs that count: nothing was compared.
    mutating func refuseUndecided() {
        func counts(_ result: CellResult) -> Bool { result.numbers?.sequence?.pairs ?? 0 > 1 }
        let compared = Set(filter { $0.isGated && counts($0) }.map(\.environment))
        for (index, result) in enumerated()
        where result.isGated && result.rule.last?.found == .undecided && !compared.contains(result.environment) {
            self[index] = result.remarked(.nothingCompared(.inEnvironment), .inconclusive, .nothingCompared)
        }
    }
}
