import PerfgateCompare
import PerfgateJSON
import PerfgateModel

/// The records of the JSON report: each is written, read and published in the schema from its one list of members.
/// Absent values aren't written; neither are numbers that aren't finite, which JSON can't represent.
enum ReportRecords {
    static let report = JSONShape<GateReport>(
        nil,
        "The output of `perfgate check --json` and the input of `perfgate report`. Later versions may add keys; a missing "
            + "number is absent, never 0.", blank: .init(tool: "", outcome: .error, exitCode: 0, headline: "")
    ) { report, member in
        var schema = GateReport.schema
        member("schema", &schema, version, "The version of this format.")
        member("tool", &report.tool, .text, "The program and its version.")
        member("verdict", &report.outcome, .word(), "The outcome of the run, before --soft-fail.")
        member("exit_code", &report.exitCode, exitCode, "The exit code of the program.")
        member(
            "failing", &report.failing, failing,
            "The verdicts that fail the run, in addition to regressed and over_limit, which always do.")
        member("headline", &report.headline, .text, "One sentence with the verdict.")
        member("notes", &report.notes, .texts, "The context that a reader needs before the rows.")
        member("job", &report.job, job, "The change that a continuous integration job measured; absent elsewhere.")
        member.written(
            "counts", report.counts, counts,
            "The number of gated comparisons by verdict; verdicts without any are absent.")
        member("runs", &report.runs, run.list(), "The judged runs.")
        member("environments", &report.environments, environmentSummary.list(), "The environments, sorted.")
        member("pages", &report.pages, page.list(), "The pages, ordered by name and environment.")
        member("comparisons", &report.comparisons, comparison.list(), "The comparisons, worst first.")
        member("pinned", &report.pinned, pinned, "The failures against a pinned reference; absent without any.")
        member("faulty_inputs", &report.faultyInputs, faultyInput.list(), "The inputs that couldn't be used.")
        member("diagnostics", &report.diagnostics, diagnostic.list(), "Notes for people on the inputs.")
        var next: [NextStep?] = report.next
        member("next", &next, step.list(), "The next steps, in order.")
        report.next = next.compactMap(\.self)
    }

    private static let version = JSONShape.integer.described(by: ["const": 1]).checked {
        node, schema throws(JSONDocumentError) in
        guard schema == GateReport.schema else { throw node.breaks(.unknownSchema(schema)) }
    }

    /// A process exit code; the caller knows which codes have a meaning.
    private static let exitCode = JSONShape.integer.described(by: ["enum": [0, 2, 3, 5, 64, 65, 66, 70, 73, 78]])
        .checked { node, code throws(JSONDocumentError) in
            guard (0...255).contains(code) else { throw node.breaks(.unknownCode) }
        }

    private static let failing = JSONShape<FailingKinds>(blank: .init(), layout: .line) { failing, member in
        member("inconclusive", &failing.inconclusive, .flag, "Whether undecided comparisons fail.")
        member(
            "suspects", &failing.suspects, .flag, "Whether undecided comparisons fail if a second run may decide them.")
        member(
            "inconclusive_gross", &failing.gross, .flag, absent: false, isLeftOut: false,
            "Whether undecided comparisons fail whose median is more than twice the baseline's; absent in reports of "
                + "earlier versions.")
        member("no_baseline", &failing.noBaseline, .flag, "Whether a missing baseline fails.")
        member("missing", &failing.missing, .flag, "Whether missing measurements fail, unless they are excused.")
    }

    private static let job = JSONShape<ReportedJob>(blank: .init(), isClosed: true) { job, member in
        member("branch", &job.branch, .text, "The branch.")
        member("request", &job.request, .text, "The pull or merge request, such as #123.")
        member("request_url", &job.requestAddress, address, "The address of the request.")
        member("commits_url", &job.commits, address, "The prefix of a commit's address.")
        job = ReportedJob(
            branch: job.branch, request: job.request, requestAddress: job.requestAddress, commits: job.commits)
    }

    private static let address = JSONShape.text.described(by: ["type": "string", "pattern": "^https?://"])

    private static let counts = JSONShape<[Verdict: Int]>(blank: [:], layout: .line) { counts, member in
        for verdict in Verdict.allCases { member(verdict.rawValue, &counts[verdict], .positive) }
    }

    private static let pinned = JSONShape<PinnedFindings>(blank: .init(name: "", comparisons: [])) { pinned, member in
        member("name", &pinned.name, .text, "The name of the pinned reference.")
        member.written(
            "counts", pinned.counts, counts,
            "The number of comparisons with it by verdict; `counts` above excludes them.")
        member(
            "comparisons", &pinned.comparisons, comparison.list(),
            "The comparisons with it that fail the run, worst first.")
        pinned.comparisons = pinned.comparisons.sorted()
    }

    private static let faultyInput = JSONShape<FaultyInput>(
        "faulty_input", "An input, or a run in it, that couldn't be used.",
        blank: .init(path: "", fault: .badData, message: "")
    ) { input, member in
        member("path", &input.path, .text, "The path as given.")
        member("run", &input.run, .text, "The affected run.")
        member("fault", &input.fault, .word(), "The problem.")
        member("message", &input.message, .text, "One sentence.")
    }

    private static let diagnostic = JSONShape<Diagnostic>(
        "diagnostic", "A note for people on an input.", blank: .init(.badRecord, "")
    ) { diagnostic, member in
        member("code", &diagnostic.code, code, "The stable code.")
        member("severity", &diagnostic.severity, severity, "The severity.")
        member("path", &diagnostic.path, .text, "The affected file.")
        member("line", &diagnostic.line, .positive, "The line in the file.")
        member("message", &diagnostic.message, .text, "One sentence.")
    }

    private static let severity = JSONShape<Diagnostic.Severity>.word()

    /// A code; later versions have more.
    private static let code = JSONShape<DiagnosticCode>.word(["type": "string", "pattern": "^PG[0-9]{3}$"])

    /// A run: its header's fields and what was read. Unknown fields are apart: none is confused with a known one.
    private static let run = JSONShape<Run>(
        "run", "A judged run: the known fields of its header, and the records that were read.",
        blank: .init(id: "", context: Context(), streams: [])
    ) { run, member in
        member("run_id", &run.id, .text, "The identifier.")
        for (name, about) in zip(Context.names, aboutFields) { member(name, &run.context[name], field, about) }
        let names = Set(run.context.fields.keys).subtracting(Context.names)
        var others: Fields? = names.sorted { $0.precedesInUTF8($1) }.map { ($0, run.context[$0]) }
        if others?.isEmpty == true { others = nil }
        member("fields", &others, fields, "Unknown fields of a run's header.")
        for (name, value) in others ?? [] where !Context.names.contains(name) { run.context[name] = value }
        member("samples", &run.sampleCount, .whole, "The number of its samples, over all cells.")
        member.written("complete", run.isComplete, .flag, "Whether all its streams are valid.")
        member(
            "shown_only", &run.whyShownOnly, .text,
            "The reason why its values are shown and gate nothing, one sentence; absent if they may gate.")
        member("streams", &run.streams, stream.list(), "Its streams, in the order of shard, then part.")
    }

    /// About the fields in `Context.names`.
    private static let aboutFields = [
        "The app.", "Its version.", "The build configuration.", "The commit that was measured.", "The device's model.",
        "The individual device.", "Whether the device is a simulator.", "The operating system with its version.",
        "The display's highest refresh rate in Hz.", "Whether the device was in low-power mode.",
        "The thermal state of the device.", "The network.", "The start of the run (ISO 8601, UTC).",
        "The shared name of two runs, one from each side, that were measured in turn.",
        "Whether a profiler slowed the app; such a run never gates.",
    ]

    private static let stream = JSONShape<Run.Stream>(
        "stream", "One launch of the app, on one of the run's machines.", blank: .init(path: "")
    ) { stream, member in
        member("part", &stream.part, .text, "The launch.")
        member("shard", &stream.shard, .text, "The share of the tests, such as 2/5.")
        member("path", &stream.path, .text, "The path of its file.")
        member("faults", &stream.faults, .texts, absent: [], "The reason why it is bad data.")
    }

    private typealias Fields = [(key: String, value: FieldValue?)]

    private static let known = fieldValue(orNull: false)
    private static let knownOrNull = fieldValue(orNull: true)
    private static let field = known.mapped({ (value: FieldValue) in value }, { $0 ?? .text("") })

    private static let fields = JSONShape<Fields>(blank: [], layout: .line) { fields, member in
        member.others(&fields, known, check: checkCount)
    }

    /// The fields in order; an unknown one is `null`, because it too distinguishes environments.
    static let environment = JSONShape<Environment>(
        "environment",
        "The fields that must be equal for two comparable measurements, in the configured order; null: unknown.",
        blank: .init([]), layout: .line
    ) { environment, member in
        var fields: Fields = environment.fields.map { ($0.name, $0.value) }
        member.others(&fields, knownOrNull, check: checkCount)
        environment = Environment(fields.map { .init(name: $0.key, value: $0.value) })
    }

    private static func checkCount(_ node: JSONNode, _ count: Int) throws(JSONDocumentError) {
        guard count <= ReportBounds.mostMembers else { throw node.breaks(.longList(ReportBounds.mostMembers)) }
    }

    private static func fieldValue(orNull: Bool) -> JSONShape<FieldValue?> {
        let types: [JSONTree] = ["string", "number", "boolean"] + (orNull ? ["null"] : [])
        return JSONShape(["type": .list(types)]) { value in
            switch value {
            case .text(let text): .string(text)
            case .number(let number): orNull && !number.isFinite ? .null : .number(number)
            case .flag(let flag): .bool(flag)
            case nil: orNull ? .null : .number(.nan)
            }
        } read: { node throws(JSONDocumentError) in
            switch node.value.kind {
            case .string: .text(try JSONShape.text.read(node))
            case .number: .number(try node.double())
            case .bool: .flag(try node.bool())
            case .null: nil
            case .object, .array: throw node.breaks(.notAField)
            }
        }
    }

    private static let environmentSummary = JSONShape<EnvironmentSummary>(
        "environment_summary", "An environment and the runs of its baseline.",
        blank: .init(environment: Environment([]))
    ) { summary, member in
        member("environment", &summary.environment, environment)
        member("gated", &summary.gatedCells, .whole, "The number of gated cells in its baseline.")
        member("baseline_runs", &summary.baselineRuns, baselineRun.list(), "The runs of its baseline, oldest first.")
        member(
            "releases", &summary.releases, traffic,
            "The use of both releases, if releases in the field were compared; absent for test runs.")
    }

    private static let baselineRun = JSONShape<EnvironmentSummary.BaselineRun>(
        "baseline_run", "A run of a baseline.", blank: .init(id: ""), layout: .line
    ) { run, member in
        member("id", &run.id, .text, "The identifier.")
        member("commit", &run.commit, .text, "The commit.")
        member("started_at", &run.startedAt, .text, "The start of the run (ISO 8601, UTC).")
    }

    private static let page = JSONShape<PageSummary>(
        "page", "The known facts of a page beside its comparisons.",
        blank: .init(place: PageInEnvironment(page: Page(""), environment: Environment([])))
    ) { summary, member in
        var (page, environment) = (summary.place.page, summary.place.environment)
        member("page", &page, .page, "The page.")
        member("environment", &environment, Self.environment)
        summary.place = PageInEnvironment(page: page, environment: environment)
        member("file", &summary.file, .text, "The file with its implementation.")
        member("line", &summary.line, .positive, "The line in the file.")
        member("owner", &summary.owner, .text, "The owner.")
        member(
            "seconds", &summary.seconds, .notNegative, absent: 0, isLeftOut: false,
            "The candidate's measured time, in seconds.")
        member("tests", &summary.tests, .texts, absent: [], "The tests that visited it.")
        member("trace", &summary.trace, trace, "The page's data for graphs, apart from its samples.")
        member(
            "leads", &summary.leads, JSONShape.text.list(most: PageSummary.mostLeads), absent: [],
            "Where to look for the cause of regressions, likeliest first; not part of the verdict.")
    }

    /// A step; `nil` if its command has a word that this version doesn't suggest.
    private static let step = JSONShape<NextStep?>("next_step", "A step that a reader can take.", blank: nil) {
        step, member in
        var (page, purpose, call) = (step?.page, step?.purpose ?? "", step?.command)
        member("page", &page, .page, "The affected page; absent: the whole run.")
        member("purpose", &purpose, .text, "The condition for the step.")
        member.written(
            "command", call?.text ?? "", .text,
            "The command, safe to paste into a shell: the content of `call` for people.")
        member("call", &call, command)
        step = call.map { NextStep(page: page, purpose: purpose, command: $0) }
    }

    /// The command, rebuilt from its words.
    private static let command = JSONShape<SuggestedCommand?>(
        "suggested_command",
        "A command as its words. A consumer of the report builds the command from these words, and drops a step with an "
            + "unknown word.", blank: nil
    ) { command, member in
        var verb = command?.verb.rawValue ?? ""
        var arguments: [SuggestedCommand.Argument?] = command?.arguments ?? []
        member(
            "verb", &verb, word(of: SuggestedCommand.Verb.allCases.map(\.rawValue)),
            "The program and its subcommand, as the command begins.")
        member("arguments", &arguments, argument.list(), "The arguments, in order.")
        command = SuggestedCommand.Verb(rawValue: verb).flatMap { verb in
            arguments.allSatisfy { $0.map(verb.takes) ?? false }
                ? SuggestedCommand(verb, arguments.compactMap(\.self)) : nil
        }
    }

    private static let argument = JSONShape<SuggestedCommand.Argument?>(blank: nil, layout: .line) { argument, member in
        var (flag, word, blank) = (argument?.flag?.spelling, argument?.word?.text, argument?.word?.text)
        if argument?.word?.isBlank == true { word = nil } else { blank = nil }
        member(
            "flag", &flag, Self.word(of: SuggestedCommand.Flag.allCases.map(\.spelling)),
            "The option; absent: a word without an option.")
        member("word", &word, .name, "The word, without quotes.")
        member("blank", &blank, .name, "A placeholder in capitals for a word that only the reader knows.")
        let option = flag.flatMap(SuggestedCommand.Flag.init(spelling:))
        let value = word.flatMap { SuggestedCommand.Word($0) } ?? blank.flatMap { SuggestedCommand.Word(blank: $0) }
        let isKnown = (option == nil) == (flag == nil) && (value == nil) == (word == nil && blank == nil)
        argument = isKnown ? SuggestedCommand.Argument(flag: option, word: value) : nil
    }

    /// A word that a later version may add to.
    private static func word(of words: [String]) -> JSONShape<String> {
        .text.described(by: ["type": "string", "enum": .list(words.map(JSONTree.string))])
    }
}
