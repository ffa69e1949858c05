import ArgumentParser
import Foundation
import ViewLint

@main
struct ViewLintCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "view-lint",
        abstract: "Finds SwiftUI views whose bodies grew too complex.",
        discussion: """
            The complexity of a body is the number of closures that build views, plus the mentions of properties and \
            functions of the same type that make views, with what they compose. Other Views aren't entered.
            """,
        subcommands: [Check.self, Explain.self, List.self], defaultSubcommand: Check.self)
}

/// Exit codes, equal to perfgate's.
enum Exit {
    /// A finding is new, or higher than in the baseline.
    static let worse = ExitCode(2)
    /// A file can't be parsed.
    static let badData = ExitCode(65)
    /// An input is missing.
    static let noInput = ExitCode(66)
    /// An output couldn't be written.
    static let cannotWrite = ExitCode(73)
    /// The configuration or the baseline is invalid.
    static let badConfiguration = ExitCode(78)
}

/// Prints to standard error and ends the command.
func fail(_ message: String, _ code: ExitCode) -> ExitCode {
    complain("error: \(message)")
    return code
}

func complain(_ message: String) {
    FileHandle.standardError.write(Data("\(message)\n".utf8))
}

/// The files of a call and the configuration.
struct Input: ParsableArguments {
    @Argument(help: "Swift files, and folders of them. Extensions are followed across all of them.")
    var paths = ["."]

    @Option(help: "The configuration; its folder is what reports and baselines are relative to.")
    var config: String?

    /// The configuration and its folder; without a configuration, the defaults and the current folder.
    func configuration() throws -> (Configuration, root: String) {
        let path = SourceFiles.absolute(config ?? "perfgate.yml")
        guard FileManager.default.fileExists(atPath: path) else {
            guard config == nil else { throw fail("\(config ?? ""): no such file", Exit.noInput) }
            return (Configuration(), SourceFiles.absolute("."))
        }
        let name = config ?? "perfgate.yml"
        guard let data = FileManager.default.contents(atPath: path), let text = String(data: data, encoding: .utf8)
        else { throw fail("\(name): can't be read, or isn't UTF-8", Exit.badConfiguration) }
        do {
            let root = URL(fileURLWithPath: path).deletingLastPathComponent().path
            return (try Configuration(yaml: text, file: name), root)
        } catch let fault as Configuration.Fault {
            throw fail(fault.description, Exit.badConfiguration)
        }
    }

    /// Checks the files.
    ///
    /// - Parameter isStrict: whether an unparsable file ends the command; else it is reported, and the others count.
    func lint(_ configuration: Configuration, root: String, isStrict: Bool = false) async throws -> Lint {
        let lint: Lint
        do {
            let found = try SourceFiles.find(paths, root: root, excluded: configuration.exclude)
            if found.isEmpty { throw fail("no Swift files in \(paths.joined(separator: ", "))", Exit.noInput) }
            lint = try await Lint(SourceFiles.parse(found, root: root), configuration)
        } catch let unreadable as SourceFiles.Unreadable {
            throw fail("\(unreadable.path): no such file, or not UTF-8", Exit.noInput)
        }
        for (place, message) in lint.syntaxErrors {
            complain("\(place.file):\(place.line):\(place.column): warning: can't be parsed: \(message)")
        }
        if isStrict, !lint.syntaxErrors.isEmpty { throw Exit.badData }
        return lint
    }
}

extension Lint {
    /// `12 bodies in 3 files`.
    var scope: String {
        "\(units.count) \(units.count == 1 ? "body" : "bodies") in \(fileCount) \(fileCount == 1 ? "file" : "files")"
    }
}
