import PerfgateModel

/// What of a call the commands have to repeat that it tells people to paste.
package struct Invocation: Sendable, Hashable {
    /// The options behind a command, each with a space before it; empty: it stands by itself.
    let options: String
    /// The kept report as one word of a shell; `nil` where none was kept.
    let result: String?

    /// Takes the paths that the call named. One that leads out of the folder, or can't stand in single quotes everywhere,
    /// becomes a word in capitals, which people fill in: a kept report that a stranger changed could name any place.
    ///
    /// - Parameters:
    ///   - baselines: The folder of the baselines; `nil`: as the configuration says.
    ///   - configuration: The configuration; `nil`: the one of the folder.
    ///   - result: The JSON report; `nil` where none was written into a file.
    package init(baselines: String? = nil, configuration: String? = nil, result: String? = nil) {
        options = [("baselines", baselines), ("config", configuration)].map { name, path in
            path.map { " --\(name) \(Self.word($0) ?? name.uppercased())" } ?? ""
        }.joined()
        self.result = result.flatMap { $0 == "-" ? nil : Self.word($0) ?? "RESULT" }
    }

    /// A path as one word of a shell; `nil` for one that leads out of the folder, or isn't plain.
    static func word(_ path: String) -> String? {
        let word = ShellWord(path)
        return word.isPlain && !path.leadsOutOfFolder ? word.quoted : nil
    }
}

/// A text as one word of a shell.
package struct ShellWord: Sendable, Hashable {
    private let text: String

    /// Makes a word of a text.
    package init(_ text: String) {
        self.text = text
    }

    /// Whether the text is plain enough to stand in single quotes wherever a report shows it.
    package var isPlain: Bool {
        !text.isEmpty && !text.hasPrefix("-") && text.utf8.count <= 200 && text.utf8.allSatisfy(Self.isPlain)
    }

    /// The text in single quotes; characters that are not plain are left out.
    package var quoted: String {
        "'" + String(decoding: text.utf8.filter(Self.isPlain), as: UTF8.self) + "'"
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        byte.isLetterOrDigit || " ._/-".utf8.contains(byte)
    }
}
