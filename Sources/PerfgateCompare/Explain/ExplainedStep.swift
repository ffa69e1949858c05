/// One step of the rule on one comparison, in words.
public struct ExplainedStep: Sendable, Hashable {
    /// What the step came to.
    public enum Course: Sendable, Hashable {
        /// It left the verdict to the next step.
        case goesOn
        /// It gave the verdict.
        case decides
        /// A step before it gave the verdict.
        case notReached
    }

    /// The steps of the rule, in their order.
    public enum Name: Int, Sendable, Hashable, CaseIterable, Comparable {
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
        public static func < (lhs: Name, rhs: Name) -> Bool { lhs.rawValue < rhs.rawValue }
    }

    /// Which step it is.
    public let name: Name
    /// What it came to.
    public let course: Course
    /// Its numbers, in a sentence.
    public let text: String
}
