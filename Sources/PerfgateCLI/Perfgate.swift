import ArgumentParser
import Foundation
import LibC
import PerfgateKit
import PerfgateModel

package struct Perfgate: CommandGroup {
    package static let configuration = CommandConfiguration(
        commandName: "perfgate", abstract: "Checks whether a page scrolls worse or loads slower than before.",
        version: Program.version,
        groupedSubcommands: [
            ArgumentParser.CommandGroup(
                name: "Gate",
                subcommands: [
                    CheckCommand.self, MeasureCommand.self, BisectCommand.self, CompareCommand.self,
                    ReportCommand.self, CommentCommand.self, AcceptCommentCommand.self,
                ]),
            ArgumentParser.CommandGroup(
                name: "Set up",
                subcommands: [InitCommand.self, DoctorCommand.self, CatalogueCommand.self, SimulateCommand.self]),
            ArgumentParser.CommandGroup(name: "Baselines", subcommands: [BaselineCommand.self, WaiveCommand.self]),
            ArgumentParser.CommandGroup(
                name: "Understand",
                subcommands: [
                    ExplainCommand.self, WhyCommand.self, CalibrateCommand.self, TrendCommand.self, ProfileCommand.self,
                ]),
            ArgumentParser.CommandGroup(
                name: "Files",
                subcommands: [ValidateCommand.self, ConvertCommand.self, FormatsCommand.self, SchemaCommand.self]),
            ArgumentParser.CommandGroup(name: "Field", subcommands: [FieldCommand.self]),
        ])

    package init() {}

    /// Runs the command of the process's arguments and exits with its code.
    package static func start() -> Never {
        // A write beyond the file size limit then fails with an error instead of ending the process.
        signal(SIGXFSZ, SIG_IGN)
        // A reader that closes its end stops the output, not the verdict.
        signal(SIGPIPE, SIG_IGN)
        var error = error(of: nil)
        // Help and version: the parser's own printing ignores failures.
        if let text = error.flatMap({ exitCode(for: $0) == .success ? fullMessage(for: $0) : nil }), !text.isEmpty {
            StandardStream.output.write(text + "\n")
            error = nil
        }
        if let failure = StandardStream.failure, error.map(exitCode(for:)) ?? .success == .success {
            error = tell("perfgate: \(failure)", .cannotWrite)
        }
        exit(withError: error)
    }

    /// Runs the command of the arguments, by default the process's, and prints its error, which is returned if any.
    static func error(of arguments: [String]?) -> (any Error)? {
        do {
            try failOnDemand()
            let given = arguments ?? Array(CommandLine.arguments.dropFirst())
            let (type, own) = try findCommand(given)
            try refuseSingleDash(given)
            try refuseRepetition(given, of: type)
            // As a root, its options are collected half as often; help and errors need the whole command line.
            let found = try? type.parseAsRoot(own)
            var command = try found.flatMap { Swift.type(of: $0) == type ? $0 : nil } ?? parseAsRoot(given)
            try command.run()
            return nil
        } catch let error as ConfigurationError {
            return tell("\(error)", .badConfiguration)
        } catch let error as UnreadableState {
            return tell("perfgate: \(error)", .badData)
        } catch let error as any StatusError {
            return tell("perfgate: \(error)", error.status)
        } catch let error as Interruption {
            error.end()
        } catch  where exitCode(for: error) == .failure {
            return tell(
                "perfgate: internal error: \(CleanText.line("\(error)", most: 500)). The change was not judged; please "
                    + "report this with the command.", .software)
        } catch {
            return error
        }
    }

    /// The command of the arguments, and the words after its name. Refuses an unknown one, with the nearest name.
    private static func findCommand(_ arguments: [String]) throws -> (any ParsableCommand.Type, own: [String]) {
        var command: any ParsableCommand.Type = Self.self
        let isHelp = arguments.first == "help"
        var rest = isHelp ? arguments.dropFirst() : arguments[...]
        while let word = rest.first, !word.hasPrefix("-"), command is any CommandGroup.Type {
            let names = command.configuration.subcommands.map { ($0._commandName, $0) }
            guard let next = names.first(where: { $0.0 == word })?.1 else {
                let advice = Suggestion.nearest(to: word, among: names.map(\.0)).map { "Did you mean '\($0)'?" }
                let name = CleanText.line(word, most: 60)
                let list = names.map(\.0).joined(separator: ", ")
                throw ValidationError("There is no command '\(name)'. \(advice ?? "The commands are \(list).")")
            }
            command = next
            rest.removeFirst()
        }
        return (command, (isHelp ? ["--help"] : []) + rest)
    }

    /// Refuses an option that is given twice: only its last value would count. A list may be given several times.
    private static func refuseRepetition(_ arguments: [String], of command: any ParsableCommand.Type) throws {
        var seen: Set<String> = []
        let given = arguments.prefix { $0 != "--" }.filter { $0.hasPrefix("--") }.map { $0.prefix { $0 != "=" } }
        let repeated = given.filter { !seen.insert(String($0)).inserted }
        guard !repeated.isEmpty else { return }
        let help = try JSONDecoder().decode(HelpDump.self, from: Data(command._dumpHelp().utf8))
        let single = help.command.arguments?.filter { $0.kind == "option" && !$0.isRepeating } ?? []
        let names = single.flatMap { $0.names ?? [] }.map { "--\($0.name)" }
        for name in repeated where names.contains(String(name)) {
            throw CommandError(.usage, "'\(name)' is given more than once. Give it once.")
        }
    }

    /// The options of a command, as the parser describes them.
    private struct HelpDump: Decodable {
        struct Command: Decodable { let arguments: [Argument]? }
        struct Argument: Decodable {
            let kind: String
            let isRepeating: Bool
            let names: [Name]?
        }
        struct Name: Decodable { let name: String }

        let command: Command
    }

    /// Rejects a long option with one dash: its letters would be short options, among them `-h`, which passes.
    private static func refuseSingleDash(_ arguments: [String]) throws {
        for word in arguments.prefix(while: { $0 != "--" }) {
            guard word.count > 2, word.hasPrefix("-"), word.dropFirst().first?.isLetter == true else { continue }
            let name = CleanText.line(word, most: 60)
            throw CommandError(.usage, "Unknown option '\(name)'. Did you mean '-\(name)'?")
        }
    }

    /// Prints an error, which may quote files and must not look like a command to a CI server. Returns the code to end with.
    private static func tell(_ error: String, _ status: ExitStatus) -> ExitCode {
        for line in error.split(separator: "\n", omittingEmptySubsequences: false) {
            StandardStream.error.tell(String(line))
        }
        return ExitCode(status)
    }

    /// Fails like a defect, only in debug builds, so that this path can be tested.
    private static func failOnDemand() throws {
        #if DEBUG
        struct Defect: Error {}
        if ProcessInfo.processInfo.environment["PERFGATE_DEFECT"] != nil { throw Defect() }
        #endif
    }
}
