import LibC

// What the pairs of a call could find, and how many more an undecided cell needs.
extension PairSequence {
    /// The smallest change that all pairs would find with a probability of about .9: of a time as a fraction of the base,
    /// of a count in the samples' unit if every sample were worse by it. `nil` before two pairs, and if it is far beyond
    /// what must be found.
    ///
    /// For times the larger of δ_K = θ/2 + (A + 1.28·√(K·θ²/V))·V / (K·θ), which K pairs show, and δ₂ = θ/2 + 1.15·√V, which the
    /// first pairs don't call the same. A simulation shows that these are found so often.
    package func detectableChange(of index: Int) -> Double? {
        let now = evidence[index]
        guard now.pairs >= 2 else { return nil }
        let most = Double(rule.mostPairs)
        if let variance = now.variance, let detected = now.detected {
            let spread = (most * detected * detected / variance).squareRoot()
            let shown = (now.needed + Self.foundUsually * spread) * variance / (most * detected)
            let kept = Self.keptOpen * variance.squareRoot()
            return expm1(max(detected / 2 + max(shown, kept), log(1 + histories[index].margin)))
        }
        let history = histories[index]
        let steps = (1...Self.mostSteps).lazy.map { Double($0) * max(history.margin, 1e-9) }
        return steps.first { step in
            let bases = history.bases.prefix(2)
            let shifted = bases.compactMap { base in
                try? CountEvidence(
                    base: base, head: base.map { $0 + step }, margin: history.margin, limit: cells[index].limit)
            }
            return CountEvidence.score(shifted) * most / Double(bases.count) >= now.needed
        }
    }

    /// How many more pairs an undecided cell needs, if it goes on like this; if it shows too little for that, if it had
    /// changed by what must be found. `nil` before two pairs, and for counts that show nothing.
    package func pairsNeeded(for index: Int) -> (pairs: Int, isIfChanged: Bool)? {
        let now = evidence[index]
        guard now.pairs >= 2 else { return nil }
        let left = now.needed - now.score
        if let variance = now.variance, let detected = now.detected {
            let growth = detected * (now.change - detected / 2) / variance
            let isClear = growth > now.needed / 50
            let each = isClear ? growth : detected * detected / (2 * variance)
            let fewest = max(1, rule.fewestToAccuse - now.pairs)
            return (max(fewest, Int((left / each).rounded(.up))), !isClear)
        }
        let growth = now.score / Double(now.pairs)
        return growth > now.needed / 50 ? (max(1, Int((left / growth).rounded(.up))), false) : nil
    }

    private static let foundUsually = 1.28
    private static let keptOpen = 1.15
    private static let mostSteps = 8
}
