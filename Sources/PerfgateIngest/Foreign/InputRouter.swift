import PerfgateJSON

/// Takes the bytes of one input, finds out what they are, and gives them to the reader of that format.
final class InputRouter {
    /// What an input turned out to be.
    enum Content {
        /// Nothing, or only white space.
        case nothing
        /// A perfgate log, which its reader has taken line by line.
        case log(LogReader)
        /// A whole file of another tool.
        case foreign(any ForeignReader.Type, ForeignFile)
    }

    private enum Route {
        case undecided
        case log
        case foreign(any ForeignReader.Type)
    }

    /// Why the input can't be read; nothing more is taken then.
    private(set) var error: IngestError?

    private let path: String
    private let formatName: String?
    private let log: LogReader
    private let limit: Int
    private var route = Route.undecided
    private var decoder: UTF16Decoder?
    private var isAtStart = true
    private var held: [UInt8] = []

    /// A router for an input.
    ///
    /// - Parameters:
    ///   - format: The name of its format; `nil`: found by content.
    ///   - limit: How many bytes of text a file of another tool may hold.
    init(path: String, format: String?, log: LogReader, limit: Int = ForeignFile.sizeLimit) {
        self.path = path
        self.log = log
        self.limit = limit
        formatName = format
    }

    /// Takes the next bytes, decompressed.
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

    /// What the input turned out to be, now that it is at its end.
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
        default:
            log.finish()
            return log.hasLines ? .log(log) : .nothing
        }
    }

    /// Says that the input can't be read on: what a log has so far counts as cut.
    func abandon() {
        if case .undecided = route, !held.isEmpty { attempt { () throws(IngestError) in try decide(isWhole: false) } }
        if case .log = route { log.finish(isTruncated: true) }
    }

    private func pass(_ text: UnsafeRawBufferPointer) throws(IngestError) {
        switch route {
        case .log: log.read(text)
        case .foreign: try hold(text)
        case .undecided:
            try hold(text)
            if held.count >= ForeignHead.size { try decide(isWhole: false) }
        }
    }

    private func hold(_ text: UnsafeRawBufferPointer) throws(IngestError) {
        guard held.count + text.count <= limit else { throw .tooLarge(limit: limit) }
        held.append(contentsOf: text)
    }

    private func decide(isWhole: Bool) throws(IngestError) {
        switch try format(isWhole: isWhole) {
        case .foreign(let reader): route = .foreign(reader)
        case .log:
            route = .log
            held.withUnsafeBytes { log.read($0) }
            held = []
        }
    }

    private func format(isWhole: Bool) throws(IngestError) -> InputFormat {
        if let formatName { return try InputFormat(named: formatName) }
        return try InputFormat(of: held.withUnsafeBytes { ForeignHead($0, isWhole: isWhole) })
    }

    private func attempt(_ body: () throws(IngestError) -> Void) {
        do throws(IngestError) { try body() } catch { self.error = error }
    }

    private static func isBlank(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }
}
