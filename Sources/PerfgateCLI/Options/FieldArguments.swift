import ArgumentParser
import PagePerformance
import PerfgateField
import PerfgateKit
import PerfgateModel
import Synchronization

struct FieldOutput: ParsableArguments {
    @Option(name: [.customLong("field"), .customLong("out")], help: .taking("folder", "The folder of the roll-ups."))
    var field = FieldFolder.standard

    var store: FieldStore { FieldStore(folder: field) }
}

struct FieldSelection: ParsableArguments {
    @OptionGroup var file: ConfigurationOption
    @Option(
        help: .taking(
            "condition", "Use only events with these values, such as network=wifi; separate several by commas."))
    var `where`: [String] = []
    @Option(
        help: .taking(
            "base:candidate", "Two releases to prepare for field check, or two arms, checkout=old:checkout=new."))
    var pair: String?
    @Option(help: .taking("version", "With the arms of an experiment: use only users of this release."))
    var release: String?

    func validate() throws {
        let names = FieldCondition.columns.map(\.rawValue)
        try Condition.validate(`where`) { field in
            guard !names.contains(field), !field.hasPrefix(Context.tagPrefix) else { return }
            throw Condition.unknown(field, "names no column to select by", among: names)
        }
        if let pair, Self.pair(pair) == nil { throw Self.noPair(pair) }
        if release != nil, pair.flatMap({ Self.pair($0) })?.arms == nil { throw ValidationError(Self.strayRelease) }
    }

    static func noPair(_ text: String) -> ValidationError {
        ValidationError("'--pair \(text)' is not a pair. Write it as BASE:CANDIDATE, such as 7.117:7.129.")
    }

    static let strayRelease = "'--release' is for the arms of an experiment: '--pair TAG=VALUE:TAG=VALUE'."

    func options(_ days: FieldDays? = nil) throws(ConfigurationError) -> FieldOptions {
        var options = FieldOptions(try file.load().field, pair.flatMap { Self.pair($0, release) }, days)
        options.conditions = Condition.texts(`where`).compactMap(Condition.init).compactMap { condition in
            if condition.field.hasPrefix(Context.tagPrefix) {
                let tag = condition.field.dropFirst(Context.tagPrefix.count)
                return FieldCondition(tag: String(tag), value: condition.value)
            }
            return LogKey(column: condition.field).flatMap { FieldCondition(column: $0, value: condition.value) }
        }
        return options
    }

    /// Two releases, split at the first colon.
    static func pair(_ text: String, _ release: String? = nil) -> FieldPair? {
        let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
        return parts.count == 2 && parts[0] != parts[1]
            ? FieldPair(base: parts[0], candidate: parts[1], release: release) : nil
    }
}

struct FieldDays: ParsableArguments {
    @Option(help: .taking("day", "Use only this day and later days (UTC).")) var since: CalendarDay?
    @Option(help: .taking("day", "Use only this day and earlier days (UTC).")) var until: CalendarDay?

    func validate() throws {
        if let since, let until, until < since {
            throw ValidationError("'--until \(until)' is before '--since \(since)'. Exchange them.")
        }
    }
}

extension FieldOptions {
    /// The options of today's call.
    init(_ mapping: FieldMapping, _ pair: FieldPair?, _ days: FieldDays?) {
        self.init()
        (self.mapping, self.pair, since, until, today) = (mapping, pair, days?.since, days?.until, .today)
    }
}

/// The flags that say where the roll-ups are: in a folder, or in a table that an engine reads.
struct FieldFolder: ParsableArguments {
    @Option(help: .taking("folder", "The folder of the roll-ups.")) var field = Self.standard
    @Option(
        help: .taking(
            "command",
            "Instead of a folder, let an engine read a table: sh runs this command with the SQL on its input."))
    var via: String?
    @Option(help: .taking("engine", "With --via: trino, spark, bigquery, clickhouse, duckdb, postgres or sqlite."))
    var dialect: SQLDialect?
    @Option(help: .taking("table", "With --via: the table that the query of `field sql --rows buckets` makes."))
    var rollUp: String?
    @Option(help: .taking("table", "With --roll-up: the table of the users' sums, for field check."))
    var rollUpUsers: String?
    static let standard = "Field"

    func validate() throws {
        let others = [("--dialect", dialect?.rawValue), ("--roll-up", rollUp), ("--roll-up-users", rollUpUsers)]
        if via == nil, let (flag, _) = others.first(where: { $1 != nil }) {
            throw ValidationError("'\(flag)' needs '--via COMMAND'. Give that too.")
        }
        if via != nil, let (flag, _) = others.prefix(2).first(where: { $1 == nil }) {
            throw ValidationError("'--via' needs '\(flag)': it says where the roll-up is. Give that too.")
        }
        guard via == nil || field == Self.standard else {
            throw ValidationError("'--field' and '--via' both say where the roll-up is. Leave out one of them.")
        }
    }

    func validate(_ pair: FieldPair) throws {
        guard via == nil || pair.arms == nil else {
            throw ValidationError(
                "A table of '--roll-up' has no arms of an experiment. Roll up its events: 'field rollup --pair "
                    + "\(pair.base):\(pair.candidate)'.")
        }
    }

    /// The arguments with which a suggested command finds the same roll-up.
    var repeated: [SuggestedCommand.Argument] {
        .given([
            .field: field == Self.standard ? nil : field, .via: via, .dialect: dialect?.rawValue, .rollUp: rollUp,
            .rollUpUsers: rollUpUsers,
        ])
    }

    /// Passes the store to a closure; with --via one of the answers to the queries.
    /// - Parameter options: The days, the strata and the pair of the queries.
    /// - Parameter needsDays: Whether T is read.
    func reading<Value>(
        _ options: FieldOptions, needsDays: Bool = true, _ work: (FieldStore) throws -> Value
    ) throws -> Value {
        guard let via, let dialect, let rollUp else { return try work(FieldStore(folder: field)) }
        let queries = try queries(options, dialect, rollUp, needsDays: needsDays)
        let engine = FieldEngine(command: via, dialect: dialect)
        let (store, summary) = try FieldImport.store(of: queries, options, name: rollUp) { try engine.answer($0) }
        summary.tellImpossible()
        if let pair = options.pair, summary.pairDays.isEmpty {
            throw CommandError(
                .noInput,
                "\(rollUp): it has no row of \(pair.base) and none of \(pair.candidate) on these days. Check "
                    + "the names, which are what app_version says.")
        }
        return try work(store)
    }

    private func queries(
        _ options: FieldOptions, _ dialect: SQLDialect, _ table: String, needsDays: Bool
    ) throws -> [FieldEngine.Query] {
        func text(_ result: FieldTableQuery.Result, _ table: String) throws -> String {
            try FieldTableQuery(dialect, .path(table), options).text(result) + ";\n"
        }
        var queries: [FieldEngine.Query] = []
        if needsDays { queries.append(("T", .rollUp(options.strata), try text(.days(options.pair), table))) }
        guard let pair = options.pair else { return queries }
        queries.append(("G", .cells, try text(.cells(pair), table)))
        if let rollUpUsers { queries.append(("users", .users, try text(.users(pair), rollUpUsers))) }
        return queries
    }
}

/// A program that answers queries: sh runs its command with the SQL on its standard input.
final class FieldEngine: Sendable {
    let command: String
    let dialect: SQLDialect
    private let failure = Mutex<(any Error)?>(nil)

    typealias Query = (name: String, kind: FieldTableKind, text: String)

    init(command: String, dialect: SQLDialect) { (self.command, self.dialect) = (command, dialect) }

    /// The answer to a query. Queries run one after the other, since a file of a database may have one reader. After
    /// a failure, the other queries aren't run, and throw the same error.
    func answer(_ query: Query) throws -> FieldImport.Answer {
        try failure.withLock { failure in
            if let failure { throw failure }
            do {
                return ("the answer to \(query.name.prefix { $0 != ":" })", try table(query))
            } catch {
                failure = error
                throw error
            }
        }
    }

    private func table(_ query: Query) throws -> [UInt8] {
        let done = try ChildProcess(["/bin/sh", "-c", command]).run(input: Array(query.text.utf8))
        guard done.end == .exited(0) else {
            StandardStream.error.write(done.error)
            throw CommandError(.badData, "The command of --via \(done.end.words): its output isn't used.")
        }
        do throws(QueryAnswerError) {
            return try QueryAnswer(query.kind, in: dialect).table(done.output)
        } catch {
            throw CommandError(.badData, "The command of --via: \(error.problem).")
        }
    }
}
