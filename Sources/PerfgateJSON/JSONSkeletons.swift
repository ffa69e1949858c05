/// Up to 32 bytes that probably come next, so one to four word comparisons can step over them.
@usableFromInline
package struct JSONExpectedBytes: Sendable {
    /// The first bytes, padded with 0 bytes.
    @usableFromInline let first: UInt64
    @usableFromInline let mask: UInt64
    /// The bytes from 8 to 16; 0 if there are none.
    @usableFromInline let second: UInt64
    /// The bytes from 16 to 24; 0 if there are none.
    @usableFromInline let third: UInt64
    @usableFromInline let last: UInt64
    /// The number of bytes, from 1 to 32.
    @usableFromInline let count: Int

    /// Takes the bytes; `nil` for none, and for more than 32.
    package init?(_ bytes: some Collection<UInt8>) {
        guard (1...32).contains(bytes.count) else { return nil }
        var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
        var tail: UInt64 = 0
        for (index, byte) in bytes.enumerated() {
            let bits = UInt64(byte) &<< UInt64(truncatingIfNeeded: index & 7 &* 8)
            switch index &>> 3 {
            case 0: words.0 |= bits
            case 1: words.1 |= bits
            case 2: words.2 |= bits
            default: words.3 |= bits
            }
            tail = tail &>> 8 | UInt64(byte) &<< 56
        }
        count = bytes.count
        first = words.0
        mask = count >= 8 ? .max : (1 &<< UInt64(truncatingIfNeeded: count &* 8)) &- 1
        second = words.1
        third = words.2
        last = tail
    }
}

extension JSONBytes {
    /// Whether the bytes from `start` on are the expected ones; false within eight bytes of the end.
    @inlinable @inline(__always)
    func holds(_ expected: JSONExpectedBytes, at start: Int) -> Bool {
        let end = start &+ expected.count
        guard hasWord(at: start), end <= count, word(at: start) & expected.mask == expected.first else { return false }
        guard expected.count > 8 else { return true }
        guard word(at: end &- 8) == expected.last else { return false }
        guard expected.count > 16 else { return true }
        guard word(at: start &+ 8) == expected.second else { return false }
        return expected.count <= 24 || word(at: start &+ 16) == expected.third
    }
}

/// A key that probably comes next, with its quotes and its colon.
///
/// The lines of one writer have the same keys in the same order, so a reader can remember the order of the last line;
/// an expected key needs no search for its end.
@usableFromInline
package struct JSONExpectedKey: Sendable {
    /// Quote, key, quote and colon.
    @usableFromInline let bytes: JSONExpectedBytes

    /// The key as it was written; `nil` if it is longer than 29 bytes or has escape sequences.
    @usableFromInline
    package init?(_ key: JSONKey) {
        guard !key.text.isEscaped, key.text.rawBytes.count <= 29,
            let bytes = JSONExpectedBytes([JSONByte.quote] + key.text.rawBytes + [JSONByte.quote, JSONByte.colon])
        else { return nil }
        self.bytes = bytes
    }
}

extension JSONReader {
    /// Steps over the next member's key if it is the expected one, without white space around it; otherwise does
    /// nothing, so `nextKey()` can read it.
    @inlinable @inline(__always)
    package mutating func takeKey(_ key: JSONExpectedKey) -> Bool {
        var start = position
        if needsComma {
            guard bytes.byteOrZero(at: start) == JSONByte.comma else { return false }
            start &+= 1
        }
        guard bytes.holds(key.bytes, at: start) else { return false }
        position = start &+ key.bytes.count
        needsComma = true
        return true
    }
}

/// The skeletons of known lines: the bytes before each value of an object, with the value's meaning, and the bytes
/// after the last one.
///
/// Machines write the lines, so lines of one kind only differ in their values. Skeletons share their common prefix, so
/// an occasionally omitted key costs one comparison. A line that differs by a byte doesn't match; only lines that the
/// general JSON reader accepted are learned.
@usableFromInline
package struct JSONSkeletons<Meaning> {
    @usableFromInline
    struct Piece {
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
    @inlinable @inline(__always)
    package func next(after piece: Int, _ reader: inout JSONReader) -> Int? {
        var index = piece < 0 ? (pieces.isEmpty ? -1 : 0) : pieces[piece].next
        while index >= 0 {
            if reader.bytes.holds(pieces[index].bytes, at: reader.position) {
                reader.position &+= pieces[index].bytes.count
                return index
            }
            index = pieces[index].other
        }
        return nil
    }

    @inlinable @inline(__always)
    package func meaning(of piece: Int) -> Meaning { pieces[piece].meaning }

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
            var index = last < 0 ? (pieces.isEmpty ? -1 : 0) : pieces[last].next
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

extension JSONExpectedBytes: Equatable {}

extension JSONReader {
    /// A reader of the members of an object whose opening brace is part of its skeleton.
    @inlinable @inline(__always)
    package init(membersIn buffer: UnsafeRawBufferPointer, from offset: Int) {
        self.init(buffer, from: offset)
        depth = 1
    }
}
