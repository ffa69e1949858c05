import Foundation

/// Property lists in XML or in Apple's binary form.
///
/// Foundation expands no entity and gives up at 512 levels, so that a small file can't become a large one.
enum XcbaselinePlist {
    /// How many bytes a property list may have: 16 MiB.
    static let sizeLimit = 16 << 20

    /// The dictionary that a file holds.
    static func read(_ path: String) throws(IngestError) -> [String: Any] {
        guard let handle = FileHandle(forReadingAtPath: path) else {
            throw .cannotOpen(reason: "\(name(of: path)) isn't there")
        }
        defer { try? handle.close() }
        guard let data = try? handle.read(upToCount: sizeLimit + 1) else {
            throw .cannotRead(reason: name(of: path))
        }
        guard data.count <= sizeLimit else { throw .tooLarge(limit: sizeLimit) }
        guard let list = try? PropertyListSerialization.propertyList(from: data, format: nil) else {
            throw .malformed(line: nil, problem: "\(name(of: path)) is no property list")
        }
        guard let dictionary = list as? [String: Any] else {
            throw .malformed(line: nil, problem: "\(name(of: path)) holds no dictionary")
        }
        return dictionary
    }

    private static func name(of path: String) -> String { String(path.split(separator: "/").last ?? "") }
}
