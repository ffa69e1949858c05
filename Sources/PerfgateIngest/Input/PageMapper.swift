import Foundation
import PerfgateModel

/// Applies the mapping rules of one format; the first matching rule applies.
struct PageMapper {
    struct Finding: Hashable {
        var page: String?, metric: String?
        var fields: [String: FieldValue] = [:]
        var pattern = ""
    }

    /// The longest matched subject, in UTF-16 units. Together with the step limit it bounds the cost of patterns with
    /// exponential backtracking (`(a+)+$`).
    static let textLimit = 1_000
    /// The most progress reports of a match; ICU sends one about every 10,000 steps.
    private static let progressLimit = 100

    private let rules: [MappingRule]
    private var known: [String: Finding?] = [:]
    private var used: Set<Int> = []
    /// The subjects that were too long, or too expensive for a rule.
    private(set) var unmatchable: Set<String> = []

    init(rules: [MappingRule], format: String) { self.rules = rules.filter { $0.format == nil || $0.format == format } }

    var unusedPatterns: [String] { rules.indices.filter { !used.contains($0) }.map { rules[$0].pattern } }

    /// The tried name that shares the longest run of literal letters with a pattern; `nil` if no name shares three.
    func nearest(to pattern: String) -> String? {
        let words = MappingRule.words(in: pattern)
        let scored = known.keys.map { name in
            (name: name, score: words.map { Self.common($0, name.lowercased()) }.max() ?? 0)
        }
        let best = scored.max { first, second in
            first.score == second.score ? second.name.precedesInUTF8(first.name) : first.score < second.score
        }
        return best.flatMap { $0.score >= 3 ? String($0.name.prefix(80)) : nil }
    }

    /// The length of a word's longest prefix or suffix that occurs in a text.
    private static func common(_ word: String, _ text: String) -> Int {
        let lengths = stride(from: min(word.count, 40), through: 3, by: -1)
        return lengths.first { text.contains(word.prefix($0)) || text.contains(word.suffix($0)) } ?? 0
    }

    /// The result of the rules for a subject; `nil` if none matches.
    mutating func finding(in subject: String) -> Finding? {
        if let finding = known[subject] { return finding }
        let finding = match(subject)
        known[subject] = .some(finding)
        return finding
    }

    private mutating func match(_ subject: String) -> Finding? {
        guard !rules.isEmpty else { return nil }
        guard subject.utf16.count <= Self.textLimit else {
            unmatchable.insert(subject)
            return nil
        }
        for (index, rule) in rules.enumerated() {
            guard let result = firstMatch(of: rule, in: subject) else { continue }
            used.insert(index)
            return finding(rule, result, in: subject)
        }
        return nil
    }

    private mutating func firstMatch(of rule: MappingRule, in subject: String) -> NSTextCheckingResult? {
        var result: NSTextCheckingResult?
        var progress = 0
        let whole = NSRange(subject.startIndex..., in: subject)
        rule.expression.enumerateMatches(in: subject, options: .reportProgress, range: whole) { match, _, stop in
            progress += 1
            result = match
            if match != nil || progress > Self.progressLimit { stop.pointee = true }
        }
        if progress > Self.progressLimit { unmatchable.insert(subject) }
        return result
    }

    private func finding(_ rule: MappingRule, _ result: NSTextCheckingResult, in subject: String) -> Finding {
        var finding = Finding(pattern: rule.pattern)
        for group in rule.groups {
            guard let range = rule.range(of: group, in: result, of: subject) else { continue }
            let text = String(subject[range])
            switch group {
            case "page": finding.page = text
            case "metric": finding.metric = text
            default: finding.fields[group] = Self.value(of: text, field: group)
            }
        }
        return finding
    }

    private static func value(of text: String, field: String) -> FieldValue {
        switch field {
        case "max_fps": Double(text).map(FieldValue.number) ?? .text(text)
        case _ where Context.flags.contains(field): Bool(text).map(FieldValue.flag) ?? .text(text)
        default: .text(text)
        }
    }
}

/// A rule of the configuration's `map:`, which maps tests, tables or processes of other tools to pages. Its named
/// groups give the result: `page`, `metric`, or a field of the conditions such as `device`.
package struct MappingRule: Sendable {
    /// The format, as named by `--format`; `nil`: every format.
    package let format: String?
    package let pattern: String

    let expression: NSRegularExpression
    let groups: [String]

    package static let groupNames = ["page", "metric"] + Context.names

    /// Makes a rule; its pattern must be a regular expression with at least one known named group.
    package init(format: String? = nil, pattern: String) throws(MappingRuleError) {
        (self.format, self.pattern) = (format, pattern)
        guard pattern.utf16.count <= Self.patternLimit else { throw .tooLong(limit: Self.patternLimit) }
        let groups = Self.namesOfGroups(in: pattern)
        guard let expression = Self.expression(pattern, groups) else { throw .notAnExpression(pattern) }
        (self.expression, self.groups) = (expression, groups)
        guard !groups.isEmpty else { throw .namesNothing(pattern) }
        if let unknown = groups.first(where: { !Self.groupNames.contains($0) }) { throw .unknownGroup(unknown) }
    }

    /// The literal words of a pattern in lower case, without group names and classes.
    static func words(in pattern: String) -> [String] {
        let plain = pattern.replacing(/\(\?<\w+>|\\[A-Za-z]|\[[^\]]*\]/, with: " ")
        return plain.lowercased().split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init)
            .filter { $0.count >= 3 }
    }

    /// The range of a match's group in a subject; `nil` if the group didn't participate.
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

    /// The name of a group for ICU, which only allows letters and digits.
    private static func expressionName(of group: String) -> String { group.replacing("_", with: "") }

    private static let patternLimit = 1_000

    /// The names between `(?<` and `>`; lookbehinds start with `=` or `!` instead.
    private static func namesOfGroups(in pattern: String) -> [String] {
        pattern.components(separatedBy: "(?<").dropFirst().compactMap { part in
            guard let first = part.first, first.isLetter, let end = part.firstIndex(of: ">") else { return nil }
            return String(part[..<end])
        }
    }
}

/// Why a rule of `map:` is invalid.
package enum MappingRuleError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The pattern exceeds a number of UTF-16 units.
    case tooLong(limit: Int)
    /// The pattern isn't a regular expression.
    case notAnExpression(String)
    case namesNothing(String)
    case unknownGroup(String)

    package var description: String {
        switch self {
        case .tooLong(let limit): "The pattern is longer than \(limit) characters: write several rules."
        case .notAnExpression(let pattern): "'\(pattern)' is not a regular expression: check its brackets and escapes."
        case .namesNothing(let pattern): "'\(pattern)' has no named group: put the page into one, (?<page>…)."
        case .unknownGroup(let name):
            "No group is called '\(name)': use one of \(MappingRule.groupNames.joined(separator: ", "))."
        }
    }
}
