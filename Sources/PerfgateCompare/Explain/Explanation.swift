/// Why a comparison got its verdict, step by step, and what would change it.
///
/// It only uses the finished result, so a stored report gives the same explanation as its logs.
package struct Explanation: Sendable, Hashable {
    /// The result that is explained.
    package let result: CellResult
    /// The rule steps that were run, in order, the deciding one last; empty if the result has none.
    package let steps: [ExplainedStep]
    /// What would change the verdict, as sentences, the nearest first.
    package let outlook: [String]

    /// Explains a result.
    package init(_ result: CellResult) {
        self.result = result
        steps = ExplainedStep.all(of: result)
        outlook = WhatWouldChange(result).sentences
    }
}

/// One rule step on one comparison, in words.
package struct ExplainedStep: Sendable, Hashable {
    /// The number of the rule step, from 1.
    package let number: Int
    package let isDeciding: Bool
    /// What it checked and found, with numbers; sentences.
    package let text: String

    package static func all(of result: CellResult) -> [ExplainedStep] {
        let words = Words(result)
        return result.rule.enumerated().map { index, step in
            ExplainedStep(
                number: step.found.step.number, isDeciding: index == result.rule.count - 1, text: words.text(of: step))
        }
    }

    /// The title of the step: `2 goes on`, `5 decides`.
    package var title: String { "\(number) \(isDeciding ? "decides" : "goes on")" }
}
