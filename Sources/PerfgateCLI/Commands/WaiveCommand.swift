import ArgumentParser
import PerfgateCompare
import PerfgateFiles
import PerfgateKit
import PerfgateModel

extension CalendarDay: ExpressibleByArgument { package init?(argument: String) { self.init(argument) } }

struct WaiveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "waive", abstract: "Adds a temporary waiver for a metric of a page.",
        discussion: """
            The ceiling is the measured value plus the tolerance. The waiver is added to waivers.yml beside the \
            configuration, unless the configuration names another file. Review that file like code.

            EXAMPLE
              perfgate waive Search ttil logs/ --until 2026-12-24 --reason 'new map'
              perfgate waive Search ttil --result r.json --until 2026-12-24 --reason servers
            """)

    @Argument(help: "The page, by name or by baseline file name.") var page: String
    @Argument(help: "The metric; for releases in the field with its quantile, such as ttil@p90.") var metric: String
    @Argument(help: "The logs in which it fails: files, folders, patterns, or - for standard input.")
    var logs: [String] = []
    @Option(
        help: .taking("file", "The report in which it fails, written by --json, instead of logs; - is standard input."))
    var result: String?
    @Option(help: .taking("day", "The day on which the waiver ends (UTC), such as 2026-12-24.")) var until: CalendarDay
    @Option(help: .taking("text", "The reason, for reviewers.")) var reason: String
    @Option(help: .taking("address", "A link to the discussion.")) var link: String?
    @Flag(help: "Show what would be added, without changing the file.") var dryRun = false
    @OptionGroup(title: "Input") var inputs: InputOptions
    @OptionGroup(title: "Input") var folder: BaselineFolder
    @OptionGroup(title: "Input") var pool: PoolOption

    func validate() throws {
        if logs.isEmpty == (result == nil) { throw ValidationError("Give either logs or '--result FILE'.") }
        if let today = CalendarDay.today, until <= today {
            throw ValidationError("'--until \(until)' is in the past. Give a later day.")
        }
        if reason.allSatisfy(\.isWhitespace) { throw ValidationError("'--reason' is empty. Give a reason.") }
    }

    func run() throws {
        var configuration = try inputs.file.load()
        configuration.policy.poolsBuilds = pool.poolBuilds
        let path = configuration.waiverPath
        let call = CallFiles(logs: logs, inputs.file, folder, hasWaivers: false)
        if let result { call.read(result, as: "the report") }
        let output = dryRun ? nil : try call.output(path, for: "waivers")
        let report =
            try result.map { try ResultFile($0).report() } ?? inputs.report(on: logs, folder, configuration)
        let proposal = WaiverProposal(
            policy: configuration.policy, until: until, reason: reason, link: link, key: configuration.environmentKey)
        let waivers = try failing(in: report).compactMap(proposal.waiver)
        // Others may have added waivers in the meantime.
        let lock = dryRun ? nil : try FolderLock(besideFile: path)
        defer { lock?.release() }
        let file = try configuration.waiverFile()
        try refuseKnown(waivers, in: file)
        let text = try file.adding(waivers, key: configuration.environmentKey)
        try output?.write(Array(text.utf8))
        for line in waivers.flatMap(WaiverFile.lines) { StandardStream.output.tell(line) }
        StandardStream.output.tell("\(dryRun ? "would be added" : "added") to \(path)")
    }

    private func failing(in report: GateReport) throws(CommandError) -> [CellResult] {
        let all = report.comparisons.filter { $0.metric.id == metric && $0.page.isNamed(page) }
        let gated = all.filter(\.isGated)
        let failing = gated.filter { [.regressed, .overLimit].contains($0.verdict) }
        guard failing.isEmpty else { return failing }
        guard let first = gated.first ?? all.first else { throw report.unknown(page, metric) }
        let found = first.isGated ? "has the verdict '\(first.verdict.rawValue)'" : "isn't gated"
        throw CommandError(
            .noInput, "\(metric) of \(page) \(found). Only what regressed or broke its limit can be waived.")
    }

    private func refuseKnown(_ waivers: [Waiver], in file: WaiverFile) throws(CommandError) {
        let valid = file.waivers.filter { !$0.isExpired(on: .today) }
        let known = waivers.lazy.compactMap { waiver in valid.first { $0.hasSamePlace(as: waiver) } }.first
        if let known {
            throw CommandError(.usage, "\(known.origin) covers it already. Change its ceiling or date there.")
        }
    }
}

extension Waiver {
    fileprivate func hasSamePlace(as other: Waiver) -> Bool {
        page == other.page && metric == other.metric
            && environment.allSatisfy { name, value in
                other.environment[EnvironmentKey.storedName(of: name)]?.description == value.description
            }
    }
}

/// The waiver that a failing comparison needs.
struct WaiverProposal {
    /// The team's policy; its tolerance applies if the comparison has none.
    let policy: Policy
    /// The first day on which the waiver no longer applies.
    let until: CalendarDay
    let reason: String
    let link: String?
    var key = EnvironmentKey.standard

    /// The waiver of a comparison in its environment; `nil` if nothing was measured.
    func waiver(for result: CellResult) -> Waiver? {
        guard let value = result.judgedValue else { return nil }
        // Later releases stay as slow until the fix, so the waiver covers all of them.
        let fields = result.environment.fields.filter { result.releases == nil || key.names.contains($0.name) }
        let known = fields.compactMap { field in field.value.map { (field.name, $0) } }
        return Waiver(
            page: result.page, metric: result.metric.id, environment: Dictionary(known) { first, _ in first },
            ceiling: ceiling(value, of: result), until: until, reason: reason, link: link, from: .builtIn)
    }

    /// The measured value plus its own tolerance, so that an unchanged page stays below it, rounded away from it to two
    /// decimals; more if many samples are far beyond.
    private func ceiling(_ value: Double, of result: CellResult) -> Double {
        let cell = policy.cellPolicy(page: result.page, metric: result.metric, environment: result.environment)
        let tolerance = max(result.tolerance ?? 0, cell.tolerance.value * abs(value), cell.minChange.value)
        switch result.metric.better {
        case .lower:
            var ceiling = value + tolerance
            while ceiling > 0, result.facts.slowShare(under: 0.8 * ceiling) != nil { ceiling *= 1.1 }
            return (ceiling * 100).rounded(.up) / 100
        case .higher: return ((value - tolerance) * 100).rounded(.down) / 100
        }
    }
}

extension WaiverFile {
    /// The file's text with waivers appended; the existing text stays unchanged.
    func adding(_ more: [Waiver], key: EnvironmentKey) throws(CommandError) -> String {
        let lines = more.flatMap(Self.lines)
        // YAML's lists may be indented or not, and all entries of one alike.
        let result = [lines, lines.map { String($0.dropFirst(2)) }].lazy.map { lines in
            beginning + lines.map { $0 + "\n" }.joined()
        }.first { text in
            let read = try? WaiverFile(Array(text.utf8), path: path, key: key)
            return read.map { $0.waivers.map(Self.lines) == (waivers + more).map(Self.lines) } ?? false
        }
        guard let result else {
            let entries = lines.map { $0 + "\n" }.joined()
            throw CommandError(
                .badConfiguration,
                "\(path): perfgate can't append to it. Make `waivers:` its last key, with one entry "
                    + "per `- ` below it, or add these lines yourself:\n\(entries)")
        }
        return result
    }

    /// The entry of a waiver in the list below `waivers:`.
    static func lines(_ waiver: Waiver) -> [String] {
        let fields = waiver.environment.sorted { $0.key.precedesInUTF8($1.key) }
            .map { "\($0): \(YAMLText.text($1))" }.joined(separator: ", ")
        return [
            "  - page: \(YAMLText.quoted(waiver.page.name))", "    metric: \(YAMLText.quoted(waiver.metric))",
            fields.isEmpty ? nil : "    environment: { \(fields) }",
            "    ceiling: \(FieldValue.number(waiver.ceiling))", "    until: \(waiver.until)",
            "    reason: \(YAMLText.quoted(waiver.reason))", waiver.link.map { "    link: \(YAMLText.quoted($0))" },
        ].compactMap(\.self)
    }

    private var beginning: String {
        guard !text.allSatisfy(\.isWhitespace) else {
            return "# Pages that may be worse for a while. Each entry has an end date and is reviewed like code.\n"
                + "schema: \(Self.schema)\nwaivers:\n"
        }
        let whole = text.last?.isNewline == true ? text : text + "\n"
        return waivers.isEmpty ? whole.replacing("\nwaivers: []\n", with: "\nwaivers:\n") : whole
    }
}
