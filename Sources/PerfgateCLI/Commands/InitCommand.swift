import ArgumentParser
import Foundation
import PerfgateBaselines
import PerfgateFiles
import PerfgateIngest
import PerfgateKit
import PerfgateModel

struct InitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract:
            "Writes a commented perfgate.yml, and lines for git: to merge baselines and to ignore logs and reports.",
        discussion: """
            With a log, the file shows its measurements and suggests a limit 10 % above the slowest page. An \
            existing configuration isn't changed; --config names another path. Lines that .gitattributes and \
            .gitignore have aren't added again.

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
        let lines = try [RepositoryLines.merging, .ignoring].compactMap { try repositoryFile(with: $0, call) }
        let starter = StarterConfiguration(measurements: try measurements())
        let text = starter.lines.joined(separator: "\n") + "\n"
        let contents = [(output, text)] + lines.map { ($0.file, $0.text) }
        try OutputFile.write(contents.map { file, text in (file, { Array(text.utf8) }) })
        StandardStream.output.tell("\(file) written.")
        for (file, _, added) in lines {
            StandardStream.output.tell("\(file.path): added \(added.joined(separator: ", ")).")
        }
        let given = Invocation(logs: logs).logsText
        StandardStream.output.show(
            """
            Next, without baselines:
              1. Measure a change and the main branch in turn, on one device:
                 \(MeasureCommand.usual)
            Or with baselines, which later runs are compared with:
              1. Let git merge baselines, once per clone:
                 git config merge.perfgate.driver '\(BaselineFile.mergeDriver)'
              2. Store the logs of a run of the main branch as the baseline, and commit it:
                 perfgate baseline update \(given)
              3. See what a check of a run would gate, and what is missing:
                 perfgate doctor \(given)

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
        if let fault = read.unusable.first { throw CommandError(fault) }
        return read
    }

    /// The file with its missing lines added; `nil` if it has them.
    private func repositoryFile(
        with lines: RepositoryLines, _ call: CallFiles
    ) throws -> (file: OutputFile, text: String, added: [String])? {
        let path = ConfigurationFolder(of: file).path(of: lines.file)
        let old = FileAccess.exists(path) ? String(decoding: try FileAccess.read(path), as: UTF8.self) : ""
        let missing = lines.missing(in: old)
        guard !missing.isEmpty else { return nil }
        return (try call.output(path, for: path), RepositoryLines.text(old, with: missing), missing)
    }

    private var file: String { inputs.file.config ?? GateConfiguration.fileName }
}

extension MeasureCommand {
    /// The call that compares a branch with the main branch: the way to a verdict that needs no baselines.
    static let usual = "perfgate measure --base origin/main --head HEAD --run-command ./measure.sh"
}

/// Lines of one of git's files that a repository with logs or baselines needs.
struct RepositoryLines {
    let file: String
    let lines: [String]
    /// The word that identifies an existing line; `nil`: the line itself.
    var word: String?

    /// The line that lets git merge baselines with perfgate.
    static let merging = RepositoryLines(
        file: ".gitattributes", lines: ["\(GateConfiguration().baselines)/**/*.json merge=perfgate"],
        word: "merge=perfgate")

    /// The lines that let git ignore locks, the leftovers of killed writers, the installed program, and what `measure`, the
    /// measuring scripts and the README's commands write. A folder `main` would be a branch's name to git, and often has sources.
    static let ignoring = RepositoryLines(
        file: ".gitignore",
        lines: [
            ".perfgate-*", "/.perfgate/", "/logs/", "/nights/", "/perfgate-measure/", "/perfgate-rerun/",
            "/perfgate.html",
            "/perfgate.md", "/perfgate.xml", "/result.json",
        ])

    /// The lines that a file lacks. A folder may be ignored with or without slashes around its name.
    func missing(in text: String) -> [String] {
        let words = text.split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("#") }
            .flatMap { $0.split(whereSeparator: \.isWhitespace).map { $0.trimmingCharacters(in: ["/"]) } }
        return lines.filter { !words.contains((word ?? $0).trimmingCharacters(in: ["/"])) }
    }

    static func text(_ text: String, with lines: [String]) -> String {
        let isOpen = !lines.isEmpty && !text.isEmpty && text.last?.isNewline == false
        return text + (isOpen ? "\n" : "") + lines.map { $0 + "\n" }.joined()
    }
}
