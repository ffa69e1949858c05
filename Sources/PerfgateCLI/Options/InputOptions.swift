import ArgumentParser
import PerfgateIngest
import PerfgateKit
import PerfgateModel

/// The flags of every subcommand that reads logs.
struct InputOptions: ParsableArguments {
    @OptionGroup var file: ConfigurationOption

    @Option(
        help: .taking(
            "condition", "Use only lines with these values, such as network=wifi; separate several by commas."))
    var `where`: [String] = []

    @Option(help: .taking("identifier", "The app, if the log doesn't say."))
    var app: String?

    @Option(help: .taking("model", "The device model, if the log doesn't say."))
    var device: String?

    @Option(help: .taking("system", "The operating system and its version, if the log doesn't say."))
    var os: String?

    @Option(help: .taking("hertz", "The display's highest refresh rate in Hz, if the log doesn't say."))
    var maxFps: Double?

    @Option(help: .taking("configuration", "The build configuration, if the log doesn't say."))
    var build: String?

    @Option(help: .taking("version", "The app version, if the log doesn't say."))
    var appVersion: String?

    @Option(help: .taking("page", "The page for lines that don't name one."))
    var defaultPage: String?

    @Option(
        help: .taking(
            Ingest.formats.joined(separator: "|"), "The format of the inputs; default: detected from content."))
    var format: String?

    func validate() throws {
        if let format, !Ingest.formats.contains(format) {
            let names = Ingest.formats.joined(separator: ", ")
            throw ValidationError("'--format \(format)' is not a format that perfgate reads. Use one of \(names).")
        }
        for condition in Condition.texts(`where`) where !condition.contains("=") {
            throw ValidationError("'--where \(condition)' has no '='. Write it as FIELD=VALUE.")
        }
        for name in Condition.texts(`where`).compactMap({ $0.split(separator: "=").first.map(String.init) }) {
            guard !EnvironmentSection.names.contains(name), !["started_at", "pair"].contains(name),
                !name.hasPrefix(Context.tagPrefix)
            else { continue }
            let near = Suggestion.nearest(to: name, among: EnvironmentSection.names)
            let hint =
                near.map { "Did you mean \($0)?" } ?? "Use one of \(EnvironmentSection.names.joined(separator: ", "))."
            throw ValidationError("'--where \(name)=…' names no field of a run. \(hint)")
        }
        if let maxFps, !(maxFps > 0) { throw ValidationError("'--max-fps \(maxFps)' is not above 0.") }
    }

    var repeated: [SuggestedCommand.Argument] {
        let texts: [(SuggestedCommand.Flag, String?)] = [
            (.app, app), (.device, device), (.os, os), (.maxFps, maxFps.map { "\($0)".replacing(/\.0$/, with: "") }),
            (.build, build),
            (.appVersion, appVersion), (.defaultPage, defaultPage), (.format, format),
        ]
        return file.repeated + `where`.map { .option(.where, $0) }
            + texts.compactMap { flag, text in text.map { .option(flag, $0) } }
    }

    func configuration() throws(ConfigurationError) -> GateConfiguration { try file.load() }

    func ingestOptions(_ configuration: GateConfiguration) -> IngestOptions {
        var options = configuration.ingestOptions
        options.format = format
        options.defaultPage = defaultPage
        let texts = ["app": app, "device": device, "os": os, "build": build, "app_version": appVersion]
        for (name, text) in texts { options.context[name] = text.map { .text($0) } }
        options.context["max_fps"] = maxFps.map { .number($0) }
        options.conditions = Condition.texts(`where`).compactMap { text in
            Condition(text).map { .init(field: $0.field, value: $0.value) }
        }
        return options
    }
}

struct Condition {
    let field: String
    let value: String

    /// Parses `FIELD=VALUE`; `nil` without `=`.
    init?(_ text: String) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        (field, value) = (String(parts[0]), String(parts[1]))
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

/// The flag of every subcommand that judges logs against stored baselines.
struct PoolOption: ParsableArguments {
    @Flag(help: "Judge runs of several builds together, instead of rejecting them as bad data.")
    var poolBuilds = false

    var repeated: [SuggestedCommand.Argument] { poolBuilds ? [.flag(.poolBuilds)] : [] }
}

/// The flag of every subcommand that uses the configuration.
struct ConfigurationOption: ParsableArguments {
    @Option(
        help: .taking(
            "file", "The configuration; default: the nearest perfgate.yml from the working directory upwards."))
    var config: String?

    var repeated: [SuggestedCommand.Argument] { config.map { [.option(.config, $0)] } ?? [] }

    func load() throws(ConfigurationError) -> GateConfiguration { try ConfigurationFile.load(config) }
}
