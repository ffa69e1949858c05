import PerfgateIngest
import PerfgateJSON
import PerfgateModel
import PerfgateStats

/// The first line of a file of the store, which describes the roll-up of a day in the rows after it.
private struct FieldHead {
    /// What only a day of T has.
    struct Days {
        var strata: [FieldStratum] = []
        var leftOut: [FieldOmission: Int] = [:]
    }

    /// What only a day of G has: its releases, the users of an experiment's arms, and the number of its rows.
    struct Pairs {
        var base = "", candidate = "", release: String?
        var arms: [ArmUsers]?
        var rows = 0
    }

    var rollUp = "", day = ""
    var days: Days?, pairs: Pairs?
    var conditions: [String] = [], files: [FieldSource] = []

    private static let text = JSONScalarShape.string, whole = JSONScalarShape.integer

    static let shape = JSONShape<FieldHead>(blank: FieldHead()) { head, member in
        var schema = FieldStore.schema
        member("schema", &schema, Self.schema)
        member("roll_up", &head.rollUp, text)
        member("day", &head.day, text)
        member.together(with: "by", &head.days, blank: Days()) { days, member in
            member("by", &days.strata, stratum.list())
            member("left_out", &days.leftOut, leftOut)
        }
        member.together(with: "base", &head.pairs, blank: Pairs()) { pairs, member in
            member("base", &pairs.base, text)
            member("candidate", &pairs.candidate, text)
            member("release", &pairs.release, text)
            member("arms", &pairs.arms, arms.list())
            member("rows", &pairs.rows, whole)
        }
        member("where", &head.conditions, text.list())
        member("files", &head.files, source.list())
    }

    private static let schema = whole.checked { node, schema throws(JSONDocumentError) in
        guard schema != FieldStore.schema else { return }
        throw node.error(.rule("its schema is \(schema), but this perfgate reads 1: update perfgate"))
    }

    private static let stratum = JSONShape<FieldStratum>([:], scalar: { .string($0.rawValue) }) {
        node throws(JSONDocumentError) in
        if let stratum = FieldStratum(rawValue: try node.string()) { return stratum }
        throw node.error(.rule("unknown"))
    }

    private static let leftOut = JSONShape<[FieldOmission: Int]>(blank: [:]) { counts, member in
        for reason in FieldOmission.allCases { member(reason.rawValue, &counts[reason], whole) }
    }.checked { node, _ throws(JSONDocumentError) in
        for (reason, count) in try node.members() where FieldOmission(rawValue: reason) == nil {
            throw count.error(.rule("it isn't a reason"))
        }
    }

    private static let arms = JSONShape<ArmUsers>(blank: ArmUsers(app: "")) { arms, member in
        member("app", &arms.app, text)
        member("base", &arms.base, whole)
        member("candidate", &arms.candidate, whole)
        member("both", &arms.both, whole)
    }

    private static let source = JSONShape<FieldSource>(blank: FieldSource(hash: "", name: "")) { source, member in
        member("hash", &source.hash, text)
        member("name", &source.name, text)
        member("lines", &source.lines, whole)
    }

    var bytes: [UInt8] { Self.shape.bytes(of: self, JSONWriter()) }
}

/// A file of the store: one line of JSON that describes it, then its rows as CSV.
struct FieldFile {
    private let path: String, bytes: [UInt8]
    private let head: FieldHead
    /// The place of the tables in the bytes.
    private let start: Int

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
            head = try FieldHead.shape.read(try JSONDocument(Array(bytes[..<end])).root)
        } catch {
            throw Self.foreign(path, "\(error)")
        }
    }

    func head(_ day: CalendarDay) throws(FieldStoreError) -> FieldDay {
        guard head.rollUp == "days", head.day == day.text, let days = head.days else { throw misplaced }
        return FieldDay(
            day: day, strata: days.strata, conditions: head.conditions, files: head.files, leftOut: days.leftOut)
    }

    /// Passes a cursor over the rows of a day of T to a closure.
    func read<Value>(_ day: CalendarDay, _ body: FieldCursor.Body<Value>) throws(FieldStoreError) -> Value {
        let head = try head(day)
        return try reading { table throws(FieldRowError) in try body(try FieldCursor(table, head)) }
    }

    func pair() throws(FieldStoreError) -> FieldPair {
        guard let pairs = head.pairs else { throw misplaced }
        return FieldPair(base: pairs.base, candidate: pairs.candidate, release: pairs.release)
    }

    var sources: Set<FieldSource> { Set(head.files) }

    func pairCells(_ day: CalendarDay, of pair: FieldPair) throws(FieldStoreError) -> PairDay {
        guard try self.pair() == pair else {
            throw FieldStoreError(path: path, line: 1, problem: "its releases don't match its folder's name")
        }
        guard head.rollUp == "pairs", head.day == day.text, let pairs = head.pairs else { throw misplaced }
        var result = PairDay(day: day, conditions: head.conditions, files: head.files, arms: pairs.arms ?? [])
        try reading { table throws(FieldRowError) in
            result.cells = try table.readCells(of: day, count: pairs.rows)
            try table.begin(.users)
            while try table.next() {
                result.users.append(try CSVTable.check(try table.userRow(), day, after: result.users.last))
            }
        }
        return result
    }

    private var misplaced: FieldStoreError {
        Self.foreign(path, "its content doesn't match its name: restore its old name")
    }

    private static func foreign(_ path: String, _ problem: String) -> FieldStoreError {
        let advice = "restore it, or remove it and roll up its day again"
        return FieldStoreError(
            path: path, line: 1, problem: "it isn't a file of the store, or is damaged (\(problem)); \(advice)")
    }

    /// Reads the tables after the first line.
    private func reading<Value>(_ body: (CSVTable) throws(FieldRowError) -> Value) throws(FieldStoreError) -> Value {
        try bytes.withUnsafeBufferPointer { bytes throws(FieldStoreError) in
            let table = CSVTable(UnsafeRawBufferPointer(bytes), from: start, line: 2, greatest: .max)
            do throws(FieldRowError) {
                return try body(table)
            } catch {
                throw FieldStoreError(
                    path: path, line: table.line,
                    problem: "\(error.problem); restore the file, or remove it and roll up its day again")
            }
        }
    }
}

/// A cursor over the rows of a day of T, only valid while a closure runs.
package final class FieldCursor {
    package typealias Body<Value> = (FieldCursor) throws(FieldRowError) -> Value

    /// The day without its rows.
    package let head: FieldDay
    private let table: CSVTable?, strata: [FieldTableColumn]
    /// The remaining rows of a day in memory.
    private var rest: ArraySlice<FieldRow> = []
    private var last: FieldRow?

    fileprivate init(_ table: CSVTable, _ head: FieldDay) throws(FieldRowError) {
        (self.table, self.head, strata) = (table, head, FieldTableColumn.strata(head.strata))
        try table.begin(.rollUp(head.strata))
    }

    init(_ day: FieldDay) {
        var head = day
        head.rows = []
        (table, self.head, rest, strata) = (nil, head, day.rows[...], [])
    }

    package func next() throws(FieldRowError) -> FieldRow? {
        guard let table else { return rest.popFirst() }
        last = try table.next() ? CSVTable.check(try table.rollUpRow(strata), head.day, after: last) : nil
        return last
    }

    /// The number of events per release in the remaining rows, whose buckets aren't parsed.
    package func events() throws(FieldRowError) -> [String: Int] {
        var events: [String: Int] = [:]
        for row in rest { events[row.release, default: 0] += row.events }
        while let table, try table.next() { events[table.text(.release), default: 0] += try table.number(.events) }
        return events
    }
}

extension CSVTable {
    /// The number of names before the numbers in a row of G.
    private static let namesOfPairs = 5
    private static let disorder = FieldRowError(problem: "the row is of another day, or out of order")

    fileprivate func begin(_ kind: FieldTableKind) throws(FieldRowError) {
        guard try readHeader() ?? [] == kind.names else { throw FieldRowError(problem: "another header was expected") }
    }

    fileprivate static func check<Row: Comparable>(
        _ found: (day: CalendarDay, row: Row), _ day: CalendarDay, after last: Row?
    ) throws(FieldRowError) -> Row {
        guard found.day == day, last.map({ $0 < found.row }) ?? true else { throw disorder }
        return found.row
    }

    /// Reads the table of G with this many rows; the names of a cell are parsed once, since its rows share them.
    fileprivate func readCells(of day: CalendarDay, count: Int) throws(FieldRowError) -> [PairCell] {
        try begin(.pair)
        var cells: [PairCell] = []
        var beginning: Range<Int>?
        for _ in 0..<max(0, count) {
            if let beginning, let numbers = nextNumbers(after: beginning) {
                let bucket = WeightedHistogram.Bucket(
                    index: numbers[0], count: numbers[1], weight: numbers[2], squares: numbers[3])
                try bucket.check()
                guard cells[cells.count - 1].append(bucket) else { throw Self.disorder }
                continue
            }
            guard try next() else { break }
            let found = try pairRow()
            if cells.last?.hasNames(of: found.row) == true {
                guard found.day == day, cells[cells.count - 1].append(found.row.buckets[0]) else { throw Self.disorder }
            } else {
                cells.append(try Self.check(found, day, after: cells.last))
            }
            beginning = plainBytes(before: Self.namesOfPairs)
        }
        return cells
    }
}

extension FieldDay {
    func file() -> [UInt8] {
        let days = FieldHead.Days(strata: strata, leftOut: leftOut)
        let head = FieldHead(rollUp: "days", day: day.text, days: days, conditions: conditions, files: files)
        var text = GzipText()
        text.write { $0.append(head.bytes + FieldTableKind.rollUp(strata).header.utf8) }
        for row in rows { text.write { $0.append(row, day: day) } }
        return text.finished()
    }
}

extension PairDay {
    func file(of pair: FieldPair) -> [UInt8] {
        let pairs = FieldHead.Pairs(
            base: pair.base, candidate: pair.candidate, release: pair.release, arms: pair.arms.map { _ in arms },
            rows: cells.reduce(0) { $0 + $1.buckets.count })
        let head = FieldHead(rollUp: "pairs", day: day.text, pairs: pairs, conditions: conditions, files: files)
        var text = GzipText()
        text.write { $0.append(head.bytes + FieldTableKind.pair.header.utf8) }
        for cell in cells { text.write { $0.append(cell, day: day) } }
        text.write { $0.append(FieldTableKind.users.header.utf8) }
        for row in users { text.write { $0.append(row, day: day) } }
        return text.finished()
    }
}
