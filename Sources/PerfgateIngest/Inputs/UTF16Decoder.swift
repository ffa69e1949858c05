/// Turns UTF-16 into UTF-8, chunk by chunk, so that no reader has to know of it.
struct UTF16Decoder {
    private let isBigEndian: Bool
    private var pendingByte: UInt8?
    private var highSurrogate: UInt16?
    private var output: [UInt8] = []

    /// A decoder for an input that begins with these bytes; `nil` where they aren't UTF-16.
    ///
    /// Without a byte order mark it is UTF-16 where every other one of the first bytes is zero: what perfgate reads
    /// begins in ASCII.
    init?(startingWith bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= 2 else { return nil }
        let start = bytes.prefix(4)
        // The same two bytes begin UTF-32 where two zeros follow.
        guard !start.elementsEqual([0xFF, 0xFE, 0, 0]) else { return nil }
        switch (start[0], start[1]) {
        case (0xFF, 0xFE): isBigEndian = false
        case (0xFE, 0xFF): isBigEndian = true
        case (1..., 0) where start.count == 2 || start[2] != 0 && start[3] == 0: isBigEndian = false
        case (0, 1...) where start.count == 2 || start[2] == 0 && start[3] != 0: isBigEndian = true
        default: return nil
        }
    }

    /// Decodes a chunk and gives the result to a closure; a byte order mark becomes that of UTF-8.
    mutating func decode(
        _ chunk: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void
    ) throws(IngestError) {
        output.removeAll(keepingCapacity: true)
        for byte in chunk {
            guard let first = pendingByte else {
                pendingByte = byte
                continue
            }
            pendingByte = nil
            try add(isBigEndian ? UInt16(first) << 8 | UInt16(byte) : UInt16(byte) << 8 | UInt16(first))
        }
        output.withUnsafeBytes { body($0) }
    }

    /// Says that the input is at its end.
    func finish() throws(IngestError) {
        if pendingByte != nil || highSurrogate != nil { throw .damagedUTF16 }
    }

    private mutating func add(_ unit: UInt16) throws(IngestError) {
        if let high = highSurrogate {
            guard UTF16.isTrailSurrogate(unit) else { throw .damagedUTF16 }
            highSurrogate = nil
            append(0x10000 + (UInt32(high) - 0xD800) << 10 + (UInt32(unit) - 0xDC00))
        } else if UTF16.isLeadSurrogate(unit) {
            highSurrogate = unit
        } else if UTF16.isTrailSurrogate(unit) {
            throw .damagedUTF16
        } else {
            append(UInt32(unit))
        }
    }

    private mutating func append(_ scalar: UInt32) {
        guard scalar >= 0x80 else { return output.append(UInt8(scalar)) }
        if let scalar = Unicode.Scalar(scalar) { output.append(contentsOf: String(scalar).utf8) }
    }
}
