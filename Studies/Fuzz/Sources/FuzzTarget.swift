import Foundation
import PagePerformance
import PerfgateCompare
import PerfgateModel

@testable import PerfgateBaselines
@testable import PerfgateField
@testable import PerfgateIngest
@testable import PerfgateJSON
@testable import PerfgateKit
@testable import PerfgateReport
@testable import PerfgateStacks

/// The fuzz targets. Each accepts any bytes, as the program reads them from a file. It must not crash or break
/// the rule in its body.
enum FuzzTarget: String, CaseIterable {
    /// A log, read in whole lines and with each line in two pieces: the measurements are equal.
    case log
    /// Any input, with its format detected by content.
    case detect
    /// Each format of another tool; the first byte selects it.
    case format
    /// The objects of a result bundle, separated by zero bytes; the first is the root.
    case bundle
    /// A JSON text: writing and reading it again gives the same value.
    case json
    case gzip
    /// `perfgate.yml`.
    case configuration
    /// `waivers.yml`.
    case waivers
    /// A baseline: writing and reading it again gives the same value.
    case baseline
    /// A stored `result.json` and all outputs that derive from a report.
    case report
    /// A template of Markdown or HTML with a report.
    case template
    /// Events from real users.
    case events
    /// An engine's output table.
    case table
    /// Recorded stacks in each of their forms: all cuts by page and interval.
    case folded, perfscript, perfetto, xctrace
    /// Payloads of MetricKit with hangs: each has a stack and a time of up to a day.
    case hangs

    /// Runs one input.
    func run(_ bytes: [UInt8]) throws {
        switch self {
        case .log: try Self.log(bytes)
        case .detect: _ = Ingest().survey([try ScratchInput.write(bytes)])
        case .format: try Self.format(bytes)
        case .bundle: try Self.bundle(bytes)
        case .json: try Self.json(bytes)
        case .gzip: try Self.gzip(bytes)
        case .configuration: _ = try ConfigurationFile.read(bytes, path: "perfgate.yml")
        case .waivers: _ = try WaiverFile(bytes, path: "waivers.yml", key: .standard)
        case .baseline: try Self.baseline(bytes)
        case .report: try FuzzReports.render(GateReport(json: bytes))
        case .template: try FuzzReports.fill(bytes)
        case .events: try Self.events(bytes)
        case .table: try Self.table(bytes)
        case .hangs: try Self.hangs(bytes)
        case .folded: try Self.stacks(bytes) { try FoldedReader.read($0, folder: "Search", into: $1) }
        case .perfscript: try Self.stacks(bytes) { try PerfScriptReader.read($0, folder: "Search", into: $1) }
        case .perfetto: try Self.stacks(bytes) { try PerfettoStackReader.read($0, into: $1) }
        case .xctrace:
            try Self.stacks(bytes) { path, table in
                var tables = XctraceTables(table)
                try? tables.readContents(path)
                return try tables.read(path) ? tables.recording(LoggedVisits()) : nil
            }
        }
    }

    private static func hangs(_ bytes: [UInt8]) throws {
        let reports = HangReports([try ScratchInput.write(bytes)])
        for (hang, sum) in reports.hangs.amounts {
            precondition(hang.frames.count <= 3 && sum.hangs > 0, "a stack that is too long, or of no hang")
            precondition((0...sum.hangs * 86_400_000).contains(sum.milliseconds), "a hang of more than a day")
        }
    }

    private static func stacks(
        _ bytes: [UInt8], _ read: (String, StackTable) throws -> Recording?
    ) throws {
        let table = StackTable()
        guard let recording = try read(try ScratchInput.write(bytes), table) else { return }
        let pages = Set(recording.windows.map(\.page) + [recording.whole?.page].compactMap { $0 })
        for page in pages {
            for kind in PageInterval.allCases {
                guard let cut = ProfileCut(recording, page: page, kind: kind) else { continue }
                precondition(cut.visits > 0 && cut.weights.values.allSatisfy { $0 > 0 && $0.isFinite }, "a bad weight")
                precondition(cut.weights.keys.allSatisfy { $0 < table.nodes.count }, "a stack that isn't in the table")
            }
        }
    }

    private static func log(_ bytes: [UInt8]) throws {
        let whole = measurements { reader in bytes.withUnsafeBytes { reader.read($0) } }
        let pieces = measurements { reader in
            for line in bytes.split(separator: 0x0A, omittingEmptySubsequences: false) {
                // The skeleton of another line never parses a line in two pieces.
                let end = line.endIndex < bytes.endIndex ? line.endIndex + 1 : line.endIndex
                let middle = min(line.startIndex + max(1, (end - line.startIndex) / 2), end)
                for part in [line.startIndex..<middle, middle..<end] where !part.isEmpty {
                    bytes[part].withUnsafeBytes { reader.read($0) }
                }
            }
        }
        precondition(whole == pieces, "the two readers of lines differ")
    }

    private static func measurements(_ feed: (LogReader) -> Void) -> Measurements {
        let collector = LogCollector(options: IngestOptions())
        let reader = LogReader(path: "log", collector: collector)
        feed(reader)
        reader.finish()
        return LogAssembly(collector: collector).measurements()
    }

    private static func format(_ bytes: [UInt8]) throws {
        guard let first = bytes.first else { return }
        var options = IngestOptions()
        options.format = InputFormat.names[Int(first) % InputFormat.names.count]
        _ = Ingest(options).survey([try ScratchInput.write(Array(bytes.dropFirst()))])
    }

    private static func bundle(_ bytes: [UInt8]) throws {
        let objects = bytes.split(separator: 0, omittingEmptySubsequences: false)
        let store = XcresultStore(path: try ScratchInput.writeBundle(objects), decompress: Zstandard.decompress)
        for file in try store.files() { _ = try XcresultMetricsReader.read(file) }
    }

    private static func json(_ bytes: [UInt8]) throws {
        let document = try JSONDocument(bytes)
        guard document.duplicates.isEmpty else { return }
        let writer = JSONWriter(layout: .indented, keys: .sorted)
        let written = tree(document.root.value).bytes(writer)
        let again = tree(certain { try JSONDocument(written).root.value }).bytes(writer)
        precondition(again == written, "a text reads as another")
    }

    /// A text that was read, with unchanged digits.
    private static func tree(_ value: JSONValue) -> JSONTree {
        switch value.content {
        case .object(let members): .object(members.map { ($0.key, tree($0.value)) })
        case .array(let elements): .list(elements.map(tree))
        case .string(let text): .scalar(.string(text))
        case .number(let digits): .scalar(.digits(digits))
        case .bool(let flag): .scalar(.bool(flag))
        case .null: .scalar(.null)
        }
    }

    private static func gzip(_ bytes: [UInt8]) throws {
        let head: [UInt8] = [0x1F, 0x8B]
        var stream = try ByteStream(path: try ScratchInput.write(head + bytes))
        var size = 0
        while size < 64 << 20, try stream.next({ size += $0.count }) {}
    }

    private static func baseline(_ bytes: [UInt8]) throws {
        let file = try BaselineFile(JSONDocument(bytes).root, KnownMetrics())
        let written = file.bytes()
        let again = certain { try BaselineFile(JSONDocument(written).root, KnownMetrics()) }
        precondition(again.bytes() == written, "a baseline reads as another than was written")
    }

    private static func events(_ bytes: [UInt8]) throws {
        var options = FieldOptions()
        options.pair = FieldPair(base: "1", candidate: "2")
        var reader = FieldReader(options)
        var content = try reader.read(try ScratchInput.write(bytes)) { _ in }
        var days = PairDays(reader.emptyPair, folder: NSTemporaryDirectory(), most: .max)
        try days.add(&content.pair)
        for day in days.days { _ = PairFold.cells(of: try days.day(day), reader.names, isRandomized: false) }
    }

    private static func table(_ bytes: [UInt8]) throws {
        try bytes.withUnsafeBytes { bytes in
            let table = CSVTable(bytes)
            guard let names = try table.readHeader(), let kind = FieldTableKind(names: names) else { return }
            while try table.next() {
                switch kind {
                case .rollUp(let strata): _ = try table.rollUpRow(FieldTableColumn.strata(strata))
                case .pair: _ = try table.pairRow()
                case .cells: _ = try table.pairCell()
                case .users: _ = try table.userRow()
                case .arms: _ = try table.armsRow()
                }
            }
        }
    }
}

/// The only file for inputs that are read from files.
enum ScratchInput {
    private static let path = NSTemporaryDirectory() + "perfgate-fuzz-\(ProcessInfo.processInfo.processIdentifier)"

    /// Writes a result bundle with these objects, called `0~0`, `0~1` and so on, and returns its path.
    static func writeBundle(_ objects: [ArraySlice<UInt8>]) throws -> String {
        let bundle = URL(filePath: path + ".xcresult")
        try? FileManager.default.removeItem(at: bundle)
        try FileManager.default.createDirectory(at: bundle.appending(path: "Data"), withIntermediateDirectories: true)
        let root = "<key>rootId</key><dict><key>hash</key><string>0~0</string></dict>"
        let info = "<plist version=\"1.0\"><dict>\(root)</dict></plist>"
        try Data(info.utf8).write(to: bundle.appending(path: "Info.plist"))
        for (index, object) in objects.prefix(16).enumerated() {
            try Data(object).write(to: bundle.appending(path: "Data/data.0~\(index)"))
        }
        return bundle.path
    }

    /// Writes the input and returns its path.
    static func write(_ bytes: [UInt8]) throws -> String {
        try Data(bytes).write(to: URL(filePath: path))
        return path
    }
}
