import Foundation

@testable import PerfgateIngest

/// Files in the shapes of other tools, a folder a format: those that we wrote, which are always there, and files that
/// the tools wrote, where somebody has them.
enum SampleFiles {
    /// The files that we wrote.
    static let own = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Samples")

    /// The folder of the tools' files: `PERFGATE_SAMPLES`, else `../shared/samples` from the package; `nil` where there
    /// is none.
    static let tools: URL? = {
        let package = own.appending(path: "../../../..").standardized
        let named = ProcessInfo.processInfo.environment["PERFGATE_SAMPLES"].map { URL(filePath: $0) }
        let folder = named ?? package.appending(path: "../shared/samples").standardized
        return FileManager.default.fileExists(atPath: folder.path) ? folder : nil
    }()

    /// The folders that are there.
    static let folders = [own] + (tools.map { [$0] } ?? [])

    /// The paths of samples: all of ours, and of the tools' those that are named, where they are there.
    static func paths(own: [String], tools: [String]) -> [String] {
        own.map { Self.own.appending(path: $0).path }
            + (Self.tools.map { folder in tools.map { folder.appending(path: $0).path } } ?? [])
    }

    /// Every sample of a folder, by its path below that.
    static func all(in folder: URL) -> [String] {
        let names = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
        return names.filter { name in
            name.contains("/") && name.contains(".") && !name.hasSuffix("README.md")
                && !name.split(separator: "/").contains { $0.hasPrefix(".") }
        }.sorted()
    }
}

extension ForeignResult {
    /// What the reader of its format, found by content, says of a text.
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
