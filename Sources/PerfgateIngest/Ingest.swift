import PerfgateJSON
import PerfgateModel

/// Reads the logs of a test run: bytes in, measurements and diagnostics out. What is wrong with an input is a value.
public struct Ingest: Sendable {
    /// How much was read so far.
    public typealias Progress = (_ bytes: Int) -> Void

    private let options: IngestOptions

    /// Makes a reader with options.
    public init(_ options: IngestOptions = IngestOptions()) {
        self.options = options
    }

    /// Reads files, folders, patterns (`*`, `?`) and `-` for standard input, in whatever order they are named.
    public func read(_ paths: [String], progress: Progress? = nil) -> Measurements {
        var faults: [FaultyInput] = []
        let collector = LogCollector(options: options)
        for path in paths {
            switch InputPaths.resolve(path) {
            case .fault(let fault): faults.append(fault)
            case .files(let files):
                for file in files {
                    if let fault = read(file, into: collector, progress: progress) { faults.append(fault) }
                }
            }
        }
        var measurements = LogAssembly(collector: collector).measurements()
        measurements.faultyInputs = faults.sorted { $0.path.precedesInUTF8($1.path) }
        return measurements
    }

    private func read(_ path: String, into collector: LogCollector, progress: Progress?) -> FaultyInput? {
        let reader = LogReader(path: path, collector: collector)
        do {
            var stream = try ByteStream(path: path)
            var total = 0
            while try stream.next({ chunk in
                reader.read(chunk)
                total += chunk.count
            }) {
                progress?(total)
            }
            reader.finish()
        } catch {
            reader.finish(isTruncated: true)
            return FaultyInput(path: path, fault: error.fault, message: error.description)
        }
        guard reader.hasLines else {
            return FaultyInput(
                path: path, fault: .notFound, message: "The file is empty. Check that the test run wrote its log.")
        }
        return reader.formatFault
    }
}
