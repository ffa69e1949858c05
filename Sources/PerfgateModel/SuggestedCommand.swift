/// A command that people are asked to paste, as a value. Which words a command may have stands here, and nowhere else
/// how they are quoted.
///
/// A report that was kept as JSON may have been changed by anybody. What is read of it is put together again from these
/// words, so that it can't get people to paste another command.
package struct SuggestedCommand: Sendable, Hashable {
    /// The program and what it is to do.
    package let verb: Verb
    /// What follows, in its order.
    package let arguments: [Argument]

    /// Makes a command; arguments that the verb doesn't take are left out, so that the options of one call can be given
    /// to every command.
    package init(_ verb: Verb, _ arguments: [Argument]) {
        self.verb = verb
        self.arguments = arguments.filter(verb.takes)
    }

    /// The command as it is pasted into a shell.
    package var text: String { ([verb.rawValue] + arguments.map(\.text)).joined(separator: " ") }
}

extension SuggestedCommand {
    /// The programs and what they are to do, as a command begins; capitals stand for what only the reader knows.
    package enum Verb: String, Sendable, Hashable, CaseIterable {
        case check = "perfgate check"
        case compare = "perfgate compare"
        case explain = "perfgate explain"
        case waive = "perfgate waive"
        case update = "perfgate baseline update"
        case show = "perfgate baseline show"
        case prune = "perfgate baseline prune"
        case pin = "perfgate baseline pin"
        case fieldRollUp = "perfgate field rollup"
        case fieldCheck = "perfgate field check"
        case xcodebuild = "xcodebuild test -scheme SCHEME -destination DESTINATION"
        case gradle = "./gradlew TASK"

        /// The options that may follow.
        package var flags: Set<Flag> {
            switch self {
            case .check: Flag.input.union([.baselines, .against, .partial, .poolBuilds, .confirmation])
            case .compare: Flag.input.union([.with, .confirmation])
            case .explain: Flag.input.union([.baselines, .poolBuilds, .confirmation, .result])
            case .waive: Flag.input.union([.baselines, .poolBuilds, .result, .until, .reason])
            case .update: Flag.input.union([.baselines, .page, .metric, .accept])
            case .show, .prune, .pin: [.config, .baselines]
            case .fieldRollUp: [.config, .field, .pair]
            case .fieldCheck: [.config, .field, .base, .candidate, .app, .since, .until]
            case .xcodebuild: [.onlyTesting]
            case .gradle: [.tests]
            }
        }

        /// Whether an argument may follow.
        package func takes(_ argument: Argument) -> Bool {
            if let flag = argument.flag { return flags.contains(flag) }
            return switch self {
            case .explain, .waive, .prune: true
            case .check, .compare, .update, .show, .pin, .fieldRollUp, .fieldCheck: argument.word?.isBlank ?? false
            case .xcodebuild, .gradle: false
            }
        }
    }

    /// The options of all commands.
    package enum Flag: String, Sendable, Hashable, CaseIterable {
        case against = "--against"
        case baselines = "--baselines"
        case config = "--config"
        case `where` = "--where"
        case app = "--app"
        case device = "--device"
        case os = "--os"
        case maxFps = "--max-fps"
        case build = "--build"
        case appVersion = "--app-version"
        case defaultPage = "--default-page"
        case format = "--format"
        case partial = "--partial"
        case poolBuilds = "--pool-builds"
        case confirmation = "--confirmation"
        case with = "--with"
        case result = "--result"
        case page = "--page"
        case metric = "--metric"
        case accept = "--accept"
        case until = "--until"
        case reason = "--reason"
        case field = "--field"
        case pair = "--pair"
        case base = "--base"
        case candidate = "--candidate"
        case since = "--since"
        case onlyTesting = "-only-testing:"
        case tests = "--tests"

        /// The options that say how logs are read.
        static let input: Set<Flag> = [
            .config, .where, .app, .device, .os, .maxFps, .build, .appVersion, .defaultPage, .format,
        ]

        /// Whether it is a path, which must not lead out of the folder.
        fileprivate var isPath: Bool { [.against, .baselines, .config, .field, .result].contains(self) }

        /// Whether it is the name of a test, which stands without quotes, as its tools write it.
        fileprivate var isTest: Bool { [.onlyTesting, .tests].contains(self) }

        /// Whether a word follows.
        fileprivate var takesWord: Bool { ![.partial, .poolBuilds].contains(self) }

        /// What stands for a word that can't be pasted.
        fileprivate var blank: String {
            self == .against ? "NAME" : isTest ? "TEST" : rawValue.drop { $0 == "-" }.uppercased()
        }
    }
}

extension SuggestedCommand {
    /// A word of a command, or an option with its word.
    package struct Argument: Sendable, Hashable {
        /// The option; `nil`: the word stands alone.
        package let flag: Flag?
        /// The word; `nil`: the option stands alone.
        package let word: Word?

        /// Makes an argument; `nil` where the word can't stand there.
        package init?(flag: Flag?, word: Word?) {
            guard (word != nil) == (flag?.takesWord ?? true) else { return nil }
            if let flag, let word, !word.isBlank {
                guard !flag.isPath || !word.text.leadsOutOfFolder else { return nil }
                guard !flag.isTest || !word.text.contains(" ") else { return nil }
            }
            (self.flag, self.word) = (flag, word)
        }

        private init(_ flag: Flag?, _ word: Word?) { (self.flag, self.word) = (flag, word) }

        /// An option with its word; one that can't stand there becomes capitals, which people fill in.
        package static func option(_ flag: Flag, _ text: String) -> Argument {
            Word(text).flatMap { Argument(flag: flag, word: $0) } ?? .option(flag, blank: flag.blank)
        }

        /// An option whose word people fill in, in capitals.
        package static func option(_ flag: Flag, blank: String) -> Argument { Argument(flag, Word(capitals: blank)) }

        /// An option that stands alone.
        package static func flag(_ flag: Flag) -> Argument { Argument(flag, nil) }

        /// A word that stands alone.
        package static func word(_ word: Word) -> Argument { Argument(nil, word) }

        /// What people fill in, in capitals.
        package static func blank(_ capitals: String) -> Argument { Argument(nil, Word(capitals: capitals)) }

        fileprivate var text: String {
            guard let word else { return flag?.rawValue ?? "" }
            guard let flag else { return word.quoted }
            return flag.rawValue + (flag.rawValue.hasSuffix(":") ? "" : " ") + (flag.isTest ? word.text : word.quoted)
        }
    }

    /// A word that means itself, or capitals that people replace.
    package struct Word: Sendable, Hashable {
        /// The word, without quotes.
        package let text: String
        /// Whether people replace it.
        package let isBlank: Bool

        /// Takes a text that can stand in single quotes wherever a report shows it; `nil` for any other.
        package init?(_ text: String) {
            guard !text.isEmpty, !text.hasPrefix("-"), text.utf8.count <= 200, text.utf8.allSatisfy(Self.isPlain),
                !text.contains("::")
            else { return nil }
            (self.text, isBlank) = (text, false)
        }

        /// Takes capitals and dashes; `nil` for any other text.
        package init?(blank text: String) {
            let capitals = UInt8(ascii: "A")...UInt8(ascii: "Z")
            guard let first = text.utf8.first, capitals.contains(first), text.utf8.count <= 20,
                text.utf8.allSatisfy({ capitals.contains($0) || $0 == UInt8(ascii: "-") })
            else { return nil }
            self.init(capitals: text)
        }

        fileprivate init(capitals: String) { (text, isBlank) = (capitals, true) }

        fileprivate var quoted: String { isBlank ? text : "'\(text)'" }

        private static func isPlain(_ byte: UInt8) -> Bool { byte.isLetterOrDigit || " ._/,=+-@:".utf8.contains(byte) }
    }
}
