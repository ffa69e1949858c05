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
        var isFolder: ObjCBool = false
        if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) {
            return isFolder.boolValue ? logs(in: path) : .files([path])
        }
        return path.contains(where: { "*?".contains($0) }) ? matches(of: path) : .fault(notFound(path))
    }

    private static func notFound(_ path: String) -> FaultyInput {
        FaultyInput(path: path, fault: .notFound, message: "There is no such file. Check the path.")
    }

    private static func logs(in folder: String) -> Resolution {
        let names = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
        let logs = names.filter { name in
            endings.contains(where: name.hasSuffix) && !name.split(separator: "/").contains { $0.hasPrefix(".") }
        }
        guard !logs.isEmpty else {
            let message = "The folder holds no log (\(endings.joined(separator: ", "))). Check that the tests ran."
            return .fault(FaultyInput(path: folder, fault: .notFound, message: message))
        }
        let prefix = folder.hasSuffix("/") ? folder : folder + "/"
        return .files(logs.map { prefix + $0 }.sorted { $0.precedesInUTF8($1) })
    }

    /// The files that a pattern matches; its stars and question marks stand for text within one name.
    private static func matches(of pattern: String) -> Resolution {
        var found = [pattern.hasPrefix("/") ? "/" : ""]
        for component in pattern.split(separator: "/").map(String.init) {
            found = found.flatMap { children(of: $0, matching: component) }
        }
        let files = found.sorted { $0.precedesInUTF8($1) }
        return files.isEmpty ? .fault(notFound(pattern)) : .files(files)
    }

    private static func children(of folder: String, matching component: String) -> [String] {
        let prefix = folder.isEmpty || folder.hasSuffix("/") ? folder : folder + "/"
        guard component.contains(where: { "*?".contains($0) }) else {
            let path = prefix + component
            return FileManager.default.fileExists(atPath: path) ? [path] : []
        }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.isEmpty ? "." : folder)) ?? []
        let pattern = NamePattern(component)
        return names.filter { !$0.hasPrefix(".") && pattern.matches($0) }.map { prefix + $0 }
    }
}
