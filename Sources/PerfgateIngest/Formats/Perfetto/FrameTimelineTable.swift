/// The result of a query of `actual_frame_timeline_slice` from trace_processor: a row for each frame of each layer.
struct FrameTimelineTable {
    struct Layer {
        /// The process; empty if the table has none.
        let process: String
        /// The layer, without the parts that differ between launches; `nil` if the table has no layers.
        let name: String?
        /// The frames in file order; a frame can have several rows.
        var frames: [Frame] = []
    }

    struct Frame {
        /// The key that all rows of the frame share.
        let token: String
        /// The app's work on it, in nanoseconds.
        let duration: Double
        /// The reasons for jank; empty for a frame without jank.
        let janks: [String]
    }

    /// The layers in file order.
    private(set) var layers: [Layer] = []
    private(set) var tally: RecordTally

    private var columns: Columns?
    private var indices: [[String?]: Int] = [:]

    /// Reads a table, or several tables with an empty line between them.
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
                do throws(UnusedRecord) {
                    try read(row, columns)
                    tally.countRead()
                } catch {
                    tally.count(error, line: row.line)
                }
            } else {
                tally.skip(line: row.line, because: "they are of another table")
            }
        }
        guard isKnown else { throw .malformed(line: 1, problem: "no table has the columns ts, dur and jank_type") }
        if let last = file.bytes.last, last != UInt8(ascii: "\n") {
            tally.fail(line: rows.line, because: "the table is cut: its last line has no end")
        }
    }

    private mutating func read(_ row: CSVRows.Row, _ columns: Columns) throws(UnusedRecord) {
        guard row.cells.count == columns.count else {
            throw .failed("it has \(row.cells.count) of \(columns.count) columns")
        }
        let value = { (column: Int?) -> String? in column.map { row.cells[$0] }.flatMap(Self.known) }
        guard let duration = value(columns.duration).flatMap(Int.init), value(columns.start).flatMap(Int.init) != nil
        else { throw .failed("ts or dur isn't a whole number") }
        let process = value(columns.process) ?? ""
        let layer = value(columns.layer).map(Self.nameOfLayer)
        if process.hasPrefix("/") || columns.layer != nil && layer == nil { throw .skipped("they are the display's") }
        guard duration >= 0 else { throw .skipped("they weren't done when the recording ended") }
        guard let jank = value(columns.jank) else { throw .failed("jank_type is missing") }
        let index = indices[[process, layer]] ?? layers.count
        if index == layers.count {
            layers.append(Layer(process: process, name: layer))
            indices[[process, layer]] = index
        }
        let reasons = ["None", "Unspecified"].contains(jank) ? [] : jank.split(separator: ",")
        layers[index].frames.append(
            Frame(
                token: value(columns.token) ?? "line \(row.line)", duration: Double(duration),
                janks: reasons.map { String($0).trimmingWhitespace }))
    }

    /// The value of a cell; `nil` for a cell that means unknown.
    private static func known(_ cell: String) -> String? {
        cell.isEmpty || cell == "[NULL]" || cell == "NULL" ? nil : cell
    }

    /// `TX - com.example/com.example.MainActivity#123` without the prefix and the number of the layer.
    private static func nameOfLayer(_ text: String) -> String {
        let name = text.hasPrefix("TX - ") ? text.dropFirst(5) : text[...]
        guard let hash = name.lastIndex(of: "#"), hash > name.startIndex,
            name[hash...].dropFirst().allSatisfy({ $0.isASCII && $0.isNumber })
        else { return String(name) }
        return String(name[..<hash])
    }

    static func isHeader(_ line: ArraySlice<UInt8>) -> Bool {
        var rows = CSVRows(Array(line))
        return (try? rows.next()).flatMap { $0.flatMap { Columns($0.cells) } } != nil
    }

    private struct Columns {
        let count, start, duration, jank: Int
        let token, layer, process: Int?

        init?(_ names: [String]) {
            let find = { (any: [String]) -> Int? in any.lazy.compactMap { names.firstIndex(of: $0) }.first }
            (layer, process) = (find(["layer_name"]), find(["process_name", "process"]))
            guard let start = find(["ts"]), let duration = find(["dur"]), let jank = find(["jank_type"]),
                layer != nil || process != nil
            else { return nil }
            (self.start, self.duration, self.jank) = (start, duration, jank)
            (count, token) = (names.count, find(["surface_frame_token", "app_token"]))
        }
    }
}

/// The rows of comma-separated text with quoted values (RFC 4180).
package struct CSVRows {
    package struct Row {
        /// The values; an empty line has a single empty value.
        package let cells: [String]
        let line: Int
    }

    private let bytes: [UInt8]
    private var offset = 0
    /// The last line that was read, from 1.
    private(set) var line = 0

    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    package mutating func next() throws(IngestError) -> Row? {
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
                // A doubled quote in a quoted value is a single quote.
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
