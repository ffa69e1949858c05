import Foundation
import PerfgateModel
import Testing

@testable import PerfgateIngest

/// Files, folders, patterns and compression.
struct InputTests {
    static let text = runLine() + StreamTests.visit

    @Test func whatIsNotThereIsSaid() throws {
        let folder = try LogFolder()
        let good = try folder.write(Self.text)
        let missing = folder.url.appending(path: "none.ndjson").path
        let empty = try folder.write("", as: "empty.ndjson")
        let measurements = Ingest().read([missing, good, empty])
        #expect(measurements.faultyInputs.map(\.path) == [empty, missing])
        #expect(measurements.faultyInputs.allSatisfy { $0.fault == .notFound })
        #expect(measurements.values("P", "ttil") == [500])
    }

    @Test func aFolderWithoutLogsIsNotFound() throws {
        let folder = try LogFolder()
        try folder.write("x", as: "readme.txt")
        try folder.write(Self.text, as: ".hidden.ndjson")
        #expect(Ingest().read([folder.url.path]).faultyInputs.map(\.fault) == [.notFound])
    }

    @Test func foldersAndPatternsFindLogs() throws {
        let folder = try LogFolder()
        try folder.write(Self.text, as: "a.ndjson")
        try folder.write(Self.text.replacing("r1", with: "r2"), as: "b.jsonl")
        #expect(Ingest().read([folder.url.path]).runs.map(\.id) == ["r1", "r2"])
        #expect(Ingest().read([folder.url.path + "/*.ndjson"]).runs.map(\.id) == ["r1"])
        #expect(Ingest().read([folder.url.path + "/c*"]).faultyInputs.map(\.fault) == [.notFound])
    }

    /// Logs at three depths; each run is named after its path.
    static func tree() throws -> LogFolder {
        let folder = try LogFolder()
        for path in ["a.ndjson", "x/b.ndjson", "x/y/c.ndjson", "z/d.ndjson", ".git/e.ndjson", "x/readme.txt"] {
            let file = folder.url.appending(path: path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try folder.write(path.hasSuffix(".txt") ? "Notes\n" : runLine(path) + StreamTests.visit, as: path)
        }
        return folder
    }

    @Test(arguments: [
        ("**/*.ndjson", ["a.ndjson", "x/b.ndjson", "x/y/c.ndjson", "z/d.ndjson"]),
        ("**", ["a.ndjson", "x/b.ndjson", "x/y/c.ndjson", "z/d.ndjson"]),
        ("x/**/*.ndjson", ["x/b.ndjson", "x/y/c.ndjson"]), ("**/y/*", ["x/y/c.ndjson"]), ("**/c.*", ["x/y/c.ndjson"]),
        ("*", ["a.ndjson", "x/b.ndjson", "x/y/c.ndjson", "z/d.ndjson"]), ("z*", ["z/d.ndjson"]),
        ("?/*.ndjson", ["x/b.ndjson", "z/d.ndjson"]), ("**/none*", []), ("*.ndjson/**", ["a.ndjson"]),
    ])
    func patternsReachThroughFolders(_ pattern: String, _ runs: [String]) throws {
        let folder = try Self.tree()
        let measurements = Ingest().read([folder.url.path + "/" + pattern])
        #expect(measurements.runs.map(\.id) == runs)
        #expect(measurements.faultyInputs.map(\.fault) == (runs.isEmpty ? [.notFound] : []))
    }

    @Test func progressGrowsToTheSumOfAllFiles() throws {
        let folder = try LogFolder()
        let filling = String(repeating: "x", count: 100_000)
        let line = #"{"type":"pps","page":"P","note":"\#(filling)"}"# + "\n"
        let long = runLine("r1") + String(repeating: line, count: 30)
        let paths = [try folder.write(long, as: "a.ndjson"), try folder.write(gzip(long), as: "b.ndjson.gz")]
        let size = try paths.reduce(0) { try $0 + Data(contentsOf: URL(filePath: $1)).count }
        nonisolated(unsafe) var told: [(bytes: Int, total: Int?)] = []
        _ = Ingest().read(paths) { told.append(($0, $1)) }
        #expect(told.count > 3)
        #expect(told.map(\.bytes) == told.map(\.bytes).sorted())
        #expect(told.last?.bytes == size)
        #expect(told.allSatisfy { $0.total == size })
    }

    @Test func theSizeOfWhatIsNoFileIsUnknown() throws {
        let folder = try LogFolder()
        #expect(ByteStream.size(of: try folder.write("abc")) == 3)
        #expect(ByteStream.size(of: "-") == nil)
        #expect(ByteStream.size(of: folder.url.path) == nil)
        #expect(ByteStream.size(of: "/dev/null") == nil)
    }

    /// A line of 100 MB in chunks, without a file.
    @Test(.timeLimit(.minutes(30))) func aVeryLongLineIsRead() {
        let collector = LogCollector(options: IngestOptions())
        let reader = LogReader(path: "log", collector: collector)
        func feed(_ text: String) { Array(text.utf8).withUnsafeBytes { reader.read($0) } }
        feed(runLine() + #"{"type":"pps","page":"P","note":""#)
        let filling = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)
        for _ in 0..<100 { filling.withUnsafeBytes { reader.read($0) } }
        feed("\",\"ttil_ms\":7}\n" + #"{"type":"pps","page":"P","ttil_ms":8}"# + "\n")
        reader.finish()
        let measurements = LogAssembly(collector: collector).measurements()
        #expect(measurements.values("P", "ttil") == [7, 8])
        #expect(measurements.diagnostics.isEmpty)
    }

    @Test func gzipMembersAreReadWhole() throws {
        let folder = try LogFolder()
        let path = try folder.write(gzip(runLine()) + gzip(StreamTests.visit), as: "two.ndjson.gz")
        #expect(Ingest().read([path]).values("P", "ttil") == [500])
    }

    @Test func cutGzipIsBadData() throws {
        let folder = try LogFolder()
        let whole = gzip(Self.text)
        let path = try folder.write(whole.prefix(whole.count - 9), as: "cut.ndjson.gz")
        let measurements = Ingest().read([path])
        #expect(measurements.faultyInputs.map(\.fault) == [.badData])
    }

    @Test func anotherFormatIsRefused() throws {
        let measurements = try LogFolder.measurements("<xml/>\n")
        #expect(measurements.faultyInputs.map(\.fault) == [.badData])
    }

    /// Small, hostile, and truncated at every position.
    @Test func everyChunkSizeGivesTheSame() {
        let text =
            "\u{FEFF}" + Self.text + "\r\n{\"type\":\"pps\",\"page\":\"\\u0050\",\"ttil_ms\":1e2}\r\nbad\n{\"type\":"
        let bytes = Array(text.utf8)
        var whole: Measurements?
        for size in 1...bytes.count {
            let collector = LogCollector(options: IngestOptions())
            let reader = LogReader(path: "log", collector: collector)
            for start in stride(from: 0, to: bytes.count, by: size) {
                bytes[start..<min(start + size, bytes.count)].withUnsafeBytes { reader.read($0) }
            }
            reader.finish()
            let measurements = LogAssembly(collector: collector).measurements()
            #expect(whole == nil || whole == measurements, "chunk size \(size)")
            whole = measurements
        }
        #expect(whole?.values("P", "ttil") == [100, 500])
        #expect(whole?.codes == [.badLine, .cutLastLine])
    }
}
