import ArgumentParser
import Foundation
import LibC
import PerfgateCompare
import PerfgateFiles
import PerfgateKit
import PerfgateModel

/// The command line.
package struct Perfgate: CommandGroup {
    /// The name, the help and the subcommands.
    package static let configuration = CommandConfiguration(
        commandName: "perfgate",
        abstract: "Checks whether a page scrolls worse or loads slower than before.",
        version: Self.version,
        groupedSubcommands: [
            ArgumentParser.CommandGroup(
                name: "Gate",
                subcommands: [CheckCommand.self, CompareCommand.self, ReportCommand.self, CommentCommand.self]),
            ArgumentParser.CommandGroup(
                name: "Set up", subcommands: [InitCommand.self, DoctorCommand.self, SimulateCommand.self]),
            ArgumentParser.CommandGroup(name: "Baselines", subcommands: [BaselineCommand.self, WaiveCommand.self]),
            ArgumentParser.CommandGroup(
                name: "Understand", subcommands: [ExplainCommand.self, CalibrateCommand.self, TrendCommand.self]),
            ArgumentParser.CommandGroup(
                name: "Files",
                subcommands: [ValidateCommand.self, ConvertCommand.self, FormatsCommand.self, SchemaCommand.self]),
            ArgumentParser.CommandGroup(name: "Field", subcommands: [FieldCommand.self]),
        ])

    /// The version of this program.
    package static let version = "0.1.0"

    /// The program and its version, as reports name it.
    package static let tool = "perfgate \(version)"

    /// Makes the command.
    package init() {}

    /// Runs the command of the process's arguments, and ends the process with its exit code.
    package static func start() -> Never {
        // A write beyond the allowed size of files fails then, and is told, instead of ending the process.
        signal(SIGXFSZ, SIG_IGN)
        // A reader that went away ends what it read, not the verdict.
        signal(SIGPIPE, SIG_IGN)
        let error = error(of: nil)
        if let failure = StandardStream.failure, error.map(exitCode(for:)) ?? .success == .success {
            tell("perfgate: \(failure)")
            exit(withError: ExitCode(ExitStatus.cannotWrite))
        }
        exit(withError: error)
    }

    /// Runs the command of arguments, those of the process where none are given, and says what stopped it.
    ///
    /// - Returns: What the process ends with; `nil`: nothing stopped it.
    static func error(of arguments: [String]?) -> (any Error)? {
        do {
            try failOnDemand()
            let given = arguments ?? Array(CommandLine.arguments.dropFirst())
            try findCommand(given)
            try refuseSingleDash(given)
            var command = try parseAsRoot(arguments)
            try command.run()
            return nil
        } catch let error as ConfigurationError {
            tell("\(error)")
            return ExitCode(ExitStatus.badConfiguration)
        } catch let error as CommandError {
            tell("perfgate: \(error.description)")
            return ExitCode(error.status)
        } catch let error as OutputConflict {
            tell("perfgate: \(error.description)")
            return ExitCode(ExitStatus.usage)
        } catch let error as Interruption {
            error.end()
        } catch let error as FileError {
            tell("perfgate: \(error)")
            return ExitCode(ExitStatus.cannotWrite)
        } catch  where exitCode(for: error) == .failure {
            let text = CleanText.line("\(error)", most: 500)
            let advice = "Nothing is known of the change; report this with the command."
            tell("perfgate: a defect of perfgate: \(text). \(advice)")
            return ExitCode(ExitStatus.software)
        } catch {
            return error
        }
    }

    /// Refuses a command that isn't there, with the nearest name.
    private static func findCommand(_ arguments: [String]) throws {
        var command: any ParsableCommand.Type = Self.self
        for word in arguments {
            guard !word.hasPrefix("-"), command is any CommandGroup.Type, word != "help" else { return }
            let names = command.configuration.subcommands.map { ($0._commandName, $0) }
            guard let next = names.first(where: { $0.0 == word })?.1 else {
                let advice = Suggestion.nearest(to: word, among: names.map(\.0)).map { "Did you mean '\($0)'?" }
                let name = CleanText.line(word, most: 60)
                let list = names.map(\.0).joined(separator: ", ")
                throw ValidationError("There is no command '\(name)'. \(advice ?? "The commands are \(list).")")
            }
            command = next
        }
    }

    /// Refuses a long option with one dash. Its letters are short options otherwise, among them `-h`, which shows the
    /// help and passes.
    private static func refuseSingleDash(_ arguments: [String]) throws {
        for word in arguments.prefix(while: { $0 != "--" }) {
            guard word.count > 2, word.hasPrefix("-"), word.dropFirst().first?.isLetter == true else { continue }
            let name = CleanText.line(word, most: 60)
            throw CommandError(status: .usage, description: "Unknown option '\(name)'. Did you mean '-\(name)'?")
        }
    }

    /// Says why nothing came of a command. What files hold is quoted in it, and must not read as an order to a CI server.
    private static func tell(_ error: String) {
        for line in error.split(separator: "\n", omittingEmptySubsequences: false) {
            StandardStream.error.tell(String(line))
        }
    }

    /// In builds for debugging only, fails as a defect would, so that this way out can be tried.
    private static func failOnDemand() throws {
        #if DEBUG
        struct Defect: Error {}
        if ProcessInfo.processInfo.environment["PERFGATE_DEFECT"] != nil { throw Defect() }
        #endif
    }
}

extension ExitCode {
    /// The code that the process ends with for a status.
    init(_ status: ExitStatus) {
        self.init(Int32(status.rawValue))
    }
}

/// Why a command could not do its work.
struct CommandError: Error, CustomStringConvertible {
    /// The code that the program exits with.
    let status: ExitStatus
    /// What is wrong, where, and what to do.
    let description: String
}

/// A command that has subcommands and does nothing by itself: a call of it alone must not look like a check that passed.
package protocol CommandGroup: ParsableCommand {}

extension CommandGroup {
    /// Refuses to do nothing.
    package func run() throws {
        let first = Self.configuration.subcommands.first?.configuration.commandName ?? "--help"
        throw ValidationError("There is no subcommand. Give one, such as \(first).")
    }
}
