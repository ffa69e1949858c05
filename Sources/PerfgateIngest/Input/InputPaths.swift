import Foundation
import PerfgateModel

/// Finds the files that a path of the command line names.
enum InputPaths {
    /// What a path names.
    enum Resolution {
        /// These files, sorted; never empty.
        case files([String])
        /// Nothing that can be read.
        case fault(FaultyInput)
    }

    private static let endings = [".ndjson", ".jsonl", ".json", ".ndjson.gz", ".jsonl.gz", ".json.gz"]

    /// The files of a file, a folder, a pattern or `-`, sorted.
    static func resolve(_ path: String) -> Resolution {
        if path == "-" { return .files([path]) }
        if isFolder(path) { return isReadWhole(path) ? .files([path]) : logs(in: path) }
        if FileManager.default.fileExists(atPath: path) { return .files([path]) }
        return path.contains(where: { "*?".contains($0) }) ? matches(of: path) : .fault(notFound(path))
    }

    private static func notFound(_ path: String) -> FaultyInput {
        FaultyInput(path: path, fault: .notFound, message: "There is no such file. Check the path.")
    }

    private static func logs(in folder: String) -> Resolution {
        let logs = logFiles(in: folder)
        guard logs.isEmpty else { return .files(logs) }
        let message = "The folder holds no log (\(endings.joined(separator: ", "))). Check that the tests ran."
        return .fault(FaultyInput(path: folder, fault: .notFound, message: message))
    }

    /// The logs in a folder and all folders below it, sorted.
    private static func logFiles(in folder: String) -> [String] {
        let logs = names(below: folder).filter { name in endings.contains(where: name.hasSuffix) }
        return logs.map { prefix(folder) + $0 }.sorted { $0.precedesInUTF8($1) }
    }

    /// The paths of everything below a folder that isn't hidden, relative to it.
    private static func names(below folder: String) -> [String] {
        let names = FileManager.default.enumerator(atPath: folder.isEmpty ? "." : folder)?.compactMap { $0 as? String }
        return (names ?? []).filter { !$0.split(separator: "/").contains { $0.hasPrefix(".") } }
    }

    /// The files that a pattern matches. `*` and `?` stand for text within one name, `**` for any number of folders,
    /// and a folder that matches for the logs in it.
    private static func matches(of pattern: String) -> Resolution {
        var found = [pattern.hasPrefix("/") ? "/" : ""]
        for component in pattern.split(separator: "/").map(String.init) {
            found = component == "**" ? found.flatMap(folders) : found.flatMap { children(of: $0, matching: component) }
        }
        let files = Set(found.flatMap { isReadWhole($0) ? [$0] : logFiles(in: $0) })
        return files.isEmpty ? .fault(notFound(pattern)) : .files(files.sorted { $0.precedesInUTF8($1) })
    }

    /// Whether a path is a file, or a folder that counts as one.
    private static func isReadWhole(_ path: String) -> Bool { !isFolder(path) || XcresultBundle(path: path) != nil }

    private static func isFolder(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
    }

    /// A folder and all folders below it.
    private static func folders(below folder: String) -> [String] {
        let below = names(below: folder).map { prefix(folder) + $0 }.filter(isFolder)
        return [folder] + below
    }

    private static func prefix(_ folder: String) -> String {
        folder.isEmpty || folder.hasSuffix("/") ? folder : folder + "/"
    }

    private static func children(of folder: String, matching component: String) -> [String] {
        guard component.contains(where: { "*?".contains($0) }) else {
            let path = prefix(folder) + component
            return FileManager.default.fileExists(atPath: path) ? [path] : []
        }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.isEmpty ? "." : folder)) ?? []
        let pattern = NamePattern(component)
        return names.filter { !$0.hasPrefix(".") && pattern.matches($0) }.map { prefix(folder) + $0 }
    }
}
