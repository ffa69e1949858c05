/// How much of a report a comment holds, from everything to the verdict alone.
enum MarkdownStage: Int, CaseIterable, Comparable {
    /// Everything.
    case whole
    /// Without the rows that only say that all is well.
    case withoutPassing
    /// Without anything that is folded.
    case withoutDetails
    /// The verdict, counts and the link.
    case counts
    /// The verdict alone.
    case verdict

    static func < (lhs: MarkdownStage, rhs: MarkdownStage) -> Bool { lhs.rawValue < rhs.rawValue }
}
