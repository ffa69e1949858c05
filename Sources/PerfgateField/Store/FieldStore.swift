import PerfgateFiles
import PerfgateIngest
import PerfgateJSON
import PerfgateModel

/// The roll-ups under one folder: a file a day of T, and of each pair of releases a file a day of G.
///
/// A file is written whole or not at all. Whoever changes the store holds its lock.
package struct FieldStore: Sendable, Hashable {
    /// The path of the folder; it needn't be there before the first change.
    package let folder: String

    /// The version of the files.
    static let schema = 1
    private static let ending = ".csv.gz"

    /// Makes a store.
    package init(folder: String) {
        self.folder = folder
    }

    /// The days of T, sorted; those of a store that isn't there are none.
    package func days() throws -> [CalendarDay] { try days(in: "\(folder)/days") }

    /// A day of T; `nil` where there is none.
    package func day(_ day: CalendarDay) throws -> FieldDay? {
        try read(path(of: day)) { file throws(FieldStoreError) in try file.day(day) }
    }

    /// The releases that G was made for.
    package func pairs() throws -> [FieldPair] {
        try FileAccess.names(in: "\(folder)/pairs").compactMap { name in
            let path = "\(folder)/pairs/\(name)"
            guard FileAccess.isFolder(path), let day = try days(in: path).first else { return nil }
            return try FieldFile(path: "\(path)/\(day.text)\(Self.ending)", isWhole: false).pair()
        }
    }

    /// The days of G of a pair, sorted; none where it wasn't made.
    package func days(of pair: FieldPair) throws -> [CalendarDay] { try days(in: self.folder(of: pair)) }

    /// A day of G by its cells; `nil` where there is none.
    package func cells(_ day: CalendarDay, of pair: FieldPair) throws -> PairCells? {
        try read(path(of: day, pair)) { file throws(FieldStoreError) in try file.pairCells(day, of: pair) }
    }

    /// A day of G by its rows; `nil` where there is none.
    package func day(_ day: CalendarDay, of pair: FieldPair) throws -> PairDay? {
        try cells(day, of: pair).map(PairDay.init)
    }

    /// The days of G that lack files which T counts since, sorted; those that an engine made are never among them.
    package func outdatedDays(of pair: FieldPair) throws -> [CalendarDay] {
        try days(of: pair).filter { day in
            guard let head = try head(of: day) else { return false }
            let sources = try FieldFile(path: path(of: day, pair), isWhole: false).sources()
            return !sources.isDisjoint(with: head.files) && !sources.isSuperset(of: head.files)
        }
    }

    /// By what a day of T is told apart; `nil` where there is none.
    package func strata(on day: CalendarDay) throws -> [FieldStratum]? { try head(of: day)?.strata }

    /// The releases that have events on a day of T, sorted; on the newest one where none is said.
    package func releases(on day: CalendarDay? = nil) throws -> [String] {
        guard let day = try day ?? days().last else { return [] }
        return try events(on: day).keys.sorted { $0.precedesInUTF8($1) }
    }

    /// How many values T counts of each release on a day, all metrics together; empty where there is no such day.
    package func events(on day: CalendarDay) throws -> [String: Int] {
        try read(path(of: day)) { file throws(FieldStoreError) in try file.events(on: day) } ?? [:]
    }

    /// A day of T without its rows; `nil` where there is none.
    func head(of day: CalendarDay) throws -> FieldDay? {
        let path = path(of: day)
        guard FileAccess.exists(path) else { return nil }
        return try FieldFile(path: path, isWhole: false).head(day)
    }

    /// Throws where the store holds something else than rows with these strata that met these conditions.
    func check(_ strata: [FieldStratum], _ conditions: [String]) throws {
        guard let last = try days().last, let head = try head(of: last) else { return }
        try head.check(strata, conditions, in: self)
    }

    /// Takes the lock of the store, whose folder it makes.
    func lock() throws -> FolderLock {
        try FileAccess.makeFolder(folder)
        return try FolderLock(folder)
    }

    /// Writes a day of T.
    func write(_ day: FieldDay) throws { try write(day.file(), to: path(of: day.day)) }

    /// Writes a day of G.
    func write(_ day: PairDay, of pair: FieldPair) throws { try write(day.file(of: pair), to: path(of: day.day, pair)) }

    /// Fails where the store can't be changed, before the work whose result it takes.
    package func probe() throws { try FileAccess.probe(folder: folder) }

    private func path(of day: CalendarDay) -> String { "\(folder)/days/\(day.text)\(Self.ending)" }

    private func folder(of pair: FieldPair) -> String {
        "\(folder)/pairs/\(FileName(for: pair.base))--\(FileName(for: pair.candidate))"
    }

    private func path(of day: CalendarDay, _ pair: FieldPair) -> String {
        "\(self.folder(of: pair))/\(day.text)\(Self.ending)"
    }

    private func days(in folder: String) throws -> [CalendarDay] {
        try FileAccess.names(in: folder).compactMap { name in
            name.hasSuffix(Self.ending) ? CalendarDay(String(name.dropLast(Self.ending.count))) : nil
        }
    }

    private func read<Value>(_ path: String, _ body: (FieldFile) throws(FieldStoreError) -> Value) throws -> Value? {
        guard FileAccess.exists(path) else { return nil }
        return try body(try FieldFile(path: path))
    }

    private func write(_ bytes: [UInt8], to path: String) throws {
        try FileAccess.makeFolder(FileAccess.folder(of: path))
        try FileAccess.replace(path, with: bytes)
    }
}

extension FieldDay {
    /// Throws where rows with these strata that met these conditions can't be added to it.
    func check(_ strata: [FieldStratum], _ conditions: [String], in store: FieldStore) throws(FieldRollUpError) {
        guard strata == self.strata, conditions == self.conditions else {
            throw .otherShape(folder: store.folder, by: self.strata.map(\.rawValue), conditions: self.conditions)
        }
    }
}

/// Two releases that are compared.
package struct FieldPair: Sendable, Hashable {
    /// The release that is compared with.
    package let base: String
    /// The release that is judged.
    package let candidate: String

    /// Makes a pair of releases.
    package init(base: String, candidate: String) {
        self.base = base
        self.candidate = candidate
    }
}

/// Why a file of the store can't be used.
package struct FieldStoreError: Error, Hashable, Sendable {
    /// The file.
    package let path: String
    /// The line of its text, from 1; `nil` where it is about the whole.
    package let line: Int?
    /// What is wrong, and what to do.
    package let problem: String
}

extension FieldStoreError: CustomStringConvertible {
    /// The error as `path:line: what is wrong; what to do`.
    package var description: String { "\(path)\(line.map { ":\($0)" } ?? ""): \(problem)" }
}
