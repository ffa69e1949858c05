import ArgumentParser
import PerfgateCompare
import PerfgateField
import PerfgateFiles
import PerfgateKit
import PerfgateModel
import PerfgateStacks

struct FieldCheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Compares two releases by their users' measurements, and fails if a page got worse.",
        discussion: """
            Roll up the pair with --pair first. It makes both releases comparable: it weights each event so that \
            devices, systems, networks and low-power mode have the same shares in both.

            EXAMPLE
              perfgate field rollup events/ --pair 7.117:7.129
              perfgate field check --base 7.117 --candidate 7.129 --html release.html

            Exit codes: 0 passed, 2 something got worse or has no events any more, 3 inconclusive and 5 nothing to \
            compare with if the policy makes them fail, 64 usage, 66 no such pair, some of its days \
            lack events, or --hangs holds no payload, \
            73 can't write, 78 bad configuration, store or template.
            """)

    @Option(help: .taking("release", "The release to compare with."))
    var base: String

    @Option(help: .taking("release", "The release to judge."))
    var candidate: String

    @OptionGroup(title: "Input") var folder: FieldFolder
    @OptionGroup(title: "Input") var file: ConfigurationOption
    @OptionGroup(title: "Input") var days: FieldDays

    @Option(help: .taking("identifier", "Judge only this app; default: all apps with events of the pair."))
    var app: String?

    @Option(
        help: .taking("file", "For pages that got worse, list suspicious views from the JSON of `view-lint check`."))
    var views: String?

    @Option(
        help: .taking(
            "folder", "List the heaviest stacks of hangs from payloads of MetricKit, as evidence. Repeatable."))
    var hangs: [String] = []

    @OptionGroup(title: "Output") var outputs: OutputOptions

    func validate() throws {
        for (flag, name) in [("--base", base), ("--candidate", candidate)] where name.isEmpty {
            throw ValidationError("'\(flag)' needs the name of a release, as app_version says it.")
        }
        if base == candidate {
            throw ValidationError("'--base' and '--candidate' are both \(base). Name two releases.")
        }
    }

    func run() throws {
        let call = CallFiles(file)
        call.read(templates: outputs.templates)
        if let views { call.read(views, as: "the views") }
        for path in hangs {
            call.read(path, as: "the hangs")
            call.readAll(in: path, as: CallFiles.Content("hangs", endings: []))
        }
        for part in ["days", "pairs"] {
            call.readAll(in: "\(folder.field)/\(part)", as: CallFiles.Content("roll-ups", endings: []))
        }
        try FailureReport(outputs, of: call).cover { try judge(call) }
    }

    private func judge(_ call: CallFiles) throws {
        let configuration = try file.load()
        let files = try ReportFiles(outputs, of: call)
        var gate = FieldGate()
        (gate.policy, gate.known, gate.scoring) = (
            configuration.policy, KnownMetrics(own: configuration.policy.metrics.compactMapValues(\.declaration)),
            configuration.scoring
        )
        (gate.app, gate.since, gate.until) = (app, days.since, days.until)
        (gate.isSoft, gate.tool) = (outputs.softFail, Program.tool)
        gate.views = try views.map(ViewFindings.init(file:))
        gate.hangs = try reportedHangs()
        gate.call = Invocation(options: repeated, result: outputs.json)
        let report = try FieldFault.covering {
            try gate.report(on: folder.store, FieldPair(base: base, candidate: candidate))
        }
        try files.write(report)
        ConsoleReport(outputs).tell(report)
        if report.exitCode != 0 { throw ExitCode(Int32(report.exitCode)) }
    }

    /// The hangs of the given files; throws if a path doesn't exist, or if no file holds a payload.
    private func reportedHangs() throws(CommandError) -> ReportedHangs? {
        guard !hangs.isEmpty else { return nil }
        let reports = HangReports(hangs)
        var problem = reports.absent.first.map { "\($0.path): \($0.message)" }
        if problem == nil, reports.isEmpty {
            let first = reports.hangs.diagnostics.first.map { " \($0.path ?? ""): \($0.message)" } ?? ""
            problem = "No file holds a payload of MetricKit.\(first)"
        }
        if let problem { throw CommandError(status: .noInput, description: "--hangs: \(CleanText.line(problem))") }
        return reports.hangs
    }

    private var repeated: [SuggestedCommand.Argument] {
        let folder: [SuggestedCommand.Argument] =
            folder.field == FieldFolder.standard ? [] : [.option(.field, folder.field)]
        let texts: [(SuggestedCommand.Flag, String?)] = [
            (.app, app), (.since, days.since?.text), (.until, days.until?.text),
        ]
        return [.option(.base, base), .option(.candidate, candidate)] + folder + file.repeated
            + texts.compactMap { flag, text in text.map { .option(flag, $0) } }
    }
}
