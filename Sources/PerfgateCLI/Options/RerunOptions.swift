import ArgumentParser
import Foundation
import PerfgateCompare
import PerfgateFiles
import PerfgateKit

extension RerunList.Format: ExpressibleByArgument {}

/// The flags for measuring suspects again.
struct RerunOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Confirm suspects by running this command, at most twice.",
            discussion: """
                sh runs it. PERFGATE_RERUN_LIST is the path of a file with the suspects, PERFGATE_OUT the folder for \
                the new logs: perfgate-rerun/1, then perfgate-rerun/2. Remove perfgate-rerun before the next call: a \
                call that finds logs there ends with 73 instead of using them. A failed command confirms nothing: \
                append '|| true' if its exit code doesn't say whether it measured.
                """, valueName: "command"))
    var rerunCommand: String?

    @Option(help: .taking("file", "Write the suspects to this file, for another job that measures them."))
    var rerunList: String?

    @Option(help: .taking("format", "The format of the suspects: plain, json, xcodebuild or gradle."))
    var rerunFormat = RerunList.Format.plain

    @Option(help: .taking("minutes", "End the rerun command after this many minutes; it then confirms nothing."))
    var rerunMinutes = Self.usualMinutes

    /// The default timeout of a rerun command, in minutes.
    static let usualMinutes = 60

    func validate(logs: [String], confirmation: Policy.Confirmation?) throws {
        guard rerunMinutes > 0 else {
            throw ValidationError("'--rerun-minutes \(rerunMinutes)' leaves no time to measure. Give 1 or more.")
        }
        guard rerunCommand != nil else { return }
        if logs.contains("-") {
            throw ValidationError(
                "'--rerun-command' reads the logs again, and standard input can be read only once. Give a file.")
        }
        if confirmation == .off {
            throw ValidationError("'--rerun-command' confirms, and '--confirmation off' says not to. Give one of them.")
        }
    }

    func override(_ policy: inout Policy) { if rerunCommand != nil { policy.confirmation = .rerun } }

    /// Opens the file for the list; `nil` without the flag.
    func openList(_ call: CallFiles) throws -> RerunListFile? {
        guard let rerunList else { return nil }
        return RerunListFile(file: try call.output(rerunList, for: "--rerun-list"), format: rerunFormat)
    }

    /// The report, after measuring suspects again if a command is given.
    func report(assess: (_ again: [String]) throws -> GateReport) throws -> GateReport {
        guard let rerunCommand else { return try assess([]) }
        var command = RerunCommand(text: rerunCommand, format: rerunFormat)
        command.patience = Double(rerunMinutes) * 60
        return try Remeasurement(rerun: command.run).report(assess: assess)
    }
}

struct RerunListFile {
    let file: OutputFile
    let format: RerunList.Format

    /// Writes a report's suspects; adds a note to the report about suspects that the list can't name.
    func write(suspectsOf report: inout GateReport) throws {
        let list = RerunList(Suspects(report), format: format)
        try file.write(Array(list.text.utf8))
        report.diagnostics = (report.diagnostics + list.diagnostics).sorted()
    }
}

/// The command that measures suspects again.
struct RerunCommand {
    /// The command's text, for `sh`.
    let text: String
    let format: RerunList.Format

    /// The timeout in seconds.
    var patience = Double(RerunOptions.usualMinutes * 60)

    /// The folder for the logs of all attempts, in the working directory.
    static let folder = "perfgate-rerun"

    /// Runs the command and returns the folder of its logs. The logs of a failed command may be incomplete, and a command
    /// without logs confirms nothing.
    func run(for suspects: Suspects, attempt: Int) throws -> String? {
        let folder = "\(Self.folder)/\(attempt)"
        try make(folder)
        let list = RerunList(suspects, format: format)
        ConsoleReport.tell(list.diagnostics)
        return try PrivateFolder.with { place in
            let file = place.appending(path: "suspects")
            try FileAccess.replace(file.path, with: Array(list.text.utf8))
            try launch(["PERFGATE_RERUN_LIST": file.path, "PERFGATE_OUT": FileAccess.absolute(folder)])
            guard !content(of: folder).isEmpty else { throw RerunFailure("wrote no log to $PERFGATE_OUT (\(folder))") }
            return folder
        }
    }

    /// Logs of an earlier call must not count for this call, and must not be removed either.
    private func make(_ folder: String) throws {
        guard content(of: folder).isEmpty else {
            throw CommandError(
                status: .cannotWrite,
                description: "\(folder): it contains logs of an earlier call. Remove \(Self.folder) and run again.")
        }
        try FileAccess.makeFolder(folder)
    }

    private func content(of folder: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    }

    private func launch(_ variables: [String: String]) throws {
        let end = try ChildProcess.runShell(text, variables, patience: patience)
        guard end != .exited(0) else { return }
        if case .tookTooLong = end { throw RerunFailure(end.words + " (--rerun-minutes sets the limit)") }
        throw RerunFailure(end.words)
    }
}
