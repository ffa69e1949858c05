import ArgumentParser
import PerfgateCompare
import PerfgateField
import PerfgateFiles
import PerfgateKit
import PerfgateModel

/// `perfgate field check`: the gate for releases.
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
            compare with if the policy makes them fail, 64 usage, 66 no such pair, or some of its days lack events, \
            73 can't write, 78 bad configuration, store or template.
            """)

    @Option(help: ArgumentHelp("The release to compare with.", valueName: "release"))
    var base: String

    @Option(help: ArgumentHelp("The release to judge.", valueName: "release"))
    var candidate: String

    @OptionGroup(title: "Input") var folder: FieldFolder
    @OptionGroup(title: "Input") var file: ConfigurationOption
    @OptionGroup(title: "Input") var days: FieldDays

    @Option(
        help: ArgumentHelp(
            "Judge only this app; default: all apps with events of the pair.", valueName: "identifier"))
    var app: String?

    @Option(
        help: ArgumentHelp(
            "For pages that got worse, list suspicious views from the JSON of `view-lint check`.",
            valueName: "file"))
    var views: String?

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
        gate.call = Invocation(options: repeated, result: outputs.json)
        let report = try FieldFault.covering {
            try gate.report(on: folder.store, FieldPair(base: base, candidate: candidate))
        }
        try files.write(report)
        ConsoleReport(outputs).tell(report)
        if report.exitCode != 0 { throw ExitCode(Int32(report.exitCode)) }
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
