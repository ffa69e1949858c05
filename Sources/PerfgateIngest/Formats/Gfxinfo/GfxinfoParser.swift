/// Reads a dump line by line: processes, their windows, and the frame tables.
struct GfxinfoParser {
    /// The prefixes of lines that only a dump has.
    static let signatures = [heading, process, marker, "No process found for:"]

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
        switch table {
        case .header, .rows, .unknown: fail(lastLine, because: "the table of frames has no end")
        case .none, .durations: break
        }
        closeProcess()
        for line in failedLines { tellFailure(line) }
    }

    /// One process may fail if others succeeded: a dump without a package lists every process that ever drew.
    private mutating func tellFailure(_ line: Int) {
        if processes.isEmpty {
            tally.fail(line: line, because: "the app couldn't be dumped; dump again while it runs")
        } else {
            tally.skip(line: line, because: "a process couldn't be dumped")
        }
    }
}

extension GfxinfoParser {
    private static let heading = "Applications Graphics Acceleration Info:"
    private static let process = "** Graphics info for pid "
    private static let marker = "---PROFILEDATA---"
    private static let windowHeading = "Window: "
    private static let failures = ["Failure while dumping the app", "Got a RemoteException while dumping the app"]

    private mutating func toggleTable() {
        sawDump = true
        switch table {
        case .none, .durations:
            table = .header
            current = current ?? GfxinfoProcess(name: "")
        case .header, .rows, .unknown: table = .none
        }
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
        switch GfxinfoFrame.read(GfxinfoColumns.numbers(in: line), columns) {
        case .frame(let frame):
            let name = window ?? current?.name ?? ""
            current?.add(frame, window: name)
            tally.countRead()
        case .skipped(let reason): tally.skip(line: number, because: reason)
        case .bad(let reason): fail(number, because: reason)
        }
    }

    private mutating func readText(_ line: String, _ number: Int) {
        if line.hasPrefix(Self.heading) {
            closeProcess()
            sawDump = true
            isWhole = true
        } else if line.hasPrefix(Self.process) {
            open(line)
        } else if line.hasPrefix("No process found for:") {
            sawDump = true
        } else if Self.failures.contains(where: line.hasPrefix) {
            fail(number)
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
            } else if !readsWindowCounts, current != nil {
                readCount(line)
            }
        }
    }

    private mutating func readCount(_ line: String) {
        var summary = current?.summary ?? GfxinfoSummary()
        if summary.take(line) { current?.summary = summary }
    }

    private mutating func open(_ line: String) {
        closeProcess()
        sawDump = true
        // A screen's name may contain brackets.
        let name = line.prefix(upTo: line.lastIndex(of: "]") ?? line.startIndex).drop { $0 != "[" }.dropFirst()
        current = GfxinfoProcess(name: String(name))
    }

    private mutating func fail(_ number: Int) {
        sawDump = true
        current = nil
        hasEnd = false
        failedLines.append(number)
    }

    private mutating func closeProcess() {
        if let process = current {
            if isWhole, !hasEnd { fail(lastLine, because: "the dump of \(process.name) is cut") }
            if process.summary?.hasFrames == true { tally.countRead() }
            processes.append(process)
        }
        current = nil
        window = nil
        table = .none
        readsWindowCounts = false
        hasEnd = false
    }

    /// A name without the number that a window gets at its creation, which differs between launches.
    private static func windowName(_ text: Substring) -> String {
        String(text).trimmingWhitespace.split(separator: "/").filter { !$0.hasPrefix("android.view.ViewRootImpl@") }
            .joined(separator: "/")
    }
}

/// The positions of the columns in a frame table; they differ between releases.
struct GfxinfoColumns {
    /// The number of columns in a row, without the empty column after the last comma.
    let count: Int
    /// The bits that mark a special frame, such as a window's first frame.
    let flags: Int
    let intendedVsync: Int
    let completed: Int
    /// The deadline of the frame; `nil` before Android 12.
    let deadline: Int?
    /// The display's refresh interval; `nil` before Android 12.
    let interval: Int?

    /// The columns in a header; `nil` without a column that every release has.
    init?(header: ArraySlice<UInt8>) {
        let names = Self.cells(of: header).map { String(decoding: $0, as: UTF8.self) }
        guard let flags = names.firstIndex(of: "Flags"), let vsync = names.firstIndex(of: "IntendedVsync"),
            let completed = names.firstIndex(of: "FrameCompleted")
        else { return nil }
        count = names.count
        self.flags = flags
        intendedVsync = vsync
        self.completed = completed
        deadline = names.firstIndex(of: "FrameDeadline")
        interval = names.firstIndex(of: "FrameInterval")
    }

    /// The numbers of a row; `nil` if a value isn't a 64-bit integer.
    static func numbers(in row: ArraySlice<UInt8>) -> [Int?] {
        cells(of: row).map { Int(String(decoding: $0, as: UTF8.self)) }
    }

    private static func cells(of line: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        let cells = line.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        return cells.last?.isEmpty == true ? cells.dropLast() : cells
    }
}

/// One row of the `framestats` table: a frame with its times, in nanoseconds of one clock.
struct GfxinfoFrame: Sendable, Hashable {
    /// The time when the display was ready for it.
    let intendedVsync: Int
    /// The time when it was complete; not before `intendedVsync`.
    let completed: Int
    /// Its deadline; `nil` if the dump has none (before Android 12).
    let deadline: Int?

    /// Its duration in milliseconds, as Android's documentation of `framestats` defines it.
    var milliseconds: Double { Double(completed - intendedVsync) / 1e6 }

    /// Its delay in milliseconds: 0 for a frame in time, `nil` without a deadline.
    var lateMilliseconds: Double? { deadline.map { completed > $0 ? Double(completed - $0) / 1e6 : 0 } }
}

extension GfxinfoFrame {
    enum Row {
        case frame(GfxinfoFrame)
        /// A row that isn't an ordinary frame, with the reason as a clause.
        case skipped(String)
        /// An unreadable row, with the reason as a clause.
        case bad(String)
    }

    static func read(_ cells: [Int?], _ columns: GfxinfoColumns) -> Row {
        guard cells.count == columns.count else { return .bad("it has \(cells.count) of \(columns.count) columns") }
        let value = { (column: Int?) -> Int? in column.flatMap { cells[$0] } }
        guard let flags = value(columns.flags), let vsync = value(columns.intendedVsync),
            let completed = value(columns.completed)
        else { return .bad("a column isn't a whole number") }
        guard flags == 0 else { return .skipped("their flags mark them as not ordinary") }
        guard vsync > 0 else { return .bad("it begins before its clock") }
        // A window's last rows can hold data of the previous frame in their place.
        guard completed >= vsync else { return .skipped("they weren't done when they were dumped") }
        return .frame(
            GfxinfoFrame(
                intendedVsync: vsync, completed: completed,
                deadline: deadline(value(columns.deadline), vsync: vsync, interval: value(columns.interval))))
    }

    /// The stored deadline, else one display interval after the vsync; the maximum number means no deadline.
    private static func deadline(_ deadline: Int?, vsync: Int, interval: Int?) -> Int? {
        if let deadline, deadline >= vsync, deadline < .max { return deadline }
        guard let interval, interval > 0 else { return nil }
        let (sum, overflows) = vsync.addingReportingOverflow(interval)
        return overflows ? nil : sum
    }
}
