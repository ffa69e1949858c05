import ArgumentParser
import Foundation
import PerfgateBaselines
import PerfgateCompare
import PerfgateFiles
import PerfgateKit
import PerfgateModel
import PerfgateStacks

struct BisectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bisect",
        abstract: "Names the commit that made a page slower, by measuring commits of a range on one device.",
        discussion: """
            EXAMPLES
              perfgate bisect 91c2e0d 4be1a09 --page Search --metric ttil --run './measure.sh {logs}'
              perfgate bisect --result result.json --run ./measure.sh --html search.html --profile
              perfgate bisect --resume

            sh runs the commands in a copy of this checkout; PERFGATE_TREE is the worktree of the commit. A run leaves \
            its logs in the folder {logs} (PERFGATE_OUT). Exit code 125 of a command: this commit can't be measured. \
            With --profile, some runs have PERFGATE_PROFILE=1: the command then records stacks too, and leaves them \
            in the same folder.

            Exit codes: 0 a commit is named, 3 can't tell between several, 4 nothing to find here, 64 usage, 65 not \
            a state of this version, 66 the command fails or there is nothing to go on with, 73 can't write, 78 bad \
            configuration.
            """)

    @Argument(help: "A commit that was good, such as that of the newest stored run.") var good: String?
    @Argument(help: "The commit that is bad.") var bad: String?
    @Option(help: .taking("name", "The page.")) var page: String?
    @Option(help: .taking("id", "The metric, such as ttil.")) var metric: String?
    @Option(
        name: .customLong("run"), help: .taking("command", "The command that measures the commit in PERFGATE_TREE."))
    var runCommand: String?
    @Option(
        name: .customLong("build"),
        help: .taking("command", "The command that builds it there, once; default: --run builds."))
    var buildCommand: String?
    @Option(help: .taking("percent", "How much worse it became, in percent, if it is known.")) var change: Double?
    @Option(help: .taking("number", "The iterations that the command is asked for; default: 15.")) var iterations: Int?
    @Option(help: .taking("number", "The most runs, from 2 to 10000.")) var maxRuns = 60
    @Option(help: .taking("limit", "Begin no run that would end after this many minutes.")) var maxMinutes = 240.0
    @Option(help: .taking("limit", "End a run or a build after this many minutes; it then has failed."))
    var runMinutes = 30.0
    @Option(help: .taking("folder", "The folder for state and logs; default: one for the range in .perfgate/bisect."))
    var out: String?
    @Flag(help: "Go on with the search in the folder; its arguments needn't be given again.") var resume = false
    @Flag(help: "Go on after the first commit, for others that made it worse.") var all = false
    @Flag(help: "Keep the shift that all pages of a run share: search for the commit that slowed them all.")
    var asMeasured = false
    @Flag(help: "Record the named commit and the one before it four times, in turn, and name the function.")
    var profile = false
    @Flag(help: "Print the commits and what to expect, and measure nothing.") var dryRun = false
    @Option(help: .taking("file", "The report of a red check, as --json wrote it; it names all but --run."))
    var result: String?
    @OptionGroup(title: "Input") var file: ConfigurationOption
    @OptionGroup(title: "Input") var baselines: BaselineFolder
    @OptionGroup(title: "Recorded stacks") var code: CodeOptions
    @OptionGroup(title: "Output") var outputs: BisectOutputs

    func validate() throws {
        let given = [("--run", runCommand), ("GOOD and BAD", bad), ("--page", page), ("--metric", metric)]
        if !resume, let missing = given.prefix(result == nil ? 4 : 1).first(where: { ($0.1 ?? "").isEmpty }) {
            throw ValidationError("Missing \(missing.0). Only --resume goes on without.")
        }
        try ValidationError.check([
            ("--max-runs", Double(maxRuns), 2...10_000), ("--max-minutes", maxMinutes, 0.001...1e6),
            ("--run-minutes", runMinutes, 0.001...1e6), ("--iterations", iterations.map(Double.init), 1...1_000),
            ("--change", change, 0.1...10_000),
        ])
        guard out != "" else { throw ValidationError("'--out' is empty. Give a folder.") }
    }

    mutating func run() throws {
        let suspect = try result.flatMap { try take(from: $0) }
        let call = CallFiles(file, baselines)
        if let result { call.read(result, as: "the report") }
        let configuration = try file.load().naming(baselines: baselines.baselines)
        let range = try good.flatMap { good in try bad.map { try CommitRange(good: good, bad: $0) } }
        if dryRun {
            guard let range else { throw ValidationError("'--dry-run' needs GOOD and BAD.") }
            return expectations(try plan(range, configuration, suspect), suspect).forEach(StandardStream.output.tell)
        }
        let folder = BisectFolder(try place(range))
        call.readAll(in: folder.path, as: "measurements")
        let files = try outputs.open(call)
        try FileAccess.makeFolder(folder.path)
        let lock = try FolderLock(folder.path, patience: 2)
        defer { lock.release() }
        let state = try startingState(folder, range, configuration, suspect)
        let baselines = configuration.store.isThere ? try configuration.store.content() : Baselines()
        let copy = try CallersCopy(in: "\(folder.path)/trees")
        let gate = Gate(
            ingest: configuration.ingestOptions, policy: configuration.policy, scoring: configuration.scoring,
            tool: Program.tool)
        var driver = BisectDriver(
            folder: folder, gate: gate, baselines: baselines, copy: copy, patience: runMinutes * 60, budget: maxMinutes,
            progress: ProgressLine(isQuiet: outputs.quiet), state: state)
        defer { driver.clean() }
        var end = try driver.search()
        let functions = profile ? functions(&driver, &end) : []
        try finish(driver, end, files, functions)
    }

    /// Takes what isn't given from the call that a report offers; returns the function that the report names.
    private mutating func take(from result: String) throws -> WhyAnswer.Function? {
        let report = try ResultFile(result).report()
        guard let offered = report.next.map(\.command).first(where: { $0.verb == .bisect }) else {
            throw CommandError(
                .noInput, "\(result): it offers no search, since nothing regressed between two known commits.")
        }
        func values(_ flag: SuggestedCommand.Flag?) -> [String] {
            offered.arguments.filter { $0.flag == flag }.compactMap(\.word).filter { !$0.isBlank }.map(\.text)
        }
        let commits = values(nil)
        if good == nil, commits.count == 2 { (good, bad) = (commits[0], commits[1]) }
        let (offeredPage, offeredMetric) = (values(.page).first, values(.metric).first)
        (page, metric) = (page ?? offeredPage, metric ?? offeredMetric)
        if page == offeredPage, metric == offeredMetric {
            change = change ?? values(.change).first.flatMap(Double.init)
        }
        file.config = file.config ?? values(.config).first
        baselines.baselines = baselines.baselines ?? values(.baselines).first
        if good != nil, bad == nil { throw ValidationError("Missing BAD, the bad commit. Give both, or none.") }
        guard bad != nil, page != nil, metric != nil else {
            throw ValidationError("'--result' has a name that a command can't hold. Give --page and --metric too.")
        }
        let subjects = report.comparisons.filter { [page, metric] in $0.metric.id == metric && $0.page.name == page }
        return subjects.lazy.compactMap(\.why?.function).first
    }

    /// Records each named commit and the one before it, in turn; returns the functions in sentences, or why there is none.
    private func functions(_ driver: inout BisectDriver, _ end: inout MeasuringEnd) -> [String] {
        guard case .finished = end else { return [] }
        var sentences: [String] = []
        let (found, plan) = (driver.state.search.found, driver.state.plan)
        for step in found {
            let commit = plan.commits[step.bad].short
            let lead = found.count > 1 ? "\(commit): " : ""
            let runs = ProfileRuns(folder: "\(driver.folder.path)/profiles/\(commit)", progress: driver.progress)
            do {
                let problem = try runs.record { try driver.profile($0 == .base ? step.good : step.bad, $1) }
                if let problem {
                    sentences.append("\(lead)No function is named: \(problem).")
                    continue
                }
                let profiles = try code.profiles([runs.folder(of: .base), runs.folder(of: .head)])
                let growth = step.share.map { step.before * $0 }
                let question = WhyQuestion(page: plan.page, metric: plan.metric, growth: growth)
                sentences.append(lead + profiles.answer(question).lead)
            } catch let interruption as Interruption {
                end = .interrupted(interruption)
                return sentences
            } catch {
                sentences.append("\(lead)No function is named: \(error)")
            }
        }
        return sentences
    }

    /// Writes the report, and exits with the code of the answer.
    private func finish(
        _ driver: BisectDriver, _ end: MeasuringEnd, _ files: OutputFiles<BisectReport>, _ functions: [String]
    ) throws {
        let state = driver.state
        let notes = try functions + CommitRange.mergeNotes(state) + [resuming(driver, end)].compactMap(\.self)
        let links = ReportedJob(variables: ProcessInfo.processInfo.environment)?.commits
        let report = state.report(tool: Program.tool, notes: notes, commitAddress: links)
        try files.write(report)
        if !outputs.quiet { files.textStream.write(report.text) }
        if case .interrupted(let interruption) = end {
            driver.clean()
            interruption.end()
        }
        if let problem = state.problem, report.steps.isEmpty {
            let way = state.measured.isEmpty ? "give the whole call again" : "remove \(driver.folder.path)"
            throw CommandError(
                state.hasBadLogs ? .badData : .noInput,
                "\(problem) Mend it, and go on with --resume, or \(way) to change the call; all output is in "
                    + "\(driver.folder.path)/output." + driver.lastOutput.map { "\n  \($0)" }.joined())
        }
        try ExitStatus(report).end()
    }

    /// How to go on; `nil`: more runs wouldn't help.
    private func resuming(_ driver: BisectDriver, _ end: MeasuringEnd) -> String? {
        let search = driver.state.search
        var (runs, minutes) = (maxRuns, Int(maxMinutes.rounded(.up)))
        switch end {
        case .interrupted: break
        case .outOfTime: minutes *= 2
        case .finished:
            if search.isUnconfirmed, search.found.isEmpty {
                return "Five pairs didn't confirm it. More --iterations a run tell more, in another --out."
            }
            guard search.isCut else { return nil }
            runs = max(maxRuns, search.runsTaken) + (search.runsNeeded ?? 10)
        }
        let limits: [SuggestedCommand.Argument] =
            (runs == 60 ? [] : [.option(.maxRuns, "\(runs)")])
            + (minutes == 240 ? [] : [.option(.maxMinutes, "\(minutes)")]) + (profile ? [.flag(.profile)] : [])
        let out = SuggestedCommand.Argument.option(.out, driver.folder.path)
        var text = SuggestedCommand(.bisect, [.flag(.resume), out] + limits).text
        // It is the caller's own folder, so any name may be told.
        if out.word?.isBlank ?? true {
            let path = CleanText.line(driver.folder.path).replacing("'", with: #"'\''"#)
            text = text.replacing("--out OUT", with: "--out '\(path)'")
        }
        guard case .measure = search.step, !search.found.isEmpty else { return "Go on with: \(text)" }
        return "Whether other commits changed it too isn't known yet. Go on with: \(text)"
    }

    private static let usualFolder = ".perfgate/bisect"

    private func place(_ range: CommitRange?) throws -> String {
        if let out { return out }
        if let range, let page, let metric {
            let ends = [range.commits[0], range.commits[range.commits.count - 1]].map(\.short)
            let parts = [page, metric] + ends + (asMeasured ? ["as-measured"] : [])
            return "\(Self.usualFolder)/\(FileName(for: parts.joined(separator: "-")).text)"
        }
        let known = ((try? FileAccess.names(in: Self.usualFolder)) ?? []).map { "\(Self.usualFolder)/\($0)" }
            .filter { FileAccess.exists(BisectFolder($0).stateFile) }
        guard known.count != 1 else { return known[0] }
        let what =
            known.isEmpty ? "There is no search to go on with in \(Self.usualFolder)" : "There are several searches"
        throw CommandError(
            known.isEmpty ? .noInput : .usage, line: "\(what). Give its --out. \(known.joined(separator: ", "))")
    }

    private func plan(
        _ range: CommitRange, _ configuration: GateConfiguration, _ suspect: WhyAnswer.Function?
    ) throws -> BisectPlan {
        let source = BisectPlan.source(of: page ?? "", configuration.policy)
        let touched = try range.touching(source.map { [":(top,literal)\($0)"] } ?? [])
        let pinned = try range.touching(CommitRange.locks)
        // A named function tells more than a page's folder.
        let leads =
            try suspect.map { try range.leads($0) + [.init(1.5, touched), .init(1.5, pinned)] }
            ?? [.init(8, touched), .init(4, pinned)]
        return BisectPlan(
            commits: range.commits, page: page ?? "", metric: metric ?? "", run: runCommand ?? "", build: buildCommand,
            iterations: iterations ?? 15, change: change.map { $0 / 100 }, asMeasured: asMeasured,
            weights: BisectPlan.weights(range.commits.count - 1, leads))
    }

    /// The state of the search to go on with, or a new one: a whole call begins again what never measured anything, since
    /// its command may have been wrong. Throws a `CommandError` if the folder holds another search.
    private func startingState(
        _ folder: BisectFolder, _ range: CommitRange?, _ configuration: GateConfiguration,
        _ suspect: WhyAnswer.Function?
    ) throws -> BisectState {
        func refuse(_ status: ExitStatus, _ why: String) -> CommandError {
            CommandError(status, "\(folder.path): \(why)")
        }
        let earlier = try folder.state(mostRuns: maxRuns)
        let isWhole = range != nil && page != nil && metric != nil && runCommand != nil
        guard var state = earlier, !isWhole || !state.measured.isEmpty else {
            guard earlier != nil || !resume, let range else {
                throw refuse(.noInput, "there is no search to go on with. Leave out --resume.")
            }
            let names = (try? FileAccess.names(in: folder.path)) ?? []
            guard earlier != nil || names.allSatisfy({ $0 == "state.ndjson" }) else {
                throw refuse(
                    .cannotWrite, "it isn't empty, and its files must not count. Give another --out, or remove it.")
            }
            let plan = try plan(range, configuration, suspect)
            try FileAccess.replace("\(folder.path)/.gitignore", with: Array("*\n".utf8))
            try FileAccess.replace(folder.stateFile, with: [])
            try folder.append(plan)
            if !outputs.quiet { expectations(plan, suspect).forEach(StandardStream.error.tell) }
            var state = BisectState(plan, mostRuns: maxRuns)
            if all { try folder.append(.all, to: &state) }
            return state
        }
        guard resume else {
            throw refuse(.cannotWrite, "it holds an earlier search. Go on with --resume, or remove the folder.")
        }
        let plan = state.plan
        func differs<Value: Equatable>(_ given: Value?, _ known: Value?) -> Bool { given != nil && given != known }
        let others = [
            ("GOOD and BAD", differs(range?.commits.map(\.hash), plan.commits.map(\.hash))),
            ("--page", differs(page, plan.page)), ("--metric", differs(metric, plan.metric)),
            ("--run", differs(runCommand, plan.run)), ("--build", differs(buildCommand, plan.build)),
            ("--iterations", differs(iterations, plan.iterations)),
            ("--change", differs(change.map { $0 / 100 }, plan.change)),
            ("--as-measured", asMeasured && !plan.asMeasured),
        ]
        if let (other, _) = others.first(where: \.1) {
            let way = state.measured.isEmpty ? "Give the whole call" : "Give the same again or none, or another --out"
            throw refuse(.usage, "it searched with another \(other). \(way).")
        }
        if all, !state.findsAll { try folder.append(.all, to: &state) }
        if state.problem != nil { try folder.append(.resumed, to: &state) }
        if !outputs.quiet { StandardStream.error.tell("perfgate: going on with --run '\(CleanText.line(plan.run))'") }
        return state
    }
}
