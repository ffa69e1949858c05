import Foundation

/// A team's known findings: a number per file, type and rule. For the complexity rule it is the complexity, for other
/// rules the count.
package struct Baseline: Sendable, Equatable {
    /// A type in a file.
    package struct Key: Sendable, Hashable, Comparable {
        package let file: String
        package let type: String

        package static func < (left: Key, right: Key) -> Bool {
            (left.file, left.type) < (right.file, right.type)
        }
    }

    package struct Entry: Sendable, Equatable {
        package var numbers: [Rule: Int] = [:]
        /// The reason why the numbers were accepted.
        package var reason: String?
    }

    package var entries: [Key: Entry] = [:]

    package init() {}

    /// An error in the file.
    package struct Fault: Error, CustomStringConvertible {
        package let description: String
    }

    /// - Throws: ``Fault``.
    package init(json: Data, file: String) throws {
        let line: (Int) -> String = { "\(file): views[\($0)]" }
        let lines = String(decoding: json, as: UTF8.self)
            .split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        if let conflict = lines.firstIndex(where: { $0.hasPrefix("<<<<<<< ") || $0.hasPrefix(">>>>>>> ") }) {
            throw Fault(
                description:
                    "\(file):\(conflict + 1): marks of a merge conflict: keep the lines of both sides, of each "
                    + "type the higher number")
        }
        guard let root = (try? JSONSerialization.jsonObject(with: json)) as? [String: Any],
            let views = root["views"] as? [[String: Any]]
        else { throw Fault(description: "\(file): not a baseline of view-lint") }
        guard root["schema"] as? Int == 1 else {
            throw Fault(description: "\(file): schema \(root["schema"] ?? "is missing"), this view-lint reads 1")
        }
        for (index, view) in views.enumerated() {
            guard let path = view["file"] as? String, let type = view["type"] as? String else {
                throw Fault(description: "\(line(index)): 'file' or 'type' is missing")
            }
            var entry = Entry()
            for (name, value) in view where name != "file" && name != "type" {
                if name == "reason", let reason = value as? String {
                    entry.reason = reason
                } else if let rule = Rule(rawValue: name), let number = value as? Int, number > 0 {
                    entry.numbers[rule] = number
                } else {
                    throw Fault(description: "\(line(index)): '\(name)' isn't a rule with a number above 0")
                }
            }
            guard entries.updateValue(entry, forKey: Key(file: path, type: type)) == nil else {
                throw Fault(description: "\(line(index)): \(path) and \(type) are listed twice")
            }
        }
    }

    /// One line per type, sorted, so git can merge it.
    package var json: String {
        let lines = entries.sorted { $0.key < $1.key }.map { key, entry in
            var fields = ["\"file\": \(key.file.jsonQuoted)", "\"type\": \(key.type.jsonQuoted)"]
            for rule in Rule.allCases {
                if let number = entry.numbers[rule] { fields.append("\"\(rule.rawValue)\": \(number)") }
            }
            if let reason = entry.reason { fields.append("\"reason\": \(reason.jsonQuoted)") }
            return "    {\(fields.joined(separator: ", "))}"
        }
        let views = lines.isEmpty ? "[]" : "[\n\(lines.joined(separator: ",\n"))\n  ]"
        return "{\n  \"schema\": 1,\n  \"views\": \(views)\n}\n"
    }

    /// Updates the numbers from a run: lower numbers always, higher and new numbers only with a reason.
    ///
    /// - Parameters:
    ///   - current: the numbers of the checked files.
    ///   - ignored: rules that are off; their numbers don't change.
    ///   - isChecked: whether an entry belongs to the checked paths; others don't change.
    /// - Returns: the types whose numbers would rise, with the rules; empty with a reason.
    package mutating func update(
        with current: [Key: [Rule: Int]], accepting reason: String?, ignoring ignored: Set<Rule> = [],
        isChecked: (Key) -> Bool
    ) -> [(key: Key, rules: Set<Rule>)] {
        var refused: [(key: Key, rules: Set<Rule>)] = []
        for key in entries.keys where isChecked(key) && current[key] == nil {
            let kept = entries[key]?.numbers.filter { ignored.contains($0.key) } ?? [:]
            entries[key]?.numbers = kept
            if kept.isEmpty { entries[key] = nil }
        }
        for (key, numbers) in current {
            var entry = entries[key] ?? Entry()
            let kept = entry.numbers.filter { ignored.contains($0.key) }
            let rises = Set(numbers.filter { $0.value > entry.numbers[$0.key] ?? 0 }.keys)
            if !rises.isEmpty, let reason {
                entry = Entry(numbers: numbers.merging(kept) { current, _ in current }, reason: reason)
            } else {
                if !rises.isEmpty { refused.append((key, rises)) }
                entry.numbers = entry.numbers.reduce(into: kept) { kept, known in
                    if let number = numbers[known.key] { kept[known.key] = min(number, known.value) }
                }
            }
            entries[key] = entry.numbers.isEmpty ? nil : entry
        }
        return refused.sorted { $0.key < $1.key }
    }
}

extension String {
    /// As a JSON string.
    var jsonQuoted: String {
        var quoted = "\""
        for scalar in unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case "\r": quoted += "\\r"
            case "\t": quoted += "\\t"
            case "\0"..<" ":
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
