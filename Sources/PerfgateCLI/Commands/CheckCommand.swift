import ArgumentParser
import Foundation
import PerfgateBaselines
import PerfgateCompare
import PerfgateFiles
import PerfgateKit
import PerfgateModel
import PerfgateReport

struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Compares logs with the stored baselines and limits, and fails if a page got worse.",
        discussion: """
            EXAMPLE
              perfgate check logs/ --junit perfgate.xml --html perfgate.html

            Exit codes: 0 passed, 2 something got worse or was not measured, 3 inconclusive and 5 no baseline if the \
            policy makes them fail, 64 usage, 65 bad data, 66 no input, 73 can't write, 78 bad configuration, \
            baseline or template.
            """)

    @Argument(help: "The logs to judge: files, folders, patterns, or - for standard input.") var logs: [String]
    @OptionGroup(title: "Input") var inputs: InputOptions
    @OptionGroup(title: "Input") var folder: BaselineFolder
    @OptionGroup(title: "Input") var pool: PoolOption
    @OptionGroup(title: "Policy") var policy: PolicyOptions
    @OptionGroup(title: "Policy") var rerun: RerunOptions
    @OptionGroup(title: "Output") var outputs: OutputOptions
    @OptionGroup(title: "Recorded stacks") var profiles: ProfileOptions
    @Option(help: .taking("name|dir", "Also compare with a fixed reference: a pinned name, or a folder."))
    var against: String?
    @Option(
        help: .taking("file", "For pages that got worse, list suspicious views from the JSON of `view-lint check`."))
    var views: String?
    @Flag(help: "Only some pages were meant to run: don't report pages without any line as missing.")
    var partial = false

    func validate() throws { try rerun.validate(logs: logs, confirmation: policy.confirmation) }

    func run() throws {
        let call = CallFiles(logs: logs, inputs.file, folder)
        call.read(templates: outputs.templates)
        if let against { call.read(BaselineStore(folder: against)) }
        if let views { call.read(views, as: "the views") }
        try outputs.covering(call) { try judge(call) }
    }

    private func judge(_ call: CallFiles) throws {
        var configuration = try inputs.file.load().naming(baselines: folder.baselines)
        configuration.policy.isPartial = partial
        configuration.policy.poolsBuilds = pool.poolBuilds
        policy.override(&configuration.policy)
        rerun.override(&configuration.policy)
        let store = configuration.store
        let baselines = try store.content()
        var run = GateRun(gate: inputs.gate(configuration), outputs: outputs, call: call, rerun: rerun)
        run.repeated = repeated
        run.why = profiles.run(call).map { run in { try run.explain(&$0) } }
        run.gate.remarks = store.absence.map { [$0] } ?? []
        run.gate.views = try views.map(ViewFindings.init(file:))
        run.gate.pinned = try against.map { try PinnedReference($0, beside: store, repeated) }
        try run.judge(logs, against: .baselines(baselines))
    }

    /// A command that measures again, or that is suggested to the user, must apply the same rule.
    private var repeated: [SuggestedCommand.Argument] {
        var policy = policy
        if rerun.rerunCommand != nil { policy.confirmation = .rerun }
        return .given([.against: against]) + folder.repeated + inputs.repeated
            + (partial ? [.flag(.partial)] : []) + pool.repeated + policy.repeated
    }
}

struct CompareCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compare", abstract: "Compares two sets of logs, without stored baselines.",
        discussion: """
            EXAMPLE
              perfgate compare main/*.ndjson --with branch.ndjson --html report.html

            Exit codes: 0 nothing got worse, 2 something did, 3 inconclusive, 5 the base measured nothing of it, 65 bad \
            data, 66 no input.
            """)

    @Argument(help: "The logs to compare with: files, folders, patterns, or - for standard input.") var base: [String]
    @Option(name: .customLong("with"), parsing: .upToNextOption, help: .taking("logs", "The logs to judge."))
    var candidate: [String]
    @OptionGroup(title: "Input") var inputs: InputOptions
    @OptionGroup(title: "Policy") var policy: PolicyOptions
    @OptionGroup(title: "Output") var outputs: OutputOptions

    func run() throws {
        let call = CallFiles(logs: candidate + base, inputs.file)
        call.read(templates: outputs.templates)
        try outputs.covering(call) { try judge(call) }
    }

    private func judge(_ call: CallFiles) throws {
        var configuration = try inputs.file.load()
        policy.override(&configuration.policy)
        configuration.policy.reportsUnusedRules = false
        try MeasuredFolder.refuse(base, with: candidate)
        var run = GateRun(gate: inputs.gate(configuration), outputs: outputs, call: call)
        run.repeated = inputs.repeated + policy.repeated
        run.gate.measured = try MeasuredFolder(base: base, head: candidate)?.state()
        try run.judge(candidate, against: .logs(base))
    }
}

extension Policy.Confirmation: ExpressibleByArgument {}
extension RerunList.Format: ExpressibleByArgument {}

struct PolicyOptions: ParsableArguments {
    @Option(
        help: .taking("setting", "Whether a suspect must be confirmed by a second run; default: the configuration's."))
    var confirmation: Policy.Confirmation?

    var repeated: [SuggestedCommand.Argument] { .given([.confirmation: confirmation?.rawValue]) }

    func override(_ policy: inout Policy) { policy.confirmation = confirmation ?? policy.confirmation }
}

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
    var rerunMinutes = 60

    func validate(logs: [String], confirmation: Policy.Confirmation?) throws {
        try ValidationError.refuse([
            "'--rerun-minutes \(rerunMinutes)' leaves no time to measure. Give 1 or more.": rerunMinutes <= 0,
            "'--rerun-command' reads the logs again, and standard input can be read only once. Give a file.":
                rerunCommand != nil && logs.contains("-"),
            "'--rerun-command' confirms, and '--confirmation off' says not to. Give one of them.":
                rerunCommand != nil && confirmation == .off,
        ])
    }

    func override(_ policy: inout Policy) { if rerunCommand != nil { policy.confirmation = .rerun } }

    func openList(_ call: CallFiles) throws -> OutputFile? {
        try rerunList.map { try call.output($0, for: "--rerun-list") }
    }

    /// Writes a report's suspects; adds a note to the report about suspects that the list can't name.
    func write(suspectsOf report: inout GateReport, to file: OutputFile) throws {
        let list = RerunList(Suspects(report), format: rerunFormat)
        try file.write(Array(list.text.utf8))
        report.diagnostics = (report.diagnostics + list.diagnostics).sorted()
    }

    /// The report, after measuring suspects again if a command is given.
    func report(assess: (_ again: [String]) throws -> GateReport) throws -> GateReport {
        guard let rerunCommand else { return try assess([]) }
        return try Remeasurement { try measure($0, by: rerunCommand, attempt: $1) }.report(assess: assess)
    }

    /// The folder for the logs of all attempts, in the working directory.
    private static let folder = "perfgate-rerun"

    /// Runs the command and returns the folder of its logs. The logs of a failed command may be incomplete, and a command
    /// without logs confirms nothing.
    private func measure(_ suspects: Suspects, by command: String, attempt: Int) throws -> String {
        let folder = "\(Self.folder)/\(attempt)"
        let isEmpty = { ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).isEmpty }
        // Logs of an earlier call must not count for this call, and must not be removed either.
        guard isEmpty() else {
            throw CommandError(
                .cannotWrite, "\(folder): it contains logs of an earlier call. Remove \(Self.folder) and run again.")
        }
        try FileAccess.makeFolder(folder)
        let list = RerunList(suspects, format: rerunFormat)
        ConsoleReport.tell(list.diagnostics)
        // Only this user can read the temporary folder.
        let place = FileManager.default.temporaryDirectory.appending(path: "perfgate-\(UUID().uuidString)")
        try FileAccess.makeFolder(place.path, mode: 0o700)
        defer { try? FileManager.default.removeItem(at: place) }
        let file = place.appending(path: "suspects").path
        try FileAccess.replace(file, with: Array(list.text.utf8))
        let variables = ["PERFGATE_RERUN_LIST": file, "PERFGATE_OUT": FileAccess.absolute(folder)]
        let end = try ChildProcess.runShell(command, variables, patience: Double(rerunMinutes) * 60)
        if case .tookTooLong = end { throw RerunFailure(end.words + " (--rerun-minutes sets the limit)") }
        guard end == .exited(0) else { throw RerunFailure(end.words) }
        guard !isEmpty() else { throw RerunFailure("wrote no log to $PERFGATE_OUT (\(folder))") }
        return folder
    }
}

/// The steps that `check`, `compare` and `measure` share: open the outputs, read, judge, write, exit.
struct GateRun {
    var gate: Gate
    let outputs: OutputOptions
    let call: CallFiles
    var rerun: RerunOptions?
    /// Explains a red report by recorded stacks; `nil`: there are none.
    var why: ((inout GateReport) throws -> Void)?
    /// A file that gets the report as JSON where no option names one; `nil`: none.
    var kept: String?
    var repeated: [SuggestedCommand.Argument] = []

    /// Judges logs against a base, writes every report, and exits with the code.
    func judge(_ logs: [String], against base: Gate.Base) throws {
        let files = try ReportFiles(outputs, of: call)
        let list = try rerun?.openList(call)
        var gate = gate
        gate.isSoft = outputs.softFail
        let assess = { (again: [String]) in
            gate.call = Invocation(options: repeated, result: outputs.json ?? kept, logs: logs + again)
            return try ReadingProgress.showing(unless: outputs.quiet) {
                try gate.report(on: logs, again: again, against: base, progress: $0)
            }
        }
        var report = try rerun?.report(assess: assess) ?? assess([])
        if let list { try rerun?.write(suspectsOf: &report, to: list) }
        try why?(&report)
        report.job = ReportedJob(variables: ProcessInfo.processInfo.environment)
        try files.write(report)
        if outputs.json == nil, let kept { try FileAccess.replace(kept, with: Array(report.json())) }
        outputs.tell(report)
        // Never freed: the end of the process does it at once, instead of one by one.
        _ = Unmanaged.passRetained(report.comparisons as AnyObject)
        if report.exitCode != 0 { throw ExitCode(Int32(report.exitCode)) }
    }
}
