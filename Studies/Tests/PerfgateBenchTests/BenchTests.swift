import Foundation
import Testing

/// Subcommands of `perfgate-bench` complete and fill their tables; their numbers aren't asserted on. `.ci/nightly` runs
/// the ones that take long without optimization: verdicts, worlds and stores.
struct BenchTests {
    /// A call, and its expected number of printed lines with a number.
    @Test(arguments: [
        (["recorder", "--calls", "10"], 33), (["stats", "--comparisons", "1"], 7), (["series", "5"], 2),
        (["why", "clean", "--pairs", "1"], 14),
    ])
    func aTableIsFilled(_ arguments: [String], _ count: Int) throws {
        let (output, status) = try Self.run(arguments, input: (0..<30).map { "\(100 + $0 / 15)\n" }.joined())
        #expect(status == 0)
        #expect(output.split(separator: "\n").count { $0.contains(/[0-9]/) } == count, "\(output)")
    }

    /// The logs are read in separate processes, and removed afterwards.
    @Test func readingLeavesNoFile() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "perfgate-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (output, status) = try Self.run(["ingest", folder.path, "--megabytes", "1", "--rounds", "1"])
        #expect(status == 0)
        #expect(output.split(separator: "\n").count == 1 + 4 * 4, "\(output)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test(arguments: [
        ["ingest", "/", "--megabytes", "0"], ["verdicts", "--runs", "0"], ["worlds", "--changes", "-1"],
        ["stats", "--comparisons", "0"], ["recorder", "--calls", "9"], ["series", "one"], ["ingest"],
        ["stores", "--histories", "0"], ["stores", "stale"],
        ["ingest", "/", "--beside", "sqlite"],
    ])
    func aWrongCallIsRefused(_ arguments: [String]) throws {
        #expect(try Self.run(arguments).1 == 64)
    }

    /// A call's standard output and exit code.
    private static func run(_ arguments: [String], input: String = "") throws -> (String, Int32) {
        let (process, output, source) = (Process(), Pipe(), Pipe())
        process.executableURL = try executable()
        process.arguments = arguments
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        process.standardInput = source
        try process.run()
        source.fileHandleForWriting.write(Data(input.utf8))
        try source.fileHandleForWriting.close()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (text, process.terminationStatus)
    }

    /// The command is beside the test bundle. These tests don't depend on it: linked into the bundle of all tests, its
    /// `malloc` would replace theirs.
    private static func executable() throws -> URL {
        #if os(macOS)
        let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL
        let folder = try #require(bundle).deletingLastPathComponent()
        #else
        let folder = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        #endif
        return folder.appending(path: "perfgate-bench")
    }
}
