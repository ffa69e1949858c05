import Foundation
import Testing

@testable import PerfgateCLI
@testable import PerfgateKit

/// The search for the configuration.
struct ConfigurationFileTests {
    /// Runs a command two folders below a folder that contains a file with this name.
    private func run(_ arguments: [String], beside name: String, holding text: String) throws -> (String, Int32) {
        let folder = FileManager.default.temporaryDirectory.appending(path: "perfgate-\(UUID().uuidString)")
        let below = folder.appending(path: "a/b")
        try FileManager.default.createDirectory(at: below, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try text.write(to: folder.appending(path: name), atomically: true, encoding: .utf8)
        let (_, error, code) = try GoldenTests.run(arguments, in: below)
        return (error, code)
    }

    @Test func isFoundUpwardsAndNamedFromTheWorkingDirectory() throws {
        let (error, code) = try run(["baseline", "show"], beside: "perfgate.yml", holding: "baseline: B")
        #expect(error.hasPrefix("../../perfgate.yml:1:1: error: baseline is not a key"))
        #expect(code == 78)
    }

    @Test func itsPathsBeginAtItsFolder() throws {
        let (error, code) = try run(["baseline", "show"], beside: "perfgate.yml", holding: "baselines: Stored")
        #expect(
            error == "perfgate: ../../Stored: there is no baseline. Store one with `perfgate baseline update LOGS`.\n"
        )
        #expect(code == 66)
    }

    /// Without this error, its limits and expectations were ignored silently.
    @Test func anotherEndingIsRefused() throws {
        let (error, code) = try run(["baseline", "show"], beside: "perfgate.yaml", holding: "schema: 1")
        #expect(
            error
                == "../../perfgate.yaml: error: perfgate doesn't read this name: rename it to perfgate.yml, or name it with --config\n"
        )
        #expect(code == 78)
    }

    /// Without this error, one of two files was ignored silently.
    @Test func twoFilesAreRefused() throws {
        let folder = try CommandFolder()
        for name in ["perfgate.yml", "perfgate.yaml"] {
            try "schema: 1\n".write(to: folder.url.appending(path: name), atomically: true, encoding: .utf8)
        }
        let said = try folder.run("baseline", "show")
        #expect(said.code == 78)
        #expect(
            said.error == "perfgate.yaml: error: perfgate reads perfgate.yml beside it instead: keep one of them\n")
    }

    /// A configuration in a submodule that wasn't checked out counted as absent, and all its limits were lost.
    @Test func aLinkToNothingIsNoConfigurationOfDefaults() throws {
        let folder = try CommandFolder()
        try FileManager.default.createSymbolicLink(
            atPath: folder.url.appending(path: "perfgate.yml").path, withDestinationPath: "submodule/perfgate.yml")
        let said = try folder.run("baseline", "show")
        #expect(said.code == 78 && said.error.contains("perfgate.yml: error: there is no such file"))
    }

    @Test func theFlagWins() throws {
        let arguments = ["baseline", "show", "--config", "../../other.yml"]
        let (error, code) = try run(arguments, beside: "other.yml", holding: "baselines: [")
        #expect(error.hasPrefix("../../other.yml:2:1: error: this isn't YAML"))
        #expect(code == 78)
    }

    @Test func aFolderIsNoConfiguration() throws {
        let (error, code) = try run(["baseline", "show", "--config", ".."], beside: "x", holding: "")
        let problem = "the configuration can't be read (Is a directory)"
        #expect(error == "..: error: \(problem): give the path of a configuration to --config\n")
        #expect(code == 78)
    }
}
