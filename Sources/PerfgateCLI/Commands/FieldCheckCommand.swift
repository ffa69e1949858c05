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
            devices, systems, networks and low-power mode have the same shares in both. Instead of releases, the \
            sides may be two values of a tag, to which an experiment assigns users by chance.

            EXAMPLE
              perfgate field rollup events/ --pair 7.117:7.129
              perfgate field check --base 7.117 --candidate 7.129 --html release.html
              perfgate field check --base checkout=old --candidate checkout=new

            Exit codes: 0 passed, 2 something got worse or has no events any more, 3 inconclusive and 5 nothing to \
            compare with if the policy makes them fail, 64 usage, 66 no such pair, some of its days \
            lack events, or --hangs holds no payload, \
            73 can't write, 78 bad configuration, store or template.
            """)

    @Option(help: .taking("release", "The release to compare with."))
    var base: String

    @Option(help: .taking("release", "The release to judge."))
    var candidate: String

    @Option(help: .taking("version", "The release whose users an experiment's arms are; default: all."))
    var release: String?

    @Option(
        help: .taking("base:candidate", "The planned shares of an experiment's arms, such as 90:10; default: equal."))
    var split: String?

    @Option(
        help: .taking(
            "number", "How often an experiment is checked while it runs: the error rate is of all checks together."))
    var looks = 1

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
        try folder.validate(pair)
        if pair.arms == nil {
            for (flag, isGiven) in [("--release", release != nil), ("--split", split != nil), ("--looks", looks != 1)]
            where isGiven {
                throw ValidationError(
                    "'\(flag)' is for an experiment: name its arms, '--base TAG=VALUE --candidate TAG=VALUE'.")
            }
        }
        if let split, share == nil {
            throw ValidationError("'--split \(split)' isn't two shares above 0. Write it as 50:50 or 90:10.")
        }
        guard looks > 0 else { throw ValidationError("'--looks \(looks)' must be at least 1.") }
    }

    private var pair: FieldPair { FieldPair(base: base, candidate: candidate, release: release) }

    /// The planned share of the candidate's users; `nil` if the shares can't be read.
    private var share: Double? {
        let parts = (split ?? "50:50").split(separator: ":", omittingEmptySubsequences: false).map { Double($0) ?? 0 }
        guard parts.count == 2, parts.allSatisfy({ $0 > 0 && $0.isFinite }) else { return nil }
        return parts[1] / (parts[0] + parts[1])
    }

    func run() throws {
        let call = CallFiles(file)
        call.read(templates: outputs.templates)
        if let views { call.read(views, as: "the views") }
        for path in hangs {
            call.read(path, as: "the hangs")
            call.readAll(in: path, as: CallFiles.Content("hangs", endings: []))
        }
        for part in folder.via == nil ? ["days", "pairs"] : [] {
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
        (gate.share, gate.looks) = (share ?? 0.5, looks)
        (gate.isSoft, gate.tool) = (outputs.softFail, Program.tool)
        gate.views = try views.map(ViewFindings.init(file:))
        gate.hangs = try reportedHangs()
        gate.call = Invocation(options: repeated, result: outputs.json)
        var options = FieldOptions()
        options.mapping = configuration.field
        options.pair = pair
        (options.since, options.until, options.today) = (days.since, days.until, .today)
        let needsDays = !options.strata.isEmpty || !(configuration.scoring?.formulas.isEmpty ?? true)
        let report = try folder.reading(options, needsDays: needsDays) { store in
            try FieldFault.covering { try gate.report(on: store, pair) }
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
        let texts: [(SuggestedCommand.Flag, String?)] = [
            (.release, release), (.split, split), (.looks, looks == 1 ? nil : String(looks)), (.app, app),
            (.since, days.since?.text), (.until, days.until?.text),
        ]
        return [.option(.base, base), .option(.candidate, candidate)] + folder.repeated + file.repeated
            + texts.compactMap { flag, text in text.map { .option(flag, $0) } }
    }
}
