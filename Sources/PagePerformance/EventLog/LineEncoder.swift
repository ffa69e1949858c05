/// Writes lines of the log: one JSON object per line, whose bytes depend only on the values.
///
/// Members keep the order of the calls. A member without a value, or with a number that isn't finite, is left out.
package struct LineEncoder {
    package private(set) var bytes: [UInt8] = []

    package init() {}

    /// Removes the lines and keeps the memory.
    package mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

    package mutating func line(_ type: LogLineType, _ body: (inout LineEncoder) -> Void) {
        append("{\"type\":\"")
        bytes.append(contentsOf: type.rawValue.utf8)
        append("\"")
        body(&self)
        append("}\n")
    }

    package mutating func text(_ key: LogKey, _ value: String?) { member(key, value) { $0.string($1) } }

    package mutating func number(_ key: LogKey, _ value: Double?) {
        if let value, value.isFinite { member(key, value) { $0.number($1) } }
    }

    mutating func time(_ key: LogKey, _ value: Milliseconds?) { number(key, value?.value) }

    package mutating func whole(_ key: LogKey, _ value: Int?) { member(key, value) { $0.whole($1) } }

    /// A whole number member, in nanoseconds.
    mutating func time(_ key: LogKey, _ value: Nanoseconds?) { member(key, value) { $0.whole($1.count) } }

    /// A point in time since 1970, to the millisecond.
    mutating func instant(_ key: LogKey, _ value: Nanoseconds?) {
        member(key, value) { encoder, time in
            encoder.append("\"")
            UniversalTime.append(time, hasMilliseconds: true, to: &encoder.bytes)
            encoder.append("\"")
        }
    }

    package mutating func flag(_ key: LogKey, _ value: Bool?) {
        member(key, value) { $0.append($1 ? "true" : "false") }
    }

    /// A list member; `item` writes each element.
    mutating func list<Items: Sequence>(
        _ key: LogKey, _ items: Items?, _ item: (inout LineEncoder, Items.Element) -> Void
    ) {
        guard let items else { return }
        name(key)
        append("[")
        var isFirst = true
        for element in items {
            if !isFirst { append(",") }
            isFirst = false
            item(&self, element)
        }
        append("]")
    }

    /// A list member of times in milliseconds, without numbers that aren't finite.
    mutating func times(_ key: LogKey, _ values: [Milliseconds]?) {
        list(key, values?.lazy.map(\.value).filter(\.isFinite)) { $0.number($1) }
    }

    /// The object member of an app's own dimensions.
    mutating func tags(_ tags: LogTags) {
        name(.tags)
        object { encoder in
            for (name, value) in tags.values {
                encoder.append(",")
                encoder.string(name)
                encoder.append(":")
                encoder.string(value)
            }
        }
    }

    /// An object member of summed loads.
    mutating func loads(_ key: LogKey, _ loads: LoadTimes?) {
        guard let loads, loads.sum.value.isFinite else { return }
        name(key)
        object { encoder in
            encoder.whole(.count, loads.count)
            encoder.whole(.shown, loads.shownCount)
            encoder.time(.ms, loads.sum)
        }
    }

    /// An object member of times in milliseconds, in the order of their names' UTF-8.
    mutating func members(_ key: LogKey, _ values: [String: Milliseconds]) {
        name(key)
        object { encoder in
            let sorted = values.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            for (key, time) in sorted where time.value.isFinite {
                encoder.append(",")
                encoder.string(key + "_ms")
                encoder.append(":")
                encoder.number(time.value)
            }
        }
    }

    /// An object as an element of a list; its members are written like those of a line.
    mutating func object(_ body: (inout LineEncoder) -> Void) {
        append("{")
        let start = bytes.count
        body(&self)
        if bytes.count > start { bytes.remove(at: start) }
        append("}")
    }
}

extension LineEncoder {
    /// A finite number, in the fewest digits that read back as the same number.
    mutating func number(_ value: Double) {
        if let whole = Int64(exactly: value), value != 0 || value.sign == .plus { return self.whole(whole) }
        bytes.append(contentsOf: value.description.utf8)
    }

    mutating func whole(_ value: some FixedWidthInteger) {
        if value < 0 { append("-") }
        var first = bytes.count
        var rest = value.magnitude
        repeat {
            let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
            bytes.append(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: digit))
            rest = quotient
        } while rest > 0
        // In place: a slice would copy the bytes.
        var last = bytes.count - 1
        while first < last {
            bytes.swapAt(first, last)
            first += 1
            last -= 1
        }
    }

    /// A text in quotes. Every character that could move a terminal's cursor or end a line is escaped.
    mutating func string(_ text: String) {
        append("\"")
        if text.utf8.allSatisfy(Self.isPlain) {
            bytes.append(contentsOf: text.utf8)
        } else {
            for scalar in text.unicodeScalars { string(scalar) }
        }
        append("\"")
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x20..<0x7F).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    private mutating func string(_ scalar: Unicode.Scalar) {
        switch scalar.value {
        case 0x22: append("\\\"")
        case 0x5C: append("\\\\")
        case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029: escape(scalar.value)
        default: bytes.append(contentsOf: scalar.utf8)
        }
    }

    private mutating func escape(_ value: UInt32) {
        append("\\u")
        for shift in [12, 8, 4, 0] as [UInt32] {
            let digit = UInt8(truncatingIfNeeded: value >> shift & 0xF)
            bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
        }
    }

    /// A member, unless it has no value.
    @inline(__always)
    private mutating func member<Value>(
        _ key: LogKey, _ value: Value?, _ body: (inout LineEncoder, Value) -> Void
    ) {
        guard let value else { return }
        name(key)
        body(&self, value)
    }

    /// The name of a member, after a comma; every member has one before it.
    private mutating func name(_ key: LogKey) {
        append(",\"")
        bytes.append(contentsOf: key.rawValue.utf8)
        append("\":")
    }

    private mutating func append(_ text: StaticString) { text.withUTF8Buffer { bytes.append(contentsOf: $0) } }
}
