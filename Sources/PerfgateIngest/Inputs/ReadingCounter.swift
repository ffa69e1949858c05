/// Counts what was read of several inputs, and tells it.
struct ReadingCounter {
    private let total: Int?
    private let progress: Ingest.Progress?
    /// How many bytes the inputs had that are at their end.
    private var ended = 0

    /// A counter of inputs that are going to be read.
    init(of paths: [String], _ progress: Ingest.Progress?) {
        self.progress = progress
        let sizes = progress == nil ? [] : paths.map(ByteStream.size)
        total = sizes.contains(nil) ? nil : sizes.reduce(0) { $0 + ($1 ?? 0) }
    }

    /// Says how much of the input that is being read was read.
    func advance(readCount: Int) {
        progress?(ended + readCount, total)
    }

    /// Says that an input is at its end, or won't be read on.
    mutating func endFile(readCount: Int) {
        ended += readCount
    }
}
