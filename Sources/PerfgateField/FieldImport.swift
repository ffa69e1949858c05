import PerfgateIngest
import PerfgateJSON
import PerfgateModel

/// Imports the rows that an engine wrote into a store: CSV with a header, or one JSON object per line.
///
/// Rows of T are added to their days, each file once. Rows of G and the sums of users replace their days, because they
/// are complete.
package struct FieldImport: Sendable {
    package struct Summary: Sendable {
        package var rows = 0
        /// The written days of T, sorted.
        package var days: [CalendarDay] = []
        package var size = RollUpSize()
        /// The written days of G, sorted.
        package var pairDays: [CalendarDay] = []
        /// The number of rows of days that can't be.
        package var impossibleRows = 0
        /// The paths of files whose rows were all counted before.
        package var knownFiles: [String] = []
    }

    private var rollUps: [FieldSource: (strata: [FieldStratum], days: [CalendarDay: [Numbered<FieldRow>]])] = [:]
    private var pairs: [CalendarDay: [Numbered<PairRow>]] = [:]
    private var cells: [CalendarDay: [Numbered<PairCell>]] = [:]
    private var users: [CalendarDay: [Numbered<UserRow>]] = [:]
    private var arms: [CalendarDay: [Numbered<ArmUsers>]] = [:]
    private var pairSources: Set<FieldSource> = []
    private var paths: [FieldSource: String] = [:]
    private var summary = Summary()
    private var isWhole = false
    private var possible = Int.min...Int.max

    private struct Numbered<Row: Comparable & Sendable>: Sendable {
        let row: Row
        let path: String
        let line: Int
    }

    /// Imports files; if one of them is wrong, nothing is written.
    /// Throws a `FieldImportError`, a `FieldStoreError`, a `FieldRollUpError` or a `FileError`.
    /// - Parameter options: The pair of the rows of G, and the conditions of the engine's query.
    package static func run(_ paths: [String], _ options: FieldOptions, into store: FieldStore) throws -> Summary {
        var taking = FieldImport(options)
        for path in paths {
            let bytes: [UInt8]
            do throws(IngestError) {
                bytes = try WholeFile.read(path)
            } catch {
                throw FieldImportError(path: path, line: nil, problem: "\(error)", isAbsent: error.fault == .notFound)
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
            for (number, rows) in days {
                var day = FieldDay(day: number, strata: strata, conditions: options.conditionTexts)
                day.rows = try Self.sorted(rows)
                held.days[number] = day
            }
        }
        taking.summary.days = held.days.keys.sorted()
        return (FieldStore(held, name: name), taking.summary)
    }

    /// An engine's answer to a query: a table, with a name for messages.
    package typealias Answer = (name: String, table: [UInt8])

    private init(_ options: FieldOptions) {
        if let today = options.today { possible = today.possible }
    }

    /// Adds the rows of another answer.
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
            (source, content.strata, try content.days.mapValues(Self.sorted))
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
            throw FieldImportError(path: path, line: line, problem: error.problem, isAbsent: false)
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
            try Self.check(row.metric, row.count)
            guard isPossible(day) else { return }
            pairs[day, default: []].append(Numbered(row: row, path: path, line: line))
        case .cells:
            let (day, cell) = try row.pairCell()
            try Self.check(cell.metric, cell.buckets[0].count)
            guard isPossible(day) else { return }
            cells[day, default: []].append(Numbered(row: cell, path: path, line: line))
        case .users:
            let (day, row) = try row.userRow()
            guard isPossible(day) else { return }
            users[day, default: []].append(Numbered(row: row, path: path, line: line))
        case .arms:
            let (day, row) = try row.armsRow()
            guard isPossible(day) else { return }
            arms[day, default: []].append(Numbered(row: row, path: path, line: line))
        }
    }

    /// Throws if a row counts unknown outcomes.
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
        guard
            let first = pairs.values.first?.first.map({ ($0.path, $0.line) })
                ?? cells.values.first?.first.map({ ($0.path, $0.line) })
                ?? users.values.first?.first.map({ ($0.path, $0.line) })
        else { return [] }
        guard let pair else {
            throw FieldImportError(
                path: first.0, line: nil, problem: "its rows are of a pair of releases: name it with --pair",
                isAbsent: false)
        }
        for users in users.values {
            for user in users where ![pair.base, pair.candidate].contains(user.row.release) {
                throw FieldImportError(
                    path: user.path, line: user.line, problem: "its release isn't in the pair: check the query",
                    isAbsent: false)
            }
        }
        let days = Set(pairs.keys).union(cells.keys)
        if let day = users.keys.sorted().first(where: { !days.contains($0) }), let user = users[day]?.first {
            throw FieldImportError(
                path: user.path, line: user.line,
                problem: "there are sums of users for \(day), and no buckets: give both files in one call",
                isAbsent: false)
        }
        return try days.sorted().map { number in
            var day = PairDay(day: number, conditions: [])
            day.files = pairSources.sorted()
            day.cells = try Self.sorted(cells[number] ?? [])
            if let row = pairs[number]?.first, !day.cells.isEmpty {
                throw FieldImportError(
                    path: row.path, line: row.line, problem: "\(number) has its buckets in two forms: give one of them",
                    isAbsent: false)
            }
            for row in try Self.sorted(pairs[number] ?? []) {
                if day.cells.last?.holds(row) == true {
                    _ = day.cells[day.cells.count - 1].append(row.content)
                } else {
                    day.cells.append(PairCell(row))
                }
            }
            day.users = try Self.sorted(users[number] ?? [])
            day.arms = try Self.sorted(arms[number] ?? [])
            return day
        }
    }

    /// Sorts rows; throws if a row is repeated.
    private static func sorted<Row: Sendable>(_ rows: [Numbered<Row>]) throws -> [Row] {
        let isSorted = zip(rows, rows.dropFirst()).allSatisfy { $0.row < $1.row }
        guard !isSorted else { return rows.map { $0.row } }
        let sorted = rows.sorted { $0.row < $1.row }
        for (row, next) in zip(sorted, sorted.dropFirst()) where !(row.row < next.row) {
            let (first, second) = row.path == next.path && row.line > next.line ? (next, row) : (row, next)
            throw FieldImportError(
                path: second.path, line: second.line,
                problem: "the row comes a second time (\(first.path):\(first.line) has it too): group by all names in "
                    + "the query", isAbsent: false)
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

    /// The kind with the most matching columns.
    private static func nearest(to columns: Set<FieldTableColumn>) -> FieldTableKind {
        let kinds = [Self.rollUp([]), .pair, .users, .arms]
        return kinds.max { columns.intersection($0.columns).count < columns.intersection($1.columns).count } ?? .pair
    }
}

/// Why rows can't be imported.
package struct FieldImportError: Error, Hashable, Sendable {
    package let path: String
    /// The first line of the row, from 1; `nil` for the whole file.
    package let line: Int?
    package let problem: String
    package let isAbsent: Bool
}

extension FieldImportError: CustomStringConvertible {
    /// The error as `path:line: problem; advice`.
    package var description: String { "\(path)\(line.map { ":\($0)" } ?? ""): \(problem)" }
}
