/// Why a rule of `map:` can't be used.
public enum MappingRuleError: Error, Hashable, Sendable {
    /// The pattern is longer than a number of UTF-16 units.
    case tooLong(limit: Int)
    /// The pattern is no regular expression.
    case notAnExpression(String)
    /// The pattern names no group.
    case namesNothing(String)
    /// The pattern names a group that means nothing.
    case unknownGroup(String)
}

extension MappingRuleError: CustomStringConvertible {
    /// What is wrong, and what to do.
    public var description: String {
        switch self {
        case .tooLong(let limit): "The pattern is longer than \(limit) characters: write several rules."
        case .notAnExpression(let pattern): "'\(pattern)' is no regular expression: check its brackets and escapes."
        case .namesNothing(let pattern): "'\(pattern)' names nothing: put the page into a group, (?<page>…)."
        case .unknownGroup(let name):
            "No group is called '\(name)': use one of \(MappingRule.groupNames.joined(separator: ", "))."
        }
    }
}
