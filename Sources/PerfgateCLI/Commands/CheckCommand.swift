import ArgumentParser
import PerfgateBaselines
import PerfgateCompare
import PerfgateFiles
import PerfgateKit
import PerfgateModel

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

    @Argument(help: "The logs to judge: files, folders, patterns, or - for standard input.")
    var logs: [String]

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
        try FailureReport(outputs, of: call).cover { try judge(call) }
    }

    private func judge(_ call: CallFiles) throws {
        var configuration = try inputs.configuration().naming(baselines: folder.baselines)
        configuration.policy.isPartial = partial
        configuration.policy.poolsBuilds = pool.poolBuilds
        policy.override(&configuration.policy)
        rerun.override(&configuration.policy)
        let store = configuration.store
        let baselines = try store.content()
        var gate = GateRun(inputs: inputs, outputs: outputs, configuration: configuration, call: call, rerun: rerun)
        gate.remarks = store.absence.map { [$0] } ?? []
        gate.repeated = repeated
        gate.why = profiles.run(call).map { run in { try run.explain(&$0) } }
        gate.views = try views.map(ViewFindings.init(file:))
        gate.pinned = try against.map { try PinnedReference($0, beside: store, gate.repeated) }
        try gate.run(logs, against: .baselines(baselines))
    }

    /// A command that measures again, or that is suggested to the user, must apply the same rule.
    private var repeated: [SuggestedCommand.Argument] {
        var policy = policy
        if rerun.rerunCommand != nil { policy.confirmation = .rerun }
        return (against.map { [.option(.against, $0)] } ?? []) + folder.repeated + inputs.repeated
            + (partial ? [.flag(.partial)] : []) + pool.repeated
            + policy.repeated
    }
}

struct CompareCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compare",
        abstract: "Compares two sets of logs, without stored baselines.",
        discussion: """
            EXAMPLE
              perfgate compare main/*.ndjson --with branch.ndjson --html report.html

            Exit codes: 0 nothing got worse, 2 something did, 3 inconclusive, 5 the base measured nothing of it, 65 bad \
            data, 66 no input.
            """)

    @Argument(help: "The logs to compare with: files, folders, patterns, or - for standard input.")
    var base: [String]

    @Option(name: .customLong("with"), parsing: .upToNextOption, help: .taking("logs", "The logs to judge."))
    var candidate: [String]

    @OptionGroup(title: "Input") var inputs: InputOptions
    @OptionGroup(title: "Policy") var policy: PolicyOptions
    @OptionGroup(title: "Output") var outputs: OutputOptions

    func run() throws {
        let call = CallFiles(logs: candidate + base, inputs.file)
        call.read(templates: outputs.templates)
        try FailureReport(outputs, of: call).cover { try judge(call) }
    }

    private func judge(_ call: CallFiles) throws {
        var configuration = try inputs.configuration()
        policy.override(&configuration.policy)
        configuration.policy.reportsUnusedRules = false
        var gate = GateRun(inputs: inputs, outputs: outputs, configuration: configuration, call: call)
        gate.repeated = inputs.repeated + policy.repeated
        try MeasuredFolder.refuse(base, with: candidate)
        gate.measured = try MeasuredFolder(base: base, head: candidate)?.state()
        try gate.run(candidate, against: .logs(base))
    }
}

extension Policy.Confirmation: ExpressibleByArgument {}

/// The flags that override the configuration's policy.
struct PolicyOptions: ParsableArguments {
    @Option(
        help: .taking("setting", "Whether a suspect must be confirmed by a second run; default: the configuration's."))
    var confirmation: Policy.Confirmation?

    var repeated: [SuggestedCommand.Argument] { confirmation.map { [.option(.confirmation, $0.rawValue)] } ?? [] }

    func override(_ policy: inout Policy) { policy.confirmation = confirmation ?? policy.confirmation }
}
