import PerfgateModel

/// The steps of the rule retold from a finished result.
struct RuleTrace {
    private let result: ComparisonResult
    private let words: ExplainedNumbers
    private let deciding: ExplainedStep.Name

    init(_ result: ComparisonResult) {
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

    private static func deciding(_ result: ComparisonResult) -> ExplainedStep.Name {
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
        return "\(words.change) is worse by more than the tolerance. \(chance(numbers.p, numbers)) \(words.alpha) "
            + "Without any change, p₀ is \(Figure.probability(numbers.pZero))."
    }

    private var better: String {
        guard let numbers = result.numbers, let worsening = result.worsening, let tolerance = result.tolerance
        else { return "" }
        guard -worsening > tolerance else { return "\(words.change) is not better by more than the tolerance." }
        return
            "\(words.change) is better by more than the tolerance. \(chance(numbers.pImprove, numbers)) \(words.alpha)"
    }

    private func chance(_ p: Double, _ numbers: ComparisonResult.Numbers) -> String {
        let share = numbers.marginShare < 1 ? "half the tolerance" : "the tolerance"
        let place = p <= numbers.alpha ? "≤" : ">"
        return "A change of \(share) would look so with the chance p = \(Figure.probability(p)), \(place) α = "
            + "\(Figure.probability(numbers.alpha))."
    }

    private var passed: String { result.numbers == nil ? result.reason : "No step objects." }
}
