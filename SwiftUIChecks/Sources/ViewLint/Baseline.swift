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
    ///   - isChecked: whether a file belongs to the checked paths; entries of other files don't change.
    /// - Returns: the types whose numbers would rise; empty with a reason.
    package mutating func update(
        with current: [Key: [Rule: Int]], accepting reason: String?, isChecked: (String) -> Bool
    ) -> [Key] {
        var refused: [Key] = []
        for key in entries.keys where isChecked(key.file) && current[key] == nil { entries[key] = nil }
        for (key, numbers) in current {
            var entry = entries[key] ?? Entry()
            let rises = numbers.contains { $0.value > entry.numbers[$0.key] ?? 0 }
            if rises, let reason {
                entry = Entry(numbers: numbers, reason: reason)
            } else {
                if rises { refused.append(key) }
                entry.numbers = entry.numbers.reduce(into: [:]) { kept, known in
                    if let number = numbers[known.key] { kept[known.key] = min(number, known.value) }
                }
            }
            entries[key] = entry.numbers.isEmpty ? nil : entry
        }
        return refused.sorted()
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
