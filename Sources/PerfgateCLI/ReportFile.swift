import Foundation
import PerfgateCompare

/// An output that is opened before the work starts, so that a path that can't be written is found at once.
///
/// The old content stays until the new one is whole.
struct ReportFile {
    private let path: String
    private let handle: FileHandle?

    /// Opens a path; `-` is standard output.
    init(_ path: String) throws(CommandError) {
        self.path = path
        guard path != "-" else {
            handle = nil
            return
        }
        let isNew = !FileManager.default.fileExists(atPath: path)
        guard !isNew || FileManager.default.createFile(atPath: path, contents: nil),
            let handle = FileHandle(forWritingAtPath: path)
        else { throw Self.failure(path) }
        self.handle = handle
    }

    /// Replaces the content.
    func write(_ bytes: [UInt8]) throws(CommandError) {
        guard let handle else { return try StandardStream.output.deliver(bytes) }
        do {
            try handle.truncate(atOffset: 0)
            try handle.write(contentsOf: Data(bytes))
            try handle.close()
        } catch {
            throw Self.failure(path)
        }
    }

    private static func failure(_ path: String) -> CommandError {
        CommandError(
            status: .cannotWrite,
            description: "\(path): it can't be written. Make its folder, or give another path.")
    }
}
