import PerfgateModel
import PerfgateStats

/// Why a comparison got its verdict, step by step, and what would give it another.
///
/// It rests on a finished result alone, so that a report that was kept says the same as the logs it was made from.
package struct Explanation: Sendable, Hashable {
    /// The result that is explained.
    package let result: CellResult
    /// The steps of the rule in their order, each with its numbers.
    package let steps: [ExplainedStep]
    /// What would give another verdict; sentences, the nearest first.
    package let outlook: [String]

    /// Explains a result.
    package init(_ result: CellResult) {
        self.result = result
        steps = RuleTrace(result).steps
        outlook = WhatWouldChange(result).sentences
    }
}

/// One step of the rule on one comparison, in words.
package struct ExplainedStep: Sendable, Hashable {
    /// What the step came to.
    package enum Course: Sendable, Hashable {
        /// It left the verdict to the next step.
        case goesOn
        /// It gave the verdict.
        case decides
        /// A step before it gave the verdict.
        case notReached
    }

    /// The steps of the rule, in their order.
    package enum Name: Int, Sendable, Hashable, CaseIterable, Comparable {
        /// Was it measured?
        case measured = 1
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

        /// Whether one is asked before the other.
        package static func < (lhs: Name, rhs: Name) -> Bool { lhs.rawValue < rhs.rawValue }
    }

    /// Which step it is.
    package let name: Name
    /// What it came to.
    package let course: Course
    /// Its numbers, in a sentence.
    package let text: String
}

/// The numbers of a result in the words of an explanation.
struct ExplainedNumbers {
    private let result: CellResult

    init(_ result: CellResult) {
        self.result = result
    }

    /// A value with the metric's unit.
    func figure(_ value: Double) -> String { Figure.text(value, result.metric.unit.symbol) }

    /// A side's samples and runs: `10 samples of 1 run`.
    func count(_ side: CellResult.Side?) -> String {
        "\(Figure.count(side?.count ?? 0, "sample")) of \(Figure.count(side?.runs ?? 0, "run"))"
    }

    /// What stands for the middle: `mean` or `median`.
    var centre: String { result.metric.centre.rawValue }

    /// Δ: `The change of +266.1 ms (+52.2 %)`.
    var change: String {
        guard let delta = result.numbers?.delta else { return "The change" }
        let share = result.baseline?.center.flatMap { $0 > 0 ? " (\(Figure.percentage(delta / $0)))" : nil } ?? ""
        return "The change of \(Figure.signed(delta, result.metric.unit.symbol))\(share)"
    }

    /// m and where it comes from, a sentence.
    var tolerance: String {
        guard let tolerance = result.tolerance else { return "" }
        guard let terms = result.toleranceTerms else { return "The tolerance is \(figure(tolerance))." }
        let share = "\(Figure.text(terms.relative * 100)) % of the baseline's median (\(terms.relativeOrigin))"
        let least = "\(figure(terms.minChange)) (\(terms.minChangeOrigin))"
        return "The tolerance is \(figure(tolerance)), the larger of \(share) and \(least)."
    }

    /// α and where it comes from, a sentence.
    var alpha: String {
        guard let numbers = result.numbers else { return "" }
        guard numbers.shares.isEmpty else {
            return "α is .8, and of each share .1, of the smaller of 0.005 and 0.1 by "
                + "\(Figure.count(numbers.comparisons, "comparison"))."
        }
        return "α is the smaller of 0.005 and 0.1 by \(Figure.count(numbers.comparisons, "comparison"))."
    }
}

/// The steps of the rule retold from a finished result.
struct RuleTrace {
    private let result: CellResult
    private let words: ExplainedNumbers
    private let deciding: ExplainedStep.Name

    init(_ result: CellResult) {
        self.result = result
        words = ExplainedNumbers(result)
        deciding = Self.deciding(result)
    }

    /// Every step, those after the deciding one as not reached.
    var steps: [ExplainedStep] {
        ExplainedStep.Name.allCases.map { name in
            let course: ExplainedStep.Course = name < deciding ? .goesOn : name == deciding ? .decides : .notReached
            return ExplainedStep(name: name, course: course, text: course == .notReached ? "" : text(of: name))
        }
    }

    private static func deciding(_ result: CellResult) -> ExplainedStep.Name {
        switch (result.verdict, result.detail) {
        case (.missing, _), (.passed, .noEvents), (.passed, .excused): .measured
        case (.overLimit, _): .limit
        case (.noBaseline, _), (.inconclusive, .noTolerance), (.passed, .limitOnly): .baseline
        case (.regressed, .gross), (.waived, .gross): .gross
        case (.regressed, _), (.inconclusive, _), (.passed, .notConfirmed): .worse
        case (.improved, _): .better
        case (.waived, _): result.isOverLimit ? .limit : .worse
        case (.passed, _): (result.worsening ?? 0) > (result.tolerance ?? 0) ? .worse : .passed
        }
    }

    private func text(of name: ExplainedStep.Name) -> String {
        switch name {
        case .measured: deciding == .measured ? result.reason : "\(words.count(result.candidate)) were measured."
        case .limit: limit
        case .baseline: baseline
        case .gross: gross
        case .worse: worse
        case .better: better
        case .passed: passed
        }
    }

    private var limit: String {
        guard let limit = result.limit else { return "No limit holds." }
        let origin = result.limitOrigin.map { ", from \($0)" } ?? ""
        let bound = "\(words.figure(limit.value))\(origin)"
        guard let value = result.judgedByLimit else { return "The limit is \(bound)." }
        let subject = limit.subject == .any ? "The worst sample" : "The median"
        let side = value < limit.value ? "below" : value > limit.value ? "above" : "at"
        let distance = value == limit.value ? "" : "\(words.figure(abs(value - limit.value))) "
        return "\(subject), \(words.figure(value)), is \(distance)\(side) the limit of \(bound)."
    }

    private var baseline: String {
        guard deciding != .baseline, result.numbers != nil else { return result.reason }
        let counting = result.counting == .exact ? "" : ", frames counted as \(result.counting.rawValue)"
        return
            "\(words.count(result.baseline)) to compare with\(pairs), formula \(result.formula)\(counting). "
            + words.tolerance
    }

    private var pairs: String {
        guard let pairs = result.numbers?.pairs, pairs > 0 else { return "" }
        return ", in \(Figure.count(pairs, "pair")) measured in turn"
    }

    private var gross: String {
        guard let numbers = result.numbers, let old = result.baseline, let new = result.candidate else { return "" }
        guard numbers.pMin > numbers.alpha else {
            return "Not asked, because samples of these sizes can fail in the next step: p_min = "
                + "\(Figure.probability(numbers.pMin)) ≤ α = \(Figure.probability(numbers.alpha))."
        }
        let fewest = GrossStep.fewestSamples
        guard old.count >= fewest, new.count >= fewest else {
            return "Not asked below \(fewest) samples a side: there are \(old.count) and \(new.count)."
        }
        guard let gap = result.gap, let tolerance = result.tolerance else { return "" }
        let place = gap > 0 ? "\(words.figure(gap)) beyond" : "not beyond"
        return "The best sample is \(place) the baseline's worst; a gross regression is more than "
            + "\(words.figure(GrossStep.tolerances * tolerance)) beyond it."
    }

    private var worse: String {
        guard let numbers = result.numbers, let worsening = result.worsening, let tolerance = result.tolerance
        else { return result.reason }
        guard worsening > tolerance else { return "\(words.change) is not worse by more than the tolerance." }
        return "\(words.change) is worse by more than the tolerance. \(chance(numbers.p, numbers)) "
            + "\(numbers.shares.map { share($0, numbers) + " " }.joined())\(words.alpha) Without any change, p₀ is \(Figure.probability(numbers.pZero))."
    }

    private var better: String {
        guard let numbers = result.numbers, let worsening = result.worsening, let tolerance = result.tolerance
        else { return "" }
        guard -worsening > tolerance else { return "\(words.change) is not better by more than the tolerance." }
        return
            "\(words.change) is better by more than the tolerance. \(chance(numbers.pImprove, numbers)) \(words.alpha)"
    }

    private func share(_ share: ShareTest, _ numbers: CellResult.Numbers) -> String {
        let alpha = numbers.shareAlpha ?? 0
        let cut = share.cut == .limit ? "the limit" : "the baseline's 99th percentile"
        let few = share.candidateOver < ShareTest.fewestOver ? ", which are too few to count" : ""
        return "\(share.candidateOver) of \(result.candidate?.count ?? 0) samples are beyond \(cut) of "
            + "\(words.figure(share.bound)), against \(share.baselineOver) of \(result.baseline?.count ?? 0): "
            + "p = \(Figure.probability(share.p)), \(share.p <= alpha ? "≤" : ">") α = \(Figure.probability(alpha))\(few)."
    }

    private func chance(_ p: Double, _ numbers: CellResult.Numbers) -> String {
        let share = numbers.marginShare < 1 ? "half the tolerance" : "the tolerance"
        let place = p <= numbers.alpha ? "≤" : ">"
        return "A change of \(share) would look so with the chance p = \(Figure.probability(p)), \(place) α = "
            + "\(Figure.probability(numbers.alpha))."
    }

    private var passed: String { result.numbers == nil ? result.reason : "No step objects." }
}
