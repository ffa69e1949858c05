import Foundation

/// A result bundle as Xcode leaves it: a folder that xcresulttool reads on macOS, and `XcresultStore` elsewhere.
struct XcresultBundle {
    /// Runs a program by its words, and gives what it writes to standard output.
    typealias Tool = (_ words: [String]) throws(IngestError) -> [UInt8]

    /// The folder, as it was named.
    let path: String

    /// The bundle at a path; `nil` where there is none.
    init?(path: String) {
        var name = path[...]
        while name.hasSuffix("/") { name.removeLast() }
        var isFolder: ObjCBool = false
        guard name.hasSuffix(".xcresult"), FileManager.default.fileExists(atPath: path, isDirectory: &isFolder),
            isFolder.boolValue
        else { return nil }
        self.path = path
    }

    /// What was measured in it, and on which devices: the texts that `XcresultMetricsReader` reads.
    func files(with tool: Tool) throws(IngestError) -> [ForeignFile] {
        var files: [ForeignFile] = []
        for report in ["metrics", "summary"] {
            let words = ["xcrun", "xcresulttool", "get", "test-results", report, "--path", path, "--compact"]
            files.append(ForeignFile(path: path, bytes: try tool(words)))
        }
        return files
    }

    /// What was measured in it, read in the way that this system has; its store gives none where nothing was.
    func files() throws(IngestError) -> [ForeignFile] {
        #if os(macOS)
        try files(with: Self.run)
        #else
        try XcresultStore(path: path, decompress: Zstandard.decompress).files()
        #endif
    }

    /// The words with which xcresulttool tells what was measured.
    static let export = "xcresulttool get test-results metrics --path X.xcresult"

    #if os(macOS)
    private static func run(_ words: [String]) throws(IngestError) -> [UInt8] {
        do {
            return try launch(words)
        } catch let error as IngestError {
            throw error
        } catch {
            throw .refused(reason: "xcrun can't be run (\(error.localizedDescription)). Install Xcode 16.3 or newer.")
        }
    }

    private static func launch(_ words: [String]) throws -> [UInt8] {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = words
        process.standardOutput = output
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw IngestError.refused(
                reason:
                    "xcresulttool ended with \(process.terminationStatus). Xcode 16.3 or newer is needed for \(export)."
            )
        }
        return Array(bytes)
    }
    #endif
}
