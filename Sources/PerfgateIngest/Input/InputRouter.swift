import PerfgateJSON

/// Takes the bytes of one input, detects the format, and passes them to its reader.
final class InputRouter {
    enum Content {
        /// Nothing, or only white space.
        case nothing
        case log(LogReader)
        case foreign(any ForeignReader.Type, ForeignFile)
    }

    private enum Route {
        case undecided
        case log
        case foreign(any ForeignReader.Type)
    }

    /// Why the input can't be read; after that, no more bytes are taken.
    private(set) var error: IngestError?

    private let path: String
    private let formatName: String?
    private let log: LogReader
    private let limit: Int
    private var route = Route.undecided
    private var decoder: UTF16Decoder?
    private var isAtStart = true
    private var held: [UInt8] = []
    private var wasLookedAt = false

    /// Takes the name of the format, `nil`: detected, and the most bytes of text for another tool's file.
    init(path: String, format: String?, log: LogReader, limit: Int = ForeignFile.sizeLimit) {
        (self.path, self.log, self.limit) = (path, log, limit)
        formatName = format
    }

    /// Takes the next bytes, decompressed.
    func take(_ block: ByteBlock) {
        if error == nil, decoder == nil, case .log = route { log.read(block) } else { take(block.bytes) }
    }

    /// Takes the next bytes, decompressed and only lent.
    func take(_ chunk: UnsafeRawBufferPointer) {
        guard error == nil else { return }
        attempt { () throws(IngestError) in
            if isAtStart {
                isAtStart = false
                decoder = UTF16Decoder(startingWith: chunk)
            }
            guard decoder != nil else { return try pass(chunk) }
            var failure: IngestError?
            try decoder?.decode(chunk) { text in
                do throws(IngestError) { try pass(text) } catch { failure = error }
            }
            if let failure { throw failure }
        }
    }

    func finish() throws(IngestError) -> Content {
        if let error { throw error }
        try decoder?.finish()
        if case .undecided = route {
            guard held.contains(where: { !Self.isBlank($0) }) else { return .nothing }
            try decide(isWhole: true)
        }
        switch route {
        case .foreign(let reader):
            let start = held.withUnsafeBytes { JSONReader.byteOrderMarkLength(of: $0) }
            held.removeFirst(start)
            return .foreign(reader, ForeignFile(path: path, bytes: held))
        case .undecided, .log:
            log.finish()
            return log.hasLines ? .log(log) : .nothing
        }
    }

    /// Stops reading after an error: a log counts as truncated.
    func abandon() {
        if case .undecided = route, !held.isEmpty { attempt { () throws(IngestError) in try decide(isWhole: false) } }
        if case .log = route { log.finish(isTruncated: true) }
    }

    private func pass(_ text: UnsafeRawBufferPointer) throws(IngestError) {
        switch route {
        case .log: log.read(text)
        case .foreign: try hold(text)
        case .undecided:
            if held.count + text.count > limit { try refuse() }
            try hold(text)
            if held.count >= ForeignHead.size, !wasLookedAt { try lookAtBeginning() }
        }
    }

    /// Rejects an input in an unknown format that exceeds the limit.
    private func refuse() throws(IngestError) {
        let head = ForeignHead(Array(held.prefix(ForeignHead.size)), isWhole: false)
        guard head.outline == nil else { return }
        throw .unknownFormat(looksLike: "more than \(limit) bytes of text", known: InputFormat.names)
    }

    /// Decides from the first bytes if they are enough.
    private func lookAtBeginning() throws(IngestError) {
        wasLookedAt = true
        if let formatName { return take(try InputFormat(named: formatName)) }
        let head = ForeignHead(Array(held.prefix(ForeignHead.size)), isWhole: false)
        if let format = try InputFormat(ofBeginning: head) { take(format) }
    }

    private func hold(_ text: UnsafeRawBufferPointer) throws(IngestError) {
        guard held.count + text.count <= limit else { throw .tooLarge(limit: limit) }
        held.append(contentsOf: text)
    }

    private func decide(isWhole: Bool) throws(IngestError) {
        if let formatName { return take(try InputFormat(named: formatName)) }
        take(try InputFormat(of: ForeignHead(held, isWhole: isWhole)))
    }

    private func take(_ format: InputFormat) {
        switch format {
        case .foreign(let reader): route = .foreign(reader)
        case .log:
            route = .log
            held.withUnsafeBytes { log.read($0) }
            held = []
        }
    }

    private func attempt(_ body: () throws(IngestError) -> Void) {
        do throws(IngestError) { try body() } catch { self.error = error }
    }

    private static func isBlank(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }
}

/// Converts UTF-16 to UTF-8, chunk by chunk, so readers needn't handle it.
struct UTF16Decoder {
    private let isBigEndian: Bool
    private var pendingByte: UInt8?
    private var highSurrogate: UInt16?
    private var output: [UInt8] = []

    /// A decoder for an input that starts with these bytes; `nil` if they aren't UTF-16.
    ///
    /// Without a byte order mark it is UTF-16 if every other one of the first bytes is 0: files start with ASCII.
    init?(startingWith bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= 2 else { return nil }
        let start = bytes.prefix(4)
        // UTF-32 starts with the same two bytes, followed by two zeros.
        guard !start.elementsEqual([0xFF, 0xFE, 0, 0]) else { return nil }
        switch (start[0], start[1]) {
        case (0xFF, 0xFE): isBigEndian = false
        case (0xFE, 0xFF): isBigEndian = true
        case (1..., 0) where (start.count < 3 || start[2] != 0) && (start.count < 4 || start[3] == 0):
            isBigEndian = false
        case (0, 1...) where (start.count < 3 || start[2] == 0) && (start.count < 4 || start[3] != 0):
            isBigEndian = true
        default: return nil
        }
    }

    /// Decodes a chunk and passes the result to a closure; a byte order mark becomes UTF-8's.
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

    func finish() throws(IngestError) { if pendingByte != nil || highSurrogate != nil { throw .damagedUTF16 } }

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
