import Foundation
import Testing

/// The script that measures the size of baselines in a repository, on a tiny one.
struct RepositorySizeTests {
    @Test func aNightlyJobIsPlayedAndMeasured() throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        let script = GoldenTests.root.appending(path: "Tests/Judges/repository-size").path
        process.arguments = ["bash", script, try GoldenTests.executable().path, "1", "2", "1", "1", "7"]
        let output = Pipe()
        process.standardOutput = output
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        let rows = text.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        #expect(
            rows.map { Array($0.prefix(3)) } == [["pages", "devices", "night"], ["1", "1", "1"], ["1", "1", "2"]])
        let sizes = rows.dropFirst().map { $0.suffix(3).compactMap(Int.init) }
        #expect(sizes.allSatisfy { $0.count == 3 && $0.allSatisfy { $0 > 0 } }, "\(text)")
    }
}
