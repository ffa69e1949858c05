import ArgumentParser
import PerfgateCompare
import PerfgateField
import PerfgateFiles
import PerfgateIngest
import PerfgateKit
import PerfgateModel
import PerfgateReport

extension FieldStratum: ExpressibleByArgument {}

struct FieldTrendCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trend", abstract: "Shows when a page became slower for real users, and draws graphs by day.",
        discussion: """
            It looks for drift in the daily p75 of each page and metric: lasting changes of 3 % or more, with the \
            release that spread at that time. The graphs show p50, p75 and p90 by day.

            EXAMPLE
              perfgate field trend --html trend.html
              perfgate field trend Search ttil --by os --html search.html

            Exit codes: 0 done, 2 drift of a gated metric for the worse and 3 too few days with --fail-on-drift, \
            64 usage, 66 no data, or no such page or value, 73 can't write, 78 bad configuration, store or template, \
            or a store without that column.
            """)

    @Argument(help: "The page, by name or by baseline file name; default: all.") var page: String?
    @Argument(help: "The metric, such as ttil; default: all.") var metric: String?
    @OptionGroup var file: ConfigurationOption
    @OptionGroup var folder: FieldFolder
    @OptionGroup var days: FieldDays
    @Option(help: .taking("identifier", "The app; by default each app has its own graphs.")) var app: String?
    @Option(
        help: .taking(
            "condition",
            "Use only events with these values, such as 'os=iOS 17' or tags.market=de: app_version, and what field.by and "
                + "field.tags list; separate several by commas."))
    var `where`: [String] = []
    @Option(
        help: .taking("field", "Draw a line for each os, device_class, network, low_power or tags.NAME of the roll-up.")
    )
    var by: FieldStratum?
    @OptionGroup(title: "Output") var outputs: TrendOutputs

    func validate() throws {
        try Condition.validate(`where`) { field in
            guard FieldTrend.Field(condition: field) == nil else { return }
            let names = ["app_version"] + FieldStratum.allCases.map(\.rawValue) + ["tags.NAME"]
            throw Condition.unknown(field, "names no column of a roll-up", among: names)
        }
    }

    func run() throws {
        let call = CallFiles(file)
        if folder.via == nil { call.readAll(in: folder.field, as: "roll-ups", endings: [".csv.gz"]) }
        let files = try outputs.open(call)
        var trends = FieldTrends(tool: Program.tool)
        (trends.page, trends.metric, trends.policy) = (page, metric, try file.load().policy)
        (trends.question.by, trends.question.since, trends.question.until) = (by, days.since, days.until)
        if let app { trends.question.conditions[.app] = [app] }
        for condition in Condition.texts(`where`).compactMap(Condition.init) {
            guard let field = FieldTrend.Field(condition: condition.field) else { continue }
            trends.question.conditions[field, default: []].insert(condition.value)
        }
        var options = FieldOptions(FieldMapping(), nil, days)
        let wanted = trends.question.conditions.keys.compactMap(\.stratum) + [by].compactMap(\.self)
        options.mapping.strata = wanted
        for case .tag(let name) in wanted { options.mapping.tags[name] = .name(name) }
        try outputs.finish(try folder.reading(options) { try trends.report(of: $0) }, files)
    }
}

struct TrendCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trend", abstract: "Shows at which run and commit a page became slower, and draws graphs by run.",
        discussion: """
            It looks for lasting changes of 3 % or more in the medians of the runs of one environment, ordered by \
            their start, and names the commits between which each change came. It reads logs, the stored baselines, \
            or both.

            EXAMPLE
              perfgate trend nightly/*.ndjson --html history.html
              perfgate trend --page Search
              perfgate trend new/ --baselines Baselines --metric ttil --html history.html

            Exit codes: 0 done, 2 drift of a gated metric for the worse and 3 too few runs with --fail-on-drift, \
            64 usage, 65 an unusable log was skipped, 66 no run, or no such page or metric, 73 can't write, 78 bad \
            configuration, baseline or template.
            """)

    @Argument(help: "The logs: files, folders, patterns, or - for standard input; default: the runs in the baselines.")
    var logs: [String] = []
    @Option(help: .taking("name", "The page, by name or by baseline file name; default: all.")) var page: String?
    @Option(help: .taking("id", "The metric, such as ttil; default: all.")) var metric: String?
    @OptionGroup(title: "Input") var inputs: InputOptions
    @OptionGroup(title: "Input") var folder: BaselineFolder
    @OptionGroup(title: "Output") var outputs: TrendOutputs

    func run() throws {
        let files = try outputs.open(CallFiles(logs: logs, inputs.file, folder))
        let configuration = try inputs.file.load()
        var trends = RunTrends(tool: Program.tool)
        (trends.page, trends.metric, trends.policy) = (page, metric, configuration.policy)
        if logs.isEmpty || folder.baselines != nil {
            let store = folder.store(configuration)
            guard store.isThere else { throw store.nothingStored(folder.repeated + inputs.file.repeated) }
            trends.add(try store.content())
            if logs.isEmpty {
                trends.notes.append(
                    "Baselines keep the newest \(configuration.window.runs) runs of a metric, and start over with "
                        + "each accepted change. For more, give the logs: perfgate trend LOGS. To compare with a level "
                        + "that doesn't move: perfgate baseline pin.")
            }
        }
        var faults: [FaultyInput] = []
        if !logs.isEmpty {
            let read = Ingest(inputs.ingestOptions(configuration)).read(logs)
            let runs = CollectedRuns(trendsOf: read, policy: configuration.policy)
            ConsoleReport.tell(runs.diagnostics + runs.faults.map(Diagnostic.init))
            faults = read.unusable + runs.faults
            trends.add(runs)
        }
        let status = ExitStatus.mostUrgent(faults.map { ExitStatus($0.fault) })
        if trends.isEmpty { try status.end() }
        try outputs.finish(try trends.report(), files, status)
    }
}

struct TrendOutputs: ParsableArguments {
    @Option(help: .taking("file", "Write the graphs as HTML to this file; - is standard output, here and below."))
    var html: String?
    @Option(help: .taking("file", "Write the values and findings as JSON to this file.")) var json: String?
    @Option(help: .taking("folder", "A folder with templates that replace the built-in ones.")) var templates: String?
    @Flag(help: "Exit with 2 if a gated metric became worse and stayed, 3 if there is too little data.")
    var failOnDrift = false
    @Flag(name: .shortAndLong, help: "Write no text to standard output.") var quiet = false

    func open(_ call: CallFiles) throws -> OutputFiles<TrendReport> {
        call.read(templates: templates)
        let templates = try TemplateSet(overridingFolder: templates)
        return try OutputFiles(
            of: call,
            [
                (html, "--html", { Array(HTMLTrend($0, templates: templates).text.utf8) }),
                (json, "--json", { JSONTrend($0).bytes() }),
            ])
    }

    /// Writes the outputs and the text, and exits with the code.
    func finish(_ report: TrendReport, _ files: OutputFiles<TrendReport>, _ status: ExitStatus = .passed) throws {
        try files.write(report)
        if !quiet { files.textStream.show(TrendText(report).text) }
        let drift: ExitStatus =
            !failOnDrift ? .passed : report.hasDrift ? .failed : report.canFail ? .passed : .inconclusive
        if drift == .inconclusive {
            StandardStream.error.tell(
                "perfgate: No gated metric has \(TrendGroup.fewest) runs or days, so drift can't fail this call.")
        }
        try ExitStatus.mostUrgent([status, drift]).end()
    }
}
