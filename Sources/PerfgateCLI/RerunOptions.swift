import ArgumentParser
import PerfgateCompare
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
                call: one that finds logs there ends with 73, so that none are taken for its own.
                """, valueName: "command"))
    var rerunCommand: String?

    @Option(
        help: ArgumentHelp("Write the suspects to this file, for a job that measures them itself.", valueName: "file"))
    var rerunList: String?

    @Option(help: "How suspects are listed: plain, json, xcodebuild or gradle.")
    var rerunFormat = RerunList.Format.plain

    /// Says what can't go together.
    func validate(logs: [String], confirmation: Policy.Confirmation?) throws {
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
    func openList() throws(CommandError) -> RerunListFile? {
        guard let rerunList else { return nil }
        return RerunListFile(file: try ReportFile(rerunList), format: rerunFormat)
    }

    /// The report on logs, after suspects were measured again where a command does that.
    func report(on logs: [String], assess: ([String]) throws -> GateReport) throws -> GateReport {
        guard let rerunCommand else { return try assess(logs) }
        let command = RerunCommand(text: rerunCommand, format: rerunFormat)
        return try Confirmation(rerun: command.run).report(on: logs, assess: assess)
    }
}

/// The file that takes the list of suspects.
struct RerunListFile {
    /// The open file.
    let file: ReportFile
    /// How they are listed.
    let format: RerunList.Format

    /// Writes a report's suspects; those that the list can't name are told in the report.
    func write(suspectsOf report: inout GateReport) throws(CommandError) {
        let list = RerunList(Suspects(report), format: format)
        try file.write(Array(list.text.utf8))
        report.diagnostics = (report.diagnostics + list.diagnostics).sorted()
    }
}
