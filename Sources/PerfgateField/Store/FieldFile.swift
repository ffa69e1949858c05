import PerfgateIngest
import PerfgateJSON
import PerfgateModel
import PerfgateStats

/// A file of the store: one line of JSON that describes it, then its rows as CSV.
struct FieldFile {
    private let path: String
    private let bytes: [UInt8]
    private let head: JSONNode
    /// The offset of the table.
    private let start: Int

    private enum Key {
        static let schema = "schema", rollUp = "roll_up", day = "day", by = "by", conditions = "where", files = "files"
        static let hash = "hash", name = "name", leftOut = "left_out", rows = "rows"
        static let base = "base", candidate = "candidate"
    }

    private static let days = "days", pairs = "pairs"

    /// Reads a file, or only its first line.
    init(path: String, isWhole: Bool = true) throws(FieldStoreError) {
        self.path = path
        do throws(IngestError) {
            bytes = try WholeFile.read(path) { isWhole || !$0.contains(UInt8(ascii: "\n")) }
        } catch {
            throw FieldStoreError(path: path, line: nil, problem: "\(error)")
        }
        let end = bytes.firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
        start = min(end + 1, bytes.count)
        do throws(JSONDocumentError) {
            head = try JSONDocument(Array(bytes[..<end])).root
            let schema = try head[Key.schema].int()
            guard schema == FieldStore.schema else {
                throw head.error(.rule("its schema is \(schema), but this perfgate reads 1: update perfgate"))
            }
        } catch {
            throw Self.foreign(path, error)
        }
    }

    func head(_ day: CalendarDay) throws(FieldStoreError) -> FieldDay {
        try understanding { () throws(JSONDocumentError) in
            try demand(Self.days, day)
            var result = FieldDay(day: day, strata: try strata(), conditions: try texts(Key.conditions))
            result.files = try files()
            for (reason, count) in try head[Key.leftOut].members() {
                guard let reason = FieldOmission(rawValue: reason) else {
                    throw count.error(.rule("it isn't a reason"))
                }
                result.leftOut[reason] = try count.int()
            }
            return result
        }
    }

    func day(_ day: CalendarDay) throws(FieldStoreError) -> FieldDay {
        var result = try head(day)
        let strata = result.strata
        let table = Table(bytes, from: start, path)
        result.rows = try table.read(.rollUp(strata), of: day) { row throws(FieldRowError) in
            try row.rollUpRow(strata)
        }
        return result
    }

    /// The number of values per release in a day of T, over all metrics; doesn't parse buckets.
    func events(on day: CalendarDay) throws(FieldStoreError) -> [String: Int] {
        try Table(bytes, from: start, path).events(.rollUp(try head(day).strata))
    }

    func pair() throws(FieldStoreError) -> FieldPair {
        try understanding { () throws(JSONDocumentError) in
            FieldPair(base: try head[Key.base].string(), candidate: try head[Key.candidate].string())
        }
    }

    func sources() throws(FieldStoreError) -> Set<FieldSource> {
        try understanding { () throws(JSONDocumentError) in Set(try files()) }
    }

    func pairCells(_ day: CalendarDay, of pair: FieldPair) throws(FieldStoreError) -> PairCells {
        guard try self.pair() == pair else {
            throw FieldStoreError(path: path, line: 1, problem: "its releases don't match its folder's name")
        }
        var (result, count) = try understanding { () throws(JSONDocumentError) in
            try demand(Self.pairs, day)
            var result = PairCells(day: day, conditions: try texts(Key.conditions))
            result.files = try files()
            return (result, try head[Key.rows].int())
        }
        let table = Table(bytes, from: start, path)
        result.cells = try table.readCells(of: day, count: count)
        result.users = try table.read(.users, of: day) { row throws(FieldRowError) in try row.userRow() }
        return result
    }

    private func demand(_ kind: String, _ day: CalendarDay) throws(JSONDocumentError) {
        guard try head[Key.rollUp].string() == kind, try head[Key.day].string() == day.text else {
            throw head.error(.rule("its content doesn't match its name: restore its old name"))
        }
    }

    private func strata() throws(JSONDocumentError) -> [FieldStratum] {
        try head[Key.by].elements().map { node throws(JSONDocumentError) in
            guard let stratum = FieldStratum(rawValue: try node.string()) else { throw node.error(.rule("unknown")) }
            return stratum
        }
    }

    private func texts(_ key: String) throws(JSONDocumentError) -> [String] {
        try head[key].elements().map { node throws(JSONDocumentError) in try node.string() }
    }

    private func files() throws(JSONDocumentError) -> [FieldSource] {
        try head[Key.files].elements().map { node throws(JSONDocumentError) in
            FieldSource(hash: try node[Key.hash].string(), name: try node[Key.name].string())
        }
    }

    private func understanding<Value>(
        _ body: () throws(JSONDocumentError) -> Value
    ) throws(FieldStoreError) -> Value {
        do throws(JSONDocumentError) {
            return try body()
        } catch {
            throw Self.foreign(path, error)
        }
    }

    private static func foreign(_ path: String, _ error: JSONDocumentError) -> FieldStoreError {
        FieldStoreError(
            path: path, line: 1,
            problem:
                "it isn't a file of the store, or is damaged (\(error)); restore it, or remove it and roll up its day "
                + "again")
    }

    /// The CSV after the first line.
    private final class Table {
        private let bytes: [UInt8]
        private let path: String
        private var offset: Int
        private var line = 2

        init(_ bytes: [UInt8], from offset: Int, _ path: String) {
            self.bytes = bytes
            self.offset = offset
            self.path = path
        }

        func read<Row: Comparable>(
            _ kind: FieldTableKind, of day: CalendarDay,
            _ row: (CSVTable) throws(FieldRowError) -> (day: CalendarDay, row: Row)
        ) throws(FieldStoreError) -> [Row] {
            try reading(kind) { table throws(FieldRowError) in
                var rows: [Row] = []
                while try table.next() {
                    let found = try row(table)
                    try Self.check(found, day, after: rows.last)
                    rows.append(found.row)
                }
                return rows
            }
        }

        /// The number of events in rows of T, by release.
        func events(_ kind: FieldTableKind) throws(FieldStoreError) -> [String: Int] {
            try reading(kind) { table throws(FieldRowError) in
                var events: [String: Int] = [:]
                while try table.next() {
                    let row = try table.releaseEvents()
                    events[row.release, default: 0] += row.events
                }
                return events
            }
        }

        /// Reads this many rows of G. The rows of a cell have the same prefix, so only numbers are parsed after the
        /// first.
        func readCells(of day: CalendarDay, count: Int) throws(FieldStoreError) -> [PairCell] {
            try reading(.pair) { table throws(FieldRowError) in
                var cells: [PairCell] = []
                var last: PairRow?
                var beginning: Range<Int>?
                for _ in 0..<max(0, count) {
                    if let beginning, let numbers = table.nextNumbers(after: beginning) {
                        let bucket = WeightedHistogram.Bucket(
                            index: numbers[0], count: numbers[1], weight: numbers[2], squares: numbers[3])
                        try bucket.check()
                        guard cells[cells.count - 1].append(bucket) else { throw Self.disorder }
                        continue
                    }
                    guard try table.next() else { break }
                    let found = try table.pairRow()
                    if let last, last.isOfSameCell(as: found.row) {
                        guard found.day == day, cells[cells.count - 1].append(found.row.content) else {
                            throw Self.disorder
                        }
                    } else {
                        try Self.check(found, day, after: last)
                        cells.append(PairCell(found.row))
                    }
                    beginning = table.plainBytes(before: Self.namesOfPairs)
                    last = found.row
                }
                return cells
            }
        }

        /// The number of names before the numbers in a row of G.
        private static let namesOfPairs = 5

        private static func check<Row: Comparable>(
            _ found: (day: CalendarDay, row: Row), _ day: CalendarDay, after last: Row?
        ) throws(FieldRowError) {
            guard found.day == day, last.map({ $0 < found.row }) ?? true else {
                throw disorder
            }
        }

        private static let disorder = FieldRowError(problem: "the row is of another day, or out of order")

        private func reading<Rows>(
            _ kind: FieldTableKind, _ body: (CSVTable) throws(FieldRowError) -> Rows
        ) throws(FieldStoreError) -> Rows {
            try bytes.withUnsafeBufferPointer { bytes throws(FieldStoreError) in
                let table = CSVTable(UnsafeRawBufferPointer(bytes), from: offset, line: line, greatest: .max)
                do throws(FieldRowError) {
                    let header = try table.readHeader() ?? []
                    guard header == kind.columns.map(\.name) else {
                        throw FieldRowError(problem: "another header was expected")
                    }
                    let rows = try body(table)
                    (offset, line) = table.end
                    return rows
                } catch {
                    throw FieldStoreError(
                        path: path, line: table.line,
                        problem: "\(error.problem); restore the file, or remove it and roll up its day again")
                }
            }
        }
    }
}

extension FieldDay {
    func file() -> [UInt8] {
        let head = FieldFile.head("days", day, conditions, files) { head in
            head.write("by", list: strata.map(\.rawValue))
            head.object("left_out") { object in
                for reason in FieldOmission.allCases { object.write(reason.rawValue, leftOut[reason]) }
            }
        }
        var text = GzipText()
        text.write { $0.append(head + FieldTableKind.rollUp(strata).header.utf8) }
        for row in rows { text.write { $0.append(row, day: day) } }
        return text.finished()
    }
}

extension PairDay {
    func file(of pair: FieldPair) -> [UInt8] {
        let head = FieldFile.head("pairs", day, conditions, files) { head in
            head.write("base", pair.base)
            head.write("candidate", pair.candidate)
            head.write("rows", rows.count)
        }
        var text = GzipText()
        text.write { $0.append(head + FieldTableKind.pair.header.utf8) }
        for row in rows { text.write { $0.append(row, day: day) } }
        text.write { $0.append(FieldTableKind.users.header.utf8) }
        for row in users { text.write { $0.append(row, day: day) } }
        return text.finished()
    }
}

extension FieldFile {
    /// The first line of a file.
    fileprivate static func head(
        _ rollUp: String, _ day: CalendarDay, _ conditions: [String], _ files: [FieldSource],
        _ rest: (inout JSONObjectWriter) -> Void
    ) -> [UInt8] {
        JSONWriter().object { head in
            head.write(Key.schema, FieldStore.schema)
            head.write(Key.rollUp, rollUp)
            head.write(Key.day, day.text)
            rest(&head)
            head.write(Key.conditions, list: conditions)
            head.array(Key.files) { array in
                for file in files {
                    array.object { object in
                        object.write(Key.hash, file.hash)
                        object.write(Key.name, file.name)
                    }
                }
            }
        }
    }
}
