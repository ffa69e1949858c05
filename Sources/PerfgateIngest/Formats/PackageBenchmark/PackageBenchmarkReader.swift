import PerfgateJSON
import PerfgateModel

/// Reads the stored baselines of package-benchmark: a histogram for each metric of each benchmark.
///
/// A run is a file. Values are for one iteration of the inner loop, as in the tool's output. The tool measures all
/// iterations together and stores their number as `scalingFactor`. Times are in nanoseconds, for any `timeUnits`.
enum PackageBenchmarkReader: ForeignReader {
    static let name = "package-benchmark"
    static let title = "baselines of Swift's package-benchmark"
    static let recipe = "swift package --allow-writing-to-package-directory benchmark baseline update NAME"

    static let valueLimit = 2_000_000

    static func recognises(_ head: ForeignHead) -> Bool {
        head.outline?.has("results[].target", "results[][].metric", "results[][].statistics") ?? false
    }

    static func read(_ file: ForeignFile) throws(IngestError) -> ForeignResult {
        var run = ForeignRun(id: "", path: file.path)
        var tally = RecordTally(path: file.path, noun: "metrics")
        var benchmark: String?
        var count = 0
        for piece in try Piece.all(of: file) {
            let text = Array(file.bytes[piece.range])
            guard !JSONValueCount.exceedsLimit(text) else {
                throw .refused(reason: "A histogram holds more than \(JSONValueCount.limit) values. Export it again.")
            }
            do throws(JSONDocumentError) {
                let node = try JSONDocument(text).root
                switch piece.kind {
                case .machine: run.context = try context(of: node)
                case .benchmark:
                    benchmark = nil
                    benchmark = "\(try node["target"].string())/\(try node["name"].string())"
                case .metric:
                    guard let benchmark else { throw node.error(.rule("belongs to no benchmark")) }
                    guard let cell = try cell(of: node, benchmark) else {
                        tally.skip(because: "nothing was measured")
                        continue
                    }
                    count += cell.samples.count
                    guard count <= valueLimit else {
                        throw node.error(.rule("is beyond \(valueLimit) values; export fewer targets at a time"))
                    }
                    run.cells.append(cell)
                    tally.countRead()
                }
            } catch {
                let start = Piece.line(at: piece.range.lowerBound, in: file)
                tally.fail(error, line: start + error.location.line - 1)
            }
        }
        return ForeignResult(run.named(name), tally)
    }

    static func areMetrics(_ names: [String]) -> Bool { !names.isEmpty && names.allSatisfy(Quantity.names.contains) }

    /// The device consists of the fields that the tool compares, without the host name, which differs on every runner.
    private static func context(of machine: JSONNode) throws(JSONDocumentError) -> Context {
        let (processors, memory) = (try machine["processors"].int(), try machine["memory"].int())
        let type = try machine["processorType"].string()
        return Context(["device": .text("\(type), \(processors) processors, \(memory) GB")])
    }

    /// The values; `nil` if the histogram is empty.
    private static func cell(of node: JSONNode, _ benchmark: String) throws(JSONDocumentError) -> ForeignCell? {
        let metric = try node["metric"]
        guard let named = try metric.members().first else { throw metric.error(.rule("names no metric")) }
        let quantity = named.key == "custom" ? try Quantity(custom: named.node) : Quantity(named.key)
        let factor = try node["scalingFactor"]
        let scale = try factor.double()
        guard scale >= 1 else { throw factor.error(.rule("is below 1")) }
        let statistics = try node["statistics"]
        let measured = quantity.metric(isHigherBetter: try statistics["prefersLarger"].bool())
        let values = try EncodedHistogram(try statistics["histogram"]).values
        guard !values.isEmpty else { return nil }
        let ofOne = values.map { value in
            switch quantity.scaling {
            case .none: value
            case .divided: value / scale
            case .multiplied: value * scale
            }
        }
        return ForeignCell(subject: benchmark, test: benchmark, metric: measured, values: ofOne)
    }

    private struct Quantity {
        /// The scaling of a value if a measurement has several iterations of the inner loop.
        enum Scaling { case none, divided, multiplied }

        let id: String
        let unit: String
        let scaling: Scaling

        /// A metric of the tool, or of a newer version of it.
        init(_ id: String) {
            self.id = id
            unit = Self.times.contains(id) ? "ns" : Self.bytes.contains(id) ? "B" : id == "throughput" ? "1/s" : ""
            scaling = id == "throughput" ? .multiplied : Self.unscaled.contains(id) ? .none : .divided
        }

        init(custom node: JSONNode) throws(JSONDocumentError) {
            id = try node["_0"].string()
            unit = ""
            scaling = try node.optional("useScalingFactor")?.bool() ?? true ? .divided : .none
        }

        func metric(isHigherBetter: Bool) -> ForeignMetric {
            if id == "wallClock" { return ForeignMetric(id: Metric.measuredTime.id, unit: unit) }
            return ForeignMetric(id: id, unit: unit, better: isHigherBetter ? .higher : .lower)
        }

        static let names = times.union(bytes).union(unscaled).union([
            "throughput", "mallocCountSmall", "mallocCountLarge", "mallocCountTotal", "syscalls", "readSyscalls",
            "writeSyscalls", "instructions", "objectAllocCount", "retainCount", "releaseCount", "retainReleaseDelta",
        ])
        private static let times: Set = ["wallClock", "cpuUser", "cpuSystem", "cpuTotal"]
        private static let bytes: Set = [
            "peakMemoryResident", "peakMemoryResidentDelta", "peakMemoryVirtual", "allocatedResidentMemory",
            "memoryLeaked", "readBytesLogical", "readBytesPhysical", "writeBytesLogical", "writeBytesPhysical",
        ]
        /// The metrics of a whole process, independent of the number of iterations.
        private static let unscaled: Set = [
            "peakMemoryResident", "peakMemoryResidentDelta", "peakMemoryVirtual", "allocatedResidentMemory",
            "contextSwitches", "threads", "threadsRunning",
        ]
    }

    /// A part of the file that is parsed separately: a tree of all buckets in a suite would exhaust the memory.
    private struct Piece {
        enum Kind { case machine, benchmark, metric }

        let kind: Kind
        let range: Range<Int>

        /// The parts in file order: the machine, then alternately a benchmark and its metrics.
        static func all(of file: ForeignFile) throws(IngestError) -> [Piece] {
            let pieces = file.bytes.withUnsafeBytes { bytes in
                Result { () throws(JSONError) in
                    var reader = JSONReader(bytes)
                    return try all(&reader)
                }
            }
            do throws(JSONError) { return try pieces.get() } catch {
                throw .malformed(line: line(at: error.offset, in: file), problem: "\(error.kind)")
            }
        }

        private static func all(_ reader: inout JSONReader) throws(JSONError) -> [Piece] {
            var pieces: [Piece] = []
            try reader.enterObject()
            while let key = try reader.nextKey() {
                if key == "machine" {
                    pieces.append(try next(.machine, &reader))
                } else if key == "results" {
                    try reader.enterArray()
                    while try reader.nextElement() {
                        guard try reader.peekKind() == .array else {
                            pieces.append(try next(.benchmark, &reader))
                            continue
                        }
                        try reader.enterArray()
                        while try reader.nextElement() { pieces.append(try next(.metric, &reader)) }
                    }
                } else {
                    try reader.skipValue()
                }
            }
            try reader.finish()
            return pieces
        }

        private static func next(_ kind: Kind, _ reader: inout JSONReader) throws(JSONError) -> Piece {
            let start = reader.offset
            try reader.skipValue()
            return Piece(kind: kind, range: start..<reader.offset)
        }

        static func line(at offset: Int, in file: ForeignFile) -> Int {
            1 + file.bytes.prefix(offset).count { $0 == UInt8(ascii: "\n") }
        }
    }
}

/// A histogram in HdrHistogram's encoding: a list of counts, for buckets that grow wider with their values.
private struct EncodedHistogram {
    /// The middle of the bucket for each counted value, in ascending order.
    let values: [Double]

    /// Reads a histogram. Its first `2^(m+1)` buckets are as wide as its unit. Each next `2^m` buckets are twice as
    /// wide as those before; m is `subBucketHalfCountMagnitude` (HdrHistogram/hdrhistogram-swift: `valueFromIndex` and
    /// `medianEquivalentForValue` in Sources/Histogram/Histogram.swift).
    init(_ node: JSONNode) throws(JSONDocumentError) {
        let magnitude = try node["subBucketHalfCountMagnitude"].int()
        let unit = try node["unitMagnitude"].int()
        let counts = try node["counts"].elements()
        let limit = MetricKitHistogram.limit
        guard (0...32).contains(magnitude), (0...62).contains(unit),
            unit + magnitude + max(0, (counts.count - 1) >> magnitude) <= 62
        else { throw node.error(.rule("has buckets beyond 64 bits; check its writer")) }
        var values: [Double] = []
        for (index, entry) in counts.enumerated() {
            let count = try entry.int()
            guard count >= 0, count <= limit - values.count else {
                throw entry.error(.rule("counts more than \(limit) values, or less than none; check its writer"))
            }
            guard count > 0 else { continue }
            let half = 1 << magnitude
            let octave = max(0, (index >> magnitude) - 1)
            let start = index < half ? index : (index & (half - 1)) + half
            let width = 1 << (octave + unit)
            values += Array(repeating: Double(start * width + width / 2), count: count)
        }
        guard try node["_totalCount"].int() == values.count else {
            throw node.error(.rule("has \(values.count) of its values; check what stored the file"))
        }
        self.values = values
    }
}
