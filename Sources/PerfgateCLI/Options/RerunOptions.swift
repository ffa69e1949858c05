import ArgumentParser
import Foundation
import PerfgateCompare
import PerfgateFiles
import PerfgateKit

extension RerunList.Format: ExpressibleByArgument {}

/// The flags that have suspects measured again.
struct RerunOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Confirm suspects by running this command, at most twice.",
            discussion: """
                It is run by sh. PERFGATE_RERUN_LIST names a file with the suspects, PERFGATE_OUT the folder that \
                takes the new logs: perfgate-rerun/1, then perfgate-rerun/2. Remove perfgate-rerun before the next \
                call: one that finds logs there ends with 73, so that none are taken for its own. A command that fails \
                confirms nothing: end it with '|| true' where its code doesn't say whether it measured.
                """, valueName: "command"))
    var rerunCommand: String?

    @Option(
        help: ArgumentHelp("Write the suspects to this file, for a job that measures them itself.", valueName: "file"))
    var rerunList: String?

    @Option(help: "How suspects are listed: plain, json, xcodebuild or gradle.")
    var rerunFormat = RerunList.Format.plain

    @Option(
        help: ArgumentHelp(
            "End the rerun command after this many minutes; it then confirms nothing.", valueName: "minutes"))
    var rerunMinutes = Self.usualMinutes

    /// How long a rerun command may take where nothing is said, in minutes.
    static let usualMinutes = 60

    /// Says what can't go together.
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

    /// Puts what the flags imply over what the configuration says.
    func override(_ policy: inout Policy) {
        if rerunCommand != nil { policy.confirmation = .rerun }
    }

    /// Opens the file for the list; `nil` where none is asked for.
    func openList(_ call: CallFiles) throws -> RerunListFile? {
        guard let rerunList else { return nil }
        return RerunListFile(file: try call.output(rerunList, for: "--rerun-list"), format: rerunFormat)
    }

    /// The report, after suspects were measured again where a command does that.
    func report(assess: (_ again: [String]) throws -> GateReport) throws -> GateReport {
        guard let rerunCommand else { return try assess([]) }
        var command = RerunCommand(text: rerunCommand, format: rerunFormat)
        command.patience = Double(rerunMinutes) * 60
        return try Remeasurement(rerun: command.run).report(assess: assess)
    }
}

/// The file that takes the list of suspects.
struct RerunListFile {
    /// The file.
    let file: OutputFile
    /// How they are listed.
    let format: RerunList.Format

    /// Writes a report's suspects; those that the list can't name are told in the report.
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
    /// How the suspects are listed for it.
    let format: RerunList.Format

    /// How many seconds it may take.
    var patience = Double(RerunOptions.usualMinutes * 60)

    /// The folder that takes the logs of all attempts, within the working directory.
    static let folder = "perfgate-rerun"

    /// Runs the command; gives the folder that took its logs. One that stays empty is an input without logs; those of a
    /// command that failed may be of half a measurement.
    func run(for suspects: Suspects, attempt: Int) throws -> String? {
        let folder = "\(Self.folder)/\(attempt)"
        try make(folder)
        let list = RerunList(suspects, format: format)
        ConsoleReport.tell(list.diagnostics)
        return try PrivateFolder.with { place in
            let file = place.appending(path: "suspects")
            try FileAccess.replace(file.path, with: Array(list.text.utf8))
            try launch(["PERFGATE_RERUN_LIST": file.path, "PERFGATE_OUT": Self.absolute(folder)])
            return folder
        }
    }

    /// An older call's logs must not be taken for this one's, and are not removed either.
    private func make(_ folder: String) throws {
        let content = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        guard content.isEmpty else {
            throw CommandError(
                status: .cannotWrite,
                description: "\(folder): it holds the logs of an earlier call. Remove \(Self.folder), and run again.")
        }
        try FileAccess.makeFolder(folder)
    }

    /// Standard output carries the result, so what the command says goes to standard error.
    private func launch(_ variables: [String: String]) throws {
        var process = ChildProcess(["/bin/sh", "-c", text])
        process.variables = variables
        process.isTold = true
        process.patience = patience
        let end = try process.run().end
        guard end != .exited(0) else { return }
        throw RerunFailure(end.words)
    }

    private static func absolute(_ folder: String) -> String {
        "\(FileManager.default.currentDirectoryPath)/\(folder)"
    }
}
