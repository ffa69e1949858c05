import PerfgateFiles
import PerfgateModel

/// The owners of files in a repository, from its CODEOWNERS file: the last pattern that matches a file wins.
///
/// The patterns are those of GitHub and GitLab: as in .gitignore, but without `!`, `[ ]` and `\#`. A section of GitLab
/// (`[Name]`) is skipped, and its patterns count like the others.
package struct CodeOwners: Sendable {
    private let rules: [(pattern: [Character], owners: String)]
    /// The places where the platforms look, in their order.
    package static let places = [".github/CODEOWNERS", ".gitlab/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS"]
    /// The most bytes of the file: that is GitHub's limit.
    static let mostBytes = 3 << 20

    /// Reads the file of a checkout; `nil` without one.
    package init?(in root: String) {
        let bytes = Self.places.lazy.compactMap { try? FileAccess.read("\(root)/\($0)", limit: Self.mostBytes) }.first
        guard let bytes else { return nil }
        self.init(String(decoding: bytes, as: UTF8.self))
    }

    package init(_ text: String) {
        rules = text.split(whereSeparator: \.isNewline).compactMap { line in
            let words = Self.words(line)
            guard let pattern = words.first, !pattern.hasPrefix("#"), !line.hasPrefix("["), !line.hasPrefix("^[") else {
                return nil
            }
            let owners = words.dropFirst().prefix { !$0.hasPrefix("#") }
            return (Array(pattern), owners.map { CleanText.line($0, most: 80) }.joined(separator: ", "))
        }
    }

    /// The words of a line; a backslash keeps a space in a pattern.
    private static func words(_ line: Substring) -> [String] {
        var (words, word, isEscaped) = ([String](), "", false)
        for character in line {
            if isEscaped {
                word.append(character)
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else if character.isWhitespace {
                if !word.isEmpty { words.append(word) }
                word = ""
            } else {
                word.append(character)
            }
        }
        return word.isEmpty ? words : words + [word]
    }

    /// The owners of a file, joined by commas; `nil` without any.
    ///
    /// - Parameter path: Its path from the root of the repository, such as `Sources/Feed/Cell.swift`.
    package func owners(of path: String) -> String? {
        let path = Array(path)
        let owners = rules.last { Self.matches($0.pattern, path) }?.owners
        return owners.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Whether a pattern names a file or a folder above it.
    private static func matches(_ pattern: [Character], _ path: [Character]) -> Bool {
        var pattern = pattern[...]
        let isFolder = pattern.last == "/"
        if isFolder { pattern = pattern.dropLast() }
        // With a slash inside, a pattern begins at the root.
        let isRooted = pattern.contains("/")
        if pattern.first == "/" { pattern = pattern.dropFirst() }
        let parts = Array(pattern).split(separator: "/", omittingEmptySubsequences: true).map(Array.init)
        let names = path.split(separator: "/").map(Array.init)
        guard !parts.isEmpty else { return isFolder }
        let starts = isRooted ? [0] : Array(names.indices)
        return starts.contains { matches(parts[...], names[$0...], isFolder) }
    }

    /// Whether the parts match the first names, and more names may follow; `dir/*` doesn't reach into folders.
    private static func matches(
        _ parts: ArraySlice<[Character]>, _ names: ArraySlice<[Character]>, _ isFolder: Bool
    ) -> Bool {
        guard let part = parts.first else { return !isFolder || !names.isEmpty }
        if part == ["*", "*"] {
            return (names.startIndex...names.endIndex).contains { matches(parts.dropFirst(), names[$0...], isFolder) }
        }
        guard let name = names.first, NamePattern(String(part)).matches(String(name)) else { return false }
        if parts.count == 1, part == ["*"], names.count > 1, !isFolder { return false }
        return matches(parts.dropFirst(), names.dropFirst(), isFolder)
    }
}
