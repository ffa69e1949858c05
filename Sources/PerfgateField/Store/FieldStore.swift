import CZlib
import PerfgateFiles
import PerfgateIngest
import PerfgateModel

/// The roll-ups in one folder: one file per day of T, and per pair of releases one file per day of G. A file is written
/// completely or not at all, under the store's lock. An engine's answers are a store in memory.
package struct FieldStore: Sendable {
    /// The path of the folder; it needn't exist before the first change.
    package let folder: String
    package let name: String
    /// The days that an engine answered; `nil` for a folder.
    private let answers: Answers?

    struct Answers: Sendable {
        var days: [CalendarDay: FieldDay] = [:]
        var pair: FieldPair?
        var pairDays: [CalendarDay: PairDay] = [:]
    }

    static let schema = 1
    private static let ending = ".csv.gz"

    package init(folder: String) { (self.folder, name, answers) = (folder, folder, nil) }

    init(_ answers: Answers, name: String) { (folder, self.name, self.answers) = ("", name, answers) }

    /// The days of T, sorted; empty if the store doesn't exist.
    package func days() throws -> [CalendarDay] { try answers?.days.keys.sorted() ?? days(in: "\(folder)/days") }

    package func day(_ day: CalendarDay) throws -> FieldDay? {
        try read(day) { cursor throws(FieldRowError) in
            var day = cursor.head
            while let row = try cursor.next() { day.rows.append(row) }
            return day
        }
    }

    /// Passes a cursor over the rows of a day of T to a closure; `nil` if there is no such day.
    package func read<Value>(_ day: CalendarDay, _ body: FieldCursor.Body<Value>) throws -> Value? {
        if let answers { return try answers.days[day].map { try body(FieldCursor($0)) } }
        return try file(path(of: day))?.read(day, body)
    }

    package func pairs() throws -> [FieldPair] {
        if let answers { return answers.pair.map { [$0] } ?? [] }
        return try FileAccess.names(in: "\(folder)/pairs").compactMap { name in
            let path = "\(folder)/pairs/\(name)"
            guard FileAccess.isFolder(path), let day = try days(in: path).first else { return nil }
            return try FieldFile(path: "\(path)/\(day.text)\(Self.ending)", isWhole: false).pair()
        }
    }

    package func days(of pair: FieldPair) throws -> [CalendarDay] {
        if let answers { return pair == answers.pair ? answers.pairDays.keys.sorted() : [] }
        return try days(in: self.folder(of: pair))
    }

    package func day(_ day: CalendarDay, of pair: FieldPair) throws -> PairDay? {
        if let answers { return pair == answers.pair ? answers.pairDays[day] : nil }
        return try file(path(of: day, pair))?.pairCells(day, of: pair)
    }

    /// The compared days of G that lack files which T now counts, sorted; never days that an engine made.
    package func outdatedDays(of pair: FieldPair) throws -> [CalendarDay] {
        try days(of: pair).filter { day in
            let sources = try FieldFile(path: path(of: day, pair), isWhole: false).sources
            return try head(of: day)?.isAhead(of: sources) == true && pair.compares(events(on: day))
        }
    }

    /// The newest day of T; not a day with less than a hundredth of the usual events, the median of the 15 newest
    /// days: a few events of wrong clocks are no day. `nil` if there is none.
    package func newestDay(until last: CalendarDay? = nil) throws -> CalendarDay? {
        let counts = try days().filter { $0 <= last ?? $0 }.suffix(15).map {
            (day: $0, events: try events(on: $0).values.reduce(0, +))
        }
        let usual = counts.map(\.events).sorted().dropFirst(counts.count / 2).first ?? 0
        return counts.last { 100 * $0.events >= usual }?.day
    }

    /// The releases with events on the newest day of T, sorted.
    package func releases() throws -> [String] {
        try newestDay().map { try events(on: $0).keys.sorted { $0.precedesInUTF8($1) } } ?? []
    }

    /// The number of values per release in T on a day, over all metrics; empty if there is no such day.
    package func events(on day: CalendarDay) throws -> [String: Int] {
        try read(day) { cursor throws(FieldRowError) in try cursor.events() } ?? [:]
    }

    /// A day of T without its rows; `nil` if there is none.
    func head(of day: CalendarDay) throws -> FieldDay? {
        if let answers { return answers.days[day] }
        return try file(path(of: day), isWhole: false)?.head(day)
    }

    func check(_ strata: [FieldStratum], _ conditions: [String]) throws {
        guard let last = try days().last, let head = try head(of: last) else { return }
        try head.check(strata, conditions, in: self)
    }

    func lock() throws -> FolderLock {
        try FileAccess.makeFolder(folder)
        return try FolderLock(folder)
    }

    func write(_ day: FieldDay) throws { try write(day.file(), to: path(of: day.day)) }

    func write(_ day: PairDay, of pair: FieldPair) throws { try write(day.file(of: pair), to: path(of: day.day, pair)) }

    /// Throws if the store can't be changed; called before expensive work.
    package func probe() throws { try FileAccess.probe(folder: folder) }

    private func path(of day: CalendarDay) -> String { "\(folder)/days/\(day.text)\(Self.ending)" }

    private func folder(of pair: FieldPair) -> String {
        let release = pair.release.map { "--\(FileName(for: $0))" } ?? ""
        return "\(folder)/pairs/\(FileName(for: pair.base))--\(FileName(for: pair.candidate))\(release)"
    }

    private func path(of day: CalendarDay, _ pair: FieldPair) -> String {
        "\(self.folder(of: pair))/\(day.text)\(Self.ending)"
    }

    private func days(in folder: String) throws -> [CalendarDay] {
        try FileAccess.names(in: folder).compactMap { name in
            name.hasSuffix(Self.ending) ? CalendarDay(String(name.dropLast(Self.ending.count))) : nil
        }
    }

    private func file(_ path: String, isWhole: Bool = true) throws -> FieldFile? {
        FileAccess.exists(path) ? try FieldFile(path: path, isWhole: isWhole) : nil
    }

    private func write(_ bytes: [UInt8], to path: String) throws {
        try FileAccess.makeFolder(FileAccess.folder(of: path))
        try FileAccess.replace(path, with: bytes)
    }
}

extension FieldDay {
    /// Whether G of these files lacks others that T counts; never if an engine made G.
    package func isAhead(of sources: Set<FieldSource>) -> Bool {
        !sources.isDisjoint(with: files) && !sources.isSuperset(of: files)
    }

    /// Throws if rows with these strata and conditions can't be added.
    func check(_ strata: [FieldStratum], _ conditions: [String], in store: FieldStore) throws(FieldRollUpError) {
        guard strata == self.strata, conditions == self.conditions else {
            throw .otherShape(folder: store.name, by: self.strata.map(\.rawValue), conditions: self.conditions)
        }
    }
}

package struct FieldStoreError: Error, Hashable, Sendable, CustomStringConvertible {
    package let path: String
    /// The line in its text, from 1; `nil` for the whole file.
    package let line: Int?
    package let problem: String

    /// The error as `path:line: problem; advice`.
    package var description: String { "\(path)\(line.map { ":\($0)" } ?? ""): \(problem)" }
}

package enum FieldRollUpError: Error, CustomStringConvertible {
    /// The store has other strata, or its events have other conditions.
    case otherShape(folder: String, by: [String], conditions: [String])
    /// Files that days of T count weren't given, so these days of G would lack their events.
    case absentFiles(FieldPair, [(day: CalendarDay, files: [String])])

    package var description: String {
        switch self {
        case .otherShape(let folder, let by, let conditions):
            let events = conditions.isEmpty ? "all events" : "events with \(conditions.joined(separator: ", "))"
            let names = (["app", "page", "release", "day", "metric"] + by).joined(separator: ", ")
            return "\(folder) contains \(events), grouped by \(names). Import the same, or use another folder."
        case .absentFiles(let pair, let days):
            let files = days.map { "\($0.day) also give \($0.files.listed(most: 3))" }.joined(separator: ", of ")
            return "The pair \(pair.base):\(pair.candidate) needs all events of a day. Of \(files)."
        }
    }
}

/// Text compressed while it is written: the same bytes always give the same file.
struct GzipText: ~Copyable {
    private let stream: UnsafeMutablePointer<z_stream>
    private let header: UnsafeMutablePointer<gz_header>
    private var text = TableText()
    private var compressed: [UInt8] = []
    private let scratch: UnsafeMutableBufferPointer<UInt8>

    private static let pieceSize = 1 << 16
    private static let unknownSystem: Int32 = 255
    /// Higher levels take several times as long and make files of digits hardly smaller.
    private static let level: Int32 = 1

    init() {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        header = .allocate(capacity: 1)
        header.initialize(to: gz_header())
        header.pointee.os = Self.unknownSystem
        scratch = .allocate(capacity: Self.pieceSize)
        perfgate_deflate_init_gzip(stream, Self.level)
        deflateSetHeader(stream, header)
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
        header.deallocate()
        scratch.deallocate()
    }

    @inline(__always) mutating func write(_ body: (inout TableText) -> Void) {
        body(&text)
        if text.bytes.count >= Self.pieceSize { deflate(Z_NO_FLUSH) }
    }

    consuming func finished() -> [UInt8] {
        deflate(Z_FINISH)
        return compressed
    }

    private mutating func deflate(_ flush: Int32) {
        let (stream, scratch) = (stream, scratch)
        text.bytes.withUnsafeMutableBufferPointer { text in
            stream.pointee.next_in = text.baseAddress
            stream.pointee.avail_in = UInt32(text.count)
            repeat {
                stream.pointee.next_out = scratch.baseAddress
                stream.pointee.avail_out = UInt32(scratch.count)
                _ = CZlib.deflate(stream, flush)
                compressed.append(contentsOf: scratch[..<(scratch.count - Int(stream.pointee.avail_out))])
            } while stream.pointee.avail_out == 0
        }
        text.bytes.removeAll(keepingCapacity: true)
    }
}

/// Reads a file into memory and decompresses gzip.
enum WholeFile {
    /// The whole file, or the part read before the closure returned false.
    static func read(_ path: String, while isWanted: ([UInt8]) -> Bool = { _ in true }) throws(IngestError) -> [UInt8] {
        var bytes: [UInt8] = []
        var stream = try ByteStream(path: path)
        while isWanted(bytes), try stream.next({ bytes.append(contentsOf: $0) }) {}
        return bytes
    }
}
