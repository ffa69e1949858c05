import PerfgateBaselines
import PerfgateFiles
import PerfgateModel
import Yams

/// A YAML file while it is read: its lines and the problems found.
final class YAMLFile {
    package let path: String
    private(set) var problems: [YAMLProblem] = []

    private let text: String, lines: [Substring]

    /// The largest file size in bytes; a configuration of a thousand pages has a fifth of that.
    static let mostBytes = 1 << 19
    /// The most references to anchors: each can multiply the value that it refers to.
    static let mostAliases = 16

    /// The bytes of a file, also if it is too large; `problem` says what follows if it can't be read.
    static func bytes(of path: String, orThrow problem: (FileError) -> String) throws(ConfigurationError) -> [UInt8] {
        do throws(FileError) {
            return try FileAccess.read(path, limit: mostBytes)
        } catch {
            throw ConfigurationError(path: path, problem(error))
        }
    }

    init(path: String, bytes: [UInt8]) throws(ConfigurationError) {
        guard bytes.count <= Self.mostBytes
        else { throw ConfigurationError(path: path, "the file is larger than 512 KiB: check its path") }
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        guard let text = String(validating: bytes.dropFirst(bytes.starts(with: mark) ? mark.count : 0), as: UTF8.self)
        else { throw ConfigurationError(path: path, "the file isn't UTF-8: save it as UTF-8") }
        if let line = ConflictMarker.firstLine(in: bytes) {
            throw ConfigurationError([
                YAMLProblem(
                    path: path, line: line, column: nil,
                    message: "this is a conflict marker of a merge: keep the right lines of both sides, and remove the "
                        + "lines of markers", excerpt: nil)
            ])
        }
        (self.path, self.text) = (path, text)
        lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    }

    func root() throws(ConfigurationError) -> YAMLValue? {
        try refuseManyAliases()
        do {
            let node = try Yams.compose(yaml: text, .basic, .default, .utf8)
            return node.map { YAMLValue(node: $0, keyPath: "", file: self) }
        } catch {
            throw ConfigurationError([syntaxProblem(error)])
        }
    }

    func report(_ message: String, at mark: Mark?) { problems.append(problem(message, at: mark)) }

    func throwProblems() throws(ConfigurationError) { if !problems.isEmpty { throw ConfigurationError(problems) } }

    private func problem(_ message: String, at mark: Mark?) -> YAMLProblem {
        let excerpt = mark.flatMap { mark in
            lines.indices.contains(mark.line - 1) ? String(lines[mark.line - 1]) : nil
        }
        return YAMLProblem(path: path, line: mark?.line, column: mark?.column, message: message, excerpt: excerpt)
    }

    /// Nested references multiply: sixteen make a few hundred copies of a value, twenty lists of ten exceed any memory.
    private func refuseManyAliases() throws(ConfigurationError) {
        let anchors = Set(text.matches(of: /(?:^|[\s\[\{,:?-])&([^\s,\[\]\{\}]+)/).map(\.1))
        guard !anchors.isEmpty else { return }
        let aliases = text.matches(of: /(?:^|[\s\[\{,:?-])\*([^\s,\[\]\{\}:]+)/).count { anchors.contains($0.1) }
        guard aliases > Self.mostAliases else { return }
        throw ConfigurationError(
            path: path,
            "the file refers to anchors \(aliases) times, and at most \(Self.mostAliases) are allowed: "
                + "write the values out")
    }

    private func syntaxProblem(_ error: any Error) -> YAMLProblem {
        switch error as? YamlError {
        case .scanner(let context, let problem, let mark, _), .parser(let context, let problem, let mark, _),
            .composer(let context, let problem, let mark, _):
            return self.problem(syntaxMessage(problem, context, at: mark), at: mark)
        case .duplicatedKeysInMapping(let keys, let context):
            let name = keys.first ?? "a key"
            return problem("\(name) is given more than once in one mapping: keep one of them", at: context.mark)
        case .reader(let problem, let offset, _, _):
            let line = offset.map { text.prefix($0).count(where: \.isNewline) + 1 }
            return YAMLProblem(
                path: path, line: line, column: nil, message: "this isn't YAML: \(problem): remove the character",
                excerpt: nil)
        default: return problem("this isn't YAML: \(error)", at: nil)
        }
    }

    private func syntaxMessage(_ problem: String, _ context: YamlError.Context?, at mark: Mark) -> String {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        if mark.line <= lines.count, lines[mark.line - 1].prefix(while: \.isWhitespace).contains("\t") {
            return "this isn't YAML: a tab indents the line: indent with spaces"
        }
        let place = context.map { " \($0.text) that began in line \($0.mark.line)" } ?? ""
        return "this isn't YAML: \(problem)\(place): \(Self.advice(problem))"
    }

    private static func advice(_ problem: String) -> String {
        switch problem {
        case "found undefined alias", "did not find expected alphabetic or numeric character",
            "found character that cannot start any token":
            "put a text that begins with *, &, @, % or ` in quotes"
        case "but found another document": "keep one document in the file"
        default: "check the indentation, the brackets and the quotes"
        }
    }
}

/// A problem in a YAML file: its place and a remedy.
package struct YAMLProblem: Sendable, Hashable, Comparable, CustomStringConvertible {
    package let path: String
    /// The line, from 1; `nil` for the whole file.
    package let line: Int?
    /// The column in Unicode scalars, from 1; `nil` for the whole line or file.
    package let column: Int?
    /// One sentence; its last clause is the remedy.
    package let message: String
    let excerpt: String?

    private static let longestExcerpt = 160

    /// The place in compiler format: `perfgate.yml:9:12`.
    package var location: String {
        let place = [line, column].compactMap { $0.map { ":\($0)" } }.joined()
        return CleanText.line(path) + place
    }

    /// The line and a caret below the place; empty if the place is unknown or too far to the right.
    private var pointer: String {
        guard let excerpt, let column else { return "" }
        let before = CleanText.line(String(String.UnicodeScalarView(excerpt.unicodeScalars.prefix(column - 1))))
        guard before.count < Self.longestExcerpt else { return "" }
        let caret = String(repeating: " ", count: before.count) + "^"
        return "\n  \(CleanText.line(excerpt, most: Self.longestExcerpt))\n  \(caret)"
    }

    package var description: String { "\(location): error: \(CleanText.line(message))\(pointer)" }

    package static func < (lhs: YAMLProblem, rhs: YAMLProblem) -> Bool {
        (lhs.line ?? 0, lhs.column ?? 0, lhs.message) < (rhs.line ?? 0, rhs.column ?? 0, rhs.message)
    }
}
