import Foundation

@testable import PerfgateIngest

/// Files that other tools wrote, kept beside the project: tests that need them are skipped where they are absent.
enum SampleFiles {
    /// The folder: `PERFGATE_SAMPLES`, else `../shared/samples` from the package; `nil` where there is none.
    static let folder: URL? = {
        let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let named = ProcessInfo.processInfo.environment["PERFGATE_SAMPLES"].map { URL(filePath: $0) }
        let folder = named ?? package.appending(path: "../shared/samples").standardized
        return FileManager.default.fileExists(atPath: folder.path) ? folder : nil
    }()

    /// Whether they are there.
    static var arePresent: Bool { folder != nil }

    /// The path of a sample; of one that isn't there too.
    static func path(_ name: String) -> String {
        folder?.appending(path: name).path ?? name
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
