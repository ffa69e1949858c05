import ArgumentParser
import PerfgateField
import PerfgateFiles

extension SQLDialect: ExpressibleByArgument {}
extension FieldTime: ExpressibleByArgument {}

struct FieldSQLCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sql", abstract: "Prints the SQL with which an engine makes the same roll-up.",
        discussion: """
            The engine's rows equal the rows of `field rollup` over the same events, to the last digit. perfgate's \
            CI runs the SQL on DuckDB, ClickHouse, Spark, PostgreSQL and SQLite; it transpiles the SQL for Trino and \
            BigQuery to DuckDB's. `field import` reads the output. With --pair three queries are printed: T, G and users.

            --rows buckets prints the query of a table in the warehouse, with a row for each bucket. --what prints \
            queries over such a table, which --table names. --flatten prints a view of perfgate's own lines with \
            lists, in a table whose rows have the facts of their run.

            EXAMPLE
              perfgate field sql --dialect duckdb --table perf > rollup.sql
              perfgate field sql --dialect trino --table perf --pair 7.117:7.129
              perfgate field sql --dialect trino --table perf --rows buckets
              perfgate field sql --dialect trino --table perfgate_field --what daily
              perfgate field sql --dialect trino --table perf_lines --flatten

            Exit codes: 0 printed, 64 usage, 73 can't write, 78 bad configuration, or a name that the dialect can't hold.
            """)

    @OptionGroup var query: FieldQueryOptions
    @Option(help: .taking("form", "The rows to select: metrics, as `field import` reads them, or buckets."))
    var rows = FieldSQLRows.metrics
    @Option(
        help: .taking("result", "Query the table of --rows buckets: quantiles, daily (quantiles by day) or pair (G)."))
    var what: FieldSQLResult?
    @Flag(help: "Print a view of a table of perfgate's own lines: flat rows, as the other queries read them.")
    var flatten = false
    @Option(
        help: .taking(
            "folder",
            "Write a dbt package that builds both tables by day, with tests; without --dialect for all engines."))
    var dbt: String?
    @OptionGroup var selection: FieldSelection
    @OptionGroup var days: FieldDays

    func validate() throws {
        try query.require(dialect: dbt == nil)
        let hasDays = days.since != nil || days.until != nil
        let isNarrowed = rows == .buckets || what != nil || selection.pair != nil || hasDays
        try ValidationError.refuse([
            "'--dbt' writes all queries, for all days. Leave out --rows, --what, --pair, --since and --until.":
                dbt != nil && isNarrowed,
            "'--flatten' prints a view of all lines, which the other queries then read. Leave out --dbt, --rows, --what, "
                + "--pair, --since and --until.": flatten && (dbt != nil || isNarrowed),
            "dbt has no maintained adapter for SQLite. Name another engine.": dbt != nil && query.dialect == .sqlite,
            "'--what' reads the table that '--rows buckets' makes. Leave out one of them.":
                rows == .buckets && what != nil,
            "'--pair' is for '--what pair', or for the queries without '--rows' and '--what'.":
                selection.pair != nil && (rows == .buckets || [.quantiles, .daily].contains(what)),
            "'--what pair' compares two releases. Give '--pair BASE:CANDIDATE' too.":
                what == .pair && selection.pair == nil,
            "'--where' selects events, not rows of a roll-up or lines. Leave it out.":
                (what != nil || flatten) && !selection.where.isEmpty,
        ])
    }

    func run() throws {
        let options = try selection.options(days)
        if let dbt { return try FieldPackage.write(query.macros(options), to: dbt) }
        if flatten { return StandardStream.output.write("\(try query.text(ofLines: options))\n") }
        if let result = what?.result(options.pair) {
            return StandardStream.output.write("\(try query.text(ofTable: result, options))\n")
        }
        if rows == .buckets { return StandardStream.output.write(try query.events(options).text(.table)) }
        for (name, _, text) in try query.queries(options) { StandardStream.output.write("-- \(name)\n\(text)") }
    }
}

enum FieldPackage {
    static func write(_ macros: String, to folder: String) throws {
        let files = [
            ("dbt_project.yml", PackageResources.dbt_project_yml),
            ("macros/perfgate_days.sql", PackageResources.days_sql),
            ("macros/perfgate_tests.sql", PackageResources.tests_sql),
            ("macros/perfgate_queries.sql", Array(macros.utf8)),
            ("models/perfgate_field.sql", PackageResources.perfgate_field_sql),
            ("models/perfgate_field_users.sql", PackageResources.perfgate_field_users_sql),
            ("models/perfgate_field_daily.sql", PackageResources.perfgate_field_daily_sql),
            ("models/perfgate_field_pair.sql", PackageResources.perfgate_field_pair_sql),
            ("models/schema.yml", PackageResources.schema_yml),
        ]
        let project = "\(folder)/dbt_project.yml"
        let isOwn = try FileAccess.exists(project) && FileAccess.read(project).starts(with: "name: perfgate_field".utf8)
        guard try FileAccess.names(in: folder).isEmpty || isOwn else {
            throw CommandError(.cannotWrite, "\(folder): it holds other files than the dbt package. Name a new folder.")
        }
        for (path, text) in files.map({ ("\(folder)/\($0)", $1) }) {
            try FileAccess.makeFolder(FileAccess.folder(of: path))
            try FileAccess.replace(path, with: text)
        }
        StandardStream.output.tell("\(folder): the dbt package perfgate_field, \(files.count) files")
    }
}

enum FieldSQLRows: String, ExpressibleByArgument, CaseIterable { case metrics, buckets }

enum FieldSQLResult: String, ExpressibleByArgument, CaseIterable {
    case quantiles, daily, pair

    func result(_ pair: FieldPair?) -> FieldTableQuery.Result? {
        switch self {
        case .quantiles: .quantiles
        case .daily: .daily
        case .pair: pair.map(FieldTableQuery.Result.pair)
        }
    }
}

struct FieldQueryOptions: ParsableArguments {
    @Option(help: .taking("engine", "The engine: trino, spark, bigquery, clickhouse, duckdb, postgres or sqlite."))
    var dialect: SQLDialect?
    @Option(help: .taking("name", "The table of events, such as analytics.perf; dots separate its path."))
    var table: String?
    @Option(help: .taking("sql", "A query in the engine's SQL instead of --table; it is used unchanged."))
    var tableSql: String?
    @Option(
        help: .taking(
            "type", "The type of the column at: timestamp (in UTC), timestamptz, iso8601 or milliseconds since 1970."))
    var at = FieldTime.timestamp

    var isGiven: Bool { dialect != nil || table != nil || tableSql != nil }

    func require(dialect isNeeded: Bool = true) throws {
        guard dialect != nil || !isNeeded else {
            let names = SQLDialect.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("'--dialect' is missing: give one of \(names).")
        }
        if (table == nil) == (tableSql == nil) {
            throw ValidationError(
                "Give either '--table NAME' or '--table-sql SQL': one of them says where the events are.")
        }
    }

    func events(_ options: FieldOptions) -> FieldQuery {
        var query = FieldQuery(engine, table: source, options: options)
        query.time = at
        return query
    }

    func text(ofTable result: FieldTableQuery.Result, _ options: FieldOptions) throws -> String {
        try FieldTableQuery(engine, source, options).text(result)
    }

    func text(ofLines options: FieldOptions) throws -> String {
        try FieldQuery(engine, table: source, options: options).linesText()
    }

    func macros(_ options: FieldOptions) throws -> String {
        try FieldMacros(events(options)).text(for: dialect.map { [$0] } ?? FieldMacros.dialects)
    }

    private var engine: SQLDialect { dialect ?? .duckdb }
    private var source: FieldQuery.Table { tableSql.map(FieldQuery.Table.sql) ?? .path(table ?? "") }

    func ask(_ command: String, _ options: FieldOptions, into store: FieldStore) throws -> FieldImport.Summary {
        let engine = FieldEngine(command: command, dialect: engine)
        return try FieldImport.run(try queries(options, isPacked: true).map(engine.answer), options, into: store)
    }

    /// The queries of a call, each with a description of its result.
    func queries(_ options: FieldOptions, isPacked: Bool = false) throws -> [FieldEngine.Query] {
        let events = events(options)
        var queries: [FieldEngine.Query] = [
            ("T: by app, page, release, day and metric", .rollUp(options.strata), try events.text(.days))
        ]
        guard let pair = options.pair else { return queries }
        let sides = pair.arms == nil ? "releases" : "arms"
        let cells = try events.text(isPacked ? .cells(pair) : .pair(pair))
        queries.append(("G: the weighted buckets of two \(sides)", isPacked ? .cells : .pair, cells))
        queries.append(("users: their sums", .users, try events.text(.users(pair))))
        if pair.arms != nil { queries.append(("arms: their users", .arms, try events.text(.arms(pair)))) }
        return queries
    }
}
