import Foundation
import PerfgateModel

/// A rule of the configuration's `map:`: which page a test, table or process of another tool is about.
///
/// Its named groups say what they find: `page`, `metric`, or a field of the conditions such as `device`.
public struct MappingRule: Sendable {
    /// The format that it is for, as `--format` names it; `nil`: every format.
    public let format: String?
    /// The regular expression as it was written.
    public let pattern: String

    let expression: NSRegularExpression
    let groups: [String]

    /// The names that a group may have.
    public static let groupNames = ["page", "metric"] + Context.names

    /// Makes a rule; its pattern has to be a regular expression with at least one named group that perfgate knows.
    public init(format: String? = nil, pattern: String) throws(MappingRuleError) {
        self.format = format
        self.pattern = pattern
        guard pattern.utf16.count <= Self.patternLimit else { throw .tooLong(limit: Self.patternLimit) }
        let groups = Self.namesOfGroups(in: pattern)
        guard let expression = Self.expression(pattern, groups) else { throw .notAnExpression(pattern) }
        self.expression = expression
        self.groups = groups
        guard !groups.isEmpty else { throw .namesNothing(pattern) }
        if let unknown = groups.first(where: { !Self.groupNames.contains($0) }) { throw .unknownGroup(unknown) }
    }

    /// Where in a subject a group of a match is; `nil` where it took no part.
    func range(of group: String, in match: NSTextCheckingResult, of subject: String) -> Range<String.Index>? {
        Range(match.range(withName: Self.expressionName(of: group)), in: subject)
    }

    private static func expression(_ pattern: String, _ groups: [String]) -> NSRegularExpression? {
        let plain = groups.reduce(pattern) { pattern, group in
            ["(?<", "\\k<"].reduce(pattern) { pattern, opening in
                pattern.replacing("\(opening)\(group)>", with: "\(opening)\(expressionName(of: group))>")
            }
        }
        return try? NSRegularExpression(pattern: plain)
    }

    /// The name of a group for ICU, which takes letters and digits only.
    private static func expressionName(of group: String) -> String { group.replacing("_", with: "") }

    private static let patternLimit = 1_000

    /// The names between `(?<` and `>`; what looks behind begins with `=` or `!` instead.
    private static func namesOfGroups(in pattern: String) -> [String] {
        pattern.components(separatedBy: "(?<").dropFirst().compactMap { part in
            guard let first = part.first, first.isLetter, let end = part.firstIndex(of: ">") else { return nil }
            return String(part[..<end])
        }
    }
}
