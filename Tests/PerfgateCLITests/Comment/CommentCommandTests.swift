import Foundation
import Synchronization
import Testing

@testable import PerfgateCLI

/// The built command against a server on this machine.
@Suite(.serialized)
struct CommentCommandTests {
    private static let result = "Tests/Samples/regression.ndjson"

    /// Starts the command; its standard error goes to a file.
    private func start(_ server: LoopbackServer, _ report: String, log: URL, token: String = "secret-token") throws
        -> Process
    {
        try Data().write(to: log)
        let process = Process()
        process.executableURL = try GoldenTests.executable()
        process.arguments = ["comment", report, "--pull-request", "7"]
        process.environment = [
            "PATH": "/usr/bin:/bin", "GITHUB_ACTIONS": "true", "GITHUB_TOKEN": token, "GITHUB_REPOSITORY": "o/r",
            "GITHUB_API_URL": server.address, "NO_PROXY": "127.0.0.1", "HOME": log.deletingLastPathComponent().path,
            "TMPDIR": log.deletingLastPathComponent().appending(path: "tmp").path,
        ]
        process.standardError = try FileHandle(forWritingTo: log)
        try process.run()
        return process
    }

    private func withReport(_ work: (_ report: String, _ folder: URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "perfgate-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let report = folder.appending(path: "result.json").path
        let check = Process()
        check.executableURL = try GoldenTests.executable()
        check.currentDirectoryURL = GoldenTests.root
        check.arguments = ["check", Self.result, "--json", report, "--quiet"]
        check.standardError = FileHandle.nullDevice
        try check.run()
        check.waitUntilExit()
        try #require(check.terminationStatus == 2)
        try work(report, folder)
    }

    @Test func commentsOnceWhereTwoJobsBeginAtOnce() throws {
        let platform = FakePlatform(.gitHub)
        platform.with { $0.user = nil }
        let server = try LoopbackServer(platform.answer)
        defer { server.stop() }
        try withReport { report, folder in
            let logs = (1...2).map { folder.appending(path: "log\($0)") }
            let jobs = try logs.map { try start(server, report, log: $0) }
            for (job, log) in zip(jobs, logs) {
                job.waitUntilExit()
                let said = try String(contentsOf: log, encoding: .utf8)
                #expect(job.terminationStatus == 0, "\(said)")
            }
            let comments = platform.with { $0.comments }
            #expect(comments.count == 1)
            #expect(comments.first?.body.hasPrefix("<!-- perfgate:report -->\n") == true)
            #expect(comments.first?.body.contains("Search") == true)
        }
    }

    @Test func aRefusalIsNoVerdictAndHidesTheToken() throws {
        let server = try LoopbackServer(FakePlatform(.gitHub).answer)
        defer { server.stop() }
        try withReport { report, folder in
            let log = folder.appending(path: "log")
            let job = try start(server, report, log: log, token: "stolen-token")
            job.waitUntilExit()
            let text = try String(contentsOf: log, encoding: .utf8)
            #expect(job.terminationStatus == 73)
            #expect(text.contains("status 401") && !text.contains("stolen-token"), "\(text)")
        }
    }

    @Test func noFileHoldsTheTokenOrTheReport() throws {
        let platform = FakePlatform(.gitHub)
        try withReport { report, folder in
            let temporary = folder.appending(path: "tmp")
            try FileManager.default.createDirectory(at: temporary, withIntermediateDirectories: true)
            let found = Mutex<[String]>([])
            let server = try LoopbackServer { method, path, message in
                found.withLock { $0 += (try? FileManager.default.subpathsOfDirectory(atPath: temporary.path)) ?? ["?"] }
                return platform.answer(method, path, message)
            }
            defer { server.stop() }
            let job = try start(server, report, log: folder.appending(path: "log"))
            job.waitUntilExit()
            #expect(job.terminationStatus == 0)
            #expect(found.withLock { $0 } == [])
        }
    }
}
