import PerfgateCompare
import PerfgateModel
import Yams

/// One value of a YAML file, with the path of keys that leads to it. What is wrong with it is noted in its file.
struct YAMLValue {
    /// The node.
    let node: Node
    /// The keys that lead to it, such as `metrics.ttil.limit` or `pages[0].match`; empty for the file as a whole.
    let keyPath: String
    /// The file.
    let file: YAMLFile

    /// Where it stands, as reports name it.
    var origin: Origin { .configuration(path: file.path, line: node.mark?.line ?? 1) }

    /// Whether nothing is written: an empty value, `null` or `~`.
    var isNull: Bool {
        guard let scalar = node.scalar, scalar.style == .plain else { return false }
        return ["", "~", "null", "Null", "NULL"].contains(scalar.string)
    }

    /// Notes that something is wrong with it.
    func report(_ message: String) {
        file.report(message, at: node.mark)
    }

    /// Notes that it is of another kind than it must be.
    func mismatch(_ expected: String, _ advice: String) {
        let name = keyPath.isEmpty ? "the file" : keyPath
        report("\(name) must be \(expected), found \(kind): \(advice)")
    }

    private var kind: String {
        switch node {
        case .scalar(let scalar) where scalar.style == .plain: isNull ? "nothing" : scalar.string
        case .scalar(let scalar): "\"\(scalar.string)\" in quotes"
        case .mapping: "a mapping"
        case .sequence: "a list"
        case .alias: "an alias"
        }
    }
}

extension YAMLValue {
    /// One entry of a mapping.
    struct Entry {
        /// The key.
        let key: String
        /// The key's own place.
        let mark: Mark?
        /// The value.
        let value: YAMLValue
    }

    /// The entries of a mapping whose keys are not known beforehand; nothing written is an empty mapping.
    func entries() -> [Entry] {
        if isNull { return [] }
        guard let mapping = node.mapping else {
            mismatch("a mapping of keys to values", "write it as `key: value` lines")
            return []
        }
        var seen: Set<String> = []
        return mapping.compactMap { key, value in
            guard let name = key.scalar?.string, !name.isEmpty else {
                file.report("\(prefix)a key must be a text: write it as `key: value`", at: key.mark)
                return nil
            }
            guard seen.insert(name).inserted else {
                file.report("\(path(of: name)) is given more than once: keep one of them", at: key.mark)
                return nil
            }
            return Entry(
                key: name, mark: key.mark, value: YAMLValue(node: value, keyPath: path(of: name), file: file))
        }
    }

    /// The values of a mapping by key; another key is noted with the one that was probably meant.
    func fields<Key: YAMLKey>(_: Key.Type) -> [Key: YAMLValue] {
        var fields: [Key: YAMLValue] = [:]
        for entry in entries() {
            if let key = Key(rawValue: entry.key) {
                fields[key] = entry.value
            } else {
                let names = Key.allCases.map(\.rawValue)
                let advice = Suggestion.advice(
                    for: entry.key, among: names, otherwise: "use one of \(names.joined(separator: ", "))")
                file.report("\(path(of: entry.key)) is not a key that perfgate knows: \(advice)", at: entry.mark)
            }
        }
        return fields
    }

    /// The values of a list; nothing written is an empty list.
    func list() -> [YAMLValue] {
        if isNull { return [] }
        guard let sequence = node.sequence else {
            mismatch("a list", "write it as lines that begin with `- `, or in [ ]")
            return []
        }
        return sequence.enumerated().map { index, node in
            YAMLValue(node: node, keyPath: "\(keyPath)[\(index)]", file: file)
        }
    }

    /// Notes that a key is missing.
    func lacks(_ key: some YAMLKey, _ advice: String) {
        report("\(path(of: key.rawValue)) is missing: \(advice)")
    }

    private var prefix: String { keyPath.isEmpty ? "" : "\(keyPath): " }

    private func path(of key: String) -> String { keyPath.isEmpty ? key : "\(keyPath).\(key)" }
}

/// The keys that a mapping of a YAML file may have, spelled as in the file.
protocol YAMLKey: RawRepresentable<String>, CaseIterable, Hashable, Sendable {}
