import Foundation
import Testing

/// The stubs match Apple's declarations, and the sources use only declarations that the deployment targets have.
struct SignatureTests {
    @Test func theStubsDeclareWhatAppleDoes() throws {
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Judges/signatures")
        let modules = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "Modules")
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", script.standardized.path, modules.path]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let said = try output.fileHandleForReading.readToEnd().map { String(decoding: $0, as: UTF8.self) } ?? ""
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(said)")
        #expect(said.hasSuffix(" declarations match Apple's\n"))
    }
}
