import Foundation

/// Where an output goes; two that name the same file are equal, however they are written.
struct OutputPath {
    private let text: String
    private let resolved: String

    /// Takes a path; `-` is standard output.
    init(_ text: String) {
        self.text = text
        resolved = text == "-" ? text : URL(filePath: text).standardizedFileURL.resolvingSymlinksInPath().path
    }

    /// Whether it is standard output.
    var isStandardOutput: Bool { text == "-" }

    /// Whether another output is right in this folder.
    func isParent(of other: OutputPath) -> Bool {
        URL(filePath: other.resolved).deletingLastPathComponent().path == resolved
    }

    /// The path of a file in the same folder.
    func sibling(_ name: String) -> String {
        guard let slash = text.lastIndex(of: "/") else { return name }
        return text[...slash] + name
    }
}

extension OutputPath: Hashable {
    /// Whether both are the same file.
    static func == (lhs: OutputPath, rhs: OutputPath) -> Bool { lhs.resolved == rhs.resolved }

    /// Feeds the file.
    func hash(into hasher: inout Hasher) { hasher.combine(resolved) }
}

extension OutputPath: CustomStringConvertible {
    /// The path as it was given.
    var description: String { text }
}
