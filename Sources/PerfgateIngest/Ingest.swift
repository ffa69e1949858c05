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
        survey(paths, progress: progress).measurements
    }

    /// Reads the same, and says of each file what it is and what became of it.
    public func survey(_ paths: [String], progress: Progress? = nil) -> InputSurvey {
        var inputs: [SurveyedInput] = []
        let logs = LogCollector(options: options)
        let foreign = ForeignCollector(options: options)
        var files: [String] = []
        for path in paths {
            switch InputPaths.resolve(path) {
            case .fault(let fault): inputs.append(SurveyedInput(path: fault.path, fault: fault))
            case .files(let found): files += found
            }
        }
        var counter = ReadingCounter(of: files, progress)
        for file in files { inputs.append(read(file, into: logs, foreign, &counter)) }
        let assembly = foreign.assembly()
        inputs = inputs.counting(logs.streams, assembly.tallies)
        var measurements = LogAssembly(collector: logs).measurements()
        measurements.faultyInputs = inputs.compactMap(\.fault)
        measurements.merge(assembly.measurements())
        return InputSurvey(inputs: inputs, cells: assembly.placed.sorted(), measurements: measurements)
    }

    private func read(_ bundle: XcresultBundle, into foreign: ForeignCollector) -> SurveyedInput {
        do throws(IngestError) {
            for file in try bundle.files(with: XcresultBundle.run) {
                try foreign.read(file, with: XcresultMetricsReader.self)
            }
            return SurveyedInput(path: bundle.path, reader: XcresultMetricsReader.self)
        } catch {
            return SurveyedInput(
                path: bundle.path, reader: XcresultMetricsReader.self, fault: error.fault(of: bundle.path))
        }
    }

    private func read(
        _ path: String, into logs: LogCollector, _ foreign: ForeignCollector, _ counter: inout ReadingCounter
    ) -> SurveyedInput {
        if let bundle = XcresultBundle(path: path) { return read(bundle, into: foreign) }
        let router = InputRouter(
            path: path, format: options.format, log: LogReader(path: path, collector: logs))
        var input = SurveyedInput(path: path)
        do throws(IngestError) {
            try pass(path, to: router, &counter)
            switch try router.finish() {
            case .nothing: return SurveyedInput(path: path, fault: Self.empty(path))
            case .log: return .log(path)
            case .foreign(let reader, let file):
                input = SurveyedInput(path: path, reader: reader)
                try foreign.read(file, with: reader)
                return input
            }
        } catch {
            router.abandon()
            return SurveyedInput(
                path: path, format: input.format, title: input.title, fault: error.fault(of: path))
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
