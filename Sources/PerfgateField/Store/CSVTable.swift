import LibC
import PerfgateJSON

/// A CSV table (RFC 4180), read record by record; its bytes must outlive it.
final class CSVTable: FieldTableRow {
    /// The first line of the record, from 1.
    private(set) var line: Int
    let greatest: Int
    private let bytes: UnsafeRawBufferPointer
    private var position: Int, nextLine: Int
    private var fields: [Field] = []
    /// The index of each column; −1 if absent.
    private var places = Array(repeating: -1, count: FieldTableColumn.allCases.count)
    /// The last text of each column: in sorted tables it often repeats.
    private var lastTexts: [(bytes: Range<Int>, text: String)] = []

    private struct Field {
        /// The bytes between the commas or quotes.
        var range: Range<Int>
        /// Whether it contains doubled quotes, and whether it stands in quotes.
        var hasQuotes = false, isQuoted = false
    }

    /// A table that starts at an offset, in a line counted from 1.
    init(_ bytes: UnsafeRawBufferPointer, from offset: Int = 0, line: Int = 1, greatest: Int = WholeNumber.exact) {
        (self.greatest, self.bytes) = (greatest, bytes)
        position = offset == 0 ? JSONReader.byteOrderMarkLength(of: bytes) : offset
        nextLine = line
        self.line = line
    }

    /// Reads the column names; `nil` at the end of the input.
    func readHeader() throws(FieldRowError) -> [String]? {
        guard try readFields() else { return nil }
        let names = fields.map(text)
        places = Array(repeating: -1, count: places.count)
        for case (let index, let column?) in FieldTableColumn.named(names).enumerated() {
            places[column.rawValue] = index
        }
        lastTexts = Array(repeating: (0..<0, ""), count: names.count)
        return names
    }

    /// Reads the next record; false at the end.
    func next() throws(FieldRowError) -> Bool {
        guard try readFields() else { return false }
        guard fields.count == lastTexts.count else {
            let counts = "the row has \(fields.count) fields, and the header \(lastTexts.count)"
            throw FieldRowError(problem: "\(counts): put names with commas in double quotes")
        }
        return true
    }

    /// The bytes before a field of the record, if they have no quotes.
    func plainBytes(before field: Int) -> Range<Int>? {
        guard fields[..<field].allSatisfy({ !$0.isQuoted }) else { return nil }
        return fields[0].range.lowerBound..<fields[field].range.lowerBound
    }

    /// Reads the next record if it starts with the same bytes as an earlier one, followed by exactly four whole
    /// numbers; otherwise reads nothing.
    @inline(__always) func nextNumbers(after beginning: Range<Int>) -> SIMD4<Int>? {
        var place = position + beginning.count
        guard place < bytes.count, let base = bytes.baseAddress,
            memcmp(base + position, base + beginning.lowerBound, beginning.count) == 0
        else { return nil }
        var numbers = SIMD4<Int>()
        for index in 0..<4 {
            let start = place
            var number = 0
            while place < bytes.count, case let digit = bytes[place] &- UInt8(ascii: "0"), digit < 10 {
                number = number &* 10 &+ Int(digit)
                place += 1
            }
            let end = index < 3 ? UInt8(ascii: ",") : 0x0A
            guard 1...18 ~= place - start, place < bytes.count, bytes[place] == end else { return nil }
            place += 1
            numbers[index] = number
        }
        position = place
        line = nextLine
        nextLine += 1
        return numbers
    }

    func withBytes<Result>(_ column: FieldTableColumn, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        let place = places[column.rawValue]
        guard place >= 0 else { return body(UnsafeRawBufferPointer(start: nil, count: 0)) }
        return body(UnsafeRawBufferPointer(rebasing: bytes[fields[place].range]))
    }

    func text(_ column: FieldTableColumn) -> String {
        let place = places[column.rawValue]
        guard place >= 0 else { return "" }
        let field = fields[place]
        if !field.hasQuotes, bytes[field.range].elementsEqual(bytes[lastTexts[place].bytes]) {
            return lastTexts[place].text
        }
        let text = text(of: field).composed
        lastTexts[place] = (field.hasQuotes ? 0..<0 : field.range, field.hasQuotes ? "" : text)
        return text
    }

    private func text(of field: Field) -> String {
        let text = String(decoding: bytes[field.range], as: UTF8.self)
        return field.hasQuotes ? text.replacing("\"\"", with: "\"") : text
    }

    /// Reads the fields of the next nonblank line; false at the end.
    private func readFields() throws(FieldRowError) -> Bool {
        while position < bytes.count, bytes[position] == 0x0A || bytes[position] == 0x0D {
            if bytes[position] == 0x0A { nextLine += 1 }
            position += 1
        }
        line = nextLine
        guard position < bytes.count else { return false }
        fields.removeAll(keepingCapacity: true)
        while true {
            fields.append(try readField())
            guard position < bytes.count, bytes[position] == UInt8(ascii: ",") else { break }
            position += 1
        }
        if position < bytes.count, bytes[position] == 0x0D { position += 1 }
        guard position == bytes.count || bytes[position] == 0x0A else {
            throw FieldRowError(problem: "there is text after a closing quote: write a quote in a name twice")
        }
        if position < bytes.count {
            position += 1
            nextLine += 1
        }
        return true
    }

    private func readField() throws(FieldRowError) -> Field {
        guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else {
            let start = position
            while position < bytes.count, !Self.endsField(bytes[position]) { position += 1 }
            return Field(range: start..<position)
        }
        position += 1
        let start = position
        var hasQuotes = false
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            if byte == 0x0A { nextLine += 1 }
            guard byte == UInt8(ascii: "\"") else { continue }
            guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else {
                return Field(range: start..<(position - 1), hasQuotes: hasQuotes, isQuoted: true)
            }
            hasQuotes = true
            position += 1
        }
        throw FieldRowError(problem: "a quote isn't closed: close it, or write a quote in a name twice")
    }

    private static func endsField(_ byte: UInt8) -> Bool { byte == UInt8(ascii: ",") || byte == 0x0A || byte == 0x0D }
}

struct JSONTableRow: FieldTableRow {
    /// The keys, including those that aren't columns.
    let keys: [String]
    let greatest = WholeNumber.exact
    private let values: [FieldTableColumn: String]

    init(_ line: UnsafeRawBufferPointer, from offset: Int) throws(FieldRowError) {
        var (keys, texts): ([String], [String]) = ([], [])
        do throws(JSONError) {
            var reader = JSONReader(line, from: offset)
            try reader.enterObject()
            while let key = try reader.nextKey() {
                keys.append(key.string)
                texts.append(try Self.value(&reader).composed)
            }
            try reader.finish()
        } catch {
            throw FieldRowError(problem: "\(error)")
        }
        self.keys = keys
        values = zip(FieldTableColumn.named(keys), texts).reduce(into: [:]) { values, found in
            if let column = found.0 { values[column] = found.1 }
        }
    }

    func text(_ column: FieldTableColumn) -> String { values[column] ?? "" }

    func withBytes<Result>(_ column: FieldTableColumn, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        var text = text(column)
        return text.withUTF8 { body(UnsafeRawBufferPointer($0)) }
    }

    private static func value(_ reader: inout JSONReader) throws(JSONError) -> String {
        switch try reader.peekKind() {
        case .string: return try reader.readString()
        case .number: return try reader.readNumberText()
        case .bool: return try reader.readBool() ? "true" : "false"
        case .null, .array, .object:
            guard try reader.readNull() else { throw JSONError(.expectedValue, at: reader.offset) }
            return ""
        }
    }
}

extension String {
    /// The text in Unicode's composed form, like the text of logs.
    fileprivate var composed: String { utf8.allSatisfy { $0 < 0x80 } ? self : precomposedStringWithCanonicalMapping }
}

struct TableText {
    /// The text so far, in UTF-8.
    var bytes: [UInt8] = []

    mutating func append(_ more: some Collection<UInt8>) { bytes.append(contentsOf: more) }

    @inline(__always) mutating func append(_ byte: Unicode.Scalar) { bytes.append(UInt8(ascii: byte)) }

    /// Appends a whole number, at least 0, in decimal digits.
    mutating func append(_ number: Int) { bytes.append(decimal: number) }

    mutating func append(field: String) {
        guard field.utf8.contains(where: Self.needsQuotes) else { return append(field.utf8) }
        append("\"")
        for byte in field.utf8 { append(byte == UInt8(ascii: "\"") ? [byte, byte] : [byte]) }
        append("\"")
    }

    /// Appends CSV fields, each followed by a comma.
    mutating func append(names: [String]) {
        for name in names {
            append(field: name)
            append(",")
        }
    }

    /// Appends CSV fields, each followed by a comma, but the last one by `end`.
    mutating func append(numbers: [Int], end: Unicode.Scalar = ",") {
        for (index, number) in numbers.enumerated() {
            append(number)
            append(index == numbers.count - 1 ? end : ",")
        }
    }

    private static func needsQuotes(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ",") || byte == UInt8(ascii: "\"") || byte == 0x0D || byte == 0x0A
    }
}
