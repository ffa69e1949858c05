import Foundation
import Yams

/// The settings of `views:` in `perfgate.yml`.
package struct Configuration: Sendable, Equatable {
    /// The highest complexity without a finding.
    package var limit = 10
    /// The path of the baseline as written, relative to the configuration's folder.
    package var baseline: String?
    /// More callees with building closures; with a colon at the end, labels.
    package var builders: Set<String> = []
    /// More callees with acting closures; with a colon at the end, labels.
    package var actions: Set<String> = []
    /// Capitalised names that a closure may call without being a builder.
    package var notViews: Set<String> = []
    /// Excluded files and folders, relative to the configuration's folder.
    package var exclude: [String] = []
    /// The severities that differ from the rules' own.
    package var rules: [Rule: Severity] = [:]

    package init() {}

    package func severity(of rule: Rule) -> Severity { rules[rule] ?? rule.severity }

    /// An error in the file, with its line and column from 1 if known.
    package struct Fault: Error, CustomStringConvertible {
        package let description: String

        init(_ file: String, _ mark: Mark?, _ message: String) {
            self.init(file, mark.map { ($0.line, $0.column) }, message)
        }

        init(_ file: String, _ place: (line: Int, column: Int)?, _ message: String) {
            description = "\(place.map { "\(file):\($0.line):\($0.column)" } ?? file): \(message)"
        }
    }

    /// Reads the text of a configuration; keys other than `views` belong to perfgate.
    ///
    /// - Throws: ``Fault``.
    package init(yaml: String, file: String) throws {
        let root: Node?
        do {
            root = try Yams.compose(yaml: yaml)
        } catch let error as YamlError {
            throw Fault(file, error.place(in: yaml), error.problem)
        }
        guard let root else { return }
        guard let mapping = root.mapping else { throw Fault(file, root.mark, "expected keys and values") }
        guard let views = mapping["views"] else { return }
        guard let settings = views.mapping else {
            throw Fault(file, views.mark, "views: expected keys and values")
        }
        for (key, value) in settings { try set(key.string ?? "", value, key.mark, file) }
    }

    private static let keys = ["limit", "baseline", "builders", "actions", "not_views", "exclude", "rules"]

    private mutating func set(_ key: String, _ value: Node, _ mark: Mark?, _ file: String) throws {
        func strings() throws -> [String] {
            guard let sequence = value.sequence else { throw Fault(file, value.mark, "views.\(key): expected a list") }
            return try sequence.map { element in
                guard let string = element.string, !string.isEmpty else {
                    throw Fault(file, element.mark, "views.\(key): expected names")
                }
                return string
            }
        }
        switch key {
        case "limit":
            guard let limit = value.int, limit >= 1 else {
                throw Fault(file, value.mark, "views.limit: expected a whole number of at least 1")
            }
            self.limit = limit
        case "baseline":
            guard let path = value.string, !path.isEmpty else {
                throw Fault(file, value.mark, "views.baseline: expected a path")
            }
            baseline = path
        case "builders": builders = Set(try strings())
        case "actions": actions = Set(try strings())
        case "not_views": notViews = Set(try strings())
        case "exclude": exclude = try strings().map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
        case "rules":
            guard let mapping = value.mapping else {
                throw Fault(file, value.mark, "views.rules: expected rules with a severity each")
            }
            for (name, value) in mapping { try setRule(name, value, file) }
        default:
            throw Fault(
                file, mark, "views.\(key): no such key; there are \(Self.keys.joined(separator: ", "))")
        }
    }

    private mutating func setRule(_ name: Node, _ value: Node, _ file: String) throws {
        guard let rule = Rule(rawValue: name.string ?? "") else {
            let known = Rule.allCases.map(\.rawValue).joined(separator: ", ")
            throw Fault(file, name.mark, "views.rules.\(name.string ?? ""): no such rule; there are \(known)")
        }
        guard let severity = Severity(rawValue: value.string ?? "") else {
            let known = Severity.allCases.map(\.rawValue).joined(separator: ", ")
            throw Fault(file, value.mark, "views.rules.\(rule.rawValue): expected one of \(known)")
        }
        rules[rule] = severity
    }
}

extension YamlError {
    fileprivate func place(in yaml: String) -> (line: Int, column: Int)? {
        switch self {
        case .scanner(_, _, let mark, _), .parser(_, _, let mark, _), .composer(_, _, let mark, _):
            (mark.line, mark.column)
        case .duplicatedKeysInMapping(let keys, let context):
            Self.second(of: keys, in: yaml) ?? (context.mark.line, context.mark.column)
        default: nil
        }
    }

    /// The place where the first of these keys is written again; nil if a line holds more than one key.
    private static func second(of keys: [String], in yaml: String) -> (line: Int, column: Int)? {
        var seen: [String: Int] = [:]
        for (index, line) in yaml.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let indent = line.prefix { $0 == " " }.count
            let key = String(line.dropFirst(indent).prefix { $0 != ":" })
            guard keys.contains(key) else { continue }
            if seen[key] == indent { return (index + 1, indent + 1) }
            seen[key] = indent
        }
        return nil
    }

    fileprivate var problem: String {
        switch self {
        case .scanner(_, let problem, _, _), .parser(_, let problem, _, _), .composer(_, let problem, _, _): problem
        case .duplicatedKeysInMapping(let keys, _): "'\(keys.sorted().joined(separator: "', '"))' is set twice"
        default: "not YAML: \(self)"
        }
    }
}
