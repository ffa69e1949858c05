import ArgumentParser
import Foundation
import PerfgateCompare
import PerfgateFiles
import PerfgateIngest
import PerfgateKit
import PerfgateModel

/// `perfgate init`: what a repository needs before its first check.
struct InitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract:
            "Writes a commented perfgate.yml, and two lines for git: to merge baselines, and to ignore locks.",
        discussion: """
            With a log, the starter shows what it measured and suggests a limit 10 % above the slowest page. A \
            configuration that is there already is not changed; --config says where else to write.

            EXAMPLE
              perfgate init logs/
            """)

    @Argument(help: "Logs to start from: files, folders, patterns, or - for standard input; may be left out.")
    var logs: [String] = []

    @OptionGroup(title: "Input") var inputs: InputOptions

    func run() throws {
        let lock = try FolderLock(besideFile: file)
        defer { lock.release() }
        guard !FileManager.default.fileExists(atPath: file) else {
            throw CommandError(
                status: .cannotWrite,
                description: "\(file) is there already. Edit it, or give another path with --config." + outdated)
        }
        let call = CallFiles(logs: logs)
        let output = try call.output(file, for: "--config")
        let lines = try RepositoryLine.all.compactMap { try repositoryFile(with: $0, call) }
        let starter = StarterConfiguration(measurements: try measurements())
        let text = starter.lines.joined(separator: "\n") + "\n"
        let contents = [(file: output, text: text)] + lines
        try OutputFile.write(contents.map { content in (content.file, { Array(content.text.utf8) }) })
        StandardStream.output.tell("\(file) written.")
        for line in lines { StandardStream.output.tell("\(line.file.path): line added.") }
        StandardStream.output.write(
            """
            Next:
              1. Let git merge baselines, once per clone:
                 git config merge.perfgate.driver '\(RepositoryLine.mergeDriver)'
              2. Store the logs of a run of the main branch as the baseline, and commit it:
                 perfgate baseline update LOGS
              3. See what a check of a run would gate, and what is missing:
                 perfgate doctor LOGS

            """)
    }

    /// That the file lets a check pass which compared nothing, as files that were written for an earlier version do.
    private var outdated: String {
        guard (try? ConfigurationFile.load(file))?.policy.noBaseline == .warn else { return "" }
        return " Take its `no_baseline: warn` out: a check that compares nothing passes by it."
    }

    private func measurements() throws(CommandError) -> Measurements {
        guard !logs.isEmpty else { return Measurements() }
        let read = Ingest(inputs.ingestOptions(GateConfiguration())).read(logs)
        guard let fault = read.faultyInputs.first else { return read }
        throw CommandError(
            status: ExitStatus(fault.fault),
            description: CleanText.line("\(fault.path): \(fault.message)"))
    }

    /// The file with a line that it lacks; `nil` where it has it.
    private func repositoryFile(
        with line: RepositoryLine, _ call: CallFiles
    ) throws -> (file: OutputFile, text: String)? {
        let path = ConfigurationFolder(of: file).path(of: line.file)
        let old = FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) } ?? ""
        return try line.added(to: old).map { (try call.output(path, for: path), $0) }
    }

    private var file: String { inputs.file.config ?? GateConfiguration.fileName }
}

/// A line of one of git's files that a repository with baselines needs.
struct RepositoryLine {
    /// The file that holds it.
    let file: String
    /// The line, without its end.
    let line: String
    /// The word by which a line that is there already is known.
    let word: String

    /// What git must be told to run to merge baselines.
    static let mergeDriver = "perfgate baseline merge %O %A %B"

    /// The line by which git merges baselines with perfgate.
    static let merging = RepositoryLine(
        file: ".gitattributes", line: "\(GateConfiguration().baselines)/**/*.json merge=perfgate",
        word: "merge=perfgate")
    /// The line by which git passes over locks, and what a killed writer leaves.
    static let leftovers = RepositoryLine(file: ".gitignore", line: ".perfgate-*", word: ".perfgate-*")

    /// All of them.
    static let all = [merging, leftovers]

    /// A file's text with the line at its end; `nil` where it is there already.
    func added(to text: String) -> String? {
        let isThere = text.split(whereSeparator: \.isNewline).contains { line in
            !line.hasPrefix("#") && line.split(whereSeparator: \.isWhitespace).contains { $0 == word }
        }
        guard !isThere else { return nil }
        return text + (text.isEmpty || text.last?.isNewline == true ? "" : "\n") + line + "\n"
    }
}
