import PerfgateIngest
import PerfgateJSON
import PerfgateModel

/// Imports the rows that an engine wrote into a store: CSV with a header, or one JSON object per line. Rows of T are
/// added to their days, each file once. Rows of G and the sums of users are complete, and replace their days.
package struct FieldImport: Sendable {
    package struct Summary: Sendable {
        package var rows = 0
        /// The written days of T and of G, sorted.
        package var days: [CalendarDay] = [], pairDays: [CalendarDay] = []
        /// Of the written days of T.
        package var size = RollUpSize()
        /// The number of rows of days that can't be.
        package var impossibleRows = 0
        /// The paths of files whose rows were all counted before.
        package var knownFiles: [String] = []
    }

    private var rollUps: [FieldSource: (strata: [FieldStratum], days: Days<FieldRow>)] = [:]
    private var pairs: Days<PairCell> = [:], cells: Days<PairCell> = [:]
    private var users: Days<UserRow> = [:], arms: Days<ArmUsers> = [:]
    private var pairSources: Set<FieldSource> = []
    private var paths: [FieldSource: String] = [:]
    private var summary = Summary()
    private var isWhole = false
    private let possible: ClosedRange<Int>

    private typealias Days<Row: Comparable & Sendable> = [CalendarDay: [Numbered<Row>]]

    private struct Numbered<Row: Comparable & Sendable>: Sendable {
        let row: Row
        let path: String
        let line: Int

        func error(_ problem: String) -> FieldImportError { .init(path: path, line: line, problem: problem) }
    }

    /// Imports files; if one of them is wrong, nothing is written.
    /// Throws a `FieldImportError`, a `FieldStoreError`, a `FieldRollUpError` or a `FileError`.
    /// - Parameter options: The pair of the rows of G, and the conditions of the engine's query.
    package static func run(_ paths: [String], _ options: FieldOptions, into store: FieldStore) throws -> Summary {
        var taking = FieldImport(options)
        for path in paths {
            let bytes: [UInt8]
            do throws(IngestError) { bytes = try WholeFile.read(path) } catch {
                throw FieldImportError(path: path, problem: "\(error)", isAbsent: error.fault == .notFound)
            }
            try taking.read(bytes, path)
        }
        return try taking.finish(options, into: store)
    }

    /// Stores an engine's answers. Rows of T are complete for their days, and replace them.
    package static func run(_ answers: [Answer], _ options: FieldOptions, into store: FieldStore) throws -> Summary {
        var taking = FieldImport(options)
        taking.isWhole = true
        for answer in answers { try taking.read(answer.table, answer.name) }
        return try taking.finish(options, into: store)
    }

    /// An engine's answers about a table as a store in memory. Each is read while the engine works on the next.
    package static func store<Query: Sendable>(
        of queries: [Query], _ options: FieldOptions, name: String, answer: @Sendable (Query) throws -> Answer
    ) throws -> (store: FieldStore, summary: Summary) {
        let parts = try queries.concurrentMap { query in
            let answer = try answer(query)
            var part = FieldImport(options)
            try part.read(answer.table, answer.name)
            return part
        }
        var taking = parts.reduce(into: FieldImport(options)) { $0.add($1) }
        var held = FieldStore.Answers()
        held.pair = options.pair
        for day in try taking.sortedPairs(options.pair) { held.pairDays[day.day] = day }
        taking.summary.pairDays = held.pairDays.keys.sorted()
        for (strata, days) in taking.rollUps.values {
            for (day, rows) in days {
                held.days[day] = FieldDay(
                    day: day, strata: strata, conditions: options.conditionTexts, rows: try Self.sorted(rows))
            }
        }
        taking.summary.days = held.days.keys.sorted()
        return (FieldStore(held, name: name), taking.summary)
    }

    /// An engine's answer to a query: a table, with a name for messages.
    package typealias Answer = (name: String, table: [UInt8])

    private init(_ options: FieldOptions) { possible = options.today?.possible ?? Int.min...Int.max }

    private mutating func add(_ other: FieldImport) {
        rollUps.merge(other.rollUps) { first, _ in first }
        pairs.merge(other.pairs, uniquingKeysWith: +)
        cells.merge(other.cells, uniquingKeysWith: +)
        users.merge(other.users, uniquingKeysWith: +)
        arms.merge(other.arms, uniquingKeysWith: +)
        pairSources.formUnion(other.pairSources)
        summary.rows += other.summary.rows
        summary.impossibleRows += other.summary.impossibleRows
    }

    private mutating func finish(_ options: FieldOptions, into store: FieldStore) throws -> Summary {
        let pairDays = try sortedPairs(options.pair)
        let rollUps = try rollUps.sorted { $0.key < $1.key }.map { source, content in
            (source, content.strata, try content.days.mapValues { try Self.sorted($0) })
        }
        let lock = try store.lock()
        defer { lock.release() }
        for (_, strata, _) in rollUps { try store.check(strata, options.conditionTexts) }
        for (source, strata, days) in rollUps { try write(source, strata, days, options, into: store) }
        if let pair = options.pair {
            for var day in pairDays {
                day.conditions = options.conditionTexts
                try store.write(day, of: pair)
                summary.pairDays.append(day.day)
            }
        }
        summary.days = Set(summary.days).sorted()
        return summary
    }

    private mutating func read(_ bytes: [UInt8], _ path: String) throws(FieldImportError) {
        let source = bytes.withUnsafeBytes { FieldSource(ContentHash(of: $0), path: path) }
        guard paths.updateValue(path, forKey: source) == nil else { return summary.knownFiles.append(path) }
        var line = 1
        do throws(FieldRowError) {
            try bytes.withUnsafeBufferPointer { bytes throws(FieldRowError) in
                let bytes = UnsafeRawBufferPointer(bytes)
                let isJSON = bytes.first { !" \t\r\n\u{FEFF}".utf8.contains($0) } == UInt8(ascii: "{")
                try isJSON ? readLines(bytes, source, path, &line) : readTable(bytes, source, path, &line)
            }
        } catch {
            throw FieldImportError(path: path, line: line, problem: error.problem)
        }
    }

    private mutating func readTable(
        _ bytes: UnsafeRawBufferPointer, _ source: FieldSource, _ path: String, _ line: inout Int
    ) throws(FieldRowError) {
        let table = CSVTable(bytes)
        defer { line = table.line }
        guard let names = try table.readHeader() else { throw FieldRowError(problem: "it is empty: export it again") }
        let kind = try FieldTableKind(checking: names)
        while try table.next() { try take(table, kind, source, path, table.line) }
        note(kind, source)
    }

    private mutating func readLines(
        _ bytes: UnsafeRawBufferPointer, _ source: FieldSource, _ path: String, _ line: inout Int
    ) throws(FieldRowError) {
        var lines = JSONLines()
        var kind: FieldTableKind?
        func take(_ found: JSONLine) throws(FieldRowError) {
            line = found.number
            guard case .bytes(let text) = found.content else { throw FieldRowError(problem: "the line is too long") }
            let row = try JSONTableRow(text, from: kind == nil ? JSONReader.byteOrderMarkLength(of: text) : 0)
            if kind == nil { kind = try FieldTableKind(checking: row.keys) }
            if let kind { try self.take(row, kind, source, path, found.number) }
        }
        try lines.append(bytes, take)
        try lines.finish(take)
        if let kind { note(kind, source) }
    }

    private mutating func note(_ kind: FieldTableKind, _ source: FieldSource) {
        if case .rollUp(let strata) = kind {
            if rollUps[source] == nil { rollUps[source] = (strata, [:]) }
        } else {
            pairSources.insert(source)
        }
    }

    private mutating func take(
        _ row: some FieldTableRow, _ kind: FieldTableKind, _ source: FieldSource, _ path: String, _ line: Int
    ) throws(FieldRowError) {
        summary.rows += 1
        switch kind {
        case .rollUp(let strata):
            let (day, row) = try row.rollUpRow(FieldTableColumn.strata(strata))
            try Self.check(row.metric, row.events)
            guard isPossible(day) else { return }
            rollUps[source, default: (strata, [:])].days[day, default: []].append(
                Numbered(row: row, path: path, line: line))
        case .pair:
            let (day, row) = try row.pairRow()
            try Self.check(row.metric, row.buckets[0].count)
            if isPossible(day) { pairs[day, default: []].append(Numbered(row: row, path: path, line: line)) }
        case .cells:
            let (day, row) = try row.pairCell()
            try Self.check(row.metric, row.buckets[0].count)
            if isPossible(day) { cells[day, default: []].append(Numbered(row: row, path: path, line: line)) }
        case .users:
            let (day, row) = try row.userRow()
            if isPossible(day) { users[day, default: []].append(Numbered(row: row, path: path, line: line)) }
        case .arms:
            let (day, row) = try row.armsRow()
            if isPossible(day) { arms[day, default: []].append(Numbered(row: row, path: path, line: line)) }
        }
    }

    private static func check(_ metric: String, _ events: Int) throws(FieldRowError) {
        guard metric == FieldQuery.unknownOutcome else { return }
        throw FieldRowError(
            problem: "\(events) events have an outcome other than loaded, error and abandoned: map it, "
                + "field: { columns: { outcome: { sql: \"CASE …\" } } }")
    }

    /// Whether a row's day can be; counts the others.
    private mutating func isPossible(_ day: CalendarDay) -> Bool {
        if possible ~= day.number { return true }
        summary.impossibleRows += 1
        return false
    }

    /// Adds the rows of a file to the days that don't count it yet.
    private mutating func write(
        _ source: FieldSource, _ strata: [FieldStratum], _ days: [CalendarDay: [FieldRow]], _ options: FieldOptions,
        into store: FieldStore
    ) throws {
        var isKnown = !days.isEmpty
        for (day, rows) in days.sorted(by: { $0.key < $1.key }) {
            var stored = try store.day(day) ?? FieldDay(day: day, strata: strata, conditions: options.conditionTexts)
            try stored.check(strata, options.conditionTexts, in: store)
            if isWhole {
                (stored.files, stored.leftOut, stored.rows) = ([], [:], [])
            } else if stored.files.contains(where: { $0.hash == source.hash }) {
                continue
            }
            isKnown = false
            stored.add(rows, [source], [:])
            try store.write(stored)
            summary.size.add(stored)
            summary.days.append(day)
        }
        if isKnown, let path = paths[source] { summary.knownFiles.append(path) }
    }

    /// The complete days of G.
    private func sortedPairs(_ pair: FieldPair?) throws -> [PairDay] {
        guard let path = (pairs.values.first ?? cells.values.first)?.first?.path ?? users.values.first?.first?.path
        else { return [] }
        guard let pair else {
            throw FieldImportError(path: path, problem: "its rows are of a pair of releases: name it with --pair")
        }
        for user in users.values.joined() where ![pair.base, pair.candidate].contains(user.row.release) {
            throw user.error("its release isn't in the pair: check the query")
        }
        let days = Set(pairs.keys).union(cells.keys)
        if let day = users.keys.sorted().first(where: { !days.contains($0) }), let user = users[day]?.first {
            throw user.error("there are sums of users for \(day), and no buckets: give both files in one call")
        }
        return try days.sorted().map { day in
            var own = try Self.sorted(cells[day] ?? [])
            if let row = pairs[day]?.first, !own.isEmpty {
                throw row.error("\(day) has its buckets in two forms: give one of them")
            }
            let rows = try Self.sorted(pairs[day] ?? []) {
                $0 < $1 || !($1 < $0) && $0.buckets[0].index < $1.buckets[0].index
            }
            for row in rows {
                if own.last?.hasNames(of: row) == true {
                    _ = own[own.count - 1].append(row.buckets[0])
                } else {
                    own.append(row)
                }
            }
            return PairDay(
                day: day, conditions: [], files: pairSources.sorted(), cells: own,
                users: try Self.sorted(users[day] ?? []), arms: try Self.sorted(arms[day] ?? []))
        }
    }

    /// Sorts rows; throws if a row is repeated.
    private static func sorted<Row: Sendable>(
        _ rows: [Numbered<Row>], by isBefore: (Row, Row) -> Bool = { $0 < $1 }
    ) throws -> [Row] {
        let isSorted = zip(rows, rows.dropFirst()).allSatisfy { isBefore($0.row, $1.row) }
        guard !isSorted else { return rows.map(\.row) }
        let sorted = rows.sorted { isBefore($0.row, $1.row) }
        for (row, next) in zip(sorted, sorted.dropFirst()) where !isBefore(row.row, next.row) {
            let (first, second) = row.path == next.path && row.line > next.line ? (next, row) : (row, next)
            let other = "\(first.path):\(first.line)"
            throw second.error("the row comes a second time (\(other) has it too): group by all names in the query")
        }
        return sorted.map(\.row)
    }
}

extension FieldTableKind {
    fileprivate init(checking names: [String]) throws(FieldRowError) {
        let columns = FieldTableColumn.named(names)
        if let unknown = zip(names, columns).first(where: { $0.1 == nil })?.0 {
            let known = FieldTableColumn.allCases.map(\.name).filter { !$0.isEmpty }
            throw FieldRowError(
                problem: "no column is called \"\(unknown)\": "
                    + Suggestion.advice(for: unknown, among: known, otherwise: "leave it out of the query"))
        }
        let found = Set(columns.compactMap(\.self))
        guard found.count == names.count else { throw FieldRowError(problem: "a column comes twice: leave one out") }
        guard let kind = FieldTableKind(names: names) else {
            let nearest = FieldTableKind.nearest(to: found)
            let missing = nearest.columns.filter { !found.contains($0) }.map(\.name).joined(separator: ", ")
            let surplus = found.subtracting(nearest.columns).map(\.name).sorted().joined(separator: ", ")
            throw FieldRowError(
                problem: "the columns are those of no roll-up" + (missing.isEmpty ? "" : "; add \(missing)")
                    + (surplus.isEmpty ? "" : "; leave out \(surplus)"))
        }
        self = kind
    }

    private static func nearest(to columns: Set<FieldTableColumn>) -> FieldTableKind {
        let kinds = [Self.rollUp([]), .pair, .users, .arms]
        return kinds.max { columns.intersection($0.columns).count < columns.intersection($1.columns).count } ?? .pair
    }
}

package struct FieldImportError: Error, Hashable, Sendable, CustomStringConvertible {
    package let path: String
    /// The first line of the row, from 1; `nil` for the whole file.
    package var line: Int?
    package let problem: String
    package var isAbsent = false

    /// The error as `path:line: problem; advice`.
    package var description: String { "\(path)\(line.map { ":\($0)" } ?? ""): \(problem)" }
}
