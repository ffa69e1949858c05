import Foundation
import Testing

/// The sample runs and their baselines equal the current output of the recorder and the command.
///
/// After an intended change, `Tests/Samples/make .build/debug/perfgate .` regenerates them.
struct SamplesTests {
    @Test func areWhatTheScriptMakes() throws {
        let folder = try CommandFolder()
        let script = Process()
        script.executableURL = GoldenTests.root.appending(path: "Tests/Samples/make")
        script.arguments = [try GoldenTests.executable().path, folder.url.path]
        try script.run()
        script.waitUntilExit()
        #expect(script.terminationStatus == 0)
        let stored = try Self.files(below: GoldenTests.root.path)
        #expect(stored.count == 10)
        #expect(try Self.files(below: folder.url.path) == stored)
    }

    /// The samples and baselines below a folder, by relative path.
    private static func files(below root: String) throws -> [String: Data] {
        var files: [String: Data] = [:]
        for (folder, ending) in [("Tests/Samples", ".ndjson"), ("Baselines", ".json")] {
            let url = URL(filePath: root).appending(path: folder)
            for path in try FileManager.default.subpathsOfDirectory(atPath: url.path) where path.hasSuffix(ending) {
                files["\(folder)/\(path)"] = try Data(contentsOf: url.appending(path: path))
            }
        }
        return files
    }
}
