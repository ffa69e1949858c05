import ComparisonFixtures
import Foundation
import PerfgateKit
import Testing

@testable import PerfgateCompare

/// The gate's API for Swift programs.
@Suite(.serialized) struct PerformanceGateTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    private static func sample(_ name: String) -> String { root.appending(path: "Tests/Samples/\(name)").path }

    private static func gate() throws -> PerformanceGate {
        let folder = FileManager.default.temporaryDirectory.appending(path: "perfgate-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let configuration = folder.appending(path: "perfgate.yml")
        try "pages: [{ match: Search, owner: search team, source: Search.swift:7 }]\n"
            .write(to: configuration, atomically: true, encoding: .utf8)
        return try PerformanceGate(
            configuration: configuration.path, baselines: root.appending(path: "Baselines").path)
    }

    @Test func namesWhatFailed() throws {
        let result = try Self.gate().check([Self.sample("regression.ndjson")])
        #expect(result.exitCode == 2 && !result.passed)
        let failure = try #require(result.failures.first)
        #expect(result.failures.count == 1 && failure.page == "Search" && failure.metric == "ttil")
        #expect(failure.verdict == "regressed" && failure.unit == "ms" && failure.environment["device"] == "iPhone12,1")
        #expect(try #require(failure.candidate) > #require(failure.baseline))
        #expect(failure.owner == "search team" && failure.file == "Search.swift" && failure.line == 7)
    }

    @Test func rendersEveryReport() throws {
        let result = try Self.gate().check([Self.sample("regression.ndjson")])
        #expect(String(decoding: try result.junit(), as: UTF8.self).contains("<failure"))
        #expect(String(decoding: try result.html(), as: UTF8.self).contains("</html>"))
        #expect(try result.markdown(address: "https://ci.example.com/1").contains("https://ci.example.com/1"))
        #expect(try result.markdown(byteLimit: 500).utf8.count <= 500)
        #expect(String(decoding: result.json(), as: UTF8.self).contains("\"regressed\""))
    }

    @Test func passesWhatPasses() throws {
        let result = try Self.gate().check([Self.sample("pass.ndjson")])
        #expect(result.passed && result.exitCode == 0 && result.failures.isEmpty)
    }

    @Test func comparesLogsWithLogs() throws {
        let result = try Self.gate().compare([Self.sample("pass.ndjson")], with: [Self.sample("pass.ndjson")])
        #expect(!result.failures.contains { $0.verdict == "regressed" })
    }

    @Test func aLogThatIsNotThereStandsInTheResult() throws {
        #expect(try Self.gate().check(["/nowhere/at/all.ndjson"]).exitCode == 66)
    }

    @Test func aConfigurationThatIsNotThereIsAnError() throws {
        let error = #expect(throws: GateError.self) { try PerformanceGate(configuration: "/nowhere/perfgate.yml") }
        #expect(error?.kind == .configuration && error?.description.contains("/nowhere/perfgate.yml") == true)
    }
}
