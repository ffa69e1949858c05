import PerfgateIngest
import PerfgateModel

/// Rolls up files of events into a store. Each file counts once, however often and in whichever order it is given: a
/// day of the store records the hashes of its files. So a call that was interrupted between two days can be repeated.
package struct FieldRollUp: ~Copyable {
    package struct Summary: Sendable {
        /// The number of events in files that were new to at least one day.
        package var events = 0
        /// The written days of T and of G, sorted.
        package var days: [CalendarDay] = [], pairDays: [CalendarDay] = []
        /// The pairs with days of G that now lack events, because T counts files that weren't given for them.
        package var outdated: [(pair: FieldPair, days: [CalendarDay])] = []
        package var pages = 0
        /// The paths of files whose events were all counted before.
        package var knownFiles: [String] = []
        /// The number of lines and values that weren't counted, by reason.
        package var leftOut: [FieldOmission: Int] = [:]
        /// Of the written days of T.
        package var size = RollUpSize()
        /// The number of events in this call's files by tag and value of the app's own dimensions.
        package var tags: [String: [String: Int]] = [:]
        package var faults: [FaultyInput] = []
        package var diagnostics: [Diagnostic] = []
    }

    private let store: FieldStore, options: FieldOptions
    private var reader: FieldReader
    private var tally = FieldTally()
    private var pair: PairDays
    /// The files whose events of a day are in `tally`, and that day's omissions.
    private var waiting: [Int32: (files: [FieldSource], leftOut: [FieldOmission: Int])] = [:]
    /// The files that each day of the store counts, including waiting ones.
    private var counted: [Int32: Set<String>] = [:]
    /// The paths of this call's files, by content hash.
    private var paths: [String: String] = [:]
    /// This call's files, by the days of their events.
    private var sources: [Int32: Set<FieldSource>] = [:]
    private var pages: Set<Int32> = []
    private var summary = Summary()

    /// The largest fraction of unreadable lines; a file with more isn't counted at all.
    private static let mostUnreadable = 0.01

    private init(_ options: FieldOptions, into store: FieldStore) {
        (self.store, self.options) = (store, options)
        reader = FieldReader(options)
        pair = PairDays(reader.emptyPair, folder: store.folder, most: options.mostBuckets)
    }

    /// Rolls up files, folders, patterns and `-` for standard input. The store is locked in the meantime.
    /// Throws a `FileError`, a `FieldStoreError` or a `FieldRollUpError`.
    package static func run(
        _ paths: [String], _ options: FieldOptions, into store: FieldStore, progress: Ingest.Progress? = nil
    ) throws -> Summary {
        let lock = try store.lock()
        defer { lock.release() }
        var rollUp = FieldRollUp(options, into: store)
        try store.check(options.strata, options.conditionTexts)
        var files: [String] = []
        for path in paths {
            switch InputPaths.resolve(path, endings: FolderScan.endings + [".parquet"]) {
            case .fault(let fault): rollUp.summary.faults.append(fault)
            case .files(let found, let leftOut, _):
                files += found
                rollUp.summary.diagnostics += leftOut
            }
        }
        for day in try store.days() {
            // A damaged day is reported when its own events are added.
            for source in (try? store.head(of: day))?.files ?? [] {
                if let lines = source.lines { rollUp.reader.known[lines, default: []].insert(source) }
            }
        }
        var counter = ReadingCounter(of: files, progress)
        for file in files { try rollUp.read(file, &counter) }
        try rollUp.writeDays()
        if let names = options.pair { try rollUp.writePair(names) }
        rollUp.summary.pages = rollUp.pages.count
        if !rollUp.paths.isEmpty {
            rollUp.summary.diagnostics += rollUp.reader.unusedColumns(options.mapping) + rollUp.unusedTags
        }
        for pair in try store.pairs() {
            let days = try store.outdatedDays(of: pair)
            if !days.isEmpty { rollUp.summary.outdated.append((pair, days)) }
        }
        return rollUp.summary
    }

    /// Diagnostics about configured tags that no event had.
    private var unusedTags: [Diagnostic] {
        options.tags.compactMap(\.tag).compactMap { tag in
            guard case .name(let name) = options.mapping.source(ofTag: tag), summary.tags[name] == nil else {
                return nil
            }
            let message =
                "No event has the tag or key \"\(name)\", which field.tags names for \(tag): correct the name."
            return Diagnostic(.unusedSetting, message)
        }
    }

    private mutating func read(_ path: String, _ counter: inout ReadingCounter) throws {
        var size = 0
        var content: FieldContent
        do throws(IngestError) {
            content = try reader.read(path) {
                size = $0
                counter.advance(readCount: $0)
            }
        } catch {
            let fault = error.fault(of: path)
            let isToldBefore = summary.faults.contains { $0.message == fault.message }
            if !isToldBefore || fault.message != FieldReader.parquet { summary.faults.append(fault) }
            return
        }
        counter.endFile(readCount: size)
        let source = FieldSource(content.hash, path: path, lines: content.lineCount)
        if let fault = try fault(of: content, source, path) { return summary.faults.append(fault) }
        if let first = paths[source.hash] {
            let message = "It has the same content as \(first), and was counted once."
            return summary.diagnostics.append(Diagnostic(.repeatedStream, path: path, message))
        }
        paths[source.hash] = path
        reader.known[content.lineCount, default: []].insert(source)
        tellLeftOut(content, path)
        summary.leftOut.merge(content.omissions.total, uniquingKeysWith: +)
        summary.tags.merge(content.tags.totals(reader.names)) { $0.merging($1, uniquingKeysWith: +) }
        try take(&content, source, path)
        if tally.bucketCount > options.mostBuckets { try writeDays() }
    }

    /// Adds a file's events to the days that don't count it yet.
    private mutating func take(_ content: inout FieldContent, _ source: FieldSource, _ path: String) throws {
        let days = Set(content.tally.places.map(\.day))
        for day in days { sources[day, default: []].insert(source) }
        var taken: Set<Int32> = []
        for day in days where try !files(countedOn: day).contains(source.hash) {
            taken.insert(day)
            counted[day, default: []].insert(source.hash)
            waiting[day, default: ([], [:])].files.append(source)
            waiting[day, default: ([], [:])].leftOut.merge(content.omissions[day], uniquingKeysWith: +)
        }
        if taken.isEmpty, !days.isEmpty { summary.knownFiles.append(path) }
        for (place, events) in zip(content.tally.places, content.tally.events) where taken.contains(place.day) {
            summary.events += events
            pages.insert(place.page)
        }
        if taken == days, tally.places.isEmpty {
            swap(&tally, &content.tally)
        } else {
            tally.add(content.tally.part { taken.contains($0) })
        }
        try pair.add(&content.pair)
    }

    private mutating func files(countedOn number: Int32) throws -> Set<String> {
        if let known = counted[number] { return known }
        let head = try store.head(of: CalendarDay(number: Int(number)))
        try head?.check(options.strata, options.conditionTexts, in: store)
        let files = Set((head?.files ?? []).map(\.hash))
        counted[number] = files
        return files
    }
}

extension FieldRollUp {
    private mutating func fault(
        of content: borrowing FieldContent, _ source: FieldSource, _ path: String
    ) throws -> FaultyInput? {
        guard content.lineCount > 0 else {
            return FaultyInput(path: path, fault: .notFound, message: "The file is empty. Check that it was written.")
        }
        if let (beginning, next) = content.beginning,
            try Set(content.tally.places.map(\.day)).contains(where: { day in
                let files = try files(countedOn: day)
                return files.contains(beginning.hash) && !files.contains(source.hash)
            })
        {
            return FaultyInput(
                path: path, fault: .badData,
                message:
                    "It begins with all lines of \(beginning.name), which are counted, so nothing in it was counted. "
                    + "Give only its new lines, from line \(next) on, after the run line that they belong to.")
        }
        let unreadable = content.omissions.total[.unreadable] ?? 0
        guard Double(unreadable) > Self.mostUnreadable * Double(content.lineCount), unreadable > 1,
            let first = content.firstUnreadable
        else { return nil }
        return FaultyInput(
            path: path, fault: .badData,
            message: "\(unreadable) of \(content.lineCount) lines can't be read (line \(first.line): "
                + "\(first.problem)), so nothing in it was counted. Write it again.")
    }

    private mutating func tellLeftOut(_ content: borrowing FieldContent, _ path: String) {
        if let line = content.firstImpossible, let count = content.omissions.total[.impossibleDay] {
            let message =
                "Lines of days that can't be, before 2015 or in the future: \(count). Set the clocks, or write `at` in "
                + "milliseconds since 1970 or in ISO 8601."
            summary.diagnostics.append(Diagnostic(.impossibleTime, path: path, line: line, message))
        }
        guard let first = content.firstUnreadable, let count = content.omissions.total[.unreadable] else { return }
        let message = "Lines that can't be read: \(count). The first one: \(first.problem)."
        summary.diagnostics.append(Diagnostic(.badLine, severity: .warning, path: path, line: first.line, message))
    }

    /// Merges the waiting events into the days of the store.
    private mutating func writeDays() throws {
        let rows = FieldRows(tally, reader.names, options.strata)
        for number in waiting.keys.sorted() {
            guard let notes = waiting[number] else { continue }
            let day = CalendarDay(number: Int(number))
            let new = FieldDay(day: day, strata: options.strata, conditions: options.conditionTexts)
            var stored = try store.day(day) ?? new
            stored.add(rows.rows(of: number, tally, reader.names), notes.files, notes.leftOut)
            try store.write(stored)
            summary.size.add(stored)
            summary.days.append(day)
        }
        tally = FieldTally()
        waiting = [:]
        summary.days = Set(summary.days).sorted()
    }

    /// Computes the days of G, each from all its events.
    private mutating func writePair(_ names: FieldPair) throws {
        let numbers = pair.days.sorted()
        let files = try numbers.map { number in
            let day = CalendarDay(number: Int(number))
            let absent = try store.head(of: day)?.files.filter { paths[$0.hash] == nil } ?? []
            return (day: day, files: absent.map(\.name).sorted { $0.precedesInUTF8($1) })
        }
        let absent = files.filter { !$0.files.isEmpty }
        guard absent.isEmpty else { throw FieldRollUpError.absentFiles(names, absent) }
        for number in numbers {
            let events = try pair.day(number)
            let hasArms = names.arms != nil
            let day = PairDay(
                day: CalendarDay(number: Int(number)), conditions: options.conditionTexts,
                files: (sources[number] ?? []).sorted(),
                cells: PairFold.cells(of: events, reader.names, isRandomized: hasArms),
                users: events.users.rows(reader.names, hasAllPages: hasArms),
                arms: hasArms ? events.users.arms(reader.names, events.base, events.candidate) : [])
            try store.write(day, of: names)
            summary.pairDays.append(day.day)
        }
    }
}

extension FieldDay {
    mutating func add(_ rows: [FieldRow], _ files: [FieldSource], _ leftOut: [FieldOmission: Int]) {
        self.rows = FieldRow.merged(self.rows, rows)
        self.files = (self.files + files).sorted()
        self.leftOut.merge(leftOut, uniquingKeysWith: +)
        for (index, stratum) in strata.enumerated() where stratum.tag != nil { keepFrequent(index) }
    }

    /// Keeps the most frequent values of a tag, by their events of all metrics; the others count together.
    private mutating func keepFrequent(_ index: Int) {
        var counts: [String: Int] = [:]
        for row in rows { counts[row.strata[index], default: 0] += row.events }
        for name in ["", FieldTags.other] { counts[name] = nil }
        guard counts.count > FieldTags.mostValues else { return }
        let ranked = counts.sorted { $0.value == $1.value ? $0.key.precedesInUTF8($1.key) : $0.value > $1.value }
        let rare = Set(ranked.dropFirst(FieldTags.mostValues).map(\.key))
        var folded = rows.filter { rare.contains($0.strata[index]) }
        rows.removeAll { rare.contains($0.strata[index]) }
        for place in folded.indices { folded[place].strata[index] = FieldTags.other }
        folded.sort()
        var sums: [FieldRow] = []
        for row in folded {
            if let last = sums.last, !(last < row) { sums[sums.count - 1] = last.adding(row) } else { sums.append(row) }
        }
        rows = FieldRow.merged(rows, sums)
    }
}

extension FieldOptions {
    var conditionTexts: [String] { conditions.map(\.text).sorted { $0.precedesInUTF8($1) } }
}
