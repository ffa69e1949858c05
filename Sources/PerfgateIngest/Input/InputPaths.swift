import Foundation
import PerfgateModel

/// Finds the files that a path of the command line names.
package enum InputPaths {
    /// What a path names.
    package enum Resolution {
        /// These files, sorted and never empty, and what of scanned folders was left out.
        case files([String], leftOut: [Diagnostic] = [])
        /// Nothing that can be read.
        case fault(FaultyInput)
    }

    /// The files of a file, a folder, a pattern or `-`, sorted.
    package static func resolve(_ path: String) -> Resolution {
        if path == "-" { return .files([path]) }
        if isFolder(path) { return isReadWhole(path) ? .files([path]) : logs(in: path) }
        if FileManager.default.fileExists(atPath: path) { return .files([path]) }
        return path.contains(where: { "*?".contains($0) }) ? matches(of: path) : .fault(notFound(path))
    }

    /// Whether a path is a folder that is searched for logs.
    static func isScanned(_ path: String) -> Bool { path != "-" && !isReadWhole(path) }

    private static func notFound(_ path: String) -> FaultyInput {
        FaultyInput(path: path, fault: .notFound, message: "There is no such file. Check the path.")
    }

    private static func logs(in folder: String) -> Resolution {
        let scan = FolderScan(folder)
        guard scan.logs.isEmpty else { return .files(scan.logs, leftOut: scan.remarks) }
        let endings = FolderScan.endings.joined(separator: ", ")
        let message = "The folder holds no log (\(endings)). Check that the tests ran."
        return .fault(FaultyInput(path: folder, fault: .notFound, message: message))
    }

    /// The files that a pattern matches. `*` and `?` stand for text within one name, `**` for any number of folders,
    /// and a folder that matches for the logs in it.
    private static func matches(of pattern: String) -> Resolution {
        var found = [pattern.hasPrefix("/") ? "/" : ""]
        for component in pattern.split(separator: "/").map(String.init) {
            found = component == "**" ? found.flatMap(folders) : found.flatMap { children(of: $0, matching: component) }
        }
        let scans = Set(found).filter { !isReadWhole($0) }.sorted { $0.precedesInUTF8($1) }.map(FolderScan.init)
        let files = Set(found.filter(isReadWhole) + scans.flatMap(\.logs))
        return files.isEmpty
            ? .fault(notFound(pattern))
            : .files(files.sorted { $0.precedesInUTF8($1) }, leftOut: scans.flatMap(\.remarks))
    }

    /// Whether a path is a file, or a folder that counts as one.
    private static func isReadWhole(_ path: String) -> Bool { !isFolder(path) || XcresultBundle(path: path) != nil }

    fileprivate static func isFolder(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
    }

    /// A folder and all folders below it.
    private static func folders(below folder: String) -> [String] {
        let below = FolderScan.names(below: folder).map { prefix(folder) + $0 }.filter(isFolder)
        return [folder] + below
    }

    fileprivate static func prefix(_ folder: String) -> String {
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

/// The logs in a folder and all folders below it, and what else is there that isn't hidden.
struct FolderScan {
    /// How the names of logs end.
    static let endings = [".ndjson", ".jsonl", ".json", ".ndjson.gz", ".jsonl.gz", ".json.gz"]
    /// How many names are told of each kind.
    private static let mostNames = 3

    /// The paths of the logs, sorted.
    let logs: [String]
    private let folder: String
    /// The names of files that no log has, links to folders, and bundles, each sorted.
    private let leftOut: (files: [String], links: [String], bundles: [String])

    /// Looks through a folder.
    init(_ folder: String) {
        self.folder = folder
        let prefix = InputPaths.prefix(folder)
        let names = Self.names(below: folder).sorted { $0.precedesInUTF8($1) }
        let bundles = names.filter { XcresultBundle(path: prefix + $0) != nil }
        let outside = names.filter { name in !bundles.contains { name.hasPrefix($0 + "/") } }
        logs = outside.filter(Self.isLog).map { prefix + $0 }
        let others = outside.filter { !Self.isLog($0) && !bundles.contains($0) }
        let links = others.filter { InputPaths.isFolder(prefix + $0) && Self.isLink(prefix + $0) }
        leftOut = (others.filter { !InputPaths.isFolder(prefix + $0) }, links, bundles)
    }

    /// What wasn't read, in one remark; none where all was.
    var remarks: [Diagnostic] {
        let kinds = [
            (leftOut.files, "with another ending"), (leftOut.links, "that link to a folder"),
            (leftOut.bundles, "that are bundles, to be named by themselves"),
        ].filter { !$0.0.isEmpty }
        guard !kinds.isEmpty else { return [] }
        let told = kinds.map { names, kind in
            let more = names.count - Self.mostNames
            return "\(names.count) \(kind) (\(names.prefix(Self.mostNames).joined(separator: ", "))"
                + (more > 0 ? " and \(more) more)" : ")")
        }
        return [Diagnostic(.skippedFiles, path: folder, "Not read in this folder: \(told.joined(separator: ", ")).")]
    }

    /// The paths of everything below a folder that isn't hidden, relative to it.
    static func names(below folder: String) -> [String] {
        let names = FileManager.default.enumerator(atPath: folder.isEmpty ? "." : folder)?.compactMap { $0 as? String }
        return (names ?? []).filter { !$0.split(separator: "/").contains { $0.hasPrefix(".") } }
    }

    private static func isLog(_ name: String) -> Bool { endings.contains(where: name.hasSuffix) }

    private static func isLink(_ path: String) -> Bool {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: path)) != nil
    }
}
