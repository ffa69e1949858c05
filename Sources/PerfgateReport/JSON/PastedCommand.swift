import PerfgateModel

/// The commands that a report may ask people to paste: whoever changed a kept report can't have them run another one.
struct PastedCommand {
    /// The words with which it begins.
    let start: [String]
    /// The options that take a word, and those that hold it, which end in a colon.
    var options: Set<String> = []
    /// Whether words other than options may follow.
    var takesWords = true

    /// All that perfgate writes.
    static let all = [
        PastedCommand(start: ["perfgate", "check"], options: call.union(["--against"])),
        PastedCommand(start: ["perfgate", "compare"], options: call.union(["--with"])),
        PastedCommand(start: ["perfgate", "explain"], options: call.union(["--result"])),
        PastedCommand(
            start: ["perfgate", "baseline", "update"], options: call.union(["--page", "--metric", "--accept"])),
        PastedCommand(start: ["perfgate", "baseline", "prune"], options: call),
        PastedCommand(start: ["perfgate", "baseline", "pin"], options: call),
        PastedCommand(start: ["perfgate", "waive"], options: call.union(["--until", "--reason"])),
        PastedCommand(
            start: ["xcodebuild", "test", "-scheme", "SCHEME", "-destination", "DESTINATION"],
            options: ["-only-testing:"], takesWords: false),
        PastedCommand(start: ["./gradlew", "TASK"], options: ["--tests"], takesWords: false),
    ]

    /// The options by which a command finds what the call had.
    private static let call: Set = ["--baselines", "--config"]
    /// The options whose word is a path, which must not lead out of the folder.
    private static let paths = call.union(["--result", "--against"])

    /// Whether a text is one of them, and holds nothing that a shell acts on.
    static func isKnown(_ command: String) -> Bool {
        guard let words = words(of: command) else { return false }
        return all.contains { $0.matches(words) }
    }

    private func matches(_ words: [String]) -> Bool {
        guard words.starts(with: start) else { return false }
        var rest = words.dropFirst(start.count)
        while let word = rest.popFirst() {
            if options.contains(where: { $0.hasSuffix(":") && word.hasPrefix($0) }) { continue }
            if options.contains(word) {
                guard let value = rest.popFirst(), !value.hasPrefix("-") else { return false }
                if Self.paths.contains(word), value.leadsOutOfFolder { return false }
            } else if word.hasPrefix("-") || !takesWords {
                return false
            }
        }
        return true
    }

    /// The words as a shell splits them; `nil` where it would do more than that.
    private static func words(of command: String) -> [String]? {
        let parts = command.utf8.split(separator: UInt8(ascii: "'"), omittingEmptySubsequences: false)
        guard !parts.count.isMultiple(of: 2), command.utf8.allSatisfy(isPlain) else { return nil }
        var words: [String] = [""]
        for (index, part) in parts.enumerated() {
            let text = String(decoding: part, as: UTF8.self)
            let pieces =
                index.isMultiple(of: 2) ? text.split(separator: " ", omittingEmptySubsequences: false) : [text[...]]
            words[words.count - 1] += pieces[0]
            words += pieces.dropFirst().map(String.init)
        }
        return words.filter { !$0.isEmpty }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        byte.isLetterOrDigit || " '._/,:=+@-".utf8.contains(byte)
    }
}
