import PerfgateModel

/// The answer to a query of `actual_frame_timeline_slice`, as trace_processor writes it: a row for each frame of each layer.
struct FrameTimelineTable {
    /// The frames of one layer of one process.
    struct Layer {
        /// The process; empty where the table doesn't say.
        let process: String
        /// The layer, without what changes from launch to launch; `nil` where the table has no layers.
        let name: String?
        /// The frames, in the order of the file; one can come in several rows.
        var frames: [Frame] = []
    }

    /// One row.
    struct Frame {
        /// What is the same in all rows of the frame.
        let token: String
        /// How long the app worked on it, in nanoseconds.
        let duration: Double
        /// What was wrong with it; empty where nothing was.
        let janks: [String]
    }

    /// The layers, in the order of the file.
    private(set) var layers: [Layer] = []
    /// What became of the rows.
    private(set) var tally: RecordTally

    private var columns: Columns?
    private var indices: [[String?]: Int] = [:]

    /// Reads a table, or several with an empty line between them.
    init(_ file: ForeignFile) throws(IngestError) {
        tally = RecordTally(path: file.path, noun: "frames")
        var rows = CSVRows(file.bytes)
        var isHeader = true
        var isKnown = false
        while let row = try rows.next() {
            if row.cells == [""] {
                isHeader = true
            } else if isHeader {
                isHeader = false
                columns = Columns(row.cells)
                isKnown = isKnown || columns != nil
            } else if let columns {
                read(row, columns)
            } else {
                tally.skip(line: row.line, because: "they are of another table")
            }
        }
        guard isKnown else { throw .malformed(line: 1, problem: "no table has the columns ts, dur and jank_type") }
        if let last = file.bytes.last, last != UInt8(ascii: "\n") {
            tally.fail(line: rows.line, because: "the table is cut: its last line has no end")
        }
    }

    private mutating func read(_ row: CSVRows.Row, _ columns: Columns) {
        guard row.cells.count == columns.count else {
            return tally.fail(line: row.line, because: "it has \(row.cells.count) of \(columns.count) columns")
        }
        let value = { (column: Int?) -> String? in column.map { row.cells[$0] }.flatMap(Self.known) }
        guard let duration = value(columns.duration).flatMap(Int.init), value(columns.start).flatMap(Int.init) != nil
        else { return tally.fail(line: row.line, because: "ts or dur isn't a whole number") }
        let process = value(columns.process) ?? ""
        let layer = value(columns.layer).map(Self.nameOfLayer)
        if process.hasPrefix("/") || columns.layer != nil && layer == nil {
            return tally.skip(line: row.line, because: "they are the display's")
        }
        guard duration >= 0 else {
            return tally.skip(line: row.line, because: "they weren't done when the recording ended")
        }
        guard let jank = value(columns.jank) else {
            return tally.fail(line: row.line, because: "jank_type is missing")
        }
        let index = indices[[process, layer]] ?? layers.count
        if index == layers.count {
            layers.append(Layer(process: process, name: layer))
            indices[[process, layer]] = index
        }
        let reasons = ["None", "Unspecified"].contains(jank) ? [] : jank.split(separator: ",")
        let janks = reasons.map { String($0).trimmingWhitespace }
        layers[index].frames.append(
            Frame(token: value(columns.token) ?? "line \(row.line)", duration: Double(duration), janks: janks))
        tally.countRead()
    }

    /// What a cell says; `nil` where it says that nothing is known.
    private static func known(_ cell: String) -> String? {
        cell.isEmpty || cell == "[NULL]" || cell == "NULL" ? nil : cell
    }

    /// `TX - com.example/com.example.MainActivity#123` without the beginning and the number of the layer.
    private static func nameOfLayer(_ text: String) -> String {
        var name = text[...]
        if name.hasPrefix("TX - ") { name = name.dropFirst(5) }
        if let hash = name.lastIndex(of: "#"), hash > name.startIndex,
            name[hash...].dropFirst().allSatisfy({ $0.isASCII && $0.isNumber })
        {
            name = name[..<hash]
        }
        return String(name)
    }

    /// Whether a line names the columns of such a table.
    static func isHeader(_ line: ArraySlice<UInt8>) -> Bool {
        var rows = CSVRows(Array(line))
        return (try? rows.next()).flatMap { $0.flatMap { Columns($0.cells) } } != nil
    }

    /// Where the columns stand.
    private struct Columns {
        let count: Int
        let start: Int
        let duration: Int
        let jank: Int
        let token: Int?
        let layer: Int?
        let process: Int?

        /// The columns that a header names; `nil` where one is missing without which nothing can be said.
        init?(_ names: [String]) {
            let find = { (any: [String]) -> Int? in any.lazy.compactMap { names.firstIndex(of: $0) }.first }
            guard let start = find(["ts"]), let duration = find(["dur"]), let jank = find(["jank_type"]) else {
                return nil
            }
            count = names.count
            (self.start, self.duration, self.jank) = (start, duration, jank)
            token = find(["surface_frame_token", "app_token"])
            layer = find(["layer_name"])
            process = find(["process_name", "process"])
            if layer == nil, process == nil { return nil }
        }
    }
}

/// The rows of a text of values with commas between them, in quotes where they hold one (RFC 4180).
struct CSVRows {
    /// One row.
    struct Row {
        /// The values; of an empty line a single empty one.
        let cells: [String]
        /// The line on which it begins, from 1.
        let line: Int
    }

    private let bytes: [UInt8]
    private var offset = 0
    /// The line that was read last, from 1.
    private(set) var line = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The next row; `nil` at the end.
    mutating func next() throws(IngestError) -> Row? {
        guard offset < bytes.count else { return nil }
        line += 1
        let first = line
        var cells: [String] = []
        var cell: [UInt8] = []
        var isQuoted = false
        while offset < bytes.count {
            let byte = bytes[offset]
            offset += 1
            if byte == UInt8(ascii: "\"") {
                // Two of them in quotes are one that is meant.
                if isQuoted, offset < bytes.count, bytes[offset] == byte {
                    cell.append(byte)
                    offset += 1
                } else {
                    isQuoted.toggle()
                }
            } else if isQuoted {
                if byte == UInt8(ascii: "\n") { line += 1 }
                cell.append(byte)
            } else if byte == UInt8(ascii: ",") {
                cells.append(String(decoding: cell, as: UTF8.self))
                cell = []
            } else if byte == UInt8(ascii: "\n") {
                break
            } else {
                cell.append(byte)
            }
        }
        guard !isQuoted else { throw .malformed(line: first, problem: "a quote has no end") }
        if cell.last == UInt8(ascii: "\r") { cell.removeLast() }
        return Row(cells: cells + [String(decoding: cell, as: UTF8.self)], line: first)
    }
}
