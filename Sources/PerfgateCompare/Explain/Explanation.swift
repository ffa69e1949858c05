import PerfgateModel

/// Why a comparison got its verdict, step by step, and what would give it another.
///
/// It rests on a finished result alone, so that a report that was kept says the same as the logs it was made from.
public struct Explanation: Sendable, Hashable {
    /// The result that is explained.
    public let result: ComparisonResult
    /// The steps of the rule in their order, each with its numbers.
    public let steps: [ExplainedStep]
    /// What would give another verdict; sentences, the nearest first.
    public let outlook: [String]

    /// Explains a result.
    public init(_ result: ComparisonResult) {
        self.result = result
        steps = RuleTrace(result).steps
        outlook = Outlook(result).sentences
    }
}
