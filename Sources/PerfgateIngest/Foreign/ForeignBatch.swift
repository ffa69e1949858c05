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
        var known: Set<[String]> = []
        let distinct = parts.sorted(by: Self.precedes).filter { known.insert([$0.file, $0.identity]).inserted }
        return Reader.join(distinct.map(\.part))
    }

    /// By path; a bundle is a path with several texts.
    private static func precedes(_ lhs: Entry, _ rhs: Entry) -> Bool {
        lhs.file == rhs.file ? lhs.identity < rhs.identity : lhs.file.precedesInUTF8(rhs.file)
    }
}
