import Foundation
import Testing

/// A separate folder in which the built command runs and leaves its files.
final class CommandFolder: Sendable {
    /// A call's output.
    struct Said {
        let code: Int32
        let output: String
        let error: String
    }

    let url = FileManager.default.temporaryDirectory.appending(path: "perfgate-\(UUID().uuidString)")

    init() throws {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func write(_ text: String, to name: String) throws {
        let file = url.appending(path: name)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try text.write(to: file, atomically: true, encoding: .utf8)
    }

    /// Copies a file or folder of the package under its own name.
    func copy(_ path: String) throws {
        let source = GoldenTests.root.appending(path: path)
        try FileManager.default.copyItem(at: source, to: url.appending(path: source.lastPathComponent))
    }

    /// The JSON report of a sample log.
    static func report(of sample: String, code: Int32) throws -> String {
        let folder = try CommandFolder()
        try folder.copy("Tests/Samples/\(sample).ndjson")
        try folder.copy("Baselines")
        #expect(try folder.run("check", "\(sample).ndjson", "--json", "result.json").code == code)
        return try folder.text(of: "result.json")
    }

    func bytes(of name: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: url.appending(path: name))) }

    func text(of name: String) throws -> String { String(decoding: try bytes(of: name), as: UTF8.self) }

    /// Every file with its content, including hidden ones, except the streams of earlier calls.
    func content() -> [String: Data] {
        let names = FileManager.default.enumerator(atPath: url.path)?.compactMap { $0 as? String } ?? []
        return names.filter { ![".input", ".output", ".error"].contains($0) }.reduce(into: [:]) { content, name in
            content[name] = FileManager.default.contents(atPath: url.appending(path: name).path)
        }
    }

    func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: url.appending(path: name).path) }

    func run(_ arguments: String..., input: String = "") throws -> Said { try run(arguments, input: input) }

    /// Runs the command; standard output that goes elsewhere isn't captured.
    func run(
        _ arguments: [String], input: String = "", _ variables: [String: String] = [:], output: Any? = nil
    ) throws -> Said {
        let process = Process()
        process.executableURL = try GoldenTests.executable()
        process.arguments = arguments
        process.currentDirectoryURL = url
        process.environment = ["PATH": "/usr/bin:/bin", "COLUMNS": "100", "HOME": url.path]
            .merging(variables) { $1 }
        for name in ["output", "error", "input"] { try write(name == "input" ? input : "", to: ".\(name)") }
        process.standardInput = try FileHandle(forReadingFrom: url.appending(path: ".input"))
        process.standardOutput = try output ?? FileHandle(forWritingTo: url.appending(path: ".output"))
        process.standardError = try FileHandle(forWritingTo: url.appending(path: ".error"))
        try process.run()
        process.waitUntilExit()
        return Said(code: process.terminationStatus, output: try text(of: ".output"), error: try text(of: ".error"))
    }
}

extension CommandFolder {
    /// A store of six simulated runs, and a run of a pull request whose Search loads 43 % slower.
    static func shop() throws -> CommandFolder {
        let folder = try CommandFolder()
        try folder.simulate("--runs", "6", "--started-at", "2026-11-01T03:00:00Z", "--out", "main")
        #expect(try folder.run("baseline", "update", "main").code == 0)
        try folder.simulate(
            "--seed", "8", "--started-at", "2026-11-19T03:00:00Z", "--inject", "Search=load:250", "--out", "pr")
        return folder
    }

    func simulate(_ arguments: String...) throws { try simulate(arguments) }

    func simulate(_ arguments: [String]) throws {
        let said = try run(["simulate"] + arguments)
        #expect(said.code == 0, "\(said.error)")
    }
}
