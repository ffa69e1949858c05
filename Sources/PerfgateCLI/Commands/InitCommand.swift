import ArgumentParser
import Foundation
import PerfgateCompare
import PerfgateFiles
import PerfgateIngest
import PerfgateKit
import PerfgateModel

/// `perfgate init`: prepares a repository for its first check.
struct InitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract:
            "Writes a commented perfgate.yml, and two lines for git: to merge baselines and to ignore locks.",
        discussion: """
            With a log, the file shows its measurements and suggests a limit 10 % above the slowest page. An \
            existing configuration isn't changed; --config names another path.

            EXAMPLE
              perfgate init logs/
            """)

    @Argument(help: "Logs to start from (optional): files, folders, patterns, or - for standard input.")
    var logs: [String] = []

    @OptionGroup(title: "Input") var inputs: InputOptions

    func run() throws {
        let lock = try FolderLock(besideFile: file)
        defer { lock.release() }
        guard !FileManager.default.fileExists(atPath: file) else {
            throw CommandError(
                status: .cannotWrite,
                description: "\(file) already exists. Edit it, or give another path with --config." + outdated)
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

    /// Advice if the file lets a check pass that compared nothing, as files written for an earlier version do.
    private var outdated: String {
        guard (try? ConfigurationFile.load(file))?.policy.noBaseline == .warn else { return "" }
        return " Remove its `no_baseline: warn`: with it, a check that compares nothing passes."
    }

    private func measurements() throws(CommandError) -> Measurements {
        guard !logs.isEmpty else { return Measurements() }
        let read = Ingest(inputs.ingestOptions(GateConfiguration())).read(logs)
        guard let fault = read.faultyInputs.first else { return read }
        throw CommandError(
            status: ExitStatus(fault.fault),
            description: CleanText.line("\(fault.path): \(fault.message)"))
    }

    /// The file with its missing line added; `nil` if it has the line.
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
    /// The file's name.
    let file: String
    /// The line, without its line end.
    let line: String
    /// The word that identifies an existing line.
    let word: String

    /// The command that git must run to merge baselines.
    static let mergeDriver = "perfgate baseline merge %O %A %B"

    /// The line that lets git merge baselines with perfgate.
    static let merging = RepositoryLine(
        file: ".gitattributes", line: "\(GateConfiguration().baselines)/**/*.json merge=perfgate",
        word: "merge=perfgate")
    /// The line that lets git ignore locks and the leftovers of killed writers.
    static let leftovers = RepositoryLine(file: ".gitignore", line: ".perfgate-*", word: ".perfgate-*")

    /// All of them.
    static let all = [merging, leftovers]

    /// A file's text with the line appended; `nil` if the line is there.
    func added(to text: String) -> String? {
        let isThere = text.split(whereSeparator: \.isNewline).contains { line in
            !line.hasPrefix("#") && line.split(whereSeparator: \.isWhitespace).contains { $0 == word }
        }
        guard !isThere else { return nil }
        return text + (text.isEmpty || text.last?.isNewline == true ? "" : "\n") + line + "\n"
    }
}
