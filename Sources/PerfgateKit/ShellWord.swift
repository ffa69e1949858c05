import PerfgateModel

/// A text as one word of a shell.
public struct ShellWord: Sendable, Hashable {
    private let text: String

    /// Makes a word of a text.
    public init(_ text: String) {
        self.text = text
    }

    /// Whether the text is plain enough to stand in single quotes wherever a report shows it.
    public var isPlain: Bool {
        !text.isEmpty && !text.hasPrefix("-") && text.utf8.count <= 200 && text.utf8.allSatisfy(Self.isPlain)
    }

    /// The text in single quotes; characters that are not plain are left out.
    public var quoted: String {
        "'" + String(decoding: text.utf8.filter(Self.isPlain), as: UTF8.self) + "'"
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        byte.isLetterOrDigit || " ._/-".utf8.contains(byte)
    }
}
