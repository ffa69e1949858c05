import Foundation

@testable import PerfgateIngest

/// Files in other tools' formats, one folder per format: our own, which always exist, and files from the tools, if
/// available.
enum SampleFiles {
    /// Our own files.
    static let own = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Samples")

    /// The folder with the tools' files: `PERFGATE_SAMPLES`, else `../shared/samples` from the package; `nil` if it
    /// doesn't exist.
    static let tools: URL? = {
        let package = own.appending(path: "../../../..").standardized
        let named = ProcessInfo.processInfo.environment["PERFGATE_SAMPLES"].map { URL(filePath: $0) }
        let folder = named ?? package.appending(path: "../shared/samples").standardized
        return FileManager.default.fileExists(atPath: folder.path) ? folder : nil
    }()

    /// The existing folders.
    static let folders = [own] + (tools.map { [$0] } ?? [])

    /// The paths of samples: all of ours, and the named ones of the tools', if they exist.
    static func paths(own: [String], tools: [String]) -> [String] {
        own.map { Self.own.appending(path: $0).path }
            + (Self.tools.map { folder in tools.map { folder.appending(path: $0).path } } ?? [])
    }

    /// Every sample of a folder, by relative path.
    static func all(in folder: URL) -> [String] {
        let names = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
        return names.filter { name in
            name.contains("/") && name.contains(".") && !name.hasSuffix("README.md")
                && !name.split(separator: "/").contains { $0.hasPrefix(".") }
        }.sorted()
    }
}

extension ForeignResult {
    /// The result of the reader that is detected from a text's content.
    static func of(_ bytes: some Sequence<UInt8>, path: String = "file") throws -> ForeignResult {
        let log = LogReader(path: path, collector: LogCollector(options: IngestOptions()))
        let router = InputRouter(path: path, format: nil, log: log)
        Array(bytes).withUnsafeBytes { router.take($0) }
        guard case .foreign(let reader, let file) = try router.finish() else {
            throw IngestError.refused(reason: "log")
        }
        return try read(file, with: reader)
    }

    private static func read<Reader: ForeignReader>(_ file: ForeignFile, with: Reader.Type) throws -> ForeignResult {
        let batch = ForeignBatch(with)
        try batch.read(file)
        return batch.result()
    }
}
