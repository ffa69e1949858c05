import PerfgateIngest
import PerfgateJSON
import PerfgateModel
import PerfgateStats

/// A file of the store: one line of JSON that describes it, then its rows as CSV.
struct FieldFile {
    private let path: String, bytes: [UInt8]
    private let head: JSONNode
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
            head = try JSONDocument(Array(bytes[..<end])).root
            let schema = try head["schema"].int()
            guard schema == FieldStore.schema else {
                throw head.error(.rule("its schema is \(schema), but this perfgate reads 1: update perfgate"))
            }
        } catch {
            throw Self.foreign(path, error)
        }
    }

    func head(_ day: CalendarDay) throws(FieldStoreError) -> FieldDay {
        try understanding { () throws(JSONDocumentError) in
            try demand("days", day)
            let strata = try head["by"].elements().map { node throws(JSONDocumentError) in
                guard let stratum = FieldStratum(rawValue: try node.string()) else {
                    throw node.error(.rule("unknown"))
                }
                return stratum
            }
            var result = FieldDay(day: day, strata: strata, conditions: try conditions(), files: try files())
            for (reason, count) in try head["left_out"].members() {
                guard let reason = FieldOmission(rawValue: reason) else {
                    throw count.error(.rule("it isn't a reason"))
                }
                result.leftOut[reason] = try count.int()
            }
            return result
        }
    }

    /// Passes a cursor over the rows of a day of T to a closure.
    func read<Value>(_ day: CalendarDay, _ body: FieldCursor.Body<Value>) throws(FieldStoreError) -> Value {
        let head = try head(day)
        return try reading { table throws(FieldRowError) in try body(try FieldCursor(table, head)) }
    }

    func pair() throws(FieldStoreError) -> FieldPair {
        try understanding { () throws(JSONDocumentError) in
            let (base, candidate) = (try head["base"].string(), try head["candidate"].string())
            return FieldPair(base: base, candidate: candidate, release: try head.find("release")?.string())
        }
    }

    func sources() throws(FieldStoreError) -> Set<FieldSource> {
        try understanding { () throws(JSONDocumentError) in Set(try files()) }
    }

    func pairCells(_ day: CalendarDay, of pair: FieldPair) throws(FieldStoreError) -> PairDay {
        guard try self.pair() == pair else {
            throw FieldStoreError(path: path, line: 1, problem: "its releases don't match its folder's name")
        }
        var (result, count) = try understanding { () throws(JSONDocumentError) in
            try demand("pairs", day)
            var result = PairDay(day: day, conditions: try conditions(), files: try files())
            for node in try head.find("arms")?.elements() ?? [] {
                result.arms.append(
                    ArmUsers(
                        app: try node["app"].string(), base: try node["base"].int(),
                        candidate: try node["candidate"].int(), both: try node["both"].int()))
            }
            return (result, try head["rows"].int())
        }
        try reading { table throws(FieldRowError) in
            result.cells = try table.readCells(of: day, count: count)
            try table.begin(.users)
            while try table.next() {
                result.users.append(try CSVTable.check(try table.userRow(), day, after: result.users.last))
            }
        }
        return result
    }

    private func demand(_ kind: String, _ day: CalendarDay) throws(JSONDocumentError) {
        guard try head["roll_up"].string() == kind, try head["day"].string() == day.text else {
            throw head.error(.rule("its content doesn't match its name: restore its old name"))
        }
    }

    private func conditions() throws(JSONDocumentError) -> [String] {
        try head["where"].elements().map { node throws(JSONDocumentError) in try node.string() }
    }

    private func files() throws(JSONDocumentError) -> [FieldSource] {
        try head["files"].elements().map { file throws(JSONDocumentError) in
            let (hash, name) = (try file["hash"].string(), try file["name"].string())
            return FieldSource(hash: hash, name: name, lines: try file.find("lines")?.int())
        }
    }

    private func understanding<Value>(_ body: () throws(JSONDocumentError) -> Value) throws(FieldStoreError) -> Value {
        do throws(JSONDocumentError) { return try body() } catch { throw Self.foreign(path, error) }
    }

    private static func foreign(_ path: String, _ error: JSONDocumentError) -> FieldStoreError {
        let advice = "restore it, or remove it and roll up its day again"
        return FieldStoreError(
            path: path, line: 1, problem: "it isn't a file of the store, or is damaged (\(error)); \(advice)")
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
        let omissions = FieldOmission.allCases.compactMap { reason -> (String, JSONTree)? in
            leftOut[reason].map { (reason.rawValue, .integer($0)) }
        }
        let facts: [(String, JSONTree?)] = [("by", .strings(strata.map(\.rawValue))), ("left_out", .object(omissions))]
        var text = GzipText()
        text.write {
            $0.append(FieldFile.head("days", day, facts, conditions, files))
            $0.append(FieldTableKind.rollUp(strata).header.utf8)
        }
        for row in rows { text.write { $0.append(row, day: day) } }
        return text.finished()
    }
}

extension PairDay {
    func file(of pair: FieldPair) -> [UInt8] {
        let arms = arms.map { arms -> JSONTree in
            [
                "app": .string(arms.app), "base": .integer(arms.base), "candidate": .integer(arms.candidate),
                "both": .integer(arms.both),
            ]
        }
        let facts: [(String, JSONTree?)] = [
            ("base", .string(pair.base)), ("candidate", .string(pair.candidate)),
            ("release", pair.release.map(JSONTree.string)), ("arms", pair.arms.map { _ in .list(arms) }),
            ("rows", .integer(cells.reduce(0) { $0 + $1.buckets.count })),
        ]
        var text = GzipText()
        text.write {
            $0.append(FieldFile.head("pairs", day, facts, conditions, files))
            $0.append(FieldTableKind.pair.header.utf8)
        }
        for cell in cells { text.write { $0.append(cell, day: day) } }
        text.write { $0.append(FieldTableKind.users.header.utf8) }
        for row in users { text.write { $0.append(row, day: day) } }
        return text.finished()
    }
}

extension FieldFile {
    /// The first line; `facts` are the members of its kind of roll-up.
    fileprivate static func head(
        _ rollUp: String, _ day: CalendarDay, _ facts: [(String, JSONTree?)], _ conditions: [String],
        _ files: [FieldSource]
    ) -> [UInt8] {
        let files = files.map { file -> JSONTree in
            ["hash": .string(file.hash), "name": .string(file.name), "lines": file.lines.map(JSONTree.integer)]
        }
        let head: JSONTree = [
            "schema": .integer(FieldStore.schema), "roll_up": .string(rollUp), "day": .string(day.text),
        ]
        let known = facts.compactMap { key, value -> (String, JSONTree)? in value.map { (key, $0) } }
        return (head + known + [("where", .strings(conditions)), ("files", .list(files))]).bytes(JSONWriter())
    }
}
