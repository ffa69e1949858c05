import Foundation

/// A folder for a moment, that only this user can look into.
enum PrivateFolder {
    /// Makes the folder, calls the work, and removes it again with all that is in it.
    static func with<Result>(_ work: (URL) throws -> Result) throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appending(path: "perfgate-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(at: folder) }
        return try work(folder)
    }
}
