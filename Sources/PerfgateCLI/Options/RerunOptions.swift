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
    func openList(_ call: CallFiles) throws -> RerunListFile? {
        guard let rerunList else { return nil }
        return RerunListFile(file: try call.output(rerunList, for: "--rerun-list"), format: rerunFormat)
    }

    /// The report, after suspects were measured again where a command does that.
    func report(assess: (_ again: [String]) throws -> GateReport) throws -> GateReport {
        guard let rerunCommand else { return try assess([]) }
        let command = RerunCommand(text: rerunCommand, format: rerunFormat)
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
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", text]
        process.environment = ProcessInfo.processInfo.environment.merging(variables) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.standardError
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus != 0 else { return }
        let word = process.terminationReason == .uncaughtSignal ? "was ended by signal" : "ended with code"
        throw RerunFailure("\(word) \(process.terminationStatus)")
    }

    private static func absolute(_ folder: String) -> String {
        "\(FileManager.default.currentDirectoryPath)/\(folder)"
    }
}

/// A program that is run to its end, its output collected.
struct ChildProcess {
    /// What a program left.
    struct Output {
        /// Its exit code, or the signal that ended it.
        let status: Int32
        /// What it wrote to standard output.
        let output: [UInt8]
        /// What it wrote to standard error.
        let error: [UInt8]
    }

    /// The program, found by `PATH`, and its arguments.
    let arguments: [String]

    /// Makes a process of its words.
    init(_ arguments: [String]) {
        self.arguments = arguments
    }

    /// Runs the program with bytes on its standard input. Files stand between, so that no pipe can fill up; nobody
    /// else can read them.
    func run(input: [UInt8] = []) throws -> Output {
        try PrivateFolder.with { folder in try run(input: input, in: folder) }
    }

    private func run(input: [UInt8], in folder: URL) throws -> Output {
        let files = ["input", "output", "error"].map { folder.appending(path: $0) }
        for (file, bytes) in zip(files, [input, [], []]) { try FileAccess.replace(file.path, with: bytes) }
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = arguments
        process.standardInput = try FileHandle(forReadingFrom: files[0])
        process.standardOutput = try FileHandle(forWritingTo: files[1])
        process.standardError = try FileHandle(forWritingTo: files[2])
        try process.run()
        process.waitUntilExit()
        return Output(
            status: process.terminationStatus, output: Array(try Data(contentsOf: files[1])),
            error: Array(try Data(contentsOf: files[2])))
    }
}

/// A folder for a moment, that only this user can look into.
enum PrivateFolder {
    /// Makes the folder, calls the work, and removes it again with all that is in it.
    static func with<Result>(_ work: (URL) throws -> Result) throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appending(path: "perfgate-\(UUID().uuidString)")
        try FileAccess.makeFolder(folder.path, mode: 0o700)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try work(folder)
    }
}
