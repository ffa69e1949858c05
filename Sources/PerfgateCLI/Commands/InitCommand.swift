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
        abstract: "Writes a commented starter of perfgate.yml, and the line that lets git merge baselines.",
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
        let attributes = try attributes(call)
        let starter = StarterConfiguration(measurements: try measurements())
        let text = starter.lines.joined(separator: "\n") + "\n"
        let contents = [(file: output, text: text)] + attributes
        try OutputFile.write(contents.map { content in (content.file, { Array(content.text.utf8) }) })
        StandardStream.output.tell("\(file) written.")
        for attribute in attributes { StandardStream.output.tell("\(attribute.file.path): line added.") }
        StandardStream.output.write(
            """
            To let git merge baselines, run this once a clone:
              git config merge.perfgate.driver '\(MergeAttribute.driver)'

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

    /// The file of attributes with the line that it lacks; empty where it has it.
    private func attributes(_ call: CallFiles) throws -> [(file: OutputFile, text: String)] {
        let path = ConfigurationFolder(of: file).path(of: MergeAttribute.fileName)
        let old = FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) } ?? ""
        return try MergeAttribute.added(to: old).map { [(try call.output(path, for: path), $0)] } ?? []
    }

    private var file: String { inputs.file.config ?? GateConfiguration.fileName }
}

/// The line of `.gitattributes` by which git merges baselines with perfgate.
enum MergeAttribute {
    /// The file that holds it.
    static let fileName = ".gitattributes"
    /// What git must be told to run for it.
    static let driver = "perfgate baseline merge %O %A %B"

    private static let line = "\(GateConfiguration().baselines)/**/*.json merge=perfgate"

    /// A file's text with the line at its end; `nil` where a line names the driver already.
    static func added(to text: String) -> String? {
        let names = text.split(whereSeparator: \.isNewline).contains { line in
            !line.hasPrefix("#") && line.split(whereSeparator: \.isWhitespace).contains("merge=perfgate")
        }
        guard !names else { return nil }
        return text + (text.isEmpty || text.last?.isNewline == true ? "" : "\n") + line + "\n"
    }
}
