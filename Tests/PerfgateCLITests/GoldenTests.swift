import Foundation
import Testing

/// The built command on the sample data: arguments in, standard output, standard error and exit code out.
///
/// `PERFGATE_RECORD=1` writes what the command says now, and fails, so that nobody records by accident.
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
        let (output, error, code) = try Self.run(arguments.split(whereSeparator: \.isWhitespace).map(String.init))
        for (part, text) in [("stdout", output), ("stderr", error), ("code", "\(code)\n")] {
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

    private static func run(_ arguments: [String]) throws -> (String, String, Int32) {
        let process = Process()
        process.executableURL = try executable()
        process.arguments = arguments
        process.currentDirectoryURL = root
        process.environment = ["PATH": "/usr/bin:/bin", "COLUMNS": "100"]
        let folder = FileManager.default.temporaryDirectory.appending(path: "perfgate-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
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

    /// The command stands beside the test bundle, wherever the package is built.
    private static func executable() throws -> URL {
        #if os(macOS)
        let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL
        let folder = try #require(bundle).deletingLastPathComponent()
        #else
        let folder = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        #endif
        return folder.appending(path: "perfgate")
    }
}
