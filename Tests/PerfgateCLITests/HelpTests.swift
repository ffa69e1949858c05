import Foundation
import Testing

/// A new user's first texts: the help, and the tour of the documentation.
struct HelpTests {
    /// The names of all commands, including groups: `baseline update`.
    private static func commands() throws -> [[String]] {
        struct Dump: Decodable {
            let command: Command
            struct Command: Decodable {
                let commandName: String
                let subcommands: [Command]?

                func paths(_ prefix: [String]) -> [[String]] {
                    [prefix] + (subcommands ?? []).flatMap { $0.paths(prefix + [$0.commandName]) }
                }
            }
        }
        let dump = try CommandFolder().run("--experimental-dump-help")
        let command = try JSONDecoder().decode(Dump.self, from: Data(dump.output.utf8)).command
        return command.paths([]).filter { $0.first != "help" }
    }

    @Test func examplesCanBePasted() throws {
        let folder = try CommandFolder()
        let commands = try Self.commands()
        #expect(commands.count > 30)
        for command in commands {
            let help = try folder.run(command + ["--help"], ["COLUMNS": "80"])
            let lines = help.output.split(separator: "\n", omittingEmptySubsequences: false)
            guard let start = lines.firstIndex(of: "EXAMPLE") else { continue }
            let examples = lines[(start + 1)...].prefix { !$0.isEmpty }
            #expect(examples.allSatisfy { $0.hasPrefix("  ") } && !examples.isEmpty, "\(command): \(examples)")
        }
    }

    private struct Dump: Decodable {
        let command: Command

        struct Command: Decodable {
            let commandName: String
            let subcommands: [Command]?
            let arguments: [Argument]?
        }

        struct Argument: Decodable {
            let kind: String
            let valueName: String?
            let names: [Name]?
        }

        struct Name: Decodable { let name: String }
    }

    @Test func noPlaceholderRepeatsItsOption() throws {
        let text = try CommandFolder().run("--experimental-dump-help").output
        var commands = [try JSONDecoder().decode(Dump.self, from: Data(text.utf8)).command]
        var count = 0
        while let command = commands.popLast() {
            commands += command.subcommands ?? []
            for option in command.arguments ?? [] where option.kind == "option" {
                count += 1
                let names = (option.names ?? []).map(\.name)
                #expect(!names.contains(option.valueName ?? ""), "\(command.commandName) \(names)")
            }
        }
        #expect(count > 100)
    }

    @Test func helpOfAnUnknownCommandSuggestsTheNearest() throws {
        let said = try CommandFolder().run("help", "chek")
        #expect(said.code == 64 && said.error.contains("Did you mean 'check'?"))
        let known = try CommandFolder().run("help", "baseline", "update")
        #expect(known.output.contains("USAGE: perfgate baseline update"))
    }

    /// A line in the tour's blocks: a command, or its output.
    private static func blocks() throws -> [String] {
        let file = GoldenTests.root.appending(path: "Sources/PerfgateCLI/Documentation.docc/Tour.md")
        let parts = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "```console\n").dropFirst()
        return parts.flatMap { ($0.components(separatedBy: "```").first ?? "").split(separator: "\n").map(String.init) }
    }

    /// The words of a command; quotes join words.
    private static func words(_ command: String) -> [String] {
        command.split(separator: "'", omittingEmptySubsequences: false).enumerated().flatMap { index, part in
            index.isMultiple(of: 2) ? part.split(separator: " ").map(String.init) : [String(part)]
        }
    }

    @Test func theTourSaysWhatItSays() throws {
        let folder = try CommandFolder()
        var (commands, said) = (0, CommandFolder.Said(code: 0, output: "", error: ""))
        var code: Int32 = 0
        for line in try Self.blocks() {
            if line.hasPrefix("$ perfgate ") {
                #expect(said.code == code, "\(said)")
                code = 0
                said = try folder.run(Self.words(String(line.dropFirst(11))), ["PERFGATE_TODAY": "2026-11-20"])
                commands += 1
            } else if let end = line.firstMatch(of: /^\[exit code (\d+)\]$/) {
                code = Int32(end.1) ?? 0
            } else if line != "…" {
                #expect("\n\(said.output)\n\(said.error)".contains("\n\(line)\n"), "\(line)\n\(said)")
            }
        }
        #expect(said.code == code && commands == 10)
    }
}
