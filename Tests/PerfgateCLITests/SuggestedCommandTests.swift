import ArgumentParser
import Foundation
import PerfgateModel
import Testing

@testable import PerfgateCLI

/// Every suggested command exists in perfgate, and repeats the relevant options of the call.
struct SuggestedCommandTests {
    /// The recorded outputs: of the command-line cases, and of each report format.
    static let recorded: [String] = {
        let reports = "Tests/PerfgateReportTests/Goldens"
        let files =
            (try? FileManager.default.contentsOfDirectory(atPath: GoldenTests.root.appending(path: reports).path))
        return GoldenTests.names.flatMap { name in
            ["stdout", "stderr"].map { "Tests/PerfgateCLITests/Cases/\(name)/expected.\($0)" }
        } + (files ?? []).sorted().map { "\(reports)/\($0)" }
    }()

    @Test func everyRecordedOneIsTaken() throws {
        let all = try Set(
            Self.recorded.flatMap { path in
                Self.commands(in: try String(contentsOf: GoldenTests.root.appending(path: path), encoding: .utf8))
            })
        for command in all { try Self.parse(command) }
        let verbs = Set(
            all.map { $0.split(separator: " ").prefix { $0.allSatisfy(\.isLowercase) }.joined(separator: " ") })
        let suggested = SuggestedCommand.Verb.allCases.map(\.rawValue).filter { $0.hasPrefix("perfgate ") }
        #expect(
            all.count > 130 && verbs.isSuperset(of: suggested.filter { $0 != "perfgate baseline show" }), "\(verbs)")
    }

    /// A value for each option that selects inputs or affects verdicts.
    private static let options: [(flag: SuggestedCommand.Flag, value: String?)] = [
        (.against, "7.129"), (.baselines, "Stored"), (.config, "gate.yml"), (.where, "build=Release,os=iOS 17.5"),
        (.where, "app=com.example.shop"), (.app, "x"), (.device, "iPhone12,1"), (.os, "iOS 17.5"), (.maxFps, "60"),
        (.build, "Release"), (.appVersion, "7.129+5"), (.defaultPage, "Home"), (.format, "perfgate"), (.partial, nil),
        (.poolBuilds, nil),
        (.confirmation, "off"),
    ]

    /// The suggested update must store what was judged: other lines of the same log belong to another device.
    @Test func allOptionsOfTheCallAreRepeatedInEveryForm() throws {
        let folder = try CommandFolder()
        for path in ["Tests/Samples/regression.ndjson", "Baselines"] { try folder.copy(path) }
        try FileManager.default.moveItem(
            at: folder.url.appending(path: "Baselines"), to: folder.url.appending(path: "Stored"))
        try folder.write("schema: 1\n", to: "gate.yml")
        #expect(try folder.run("baseline", "pin", "7.129", "--baselines", "Stored").code == 0)
        let words = Self.options.flatMap { flag, value in [flag.spelling] + (value.map { [$0] } ?? []) }
        let said = try folder.run(
            ["check", "regression.ndjson", "--json", "result.json", "--html", "r.html", "--markdown", "r.md"] + words)
        #expect(said.code == 2, "\(said.error)")
        let again = try folder.run("report", "result.json")
        let texts = [said.output, again.output] + (try ["result.json", "r.html", "r.md"].map(folder.text))
        for text in texts {
            let commands = Self.commands(in: text)
            #expect(commands.count >= 3)
            for command in commands where !command.contains("--result") {
                let verb = try #require(SuggestedCommand.Verb.allCases.first { command.hasPrefix($0.rawValue) })
                for (flag, value) in Self.options where verb.flags.contains(flag) {
                    let words = value.map { "\(flag.spelling) '\($0)'" } ?? flag.spelling
                    #expect(command.contains(words), "\(command)")
                }
                let parsed = try Self.parse(command)
                guard !(parsed is BisectCommand) else { continue }
                let inputs =
                    (parsed as? CheckCommand)?.inputs ?? (parsed as? BaselineUpdateCommand)?.inputs
                    ?? (parsed as? WaiveCommand)?.inputs
                #expect(inputs?.where == ["build=Release,os=iOS 17.5", "app=com.example.shop"])
                #expect(inputs?.device == "iPhone12,1" && inputs?.maxFps == 60)
            }
        }
    }

    /// Fails when a new option is added, until suggested commands repeat it.
    @Test(arguments: [SuggestedCommand.Verb.check, .compare, .explain, .waive, .update, .show, .prune, .pin])
    func everyOptionOfInputAndPolicyIsKnown(_ verb: SuggestedCommand.Verb) throws {
        var command = try Self.dump.get().command
        for word in verb.rawValue.split(separator: " ").dropFirst() {
            command = try #require(command.subcommands?.first { $0.commandName == word })
        }
        let names = (command.arguments ?? []).compactMap { argument -> String? in
            argument.names?.first { $0.kind == "long" }.map { "--\($0.name)" }
        }
        let options = Set(Self.options.map(\.flag))
        let left: Set = ["--rerun-command", "--rerun-minutes", "--rerun-list", "--rerun-format"]
        for argument in command.arguments ?? [] where ["Input", "Policy"].contains(argument.sectionTitle) {
            let name = "--" + (argument.names?.first { $0.kind == "long" }?.name ?? "")
            guard !left.contains(name) else { continue }
            let flag = try #require(SuggestedCommand.Flag(spelling: name), "\(name)")
            #expect(verb.flags.contains(flag) && options.contains(flag), "\(name)")
        }
        for flag in verb.flags { #expect(names.contains(flag.spelling), "\(flag)") }
    }

    private static let dump = Result {
        let said = try CommandFolder().run("--experimental-dump-help")
        return try JSONDecoder().decode(Dump.self, from: Data(said.output.utf8))
    }

    private struct Dump: Decodable {
        struct Name: Decodable { let kind: String, name: String }
        struct Argument: Decodable { let names: [Name]?, sectionTitle: String? }
        struct Command: Decodable { let commandName: String, arguments: [Argument]?, subcommands: [Command]? }
        let command: Command
    }

    /// The commands in a text: on a separate line, in a JSON member, in an HTML element or in backticks.
    private static func commands(in text: String) -> [String] {
        let plain = text.replacing("&#39;", with: "'")
        let found = plain.matches(of: /(?m)(?:^ *|"command": "|<code>|`)(perfgate [a-z][^`"<\n]*)/).map { String($0.1) }
        return found.filter { !$0.contains("[") }
    }

    /// The parser's result for a command with its placeholders filled in; a command that is only named must exist.
    @discardableResult
    private static func parse(_ command: String) throws -> (any ParsableCommand)? {
        var (words, isQuoted) = ([""], false)
        for character in command {
            switch character {
            case "'": isQuoted.toggle()
            case " " where !isQuoted: words.append("")
            default: words[words.count - 1].append(character)
            }
        }
        words = words.dropFirst().map { $0 == "YYYY-MM-DD" ? "2999-12-31" : $0 == "WHERE" ? "os=iOS" : $0 }
        guard words.contains(where: { $0.contains { !$0.isLowercase } }) else {
            var type: any ParsableCommand.Type = Perfgate.self
            for word in words {
                type = try #require(
                    type.configuration.subcommands.first { $0.configuration.commandName == word }, "\(command)")
            }
            return nil
        }
        do {
            return try Perfgate.parseAsRoot(words)
        } catch {
            Issue.record("\(command): \(Perfgate.message(for: error))")
            return nil
        }
    }
}
