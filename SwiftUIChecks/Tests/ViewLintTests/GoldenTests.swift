import Foundation
import Testing

/// Runs the built command on a copy of `Samples/Project`. Each case is a transcript: commands after `$`, then their
/// output, the error output after `!`, and the exit code if it isn't 0.
///
/// `PERFGATE_RECORD=1` writes the current output, and fails, so golden files aren't recorded by accident.
@Suite struct GoldenTests {
    static let isRecording = ProcessInfo.processInfo.environment["PERFGATE_RECORD"] == "1"

    static var names: [String] {
        let all = (try? FileManager.default.contentsOfDirectory(atPath: testFolder.appending(path: "Cases").path)) ?? []
        return all.filter { $0.hasSuffix(".txt") }.sorted()
    }

    @Test(arguments: names)
    func saysWhatItSaid(_ name: String) throws {
        let file = testFolder.appending(path: "Cases/\(name)")
        let expected = try String(contentsOf: file, encoding: .utf8)
        let place = FileManager.default.temporaryDirectory.resolvingSymlinksInPath().appending(path: "lint-\(UUID())")
        try FileManager.default.copyItem(at: testFolder.appending(path: "Samples/Project"), to: place)
        defer { try? FileManager.default.removeItem(at: place) }
        let said = try expected.split(separator: "\n").filter { $0.hasPrefix("$ ") }
            .map { try Self.transcript(of: String($0.dropFirst(2)), in: place) }.joined()
        if Self.isRecording {
            try said.write(to: file, atomically: true, encoding: .utf8)
            Issue.record("recorded \(name)")
        } else {
            #expect(said == expected)
        }
    }

    private static func transcript(of command: String, in place: URL) throws -> String {
        var words = words(of: command)
        let process = Process()
        let isLint = words[0] == "view-lint"
        process.executableURL = isLint ? try lintProgram : URL(fileURLWithPath: "/usr/bin/env")
        if isLint { words.removeFirst() }
        process.arguments = words
        process.currentDirectoryURL = place
        let (output, error) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = error
        try process.run()
        let (said, complained) = (text(of: output, place), text(of: error, place))
        process.waitUntilExit()
        var lines = ["$ \(command)"] + said.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if lines.last == "" { lines.removeLast() }
        lines += complained.split(separator: "\n").map { "! \($0)" }
        if process.terminationStatus != 0 { lines.append("exit code \(process.terminationStatus)") }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func text(of pipe: Pipe, _ place: URL) -> String {
        String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            .replacing(place.path, with: "/project")
    }

    /// The words of a line; the text between two single quotes is part of one word.
    private static func words(of line: String) -> [String] {
        line.split(separator: "'", omittingEmptySubsequences: false).enumerated().flatMap { index, part in
            index % 2 == 1 ? [String(part)] : part.split(separator: " ").map(String.init)
        }
    }

    /// The command beside the tests.
    private static var lintProgram: URL {
        get throws {
            var folder = Bundle.main.bundleURL.resolvingSymlinksInPath()
            #if os(macOS)
            folder =
                Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL
                .deletingLastPathComponent() ?? folder
            #endif
            return try #require(
                ["view-lint", "view-lint-tool"].map { folder.appending(path: $0) }
                    .first { FileManager.default.isExecutableFile(atPath: $0.path) })
        }
    }
}
