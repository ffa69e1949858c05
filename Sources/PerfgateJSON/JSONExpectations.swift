/// Up to 32 bytes that probably come next, so one to four word comparisons can step over them.
@usableFromInline package struct JSONExpectedBytes: Equatable, Sendable {
    /// The first bytes, padded with 0 bytes.
    @usableFromInline let first: UInt64
    @usableFromInline let mask: UInt64
    /// The bytes from 8 to 16; 0 if there are none.
    @usableFromInline let second: UInt64
    /// The bytes from 16 to 24; 0 if there are none.
    @usableFromInline let third: UInt64
    /// The last eight bytes; the first ones if there are fewer.
    @usableFromInline let last: UInt64
    /// The number of bytes, from 1 to 32.
    @usableFromInline let count: Int

    /// Takes the bytes; `nil` for none, and for more than 32.
    package init?(_ bytes: some Collection<UInt8>) {
        guard (1...32).contains(bytes.count) else { return nil }
        count = bytes.count
        let padded = [UInt8](bytes) + Array(repeating: 0, count: 32 - bytes.count)
        func word(at start: Int) -> UInt64 { padded[start..<start + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) } }
        (first, second, third) = (word(at: 0), word(at: 8), word(at: 16))
        mask = count >= 8 ? .max : (1 &<< UInt64(truncatingIfNeeded: count &* 8)) &- 1
        last = word(at: max(0, count - 8))
    }

    /// A key with its quotes and its colon; `nil` if it is longer than 29 bytes or has escape sequences.
    @usableFromInline package init?(_ key: JSONKey) {
        guard !key.text.isEscaped else { return nil }
        self.init([JSONByte.quote] + key.text.rawBytes + [JSONByte.quote, JSONByte.colon])
    }
}

extension JSONBytes {
    /// Whether the bytes from `start` on are the expected ones; false within eight bytes of the end.
    @inlinable @inline(__always) func holds(_ expected: JSONExpectedBytes, at start: Int) -> Bool {
        let end = start &+ expected.count
        guard hasWord(at: start), end <= count, word(at: start) & expected.mask == expected.first else { return false }
        guard expected.count > 8 else { return true }
        guard word(at: end &- 8) == expected.last else { return false }
        guard expected.count > 16 else { return true }
        guard word(at: start &+ 8) == expected.second else { return false }
        return expected.count <= 24 || word(at: start &+ 16) == expected.third
    }
}

/// The key order of the lines so far, by line shape, used to predict the next line.
///
/// The lines of one writer have their keys in one order, sometimes with omissions. An expected key costs one or two
/// word comparisons; an omitted one is skipped.
///
///     order.begin()
///     while true {
///         if let field = order.take(&reader) { … } else if let key = try reader.nextKey() { order.learn(key, …) } …
///     }
@usableFromInline package struct JSONKeyOrder<Field> {
    @usableFromInline struct Step {
        /// The key; `nil` for a key that can't be predicted, because it is long or escaped.
        @usableFromInline let key: JSONExpectedBytes?
        @usableFromInline let field: Field

        @inlinable init(key: JSONExpectedBytes?, field: Field) { (self.key, self.field) = (key, field) }
    }

    /// The most keys remembered per shape.
    @inlinable static var limit: Int { 48 }

    /// `limit` slots for the keys of each shape, in order.
    @usableFromInline var steps: [Step]
    /// The number of remembered keys per shape.
    @usableFromInline var counts: [Int]
    @usableFromInline var shape = 0
    /// The index of its next key, and the end of its keys.
    @usableFromInline var position = 0, end = 0

    /// Starts empty, for 1 or more shapes of lines; `filler` is any meaning, and never returned.
    @inlinable package init(shapes: Int = 1, filler: Field) {
        steps = Array(repeating: Step(key: nil, field: filler), count: shapes * Self.limit)
        counts = Array(repeating: 0, count: shapes)
    }

    /// Starts a line with a shape; the first shape if unknown.
    @inlinable @inline(__always) package mutating func begin(shape: Int = 0) {
        self.shape = shape
        position = shape &* Self.limit
        end = position &+ counts[shape]
    }

    /// Steps over the next key if it is expected, and returns its meaning; otherwise does nothing.
    @inlinable @inline(__always) package mutating func take(_ reader: inout JSONReader) -> Field? {
        if position < end {
            let step = steps[position]
            if let key = step.key, reader.takeKey(key) {
                position &+= 1
                return step.field
            }
        }
        return reader.isBeforeItem ? takeLater(&reader) : nil
    }

    /// Remembers the key found at this place and its meaning.
    @inlinable @inline(never) package mutating func learn(_ key: JSONKey, _ field: Field) {
        let step = Step(key: JSONExpectedBytes(key), field: field)
        if counts[shape] < Self.limit {
            counts[shape] += 1
            for index in stride(from: end, to: position, by: -1) { steps[index] = steps[index - 1] }
            end += 1
        } else if position == end {
            return
        }
        steps[position] = step
        position += 1
    }

    /// Searches the key among the later expected ones, then among all.
    @inlinable @inline(never) mutating func takeLater(_ reader: inout JSONReader) -> Field? {
        let start = shape &* Self.limit
        var index = position
        for _ in start..<end {
            index = index &+ 1 < end ? index &+ 1 : start
            guard let key = steps[index].key, reader.takeKey(key) else { continue }
            position = index &+ 1
            return steps[index].field
        }
        return nil
    }
}

/// The skeletons of known lines: the bytes before each value of an object, with the value's meaning, and the bytes
/// after the last one. Machines write the lines, so lines of one kind only differ in their values. Skeletons share
/// their common prefix, so an occasionally omitted key costs one comparison. A line that differs by a byte doesn't
/// match; only lines that the general JSON reader accepted are learned.
@usableFromInline package struct JSONSkeletons<Meaning> {
    @usableFromInline struct Piece {
        @usableFromInline let bytes: JSONExpectedBytes
        @usableFromInline let meaning: Meaning
        /// The first piece that may follow, and an alternative to this one; -1 without one.
        @usableFromInline var next: Int, other: Int
    }

    /// The most remembered pieces.
    private static var limit: Int { 1_024 }

    @usableFromInline var pieces: [Piece] = []

    package init() {}

    /// Steps over the bytes after a piece, -1 for the start of a line, and returns their piece; `nil` without a match.
    @inlinable @inline(__always) package func next(after piece: Int, _ reader: inout JSONReader) -> Int? {
        var index = first(after: piece)
        while index >= 0 {
            if reader.bytes.holds(pieces[index].bytes, at: reader.position) {
                reader.position &+= pieces[index].bytes.count
                return index
            }
            index = pieces[index].other
        }
        return nil
    }

    /// The first piece that may follow another one; -1 without one.
    @inlinable @inline(__always)
    func first(after piece: Int) -> Int { piece < 0 ? (pieces.isEmpty ? -1 : 0) : pieces[piece].next }

    @inlinable @inline(__always) package func meaning(of piece: Int) -> Meaning { pieces[piece].meaning }

    /// Learns the skeleton of a line; false if it is known, can't be learned, or if the limit is reached.
    ///
    /// - Parameters:
    ///   - meaning: The meaning of a key's value, and whether it belongs to the skeleton; `nil` for a line that must
    ///     not be learned. The reader is at the value.
    ///   - end: The meaning of the end of a line.
    package mutating func learn(
        _ line: UnsafeRawBufferPointer, end: Meaning, _ meaning: (JSONKey, JSONReader) -> (Meaning, isFixed: Bool)?
    ) -> Bool {
        var found: [(bytes: JSONExpectedBytes, meaning: Meaning)] = []
        var start = 0
        do throws(JSONError) {
            var reader = JSONReader(line)
            try reader.enterObject()
            while let key = try reader.nextKey() {
                _ = try reader.peekKind()
                guard let (meaning, isFixed) = meaning(key, reader) else { return false }
                let value = reader.offset
                try reader.skipValue()
                let end = isFixed ? reader.offset : value
                guard let bytes = JSONExpectedBytes(line[start..<end]) else { return false }
                found.append((bytes, meaning))
                start = reader.offset
            }
            try reader.finish()
        } catch {
            return false
        }
        guard let bytes = JSONExpectedBytes(line[start...]), pieces.count + found.count < Self.limit else {
            return false
        }
        found.append((bytes, end))
        let known = pieces.count
        insert(found)
        return pieces.count > known
    }

    private mutating func insert(_ found: [(bytes: JSONExpectedBytes, meaning: Meaning)]) {
        var last = -1
        for (bytes, meaning) in found {
            var index = first(after: last)
            var neighbour = -1
            while index >= 0, pieces[index].bytes != bytes { (neighbour, index) = (index, pieces[index].other) }
            if index < 0 {
                index = pieces.count
                pieces.append(Piece(bytes: bytes, meaning: meaning, next: -1, other: -1))
                if neighbour >= 0 { pieces[neighbour].other = index } else if last >= 0 { pieces[last].next = index }
            }
            last = index
        }
    }
}

extension JSONReader {
    /// Steps over the next member's key if it is the expected one, without white space around it; otherwise does
    /// nothing, so `nextKey()` can read it.
    @inlinable @inline(__always) package mutating func takeKey(_ key: JSONExpectedBytes) -> Bool {
        var start = position
        if needsComma {
            guard bytes.byteOrZero(at: start) == JSONByte.comma else { return false }
            start &+= 1
        }
        guard bytes.holds(key, at: start) else { return false }
        position = start &+ key.count
        needsComma = true
        return true
    }

    /// Whether there is a comma, or the quote of the first key, exactly at the current position.
    @inlinable @inline(__always)
    var isBeforeItem: Bool { bytes.byteOrZero(at: position) == (needsComma ? JSONByte.comma : JSONByte.quote) }

    /// A reader of the members of an object whose opening brace is part of its skeleton.
    @inlinable @inline(__always) package init(membersIn buffer: UnsafeRawBufferPointer, from offset: Int) {
        self.init(buffer, from: offset)
        depth = 1
    }
}
