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
            devices, systems, networks and low-power mode have the same shares in both.

            EXAMPLE
              perfgate field rollup events/ --pair 7.117:7.129
              perfgate field check --base 7.117 --candidate 7.129 --html release.html

            Exit codes: 0 passed, 2 something got worse or has no events any more, 3 inconclusive and 5 nothing to \
            compare with if the policy makes them fail, 64 usage, 66 no such pair, some of its days \
            lack events, or --hangs holds no payload, \
            73 can't write, 78 bad configuration, store or template.
            """)

    @Option(help: .taking("release", "The release to compare with."))
    var base: String

    @Option(help: .taking("release", "The release to judge."))
    var candidate: String

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
    }

    func run() throws {
        let call = CallFiles(file)
        call.read(templates: outputs.templates)
        if let views { call.read(views, as: "the views") }
        for path in hangs {
            call.read(path, as: "the hangs")
            call.readAll(in: path, as: CallFiles.Content("hangs", endings: []))
        }
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
        gate.hangs = try reportedHangs()
        gate.call = Invocation(options: repeated, result: outputs.json)
        let report = try FieldFault.covering {
            try gate.report(on: folder.store, FieldPair(base: base, candidate: candidate))
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
        let folder: [SuggestedCommand.Argument] =
            folder.field == FieldFolder.standard ? [] : [.option(.field, folder.field)]
        let texts: [(SuggestedCommand.Flag, String?)] = [
            (.app, app), (.since, days.since?.text), (.until, days.until?.text),
        ]
        return [.option(.base, base), .option(.candidate, candidate)] + folder + file.repeated
            + texts.compactMap { flag, text in text.map { .option(flag, $0) } }
    }
}

extension SQLDialect: ExpressibleByArgument {}
extension FieldTime: ExpressibleByArgument {}

struct FieldSQLCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sql",
        abstract: "Prints the SQL with which an engine makes the same roll-up.",
        discussion: """
            The engine's rows equal the rows of `field rollup` over the same events, to the last digit. perfgate's \
            CI runs the SQL on DuckDB, ClickHouse, Spark, PostgreSQL and SQLite; it only parses the SQL for Trino \
            and BigQuery. `field import` reads the output. With --pair three queries are printed: T, G and users.

            EXAMPLE
              perfgate field sql --dialect duckdb --table perf > rollup.sql
              perfgate field sql --dialect trino --table perf --pair 7.117:7.129

            Exit codes: 0 printed, 64 usage, 78 bad configuration, or a name that the dialect can't hold.
            """)

    @OptionGroup var query: FieldQueryOptions
    @OptionGroup var selection: FieldSelection
    @OptionGroup var days: FieldDays

    func validate() throws { try query.require() }

    func run() throws {
        var options = try selection.options()
        (options.since, options.until) = (days.since, days.until)
        for (name, text) in try query.texts(options) { StandardStream.output.write("-- \(name)\n\(text)") }
    }
}

/// The flags that describe the engine's events and its SQL dialect.
struct FieldQueryOptions: ParsableArguments {
    @Option(help: .taking("engine", "The engine: trino, spark, bigquery, clickhouse, duckdb, postgres or sqlite."))
    var dialect: SQLDialect?

    @Option(help: .taking("name", "The table of events, such as analytics.perf; dots separate its path."))
    var table: String?

    @Option(help: .taking("sql", "A query in the engine's SQL instead of --table; it is used unchanged."))
    var tableSql: String?

    @Option(help: .taking("type", "The type of the column at: timestamp (in UTC), iso8601 or milliseconds since 1970."))
    var at = FieldTime.timestamp

    var isGiven: Bool { dialect != nil || table != nil || tableSql != nil }

    func require() throws {
        guard dialect != nil else {
            let names = SQLDialect.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("'--dialect' is missing: give one of \(names).")
        }
        guard (table == nil) != (tableSql == nil) else {
            throw ValidationError(
                "Give either '--table NAME' or '--table-sql SQL': one of them says where the events are.")
        }
    }

    /// The queries of a call, each with a description of its result.
    func texts(_ options: FieldOptions) throws -> [(name: String, text: String)] {
        try queries(options).map { ($0.name, $0.text) }
    }

    /// Runs a command that answers the queries, and stores the answers.
    func ask(_ command: String, _ options: FieldOptions, into store: FieldStore) throws -> FieldImport.Summary {
        let queries = try queries(options)
        return try PrivateFolder.with { folder in
            let files = try queries.enumerated().map { number, query in
                let done = try ChildProcess(["/bin/sh", "-c", command]).run(input: Array(query.text.utf8))
                guard done.end == .exited(0) else {
                    StandardStream.error.write(done.error)
                    throw CommandError(
                        status: .badData,
                        description: "The command of --via \(done.end.words): nothing was stored.")
                }
                let file = folder.appending(path: "answer-\(number + 1)").path
                let answer = QueryAnswer(query.rollUp, options.mapping.strata, in: query.dialect)
                let table: [UInt8]
                do throws(QueryAnswerError) {
                    table = try answer.table(done.output)
                } catch {
                    throw CommandError(status: .badData, description: "The command of --via: \(error.problem).")
                }
                try FileAccess.replace(file, with: table)
                return file
            }
            return try FieldFault.covering { try FieldImport.run(files, options, into: store, isWhole: true) }
        }
    }

    private struct Query {
        let name: String
        let dialect: SQLDialect
        let rollUp: FieldQuery.RollUp
        let text: String
    }

    private func queries(_ options: FieldOptions) throws -> [Query] {
        guard let dialect else { return [] }
        let source = tableSql.map(FieldQuery.Table.sql) ?? .path(table ?? "")
        var query = FieldQuery(dialect, table: source, options: options)
        query.time = at
        let rollUps: [(String, FieldQuery.RollUp)] =
            [("T: by app, page, release, day and metric", .days)]
            + (options.pair.map { pair in
                [("G: the weighted buckets of two releases", .pair(pair)), ("users: their sums", .users(pair))]
            } ?? [])
        do throws(SQLError) {
            var queries: [Query] = []
            for (name, rollUp) in rollUps {
                queries.append(Query(name: name, dialect: dialect, rollUp: rollUp, text: try query.text(rollUp)))
            }
            return queries
        } catch {
            throw CommandError(status: .badConfiguration, description: error.description)
        }
    }
}
