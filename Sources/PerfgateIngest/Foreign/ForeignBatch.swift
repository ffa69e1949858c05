import PerfgateModel

/// The files of one format in one call.
protocol ForeignBatching: AnyObject {
    /// Reads a file; throws where nothing of it can be used.
    func read(_ file: ForeignFile) throws(IngestError)
    /// What all of them say, the same in whatever order they were read.
    func result() -> ForeignResult
}

/// The files of one format, read by its reader.
final class ForeignBatch<Reader: ForeignReader>: ForeignBatching {
    private typealias Entry = (file: String, identity: String, part: Reader.Part)

    private var parts: [Entry] = []

    init(_ reader: Reader.Type) {}

    func read(_ file: ForeignFile) throws(IngestError) {
        parts.append((file.path, file.identity, try Reader.read(file)))
    }

    func result() -> ForeignResult {
        var firsts: [String: String] = [:]
        var distinct: [Reader.Part] = []
        var repetitions: [Diagnostic] = []
        for (path, identity, part) in parts.sorted(by: Self.precedes) {
            if let first = firsts[identity] {
                let message = "It has the same content as \(first), and was counted once."
                repetitions.append(Diagnostic(.repeatedStream, path: path, message))
            } else {
                firsts[identity] = path
                distinct.append(part)
            }
        }
        var result = Reader.join(distinct)
        result.diagnostics += repetitions
        return result
    }

    /// By path; a bundle is a path with several texts.
    private static func precedes(_ lhs: Entry, _ rhs: Entry) -> Bool {
        lhs.file == rhs.file ? lhs.identity < rhs.identity : lhs.file.precedesInUTF8(rhs.file)
    }
}
