/// Reads a dump line by line: processes, their windows, and the frame tables.
struct GfxinfoParser {
    /// The prefixes of lines that only a dump has.
    static let signatures = [heading, process, marker, noProcess]

    /// The dumped processes in file order; a process that was dumped twice is listed twice.
    private(set) var processes: [GfxinfoProcess] = []
    private(set) var tally: RecordTally
    private(set) var sawDump = false

    private var current: GfxinfoProcess?
    private var window: String?
    private var table = Table.none
    private var readsWindowCounts = false
    /// Whether the dump is complete from its heading on: then each process has an end.
    private var isWhole = false
    private var hasEnd = false
    private var lastLine = 0
    private var failedLines: [Int] = []

    private enum Table {
        case none
        case header
        case rows(GfxinfoColumns)
        /// A table whose header lacks columns; already reported.
        case unknown
        case durations

        /// Whether the mark of its end must follow.
        var isOpen: Bool {
            switch self {
            case .header, .rows, .unknown: true
            case .none, .durations: false
            }
        }
    }

    init(path: String) { tally = RecordTally(path: path, noun: "frames and counts") }

    /// Reads the next line, without its line ending.
    mutating func read(_ line: ArraySlice<UInt8>, number: Int) {
        lastLine = number
        if line.elementsEqual(Self.marker.utf8) { return toggleTable() }
        switch table {
        case .header: readHeader(line, number)
        case .rows(let columns): readRow(line, columns, number)
        case .unknown: break
        case .none, .durations: readText(String(decoding: line, as: UTF8.self), number)
        }
    }

    mutating func finish() {
        if table.isOpen { fail(lastLine, because: "the table of frames has no end") }
        closeProcess()
        // One process may fail if others succeeded: a dump without a package lists every process that ever drew.
        for line in failedLines {
            if processes.isEmpty {
                tally.fail(line: line, because: "the app couldn't be dumped; dump again while it runs")
            } else {
                tally.skip(line: line, because: "a process couldn't be dumped")
            }
        }
    }
}

extension GfxinfoParser {
    private static let heading = "Applications Graphics Acceleration Info:"
    private static let process = "** Graphics info for pid "
    private static let noProcess = "No process found for:"
    private static let marker = "---PROFILEDATA---"
    private static let windowHeading = "Window: "
    private static let failures = ["Failure while dumping the app", "Got a RemoteException while dumping the app"]

    private mutating func toggleTable() {
        sawDump = true
        if !table.isOpen { current = current ?? GfxinfoProcess(name: "") }
        table = table.isOpen ? .none : .header
    }

    /// Counts an unreadable record of the current app; others aren't affected.
    private mutating func fail(_ line: Int, because reason: String) {
        tally.fail(line: line, because: reason, in: current?.package)
    }

    private mutating func readHeader(_ line: ArraySlice<UInt8>, _ number: Int) {
        guard !line.isEmpty else { return }
        if let columns = GfxinfoColumns(header: line) {
            table = .rows(columns)
        } else {
            table = .unknown
            fail(number, because: "the table lacks Flags, IntendedVsync or FrameCompleted")
        }
    }

    private mutating func readRow(_ line: ArraySlice<UInt8>, _ columns: GfxinfoColumns, _ number: Int) {
        guard !line.isEmpty else { return }
        do throws(UnusedRecord) {
            let frame = try GfxinfoFrame(line, columns)
            let name = window ?? current?.name ?? ""
            current?.add(frame, window: name)
            tally.countRead()
        } catch {
            tally.count(error, line: number, in: current?.package)
        }
    }

    private mutating func readText(_ line: String, _ number: Int) {
        if line.hasPrefix(Self.heading) {
            closeProcess()
            (sawDump, isWhole) = (true, true)
        } else if line.hasPrefix(Self.process) {
            closeProcess()
            sawDump = true
            // A screen's name may contain brackets.
            let name = line.prefix(upTo: line.lastIndex(of: "]") ?? line.startIndex).drop { $0 != "[" }.dropFirst()
            current = GfxinfoProcess(name: String(name))
        } else if line.hasPrefix(Self.noProcess) {
            sawDump = true
        } else if Self.failures.contains(where: line.hasPrefix) {
            (sawDump, current, hasEnd) = (true, nil, false)
            failedLines.append(number)
        } else if line.hasPrefix("Total ViewRootImpl"), line.contains(":"), line.last?.isNumber == true {
            hasEnd = true
        } else if line.hasPrefix(Self.windowHeading) {
            window = Self.windowName(line.dropFirst(Self.windowHeading.count))
            readsWindowCounts = true
        } else {
            readInside(line, number)
        }
    }

    private mutating func readInside(_ line: String, _ number: Int) {
        if line == "\tDraw\tPrepare\tProcess\tExecute" || line == "\tDraw\tProcess\tExecute" {
            table = .durations
        } else if case .durations = table, line.hasPrefix("\t"), line.contains(where: \.isNumber) {
            tally.skip(line: number, because: "they have no point in time; dump with framestats")
        } else {
            table = .none
            if line.hasPrefix("\t"), line.contains("(visibility=") {
                window = Self.windowName(line.dropFirst().prefix { $0 != "(" })
            } else if !readsWindowCounts {
                current?.summary.take(line)
            }
        }
    }

    private mutating func closeProcess() {
        if let process = current {
            if isWhole, !hasEnd { fail(lastLine, because: "the dump of \(process.name) is cut") }
            if process.summary.hasFrames { tally.countRead() }
            processes.append(process)
        }
        (current, window, table) = (nil, nil, .none)
        (readsWindowCounts, hasEnd) = (false, false)
    }

    /// A name without the number that a window gets at its creation, which differs between launches.
    private static func windowName(_ text: Substring) -> String {
        String(text).trimmingWhitespace.split(separator: "/").filter { !$0.hasPrefix("android.view.ViewRootImpl@") }
            .joined(separator: "/")
    }
}

/// The positions of the columns in a frame table by name; they differ between releases.
struct GfxinfoColumns {
    /// The number of columns in a row, without the empty column after the last comma.
    let count: Int
    private let places: [String: Int]

    /// The columns in a header; `nil` without a column that every release has.
    init?(header: ArraySlice<UInt8>) {
        let names = Self.cells(of: header)
        count = names.count
        places = Dictionary(zip(names, names.indices)) { first, _ in first }
        guard ["Flags", "IntendedVsync", "FrameCompleted"].allSatisfy({ places[$0] != nil }) else { return nil }
    }

    /// The number of a row in a column; `nil` without the column, or if it isn't a 64-bit integer.
    func number(_ name: String, in row: [String]) -> Int? { places[name].flatMap { Int(row[$0]) } }

    static func cells(of line: ArraySlice<UInt8>) -> [String] {
        let cells = line.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        return (cells.last?.isEmpty == true ? cells.dropLast() : cells).map { String(decoding: $0, as: UTF8.self) }
    }
}

/// One row of the `framestats` table: a frame with its times, in nanoseconds of one clock.
struct GfxinfoFrame: Sendable, Hashable {
    /// The time when the display was ready for it.
    private let intendedVsync: Int
    /// The time when it was complete; not before `intendedVsync`.
    private let completed: Int
    /// Its deadline; `nil` if the dump has none (before Android 12).
    let deadline: Int?

    /// Its duration in milliseconds, as Android's documentation of `framestats` defines it.
    var milliseconds: Double { Double(completed - intendedVsync) / 1e6 }

    /// Its delay in milliseconds: 0 for a frame in time, `nil` without a deadline.
    var lateMilliseconds: Double? { deadline.map { completed > $0 ? Double(completed - $0) / 1e6 : 0 } }

    init(_ line: ArraySlice<UInt8>, _ columns: GfxinfoColumns) throws(UnusedRecord) {
        let cells = GfxinfoColumns.cells(of: line)
        guard cells.count == columns.count else { throw .failed("it has \(cells.count) of \(columns.count) columns") }
        guard let flags = columns.number("Flags", in: cells), let vsync = columns.number("IntendedVsync", in: cells),
            let completed = columns.number("FrameCompleted", in: cells)
        else { throw .failed("a column isn't a whole number") }
        // The bits mark a special frame, such as a window's first frame.
        guard flags == 0 else { throw .skipped("their flags mark them as not ordinary") }
        guard vsync > 0 else { throw .failed("it begins before its clock") }
        // A window's last rows can hold data of the previous frame in their place.
        guard completed >= vsync else { throw .skipped("they weren't done when they were dumped") }
        (intendedVsync, self.completed) = (vsync, completed)
        // The maximum number means no deadline. Without one, it is a display interval after the vsync.
        if let stored = columns.number("FrameDeadline", in: cells), stored >= vsync, stored < .max {
            deadline = stored
        } else if let interval = columns.number("FrameInterval", in: cells), interval > 0 {
            let (sum, overflows) = vsync.addingReportingOverflow(interval)
            deadline = overflows ? nil : sum
        } else {
            deadline = nil
        }
    }
}
