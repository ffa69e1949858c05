/// A command for users to paste, as a value. This file alone defines the words that a command may have and how they are
/// quoted. A stored JSON report is untrusted. A command read from it is rebuilt from these words, so it can't make
/// users paste another command.
package struct SuggestedCommand: Sendable, Hashable {
    package let verb: Verb, arguments: [Argument]

    /// Makes a command; drops arguments that the verb lacks, so every command can get the options of one call.
    package init(_ verb: Verb, _ arguments: [Argument]) {
        self.verb = verb
        self.arguments = arguments.filter(verb.takes)
    }

    package var flags: Set<Flag> { Set(arguments.compactMap(\.flag)) }

    package var text: String { ([verb.rawValue] + arguments.map(\.text)).joined(separator: " ") }

    /// The programs and subcommands at the start of a command; words in capitals are placeholders.
    package enum Verb: String, Sendable, Hashable, CaseIterable {
        case check = "perfgate check"
        case compare = "perfgate compare"
        case bisect = "perfgate bisect"
        case explain = "perfgate explain"
        case waive = "perfgate waive"
        case update = "perfgate baseline update"
        case show = "perfgate baseline show"
        case prune = "perfgate baseline prune"
        case rename = "perfgate baseline rename"
        case reopen = "perfgate baseline reopen"
        case pin = "perfgate baseline pin"
        case fieldRollUp = "perfgate field rollup"
        case fieldCheck = "perfgate field check"
        case xcodebuild = "xcodebuild test -scheme SCHEME -destination DESTINATION"
        case gradle = "./gradlew TASK"

        package var flags: Set<Flag> {
            switch self {
            case .check: Flag.input.union([.baselines, .against, .partial, .poolBuilds, .confirmation])
            case .compare: Flag.input.union([.with, .confirmation])
            case .bisect: [.config, .baselines, .page, .metric, .change, .run, .resume, .out, .maxRuns, .maxMinutes]
            case .explain: Flag.input.union([.baselines, .poolBuilds, .confirmation, .result])
            case .waive: Flag.input.union([.baselines, .poolBuilds, .result, .until, .reason])
            case .update: Flag.input.union([.baselines, .page, .metric, .accept])
            case .prune: [.config, .baselines, .metric]
            case .show, .rename, .pin, .reopen: [.config, .baselines]
            case .fieldRollUp: [.config, .field, .pair, .release]
            case .fieldCheck:
                [
                    .config, .field, .via, .dialect, .rollUp, .rollUpUsers, .base, .candidate, .release, .split, .looks,
                    .app, .since, .until,
                ]
            case .xcodebuild: [.onlyTesting]
            case .gradle: [.tests]
            }
        }

        package func takes(_ argument: Argument) -> Bool {
            if let flag = argument.flag { return flags.contains(flag) }
            return switch self {
            case .explain, .waive, .prune, .rename, .reopen: true
            case .bisect: argument.word.map { $0.isBlank || CommitHash.isValid($0.text) } ?? false
            case .check, .update: argument.word.map { $0.isBlank || !$0.text.leadsOutOfFolder } ?? false
            case .compare, .show, .pin, .fieldRollUp, .fieldCheck: argument.word?.isBlank ?? false
            case .xcodebuild, .gradle: false
            }
        }
    }

    /// The options of the verbs, named as they are spelled: `maxFps` is `--max-fps`.
    package enum Flag: String, Sendable, Hashable, CaseIterable {
        case against, baselines, config, `where`, app, device, os, maxFps, build, appVersion, defaultPage, format
        case partial, poolBuilds, confirmation, with, result, page, metric, accept, change, run, resume, profile, out
        case maxRuns, maxMinutes, until, reason, field, via, dialect, rollUp, rollUpUsers, pair, release, split, looks
        case base, candidate, since, onlyTesting, tests

        package init?(spelling: String) {
            guard let flag = Self.allCases.first(where: { $0.spelling == spelling }) else { return nil }
            self = flag
        }

        package var spelling: String {
            if self == .onlyTesting { return "-only-testing:" }
            return "--" + rawValue.map { $0.isUppercase ? "-\($0.lowercased())" : "\($0)" }.joined()
        }

        static let input: Set<Flag> = [
            .config, .where, .app, .device, .os, .maxFps, .build, .appVersion, .defaultPage, .format,
        ]

        /// Whether its value is a path, which must not lead out of the folder.
        fileprivate var isPath: Bool { [.against, .baselines, .config, .field, .result, .out].contains(self) }

        /// Whether its value is a test's name, which is written without quotes as its tools do.
        fileprivate var isTest: Bool { [.onlyTesting, .tests].contains(self) }

        fileprivate var takesWord: Bool { ![.partial, .poolBuilds, .resume].contains(self) }

        /// The placeholder for a word that can't be pasted.
        fileprivate var blank: String {
            self == .against ? "NAME" : isTest ? "TEST" : spelling.drop { $0 == "-" }.uppercased()
        }
    }

    package struct Argument: Sendable, Hashable {
        package let flag: Flag?, word: Word?

        package init?(flag: Flag?, word: Word?) {
            guard (word != nil) == (flag?.takesWord ?? true) else { return nil }
            if let flag, let word, !word.isBlank {
                guard !flag.isPath || !word.text.leadsOutOfFolder else { return nil }
                guard !flag.isTest || !word.text.contains(" ") else { return nil }
            }
            (self.flag, self.word) = (flag, word)
        }

        private init(_ flag: Flag?, _ word: Word?) { (self.flag, self.word) = (flag, word) }

        /// An option with its value; an unsafe value becomes a placeholder in capitals.
        package static func option(_ flag: Flag, _ text: String) -> Argument {
            Word(text).flatMap { Argument(flag: flag, word: $0) } ?? .option(flag, blank: flag.blank)
        }

        package static func option(_ flag: Flag, blank: String) -> Argument { Argument(flag, Word(capitals: blank)) }

        package static func flag(_ flag: Flag) -> Argument { Argument(flag, nil) }

        package static func word(_ word: Word) -> Argument { Argument(nil, word) }

        package static func blank(_ capitals: String) -> Argument { Argument(nil, Word(capitals: capitals)) }

        /// The words as a process takes them, without quotes.
        package var words: [String] { [flag?.spelling, word?.text].compactMap(\.self) }

        fileprivate var text: String {
            guard let word else { return flag?.spelling ?? "" }
            guard let flag else { return word.quoted }
            return flag.spelling + (flag == .onlyTesting ? "" : " ") + (flag.isTest ? word.text : word.quoted)
        }
    }

    /// A literal word, or a placeholder in capitals.
    package struct Word: Sendable, Hashable {
        package let text: String, isBlank: Bool

        /// Takes a text that is safe in single quotes wherever a report shows it; `nil` for any other.
        package init?(_ text: String) {
            guard !text.isEmpty, !text.hasPrefix("-"), text.utf8.count <= 200, text.utf8.allSatisfy(Self.isPlain),
                !text.contains("::")
            else { return nil }
            (self.text, isBlank) = (text, false)
        }

        /// Takes the path of a file in the working folder; `nil` for any other text.
        package init?(path: String) {
            guard !path.leadsOutOfFolder else { return nil }
            self.init(path)
        }

        /// Takes capitals and dashes as a placeholder; `nil` for any other text.
        package init?(blank text: String) {
            let capitals = UInt8(ascii: "A")...UInt8(ascii: "Z")
            guard let first = text.utf8.first, capitals.contains(first), text.utf8.count <= 20,
                text.utf8.allSatisfy({ capitals.contains($0) || $0 == UInt8(ascii: "-") })
            else { return nil }
            self.init(capitals: text)
        }

        fileprivate init(capitals: String) { (text, isBlank) = (capitals, true) }

        package var quoted: String { isBlank ? text : "'\(text)'" }

        private static func isPlain(_ byte: UInt8) -> Bool { byte.isLetterOrDigit || " ._/,=+-@:".utf8.contains(byte) }
    }

    /// The search for the commit of a range that made a page's metric worse; `nil` if a hash isn't one, or
    /// if both may be the same commit.
    /// - Parameter change: How much worse it became, as a fraction; `nil`: unknown.
    package init?(
        bisecting good: String, _ bad: String, page: String, metric: String, change: Double? = nil,
        _ options: [Argument] = []
    ) {
        let ends = [good, bad].filter { CommitHash.isValid($0) }.compactMap { Word($0) }
        guard ends.count == 2, !good.hasPrefix(bad), !bad.hasPrefix(good) else { return nil }
        var arguments: [Argument] = ends.map { .word($0) }
        arguments += [.option(.page, page), .option(.metric, metric)]
        if let change, 0.01..<100 ~= change { arguments.append(.option(.change, "\(Int((100 * change).rounded()))")) }
        self.init(.bisect, arguments + [.option(.run, blank: "COMMAND")] + options)
    }
}

package enum CommitHash {
    /// Whether a text has 7 to 64 hexadecimal digits. Hashes in logs are untrusted, and end up in commands.
    package static func isValid(_ text: String) -> Bool {
        7...64 ~= text.utf8.count && text.utf8.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
    }

    package static func isWhole(_ text: String) -> Bool { isValid(text) && [40, 64].contains(text.utf8.count) }
}
