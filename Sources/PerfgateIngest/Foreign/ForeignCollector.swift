import PerfgateModel

/// The files of other tools that one call names, by format.
final class ForeignCollector {
    private let options: IngestOptions
    private var batches: [String: any ForeignBatching] = [:]

    init(options: IngestOptions) {
        self.options = options
    }

    /// Reads a file with the reader of its format.
    func read<Reader: ForeignReader>(_ file: ForeignFile, with reader: Reader.Type) throws(IngestError) {
        let batch = batches[reader.name] ?? ForeignBatch(reader)
        batches[reader.name] = batch
        try batch.read(file)
    }

    /// What all files say, put together.
    func assembly() -> ForeignAssembly {
        var assembly = ForeignAssembly(options: options)
        for (name, batch) in batches.sorted(by: { $0.key.precedesInUTF8($1.key) }) {
            assembly.add(batch.result(), format: name)
        }
        return assembly
    }
}
