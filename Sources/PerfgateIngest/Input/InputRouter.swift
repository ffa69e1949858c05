import PerfgateJSON

/// Takes the bytes of one input, detects the format, and passes them to its reader.
final class InputRouter {
    enum Content {
        /// Nothing, or only white space.
        case nothing
        case log
        case foreign(any ForeignReader.Type, ForeignFile)
    }

    /// Why the input can't be read; after that, no more bytes are taken.
    private(set) var error: IngestError?

    private let path: String
    private let formatName: String?
    private let log: LogReader
    private let limit: Int
    /// The format; `nil`: undecided.
    private var format: InputFormat?
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
        if error == nil, decoder == nil, case .log? = format { log.read(block) } else { take(block.bytes) }
    }

    /// Takes the next bytes, decompressed and only lent.
    func take(_ chunk: UnsafeRawBufferPointer) {
        guard error == nil else { return }
        attempt { () throws(IngestError) in
            if isAtStart {
                isAtStart = false
                decoder = UTF16Decoder(startingWith: chunk)
            }
            guard let text = try decoder?.decode(chunk) else { return try pass(chunk) }
            try text.withUnsafeBufferPointer { text throws(IngestError) in try pass(UnsafeRawBufferPointer(text)) }
        }
    }

    func finish() throws(IngestError) -> Content {
        if let error { throw error }
        try decoder?.finish()
        if format == nil {
            guard held.contains(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }) else { return .nothing }
            try decide(isWhole: true)
        }
        guard case .foreign(let reader)? = format else {
            log.finish()
            return log.hasLines ? .log : .nothing
        }
        let start = held.withUnsafeBytes { JSONReader.byteOrderMarkLength(of: $0) }
        held.removeFirst(start)
        return .foreign(reader, ForeignFile(path: path, bytes: held))
    }

    /// Stops reading after an error: a log counts as truncated.
    func abandon() {
        if format == nil, !held.isEmpty { attempt { () throws(IngestError) in try decide(isWhole: false) } }
        if case .log? = format { log.finish(isTruncated: true) }
    }

    private func pass(_ text: UnsafeRawBufferPointer) throws(IngestError) {
        switch format {
        case .log?: log.read(text)
        case .foreign?: try hold(text)
        case nil:
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
        self.format = format
        guard case .log = format else { return }
        held.withUnsafeBytes { log.read($0) }
        held = []
    }

    private func attempt(_ body: () throws(IngestError) -> Void) {
        do throws(IngestError) { try body() } catch { self.error = error }
    }
}

/// Converts UTF-16 to UTF-8, chunk by chunk, so readers needn't handle it.
struct UTF16Decoder {
    private let isBigEndian: Bool
    /// The bytes of an incomplete character.
    private var pending: [UInt8] = []

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

    /// Decodes a chunk; a byte order mark becomes UTF-8's.
    mutating func decode(_ chunk: UnsafeRawBufferPointer) throws(IngestError) -> [UInt8] {
        pending += chunk
        var units = stride(from: 0, to: pending.count - 1, by: 2).map { index in
            let (first, second) = (UInt16(pending[index]), UInt16(pending[index + 1]))
            return isBigEndian ? first << 8 | second : second << 8 | first
        }
        if let last = units.last, UTF16.isLeadSurrogate(last) { units.removeLast() }
        pending.removeFirst(2 * units.count)
        var text: [UInt8] = []
        text.reserveCapacity(units.count)
        let isDamaged = transcode(
            units.makeIterator(), from: UTF16.self, to: UTF8.self, stoppingOnError: true
        ) { text.append($0) }
        if isDamaged { throw .damagedUTF16 }
        return text
    }

    func finish() throws(IngestError) { if !pending.isEmpty { throw .damagedUTF16 } }
}
