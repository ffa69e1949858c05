import Foundation
import LibC
import Testing

@testable import PerfgateCLI

struct ChildProcessTests {
    private func shell(_ text: String) -> ChildProcess { ChildProcess(["/bin/sh", "-c", text]) }

    @Test func carriesMoreThanPipesHoldBothWays() throws {
        let input = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let attached = Array(repeating: UInt8(ascii: "x"), count: 1_000_000)
        var process = shell("cat; cat \(ChildProcess.attachment); echo said >&2; exit 3")
        process.attached = attached
        let result = try process.run(input: input)
        #expect(result.output == input + attached)
        #expect(result.error == Array("said\n".utf8))
        #expect(result.end == .exited(3))
    }

    @Test func whatIsNotReadOrNotThereIsNoError() throws {
        let input = [UInt8](repeating: 0, count: 1_000_000)
        #expect(try shell("exit 0").run(input: input).end == .exited(0))
        #expect(try ChildProcess(["no-such-program-anywhere"]).run().end == .exited(127))
        #expect(try shell("kill -9 $$").run().end == .signalled(9))
    }

    @Test func endsWhatTakesTooLongWithAllThatItStarted() throws {
        var process = shell("sleep 60 & echo $!; wait")
        process.patience = 0.5
        let result = try process.run()
        #expect(result.end == .tookTooLong(0.5))
        let child = try #require(
            pid_t(String(decoding: result.output, as: UTF8.self).trimmingCharacters(in: .newlines)))
        #expect(Self.endsSoon(child))
    }

    @Test func endsWhatWritesTooMuch() throws {
        var process = shell("cat /dev/zero")
        process.mostOutput = 1 << 20
        let result = try process.run()
        #expect(result.end == .wroteTooMuch(1 << 20))
        #expect(1 << 20..<(1 << 20) + (1 << 17) ~= result.output.count)
    }

    @Test func aGrandchildThatKeepsTheOutputOpenIsNotWaitedFor() throws {
        let result = try shell("sleep 60 & echo $!").run()
        let child = try #require(
            pid_t(String(decoding: result.output, as: UTF8.self).trimmingCharacters(in: .newlines)))
        #expect(result.end == .exited(0))
        kill(child, SIGKILL)
    }

    @Test(arguments: [SIGTERM, SIGINT, SIGHUP])
    func aSignalEndsTheCommandAndWhatItRuns(number: Int32) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "perfgate-\(UUID().uuidString)")
        let temporary = folder.appending(path: "tmp")
        try FileManager.default.createDirectory(at: temporary, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let process = Process()
        process.executableURL = try GoldenTests.executable()
        process.currentDirectoryURL = folder
        process.arguments = [
            "check", GoldenTests.root.appending(path: "Tests/Samples/regression.ndjson").path, "--baselines",
            GoldenTests.root.appending(path: "Baselines").path, "--rerun-command",
            "echo $$ > pid.new; mv pid.new pid; sleep 60",
        ]
        process.environment = ["PATH": "/usr/bin:/bin", "TMPDIR": temporary.path]
        try Self.start(process)
        let file = folder.appending(path: "pid")
        for _ in 0..<600 where !FileManager.default.fileExists(atPath: file.path) { usleep(50_000) }
        let text = try String(contentsOf: file, encoding: .utf8).trimmingCharacters(in: .newlines)
        let child = try #require(pid_t(text))
        kill(process.processIdentifier, number)
        process.waitUntilExit()
        #expect(process.terminationReason == .uncaughtSignal && process.terminationStatus == number)
        #expect(Self.endsSoon(child))
        #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.path) == [])
    }

    /// The request's own error would hide the signal.
    @Test(arguments: [SIGTERM, SIGINT, SIGHUP])
    func aSignalEndsACommentInItsRequest(number: Int32) throws {
        let (asked, answered) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let server = try LoopbackServer { _, _, _ in
            asked.signal()
            _ = answered.wait(timeout: .now() + 60)
            return HTTPResponse(status: 200, headers: [:], body: Array("[]".utf8))
        }
        defer {
            answered.signal()
            server.stop()
        }
        let folder = try CommandFolder()
        let log = GoldenTests.root.appending(path: "Tests/Samples/regression.ndjson").path
        #expect(try folder.run("check", log, "--json", "r.json", "--quiet").code == 5)
        let process = Process()
        process.executableURL = try GoldenTests.executable()
        process.currentDirectoryURL = folder.url
        process.arguments = [
            "comment", "r.json", "--platform", "github", "--api", server.address, "--repository", "o/r",
            "--pull-request", "1",
        ]
        process.environment = ["PATH": "/usr/bin:/bin", "GITHUB_TOKEN": "t"]
        try Self.start(process)
        #expect(asked.wait(timeout: .now() + 30) == .success)
        kill(process.processIdentifier, number)
        process.waitUntilExit()
        #expect(process.terminationReason == .uncaughtSignal && process.terminationStatus == number)
    }

    /// Starts a command that signals reach, without its output.
    private static func start(_ process: Process) throws {
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        // Threads of tests block signals, and child processes inherit that.
        var none = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, nil)
        try process.run()
    }

    @Test func curlCarriesHeadersAndBodyBothWays() throws {
        let server = try LoopbackServer { _, _, message in
            HTTPResponse(
                status: 201, headers: ["x-own": message.headers["authorization"] ?? ""], body: message.body)
        }
        defer { server.stop() }
        let body = Array("{\"a\":\"\\\\ HTTP/1.1 500\r\n\r\n\"}".utf8)
        let headers = [(name: "Authorization", value: "token s3cret")]
        let request = HTTPRequest(method: .post, address: "\(server.address)/x", headers: headers, body: body)
        let response = try CurlTransport().send(request)
        #expect(response.status == 201 && response.headers["x-own"] == "token s3cret" && response.body == body)
    }

    /// Whether a process ends within ten seconds; a zombie keeps its name without a program.
    private static func endsSoon(_ process: pid_t) -> Bool {
        for _ in 0..<500 {
            if kill(process, 0) != 0 { return true }
            let state = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
            if state?.split(separator: ")").last?.split(separator: " ").first == "Z" { return true }
            usleep(20_000)
        }
        return false
    }
}
