import ArgumentParser

/// `perfgate compare`: one set of logs against another, without a store.
struct CompareCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compare",
        abstract: "Compares one set of logs with another, without a store of baselines.",
        discussion: """
            EXAMPLE
              perfgate compare main/*.ndjson --with branch.ndjson --html report.html

            Exit codes: 0 nothing got worse, 2 something did, 65 bad data, 66 no input.
            """)

    @Argument(help: "The logs to compare with: files, folders, patterns, or - for standard input.")
    var base: [String]

    @Option(name: .customLong("with"), parsing: .upToNextOption, help: "The logs to judge.")
    var candidate: [String]

    @OptionGroup(title: "Input") var inputs: InputOptions
    @OptionGroup(title: "Policy") var policy: PolicyOptions
    @OptionGroup(title: "Output") var outputs: OutputOptions

    func run() throws {
        try FailureReport(outputs).cover(candidate + base, judge)
    }

    private func judge() throws {
        var configuration = try inputs.configuration()
        policy.override(&configuration.policy)
        configuration.policy.tellsIdleRules = false
        let gate = GateRun(inputs: inputs, outputs: outputs, configuration: configuration)
        try gate.run(candidate, against: .logs(base))
    }
}
