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

    /// Small, hostile, and cut at every place.
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
