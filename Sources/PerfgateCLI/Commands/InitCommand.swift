import ArgumentParser
import Foundation
import PerfgateBaselines
import PerfgateCompare
import PerfgateFiles
import PerfgateIngest
import PerfgateKit
import PerfgateModel

struct InitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract:
            "Writes a commented perfgate.yml, and lines for git: to merge baselines and to ignore logs and reports.",
        discussion: """
            With a log, the file shows its measurements and suggests a limit 10 % above the slowest page. An \
            existing configuration isn't changed; --config names another path. Lines that .gitattributes and \
            .gitignore have aren't added again.

            EXAMPLE
              perfgate init logs/
            """)

    @Argument(help: "Logs to start from (optional): files, folders, patterns, or - for standard input.")
    var logs: [String] = []
    @OptionGroup(title: "Input") var inputs: InputOptions

    func run() throws {
        let lock = try FolderLock(besideFile: file)
        defer { lock.release() }
        guard !FileManager.default.fileExists(atPath: file) else {
            throw CommandError(
                .cannotWrite, "\(file) already exists. Edit it, or give another path with --config." + outdated)
        }
        let call = CallFiles(logs: logs)
        let output = try call.output(file, for: "--config")
        let lines = try [RepositoryLines.merging, .ignoring].compactMap { try repositoryFile(with: $0, call) }
        let text = StarterConfiguration(measurements: try measurements()).lines.map { $0 + "\n" }.joined()
        let contents = [(output, text)] + lines.map { ($0.file, $0.text) }
        try OutputFile.write(contents.map { file, text in (file, { Array(text.utf8) }) })
        StandardStream.output.tell("\(file) written.")
        for (file, _, added) in lines {
            StandardStream.output.tell("\(file.path): added \(added.joined(separator: ", ")).")
        }
        let given = Invocation(logs: logs).logsText
        StandardStream.output.show(
            """
            Next, without baselines:
              1. Measure a change and the main branch in turn, on one device:
                 \(MeasureCommand.usual)
            Or with baselines, which later runs are compared with:
              1. Let git merge baselines, once per clone:
                 git config merge.perfgate.driver '\(BaselineFile.mergeDriver)'
              2. Store the logs of a run of the main branch as the baseline, and commit it:
                 perfgate baseline update \(given)
              3. See what a check of a run would gate, and what is missing:
                 perfgate doctor \(given)

            """)
    }

    /// Advice if the file lets a check pass that compared nothing, as files written for an earlier version do.
    private var outdated: String {
        guard (try? ConfigurationFile.load(file))?.policy.noBaseline == .warn else { return "" }
        return " Remove its `no_baseline: warn`: with it, a check that compares nothing passes."
    }

    private func measurements() throws(CommandError) -> Measurements {
        guard !logs.isEmpty else { return Measurements() }
        let read = Ingest(inputs.ingestOptions(GateConfiguration())).read(logs)
        if let fault = read.unusable.first { throw CommandError(fault) }
        return read
    }

    /// The file with its missing lines added; `nil` if it has them.
    private func repositoryFile(
        with lines: RepositoryLines, _ call: CallFiles
    ) throws -> (file: OutputFile, text: String, added: [String])? {
        let path = ConfigurationFolder(of: file).path(of: lines.file)
        let old = FileAccess.exists(path) ? String(decoding: try FileAccess.read(path), as: UTF8.self) : ""
        let missing = lines.missing(in: old)
        guard !missing.isEmpty else { return nil }
        return (try call.output(path, for: path), RepositoryLines.text(old, with: missing), missing)
    }

    private var file: String { inputs.file.config ?? GateConfiguration.fileName }
}

extension MeasureCommand {
    /// The call that compares a branch with the main branch: the way to a verdict that needs no baselines.
    static let usual = "perfgate measure --base origin/main --head HEAD --run-command ./measure.sh"
}

/// Lines of one of git's files that a repository with logs or baselines needs.
struct RepositoryLines {
    let file: String
    let lines: [String]
    /// The word that identifies an existing line; `nil`: the line itself.
    var word: String?
    /// The line that lets git merge baselines with perfgate.
    static let merging = RepositoryLines(
        file: ".gitattributes", lines: ["\(GateConfiguration().baselines)/**/*.json merge=perfgate"],
        word: "merge=perfgate")

    /// The lines that let git ignore locks, the leftovers of killed writers, the installed program, and what `measure`, the
    /// measuring scripts and the README's commands write. A folder `main` would be a branch's name to git, and often has sources.
    static let ignoring = RepositoryLines(
        file: ".gitignore",
        lines: [
            ".perfgate-*", "/.perfgate/", "/logs/", "/nights/", "/perfgate-measure/", "/perfgate-rerun/",
            "/perfgate.html", "/perfgate.md", "/perfgate.xml", "/result.json",
        ])

    /// The lines that a file lacks. A folder may be ignored with or without slashes around its name.
    func missing(in text: String) -> [String] {
        let words = text.split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("#") }
            .flatMap { $0.split(whereSeparator: \.isWhitespace).map { $0.trimmingCharacters(in: ["/"]) } }
        return lines.filter { !words.contains((word ?? $0).trimmingCharacters(in: ["/"])) }
    }

    static func text(_ text: String, with lines: [String]) -> String {
        let isOpen = !lines.isEmpty && !text.isEmpty && text.last?.isNewline == false
        return text + (isOpen ? "\n" : "") + lines.map { $0 + "\n" }.joined()
    }
}

/// The text of a first `perfgate.yml`: the settings that teams change first, with values from a log. Texts from the log
/// are untrusted: they appear in one-line comments or in quotes.
struct StarterConfiguration {
    let measurements: Measurements
    /// The margin of a suggested limit over the measured value, as a fraction. With five noisy times, a true median 5
    /// % below a limit breaks it in one run of six.
    private static let headroom = 0.1
    /// The longest name shown in a comment, in characters.
    private static let longestName = 40
    /// The longest name in a rule, in characters: a shortened one would match nothing.
    private static let longestMatch = 200

    /// The lines, at most 15.
    var lines: [String] {
        [
            "# What fails a run, and what doesn't. Every key and its default: perfgate schema config",
            "schema: 1",
            "baselines: Baselines             # what `perfgate baseline update` stores; `perfgate measure` needs none",
            "environment: [app, device, os_major, max_fps, build]   # only equal ones are compared\(environments)",
            "confirmation: off                # rerun: a second run must confirm suspects (exit 3)",
            "inconclusive: warn               # fail: inconclusive results stop a merge (exit 3)",
            "no_baseline: auto                # exit 5 if a device has no baseline; fail: also for a new page",
        ] + limits + [
            "# pages:                         # settings of single pages",
            "#   - { match: \(examplePage), metrics: { \(time ?? "ttil"): { limit: \(exampleLimit), tolerance: 20% } } }",
            "# expected_environments:         # environments that every run must measure",
            "#   - { device: \(exampleDevice), required: true }",
        ]
    }

    /// The limit of frames, and a proposal for a time: one number from one run would hide what it allows, and every
    /// page has its own level. A log of another tool may have no frames that can be counted.
    private var limits: [String] {
        let frames = "  dropped_frames: { limit: 1 }   # most at one instant, as at 60 Hz\(now("dropped_frames"))"
        let time = time ?? "ttil"
        let limit = "  # \(time): { limit: \(worst(time).map { Self.limit(over: $0.value) } ?? "1200") }"
        let meaning = time == "ttil" ? "ms to the initial load" : "ms"
        let line =
            limit + String(repeating: " ", count: max(1, 33 - limit.count))
            + "# a promise to users, in \(meaning)\(now(time))"
        return time == "ttil" || worst("dropped_frames") != nil
            ? ["metrics:", frames, line] : ["# metrics:", "# " + line.replacing("  # ", with: "  ")]
    }

    /// The time that a limit is suggested for: the initial load, else the first gated time of the log; `nil` without one.
    private var time: String? {
        let times = Set(measurements.cells.filter { $0.value.metric.unit == .milliseconds }.map(\.key.metric)).sorted()
        return (["ttil"] + times.filter { MetricCatalog.definition(of: $0)?.isGatedByDefault == true })
            .first { worst($0) != nil }
    }

    private var environments: String {
        let names = measurements.environments.map { CleanText.line("\($0)", most: 2 * Self.longestName) }
        return names.isEmpty ? "" : "; here: \(names.listed(most: 1))"
    }

    private func now(_ metric: String) -> String {
        guard let worst = worst(metric) else { return "" }
        return "; worst now: \(Figure.text(worst.value)), \(CleanText.line(worst.page.name, most: Self.longestName))"
    }

    /// The page with the highest lower median, which is the value that a limit judges.
    private func worst(_ metric: String) -> (page: Page, value: Double)? {
        let cells = measurements.cells.filter { $0.key.metric == metric && !$0.value.values.isEmpty }
        let medians = cells.sorted { $0.key < $1.key }.map { cell, measurement in
            let values = measurement.values.sorted()
            return (page: cell.page, value: values[(values.count - 1) / 2])
        }
        return medians.max { $0.value < $1.value }
    }

    private var exampleLimit: String { time.flatMap(worst).map { Self.limit(over: $0.value) } ?? "2000" }

    /// The slowest page; a name that is too long for a rule becomes a pattern.
    private var examplePage: String {
        let name = time.flatMap(worst)?.page.name ?? "Search*"
        return YAMLText.quoted(name.count > Self.longestMatch ? name.prefix(Self.longestMatch) + "*" : name)
    }

    private var exampleDevice: String {
        let device = measurements.environments.compactMap { $0["device"]?.description }.first
        return YAMLText.quoted(String((device ?? "iPhone12,1").prefix(Self.longestMatch)))
    }

    /// A limit with room for noise over a value in the metric's unit.
    static func limit(over value: Double) -> String { Figure.text(rounded(value * (1 + headroom))) }

    /// The next larger number with two significant digits; below 10, the next whole number.
    private static func rounded(_ value: Double) -> Double {
        var step = 1.0
        while value >= step * 100 { step *= 10 }
        return max(1, (value / step - 1e-9).rounded(.up) * step)
    }
}

/// Values as YAML text that every reader parses back to the same value.
enum YAMLText {
    /// A text in double quotes; unprintable characters are escaped.
    static func quoted(_ text: String) -> String {
        let escaped = text.escaped { scalar in
            if scalar == "\"" || scalar == "\\" { return "\\\(scalar)" }
            if (" "..."~").contains(scalar) { return nil }
            let isHidden = hidden.contains(scalar.properties.generalCategory)
            if scalar.value > 0xA0, scalar.value < 0xD800, !isHidden { return nil }
            return "\\U" + String(scalar.value, radix: 16, uppercase: true).padded(toWidth: 8)
        }
        return "\"\(escaped)\""
    }

    /// A field's value: texts in quotes, numbers and flags unquoted.
    static func text(_ value: FieldValue) -> String {
        if case .text(let text) = value { return quoted(text) }
        return value.description
    }

    /// The categories of characters that a reviewer would not see: direction marks, line separators and the like.
    private static let hidden: Set<Unicode.GeneralCategory> = [
        .format, .lineSeparator, .paragraphSeparator, .control, .unassigned, .privateUse, .surrogate,
    ]
}
