import PerfgateModel

/// Reads what a test run wrote: bytes in, measurements and diagnostics out. What is wrong with an input is a value.
public struct Ingest: Sendable {
    /// How many bytes of all inputs were read so far, and how many there are; `nil` where nobody knows, as of a pipe.
    public typealias Progress = (_ bytes: Int, _ total: Int?) -> Void

    private let options: IngestOptions

    /// Makes a reader with options.
    public init(_ options: IngestOptions = IngestOptions()) {
        self.options = options
    }

    /// Reads files, folders, patterns (`*`, `?`, `**`) and `-` for standard input, in whatever order they are named.
    public func read(_ paths: [String], progress: Progress? = nil) -> Measurements {
        var faults: [FaultyInput] = []
        let logs = LogCollector(options: options)
        let foreign = ForeignCollector(options: options)
        var files: [String] = []
        for path in paths {
            switch XcresultBundle(path: path) == nil ? InputPaths.resolve(path) : .files([path]) {
            case .fault(let fault): faults.append(fault)
            case .files(let found): files += found
            }
        }
        var counter = ReadingCounter(of: files, progress)
        for file in files {
            if let fault = read(file, into: logs, foreign, &counter) { faults.append(fault) }
        }
        var measurements = LogAssembly(collector: logs).measurements()
        measurements.faultyInputs = faults
        measurements.merge(foreign.measurements())
        return measurements
    }

    private func read(_ bundle: XcresultBundle, into foreign: ForeignCollector) -> FaultyInput? {
        do throws(IngestError) {
            for file in try bundle.files(with: XcresultBundle.run) {
                try foreign.read(file, with: XcresultMetricsReader.self)
            }
            return nil
        } catch {
            return FaultyInput(path: bundle.path, fault: error.fault, message: error.description)
        }
    }

    private func read(
        _ path: String, into logs: LogCollector, _ foreign: ForeignCollector, _ counter: inout ReadingCounter
    ) -> FaultyInput? {
        if let bundle = XcresultBundle(path: path) { return read(bundle, into: foreign) }
        let router = InputRouter(
            path: path, format: options.format, log: LogReader(path: path, collector: logs))
        do throws(IngestError) {
            try pass(path, to: router, &counter)
            switch try router.finish() {
            case .nothing: return Self.empty(path)
            case .log: return nil
            case .foreign(let reader, let file):
                try foreign.read(file, with: reader)
                return nil
            }
        } catch {
            router.abandon()
            return FaultyInput(path: path, fault: error.fault, message: error.description)
        }
    }

    private func pass(
        _ path: String, to router: InputRouter, _ counter: inout ReadingCounter
    ) throws(IngestError) {
        var stream = try ByteStream(path: path)
        defer { counter.endFile(readCount: stream.readCount) }
        while router.error == nil, try stream.next({ router.take($0) }) {
            counter.advance(readCount: stream.readCount)
        }
    }

    private static func empty(_ path: String) -> FaultyInput {
        let message = "The file is empty. Check that the test run wrote it."
        return FaultyInput(path: path, fault: .notFound, message: message)
    }
}
