import PerfgateModel

/// Reads the output of a test run: turns bytes into measurements and diagnostics. Problems with an input are values.
package struct Ingest: Sendable {
    /// The number of bytes read so far of all inputs, and their total; `nil` if unknown, as for a pipe.
    package typealias Progress = (_ bytes: Int, _ total: Int?) -> Void

    private let options: IngestOptions

    /// The names of the formats, perfgate's own first.
    package static let formats = InputFormat.names

    package init(_ options: IngestOptions = IngestOptions()) { self.options = options }

    /// Reads files, folders, patterns (`*`, `?`, `**`) and `-` for standard input, in any order.
    package func read(_ paths: [String], progress: Progress? = nil) -> Measurements {
        survey(paths, progress: progress).measurements
    }

    /// Reads the same, and reports the format and result of each file.
    package func survey(_ paths: [String], progress: Progress? = nil) -> InputReport {
        let logs = LogCollector(options: options)
        let foreign = ForeignCollector(options: options)
        let named = paths.map { (path: $0, resolution: InputPaths.resolve($0)) }
        let files = named.flatMap { name -> [String] in
            if case .files(let files, _, _) = name.resolution { files } else { [] }
        }
        var counter = ReadingCounter(of: files, progress)
        var inputs = NamedInputs()
        for (path, resolution) in named {
            switch resolution {
            case .fault(let fault): inputs.inputs.append(ReportedInput(path: fault.path, fault: fault))
            case .files(let files, let leftOut, let isSearched):
                inputs.diagnostics += leftOut
                let found = files.map { read($0, into: logs, foreign, &counter) }
                if isSearched { inputs.add(found, foundIn: path) } else { inputs.inputs += found }
            }
        }
        inputs.finish()
        let assembly = foreign.assembly()
        let reported = inputs.inputs.counting(logs.streams, assembly.tallies)
        var measurements = LogAssembly(collector: logs).measurements()
        measurements.faultyInputs = reported.compactMap(\.fault) + inputs.faults
        measurements.diagnostics += inputs.diagnostics
        measurements.merge(assembly.measurements())
        return InputReport(inputs: reported, cells: assembly.placed.sorted(), measurements: measurements)
    }

    /// The files that paths name, the folders that are searched, and the suffixes to look for; without missing paths.
    package static func files(named paths: [String]) -> (files: [String], folders: [String], endings: [String]) {
        let files = paths.flatMap { path -> [String] in
            if case .files(let found, _, _) = InputPaths.resolve(path) { found } else { [] }
        }
        return (files, paths.filter(InputPaths.isScanned), FolderScan.endings)
    }

    private func read(
        _ path: String, into logs: LogCollector, _ foreign: ForeignCollector, _ counter: inout ReadingCounter
    ) -> ReportedInput {
        let router = InputRouter(path: path, format: options.format, log: LogReader(path: path, collector: logs))
        var input = ReportedInput(path: path)
        do throws(IngestError) {
            if let bundle = XcresultBundle(path: path) {
                input = ReportedInput(path: path, reader: XcresultMetricsReader.self)
                let files = try bundle.files()
                for file in files { try foreign.read(file, with: XcresultMetricsReader.self) }
                guard files.isEmpty else { return input }
                // A bundle without measurements doesn't stop the call if other files are read.
                let advice = "Check that the tests ran and measured something."
                let fault = FaultyInput(path: path, fault: .notFound, message: "It holds no metrics. \(advice)")
                return ReportedInput(
                    path: path, fault: fault, rejection: .ignored("result bundles without measurements", advice: advice)
                )
            }
            if let other = IgnoredFormat.bundle(path) { throw .ignoredFormat(other.title, advice: other.advice) }
            try pass(path, to: router, &counter)
            switch try router.finish() {
            case .nothing:
                let message = "The file is empty. Check that the test run wrote it."
                let fault = FaultyInput(path: path, fault: .notFound, message: message)
                return ReportedInput(path: path, fault: fault, rejection: .empty)
            case .log: return .log(path)
            case .foreign(let reader, let file):
                input = ReportedInput(path: path, reader: reader)
                try foreign.read(file, with: reader)
                return input
            }
        } catch {
            router.abandon()
            return ReportedInput(
                path: path, format: input.format, title: input.title, fault: error.fault(of: path),
                rejection: ReportedInput.Rejection(error))
        }
    }

    private func pass(_ path: String, to router: InputRouter, _ counter: inout ReadingCounter) throws(IngestError) {
        var stream = try ByteStream(path: path)
        defer { counter.endFile(readCount: stream.readCount) }
        while router.error == nil, try stream.nextBlock({ router.take($0) }) {
            counter.advance(readCount: stream.readCount)
        }
    }
}

/// Counts and reports the bytes read of several inputs.
package struct ReadingCounter {
    private let total: Int?
    private let progress: Ingest.Progress?
    /// The total bytes of finished inputs.
    private var ended = 0

    package init(of paths: [String], _ progress: Ingest.Progress?) {
        self.progress = progress
        let sizes = progress == nil ? [] : paths.map(ByteStream.size)
        total = sizes.contains(nil) ? nil : sizes.compactMap { $0 }.reduce(0, +)
    }

    package func advance(readCount: Int) { progress?(ended + readCount, total) }

    package mutating func endFile(readCount: Int) { ended += readCount }
}
