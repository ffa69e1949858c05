import ArgumentParser
import PerfgateBaselines
import PerfgateCompare
import PerfgateIngest
import PerfgateKit
import PerfgateModel

struct InputOptions: ParsableArguments {
    @OptionGroup var file: ConfigurationOption
    @Option(
        help: .taking(
            "condition", "Use only lines with these values, such as network=wifi; separate several by commas."))
    var `where`: [String] = []
    @Option(help: .taking("identifier", "The app, if the log doesn't say.")) var app: String?
    @Option(help: .taking("model", "The device model, if the log doesn't say.")) var device: String?
    @Option(help: .taking("system", "The operating system and its version, if the log doesn't say.")) var os: String?
    @Option(help: .taking("hertz", "The display's highest refresh rate in Hz, if the log doesn't say."))
    var maxFps: Double?
    @Option(help: .taking("configuration", "The build configuration, if the log doesn't say.")) var build: String?
    @Option(help: .taking("version", "The app version, if the log doesn't say.")) var appVersion: String?
    @Option(help: .taking("page", "The page for lines that don't name one.")) var defaultPage: String?
    @Option(
        help: .taking(
            Ingest.formats.joined(separator: "|"), "The format of the inputs; default: detected from content."))
    var format: String?

    func validate() throws {
        if let format, !Ingest.formats.contains(format) {
            let names = Ingest.formats.joined(separator: ", ")
            throw ValidationError("'--format \(format)' is not a format that perfgate reads. Use one of \(names).")
        }
        try Condition.validate(`where`) { _ in }
        for name in Condition.texts(`where`).compactMap({ Condition($0)?.field }) {
            let isKnown = (EnvironmentSection.names + ["started_at", "pair"]).contains(name)
            guard !isKnown, !name.hasPrefix(Context.tagPrefix) else { continue }
            throw Condition.unknown(name, "names no field of a run", among: EnvironmentSection.names)
        }
        if let maxFps, !(maxFps > 0) { throw ValidationError("'--max-fps \(maxFps)' is not above 0.") }
    }

    var repeated: [SuggestedCommand.Argument] {
        let rate = maxFps.map { "\($0)".replacing(/\.0$/, with: "") }
        return file.repeated + `where`.map { .option(.where, $0) }
            + .given([
                .app: app, .device: device, .os: os, .maxFps: rate, .build: build, .appVersion: appVersion,
                .defaultPage: defaultPage, .format: format,
            ])
    }

    func gate(_ configuration: GateConfiguration) -> Gate {
        Gate(
            ingest: ingestOptions(configuration), policy: configuration.policy, scoring: configuration.scoring,
            tool: Program.tool)
    }

    /// The report of logs against the stored baselines; prints its diagnostics.
    func report(on logs: [String], _ folder: BaselineFolder, _ configuration: GateConfiguration) throws -> GateReport {
        let configuration = configuration.naming(baselines: folder.baselines)
        let baselines = try configuration.store.content()
        let report = try gate(configuration).report(on: logs, against: .baselines(baselines))
        ConsoleReport.tell(report.diagnostics)
        return report
    }

    func ingestOptions(_ configuration: GateConfiguration) -> IngestOptions {
        var options = configuration.ingestOptions
        (options.format, options.defaultPage) = (format, defaultPage)
        let texts = ["app": app, "device": device, "os": os, "build": build, "app_version": appVersion]
        for (name, text) in texts { options.context[name] = text.map { .text($0) } }
        options.context["max_fps"] = maxFps.map { .number($0) }
        options.conditions = Condition.texts(`where`).compactMap(Condition.init)
        return options
    }
}

extension [SuggestedCommand.Argument] {
    /// The options that have a value.
    static func given(_ options: KeyValuePairs<SuggestedCommand.Flag, String?>) -> Self {
        options.compactMap { flag, text in text.map { .option(flag, $0) } }
    }
}

extension ArgumentHelp {
    /// The help of an option or argument that takes a value; `name` stands for the value.
    static func taking(_ name: String, _ abstract: String) -> ArgumentHelp { ArgumentHelp(abstract, valueName: name) }
}

extension ValidationError {
    /// Throws the first problem that is there.
    static func refuse(_ problems: KeyValuePairs<String, Bool>) throws {
        if let (problem, _) = problems.first(where: \.value) { throw ValidationError(problem) }
    }

    /// Throws for the first option whose number isn't in its range; `nil`: it isn't given.
    static func check(_ limits: [(option: String, value: Double?, range: ClosedRange<Double>)]) throws {
        for (option, value, range) in limits {
            guard let value, !range.contains(value) else { continue }
            let ends = [range.lowerBound, range.upperBound].map(Figure.text).joined(separator: " to ")
            throw ValidationError("'\(option) \(Figure.text(value))' is not from \(ends).")
        }
    }
}

typealias Condition = IngestOptions.Condition

extension Condition {
    /// Parses `FIELD=VALUE`; `nil` without `=`.
    init?(_ text: String) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        self.init(field: String(parts[0]), value: String(parts[1]))
    }

    /// Parses the conditions of a flag, and checks the field of each. Throws for a text without `=`.
    static func validate(_ flags: [String], _ check: (String) throws -> Void) throws {
        for text in texts(flags) {
            guard let condition = Condition(text) else {
                throw ValidationError("'--where \(text)' has no '='. Write it as FIELD=VALUE.")
            }
            try check(condition.field)
        }
    }

    /// The error for a field that isn't one of the known.
    static func unknown(_ field: String, _ problem: String, among names: [String]) -> ValidationError {
        let near = Suggestion.nearest(to: field, among: names).map { "Did you mean \($0)?" }
        let hint = near ?? "Use one of \(names.joined(separator: ", "))."
        return ValidationError("'--where \(field)=…' \(problem). \(hint)")
    }

    /// Conditions of several flags, each `FIELD=VALUE`. A part after a comma without `=` belongs to the value before.
    static func texts(_ flags: [String]) -> [String] {
        flags.flatMap { text in
            text.split(separator: ",", omittingEmptySubsequences: false).reduce(into: [String]()) { conditions, part in
                if part.contains("=") || conditions.isEmpty {
                    conditions.append(String(part))
                } else {
                    conditions[conditions.count - 1] += ",\(part)"
                }
            }
        }
    }
}

struct PoolOption: ParsableArguments {
    @Flag(help: "Judge runs of several builds together, instead of rejecting them as bad data.") var poolBuilds = false

    var repeated: [SuggestedCommand.Argument] { poolBuilds ? [.flag(.poolBuilds)] : [] }
}

struct ConfigurationOption: ParsableArguments {
    @Option(
        help: .taking(
            "file", "The configuration; default: the nearest perfgate.yml from the working directory upwards."))
    var config: String?

    var repeated: [SuggestedCommand.Argument] { .given([.config: config]) }

    func load() throws(ConfigurationError) -> GateConfiguration { try ConfigurationFile.load(config) }
}

struct BaselineFolder: ParsableArguments {
    @Option(help: .taking("folder", "The folder of the baselines; default: the configuration's, else Baselines."))
    var baselines: String?

    var repeated: [SuggestedCommand.Argument] { .given([.baselines: baselines]) }

    func store(_ configuration: GateConfiguration) -> BaselineStore { configuration.naming(baselines: baselines).store }

    func open(
        _ file: ConfigurationOption
    ) throws -> (configuration: GateConfiguration, store: BaselineStore, baselines: Baselines) {
        let configuration = try file.load()
        let store = store(configuration)
        return (configuration, store, try store.content())
    }
}

struct StoreOptions: ParsableArguments {
    @OptionGroup var folder: BaselineFolder
    @OptionGroup var file: ConfigurationOption

    var repeated: [SuggestedCommand.Argument] { folder.repeated + file.repeated }

    func open() throws -> (configuration: GateConfiguration, store: BaselineStore, baselines: Baselines) {
        try folder.open(file)
    }

    /// Changes a metric of a page in each environment where there is something to change; throws if there is none. A
    /// baseline that becomes empty is removed.
    /// - Parameter nothing: What the metric lacks if nothing is changed, for the error.
    /// - Parameter change: The new file and the action in words; `nil` if there is nothing to change.
    func change(
        _ metric: String, of page: String, dryRun: Bool = false, without nothing: String,
        _ change: (BaselineMetric, BaselineFile, WindowPolicy) -> (file: BaselineFile, action: String)?
    ) throws {
        let (configuration, store, baselines) = try open()
        let places = try baselines.places(named: page, repeated)
        let known = Set(places.flatMap { baselines[$0].map { Array($0.metrics.keys) } ?? [] })
        guard known.contains(metric) else {
            let hint = Suggestion.nearest(to: metric, among: known.sorted()).map { " Did you mean '\($0)'?" } ?? ""
            throw CommandError(.noInput, line: "'\(page)' has no metric '\(metric)'.\(hint)")
        }
        var changed = false
        for place in places {
            var (action, isEmpty) = (String?.none, false)
            let path = baselines.entries[place]?.path
            try CommandError.ending(with: .cannotWrite, on: BaselineError.self) {
                try store.update(place, foundAt: path) { file in
                    guard let file, let stored = file.metrics[metric] else { return file ?? BaselineFile(place) }
                    let new = change(stored, file, configuration.window)
                    (action, isEmpty) = (new?.action, new?.file.isEmpty ?? false)
                    return dryRun ? file : new?.file ?? file
                }
                if isEmpty, !dryRun { try store.prune(place, foundAt: path) }
            }
            guard let action else { continue }
            changed = true
            StandardStream.output.tell("\(action) \(metric) of \(place.page.name) in \(place.environment)")
        }
        guard changed else { throw CommandError(.noInput, line: "\(metric) of '\(page)' has \(nothing).") }
    }
}

extension BaselineStore {
    /// All content of the store; ends the command if a baseline can't be used.
    func content() throws -> Baselines { try CommandError.ending(with: .badConfiguration, on: (any Error).self, load) }

    func nothingStored(_ options: [SuggestedCommand.Argument]) -> CommandError {
        let command = SuggestedCommand(.update, [.blank("LOGS")] + options).text
        return CommandError(.noInput, "\(folder): there is no baseline. Store one with `\(command)`.")
    }
}

extension Baselines {
    /// All places of the page that an argument names; throws with the nearest name, or the command that lists them.
    func places(named word: String, _ options: [SuggestedCommand.Argument]) throws -> [PageInEnvironment] {
        let found = places.filter { $0.page.isNamed(word) }
        guard found.isEmpty else { return found }
        let nearest = Suggestion.nearest(to: word, among: Set(places.map(\.page)).sorted().map(\.name))
        let hint =
            nearest.map { "Did you mean '\($0)'?" } ?? "`\(SuggestedCommand(.show, options).text)` lists the pages."
        throw CommandError(.noInput, line: "There is no baseline of a page '\(word)'. \(hint)")
    }
}

extension PinnedReference {
    /// The reference of `--against`: a pinned copy of the store, or any folder of baselines.
    init(_ word: String, beside store: BaselineStore, _ options: [SuggestedCommand.Argument]) throws {
        let copy = store.pinned(word)
        let found = BaselineStore.canPin(as: word) && copy.isThere ? copy : store.other(word)
        guard found.isThere else {
            let names = (try? store.pinnedNames()) ?? []
            let known = names.isEmpty ? "none is pinned yet" : "pinned are \(names.joined(separator: ", "))"
            throw CommandError(
                .noInput,
                "--against \(word): there is no pinned reference and no folder of that name; \(known). Pin one with "
                    + "`\(SuggestedCommand(.pin, [.blank("NAME")] + options).text)`.")
        }
        let baselines = try found.content()
        guard !baselines.entries.isEmpty else {
            throw CommandError(
                .noInput,
                "--against \(word): there is no baseline in \(found.folder). Give the folder that holds a folder for "
                    + "each environment, as `perfgate baseline update` writes it.")
        }
        self.init(name: word, reference: Reference(baselines))
    }
}
