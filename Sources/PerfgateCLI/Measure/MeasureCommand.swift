import ArgumentParser
import PerfgateCompare
import PerfgateFiles
import PerfgateKit
import PerfgateModel

struct MeasureCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "measure",
        abstract: "Measures base and head in turn on one device, until each comparison is decided.",
        discussion: """
            EXAMPLES
              perfgate measure --base './measure.sh main.ipa' --head './measure.sh branch.ipa' --html report.html
              perfgate measure --base origin/main --head HEAD --build-command ./build.sh --run-command ./measure.sh

            sh runs the commands. Each installs its build, measures, and leaves its logs in PERFGATE_OUT. It gets \
            PERFGATE_SIDE (base or head), PERFGATE_PAIR (from 1), from the third pair on PERFGATE_PAGES_FILE (the \
            pages that are still open, one a line; it may measure others too), with --iterations PERFGATE_ITERATIONS, \
            and with --run-command PERFGATE_TREE, the worktree of its commit. With --profile, and if PERFGATE_PROFILE \
            is 1, it also records stacks, and leaves them there.

            Exit codes as for check: 0 passed, 2 head got worse, crashed or lacks a page, 3 inconclusive if the policy \
            makes that fail, 65 base failed, or another device measured.
            """)

    @Option(help: .taking("command", "The command that measures the base; with --run-command its commit."))
    var base: String
    @Option(help: .taking("command", "The command that measures the head; with --run-command its commit."))
    var head: String
    @Option(help: .taking("command", "The command that builds a commit in PERFGATE_TREE, once."))
    var buildCommand: String?
    @Option(
        help: .taking("command", "The command that measures a commit: --base and --head are then references in git."))
    var runCommand: String?
    @Option(help: .taking("number", "The most pairs of runs; default: 20, or the resumed call's.")) var pairs: Int?
    @Option(help: .taking("limit", "Begin no further pair that would end after this many minutes of all calls."))
    var minutes: Double?
    @Option(help: .taking("limit", "End a run after this many minutes; it then has failed.")) var runMinutes = 30.0
    @Option(help: .taking("number", "The iterations that the commands are asked for.")) var iterations: Int?
    @Option(help: .taking("folder", "The folder for the logs.")) var out = "perfgate-measure"
    @Flag(help: "Go on with the measurement in the folder.") var resume = false
    @Flag(
        help: "If head is worse, record both sides four times more, in turn, and name the function that takes longer.")
    var profile = false
    @OptionGroup(title: "Input") var inputs: InputOptions
    @OptionGroup(title: "Recorded stacks") var code: CodeOptions
    @OptionGroup(title: "Output") var outputs: OutputOptions

    func validate() throws {
        try ValidationError.check([
            ("--pairs", pairs.map(Double.init), 2...1_000), ("--minutes", minutes, 0.001...1e6),
            ("--run-minutes", runMinutes, 0.001...1e6), ("--iterations", iterations.map(Double.init), 1...1_000),
        ])
        if buildCommand != nil, runCommand == nil {
            throw ValidationError("'--build-command' needs '--run-command', the command that measures.")
        }
        guard !out.isEmpty else { throw ValidationError("'--out' is empty. Give a folder.") }
    }

    func run() throws {
        if runCommand == nil, [base, head].allSatisfy({ (try? Git.commit($0)) ?? nil != nil }) {
            throw CommandError(
                .usage,
                line:
                    "'\(base)' and '\(head)' are commits, and nothing says how to measure them: give --run-command, such "
                    + "as --run-command ./measure.sh.")
        }
        let call = CallFiles(logs: [], inputs.file)
        call.read(templates: outputs.templates)
        try FileAccess.makeFolder(out)
        call.readAll(in: out, as: "measurements")
        try outputs.covering(call) { try measure(call) }
    }

    private func measure(_ call: CallFiles) throws {
        let configuration = try inputs.file.load()
        // An output that can't be written ends the call before an hour of measuring.
        _ = try ReportFiles(outputs, of: call)
        let folder = MeasuredFolder(out)
        let lock = try FolderLock(out)
        defer { lock.release() }
        let commits = try runCommand.map { _ in
            [MeasuredSide.base: try Git.commit(base, for: "--base"), .head: try Git.commit(head, for: "--head")]
        }
        let remark = try commits.flatMap(Self.remark)
        if let remark { StandardStream.error.tell("warning: \(remark)") }
        var state = try startingState(
            folder, base: commits?[.base] ?? base, head: commits?[.head] ?? head, command: runCommand)
        try folder.save(state)
        let worktrees = try commits.map { try Worktrees($0, in: "\(out)/trees") }
        defer { worktrees?.remove() }
        let commands = MeasureCommands(
            text: runCommand.map { [.base: $0, .head: $0] } ?? [.base: base, .head: head],
            trees: worktrees?.trees ?? [:])
        try build(commands)
        let driver = MeasureDriver(
            folder: folder, commands: commands, gate: inputs.gate(configuration), patience: runMinutes * 60,
            budget: minutes.map { $0 * 60 } ?? .infinity, iterations: state.iterations,
            progress: ProgressLine(isQuiet: outputs.quiet))
        let end = try driver.measure(from: &state)
        try report(folder, state, configuration, call, end, remark, driver)
    }

    /// What these commits can't show, as sentences: a newcomer who hasn't committed a change would get a green verdict.
    private static func remark(on commits: [MeasuredSide: String]) throws -> String? {
        let isSame = commits[.base] == commits[.head]
        let changed = try Git.lines(["status", "--porcelain", "--untracked-files=no"]) ?? []
        let same = "Base and head are the same commit, \(commits[.head]?.prefix(9) ?? ""): a difference is chance."
        let said = (isSame ? [same] : []) + (changed.isEmpty ? [] : ["Changes that aren't committed aren't measured."])
        return said.isEmpty ? nil : said.joined(separator: " ")
    }

    /// The state of the measurement to go on with, or a new one: what never measured anything begins again, since its
    /// command may have been wrong. Throws a `CommandError` if the folder holds another measurement.
    private func startingState(
        _ folder: MeasuredFolder, base: String, head: String, command: String?
    ) throws -> MeasureState {
        func refuse(_ status: ExitStatus, _ why: String) -> CommandError { CommandError(status, "\(out): \(why)") }
        let earlier = try folder.state()
        let names = ((try? FileAccess.names(in: folder.path)) ?? []).filter { !$0.hasPrefix(".") }
        guard let earlier, earlier.runs.contains(where: { $0.failure == nil }) else {
            if resume, earlier == nil {
                throw refuse(.noInput, "there is no measurement to go on with. Leave out --resume.")
            }
            guard earlier != nil || names.isEmpty else {
                throw refuse(
                    .cannotWrite, "it isn't empty, and its files must not count. Give another --out, or remove it.")
            }
            let most = pairs ?? earlier?.mostPairs ?? MeasureState.usualPairs
            var state = MeasureState(base: base, head: head, command: command, mostPairs: most)
            state.iterations = iterations ?? earlier?.iterations
            return state
        }
        guard resume else {
            let word = SuggestedCommand.Word(path: out)?.quoted ?? "DIR"
            throw refuse(
                .cannotWrite,
                "it holds an earlier measurement. Go on with --resume, or start over: give another --out, or remove the "
                    + "folder (rm -r \(word)).")
        }
        guard earlier.base == base, earlier.head == head, earlier.command == command else {
            let run = earlier.command.map { " --run-command '\($0)'" } ?? ""
            let call = "--base '\(earlier.base)' --head '\(earlier.head)'\(run)"
            throw refuse(.usage, "it measured \(call). Give the same again, or another --out.")
        }
        var state = earlier
        if let pairs {
            let begun = state.runs.map(\.pair).max() ?? 0
            guard pairs >= begun else {
                throw CommandError(
                    .usage, "'--pairs \(pairs)' is less than the \(begun) that were measured. Give \(begun) or more.")
            }
            state.mostPairs = pairs
        }
        state.iterations = iterations ?? state.iterations
        state.retryBase()
        return state
    }

    private func build(_ commands: MeasureCommands) throws {
        guard let buildCommand else { return }
        for side in MeasuredSide.allCases {
            let end = try ChildProcess.runShell(buildCommand, commands.environment(of: side, [:]))
            guard end != .exited(0) else { continue }
            throw CommandError(
                .badData, "\(side.rawValue) can't be built: --build-command \(end.words). Nothing was judged.")
        }
    }

    /// Judges what was measured, writes the reports, and exits with the code.
    private func report(
        _ folder: MeasuredFolder, _ state: MeasureState, _ configuration: GateConfiguration, _ call: CallFiles,
        _ end: MeasuringEnd, _ remark: String?, _ driver: MeasureDriver
    ) throws {
        if let broken = state.broken, state.crash == nil, state.next == nil {
            throw CommandError(
                .badData,
                "base's run failed twice in pair \(broken.pair): nothing can be compared with it. If the command or the "
                    + "device is at fault, mend it and go on with --resume. If the commit is, measure another one, with "
                    + "another --out.")
        }
        if let difference = state.dropped.values.min(), state.countedPairs.isEmpty, state.crash == nil {
            throw CommandError(
                .badData,
                "No pair counts, since the runs of each differ in power or heat (\(difference)). Let the device cool down "
                    + "and charge, and measure again.")
        }
        var run = GateRun(gate: inputs.gate(configuration), outputs: outputs, call: call)
        run.gate.policy.reportsUnusedRules = false
        run.gate.measured = state
        run.gate.remarks = [remark, end.remark].compactMap(\.self).map { Diagnostic(.measuredInPart, $0) }
        (run.kept, run.repeated) = (folder.resultFile, inputs.repeated)
        if profile, case .finished = end { run.why = { name(&$0, driver) } }
        let judge = { try run.judge([folder.logs(of: .head)], against: .logs([folder.logs(of: .base)])) }
        guard case .interrupted(let interruption) = end else { return try judge() }
        if !state.finishedPairs.isEmpty { do { try judge() } catch is ExitCode {} }
        interruption.end()
    }

    /// Records both sides if a page got worse, and names the function. Whatever ends the recording, the verdict stands.
    private func name(_ report: inout GateReport, _ driver: MeasureDriver) {
        guard report.comparisons.contains(where: \.isWorse) else { return }
        let runs = ProfileRuns(folder: "\(out)/profiles", progress: driver.progress)
        do {
            let problem = try runs.record { side, variables in
                let variables = variables.merging(driver.askedIterations) { $1 }
                return try driver.commands.run(side, patience: driver.patience, variables).failure
            }
            if let problem { return report.leaveUnnamed(because: "\(problem).") }
            try WhyRun(base: runs.folder(of: .base), head: runs.folder(of: .head), code: code).explain(&report)
        } catch {
            return report.leaveUnnamed(because: error is Interruption ? "it was interrupted." : "\(error)")
        }
    }
}

extension MeasuringEnd {
    /// Why the verdict isn't final, as a sentence; `nil`: it is.
    fileprivate var remark: String? {
        switch self {
        case .finished: nil
        case .outOfTime: "The time of --minutes ended before every comparison was decided."
        case .interrupted: "The measurement was interrupted. Go on with --resume."
        }
    }
}
