import Foundation
import PerfgateModel

/// Finds all files of a folder, so that a person is told of each why it is read or not.
enum EveryFile {
    /// The files of a folder, sorted, without hidden ones; any other path as it is.
    ///
    /// A result bundle of Xcode is a folder, and one input.
    static func paths(_ path: String) -> [String] {
        guard isFolder(path), !isBundle(path),
            let found = FileManager.default.enumerator(atPath: path)
        else { return [path] }
        let prefix = path.hasSuffix("/") ? path : path + "/"
        var paths: [String] = []
        while let name = found.nextObject() as? String {
            let isHidden = (name.split(separator: "/").last ?? "").hasPrefix(".")
            let isOneInput = isBundle(name)
            if isHidden || isOneInput { found.skipDescendants() }
            if !isHidden, isOneInput || !isFolder(prefix + name) { paths.append(prefix + name) }
        }
        return paths.isEmpty ? [path] : paths.sorted { $0.precedesInUTF8($1) }
    }

    private static func isBundle(_ path: String) -> Bool { path.hasSuffix(".xcresult") || path.hasSuffix(".xcresult/") }

    private static func isFolder(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
    }
}
