import Foundation
import Testing

/// Runs the built command on the sample data: arguments in, standard output, standard error and exit code out.
///
/// `args` holds one call per line; their outputs are joined, and the code is that of the last call. A file
/// `expected.codes` holds the codes of all calls. A case with a file `copies` runs in a separate folder with copies of
/// the listed paths (`path` or `path new-name`), so its calls may write; all other cases run in the package. Words may
/// be in single quotes. A file `environment` holds more variables, one `NAME=VALUE` per line.
///
/// `PERFGATE_RECORD=1` writes the current output, and fails, so golden files aren't recorded by accident.
struct GoldenTests {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    static let cases = root.appending(path: "Tests/PerfgateCLITests/Cases")
    static let isRecording = ProcessInfo.processInfo.environment["PERFGATE_RECORD"] == "1"

    static var names: [String] {
        let all = (try? FileManager.default.contentsOfDirectory(atPath: cases.path)) ?? []
        return all.filter { !$0.hasPrefix(".") }.sorted()
    }

    @Test(arguments: names)
    func saysWhatItSaid(_ name: String) throws {
        let folder = Self.cases.appending(path: name)
        let arguments = try String(contentsOf: folder.appending(path: "args"), encoding: .utf8)
        let place = try Self.place(of: folder)
        defer { if place != Self.root { try? FileManager.default.removeItem(at: place) } }
        var (output, error, codes) = ("", "", [Int32]())
        for line in arguments.split(separator: "\n") {
            let said = try Self.run(Self.words(of: line), in: place, Self.variables(of: folder))
            (output, error, codes) = (output + said.0, error + said.1, codes + [said.2])
        }
        let all = codes.map { "\($0)\n" }
        var parts = [("stdout", output), ("stderr", error), ("code", all.last ?? "")]
        if FileManager.default.fileExists(atPath: folder.appending(path: "expected.codes").path) {
            parts.append(("codes", all.joined()))
        }
        for (part, text) in parts {
            let file = folder.appending(path: "expected.\(part)")
            if Self.isRecording {
                try text.write(to: file, atomically: true, encoding: .utf8)
                Issue.record("recorded \(name)/expected.\(part)")
            } else {
                let expected = try String(contentsOf: file, encoding: .utf8)
                #expect(text == expected, "\(name)/expected.\(part)")
            }
        }
    }

    private static func place(of folder: URL) throws -> URL {
        guard let list = try? String(contentsOf: folder.appending(path: "copies"), encoding: .utf8) else { return root }
        let place = FileManager.default.temporaryDirectory.appending(path: "perfgate-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        for line in list.split(separator: "\n") {
            let words = line.split(separator: " ").map(String.init)
            let source = root.appending(path: words[0])
            let name = words.count > 1 ? words[1] : source.lastPathComponent
            try FileManager.default.copyItem(at: source, to: place.appending(path: name))
        }
        return place
    }

    /// The words of a line; the text between two single quotes is part of one word.
    static func words(of line: Substring) -> [String] {
        line.split(separator: "'", omittingEmptySubsequences: false).enumerated().flatMap { index, part in
            index % 2 == 1 ? [String(part)] : part.split(separator: " ").map(String.init)
        }
    }

    private static func variables(of folder: URL) -> [String: String] {
        let text = try? String(contentsOf: folder.appending(path: "environment"), encoding: .utf8)
        return (text ?? "").split(separator: "\n").reduce(into: [:]) { variables, line in
            let parts = line.split(separator: "=", maxSplits: 1).map(String.init)
            variables[parts[0]] = parts[1]
        }
    }

    /// A call's standard output, standard error and exit code.
    static func run(
        _ arguments: [String], in place: URL, _ variables: [String: String] = [:]
    ) throws -> (String, String, Int32) {
        let process = Process()
        process.executableURL = try executable()
        process.arguments = arguments
        process.currentDirectoryURL = place
        let folder = FileManager.default.temporaryDirectory.appending(path: "perfgate-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        process.environment = [
            "PATH": "/usr/bin:/bin", "COLUMNS": "100", "HOME": folder.path, "PERFGATE_TODAY": "2026-11-20",
        ]
        .merging(variables) { $1 }
        let files = try ["stdout", "stderr"].map { name in
            let file = folder.appending(path: name)
            try Data().write(to: file)
            return (file, try FileHandle(forWritingTo: file))
        }
        process.standardOutput = files[0].1
        process.standardError = files[1].1
        process.standardInput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        let texts = try files.map { try String(contentsOf: $0.0, encoding: .utf8) }
        return (texts[0], texts[1], process.terminationStatus)
    }

    /// The command is beside the test bundle, wherever the package is built.
    static func executable() throws -> URL {
        #if os(macOS)
        let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL
        let folder = try #require(bundle).deletingLastPathComponent()
        #else
        let folder = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        #endif
        return folder.appending(path: "perfgate")
    }
}
