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

    package init() {}

    /// An error in the file, with its line and column from 1 if known.
    package struct Fault: Error, CustomStringConvertible {
        package let description: String

        init(_ file: String, _ mark: Mark?, _ message: String) {
            let place = mark.map { "\(file):\($0.line):\($0.column)" } ?? file
            description = "\(place): \(message)"
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
            throw Fault(file, error.mark, error.problem)
        }
        guard let root else { return }
        guard let mapping = root.mapping else { throw Fault(file, root.mark, "expected keys and values") }
        guard let views = mapping["views"] else { return }
        guard let settings = views.mapping else {
            throw Fault(file, views.mark, "views: expected keys and values")
        }
        for (key, value) in settings { try set(key.string ?? "", value, key.mark, file) }
    }

    private static let keys = ["limit", "baseline", "builders", "actions", "not_views", "exclude"]

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
        default:
            throw Fault(
                file, mark, "views.\(key): no such key; there are \(Self.keys.joined(separator: ", "))")
        }
    }
}

extension YamlError {
    fileprivate var mark: Mark? {
        switch self {
        case .scanner(_, _, let mark, _), .parser(_, _, let mark, _), .composer(_, _, let mark, _): mark
        default: nil
        }
    }

    fileprivate var problem: String {
        switch self {
        case .scanner(_, let problem, _, _), .parser(_, let problem, _, _), .composer(_, let problem, _, _): problem
        default: "not YAML: \(self)"
        }
    }
}
