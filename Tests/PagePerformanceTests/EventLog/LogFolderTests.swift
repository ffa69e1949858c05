import Foundation
import Testing

@testable import PagePerformance

/// The files of a log: which are kept, and which are sent.
struct LogFolderTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "perfgate-\(UUID().uuidString)").path

    /// Writes complete parts, each a second older than the previous one.
    private func write(_ count: Int, bytes: Int = 10) throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for number in 0..<count {
            let path = "\(folder)/r_\(number).ndjson"
            try Data(repeating: UInt8(ascii: "x"), count: bytes).write(to: URL(filePath: path))
            let date = Date(timeIntervalSince1970: 1_000_000 - Double(number))
            try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path)
        }
    }

    private var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
    }

    private func open(_ retention: LogRetention, part: String = "p") -> EventLog {
        EventLog(LogEvent.Run(id: "r", part: part), to: FileSink(folder: folder, retention: retention))
    }

    @Test func theOldestFilesGoAndAreCounted() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try write(5)
        try Data().write(to: URL(filePath: folder + "/notes.txt"))
        let log = open(LogRetention(files: 3))
        await log.close()
        #expect(log.counts.removedFiles == 2)
        #expect(names == ["notes.txt", "r_0.ndjson", "r_1.ndjson", "r_2.ndjson", "r_p.ndjson"])
    }

    @Test func soDoThoseBeyondTheBytes() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try write(5, bytes: 100)
        #expect(LogRetention(files: 100, bytes: 250).apply(to: folder) == 3)
        #expect(names == ["r_0.ndjson", "r_1.ndjson"])
        #expect(LogRetention().apply(to: folder) == 0)
        #expect(LogRetention().apply(to: folder + "/none") == 0)
    }

    @Test func whatIsBeingWrittenStaysAndIsNotSent() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let log = open(LogRetention())
        await log.flush()
        #expect(LogRetention(files: 0).apply(to: folder) == 0)
        let uploader = LogUploader(folder: folder) { _ in true }
        #expect(await uploader.upload() == LogUploader.Outcome(sent: 0, kept: 0))
        await log.close()
        #expect(await uploader.upload() == LogUploader.Outcome(sent: 1, kept: 0))
        #expect(names.isEmpty)
    }

    /// Stores the sent files; on any thread.
    private actor Server {
        private(set) var received: [String] = []
        var isUp = true

        func take(_ batch: LogUploader.Batch) -> Bool {
            guard isUp else { return false }
            received.append(batch.path.split(separator: "/").last.map(String.init) ?? "")
            if received.count == 2 { isUp = false }
            return true
        }

        func start() { isUp = true }
    }

    @Test func whatDidNotArriveIsSentAfterARelaunch() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try write(4)
        let server = Server()
        let first = LogUploader(folder: folder) { await server.take($0) }
        #expect(await first.upload() == LogUploader.Outcome(sent: 2, kept: 2))
        #expect(await first.upload() == LogUploader.Outcome(sent: 0, kept: 2))
        await server.start()
        let second = LogUploader(folder: folder) { await server.take($0) }
        #expect(await second.upload() == LogUploader.Outcome(sent: 2, kept: 0))
        #expect(await server.received == ["r_3", "r_2", "r_1", "r_0"].map { "\($0).ndjson.\(getpid()).sending" })
    }

    @Test func foldersAreWhereTheyAreSaidToBe() {
        #expect(LogFolder.path("/a/b").path == "/a/b")
        #expect(LogFolder.applicationSupport.path?.hasSuffix("/Library/Application Support/perfgate") == true)
        #expect(LogFolder.documents.path?.hasSuffix("/Documents/perfgate") == true)
        #expect(LogFolder.appGroup("group.example").path == nil)
    }
}
