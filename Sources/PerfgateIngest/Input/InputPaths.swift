import Foundation
import PerfgateModel

/// Finds the files of a command-line path.
package enum InputPaths {
    package enum Resolution {
        /// Sorted files, never empty, with diagnostics about what was left out.
        /// - Parameter isSearched: Whether the path is a folder or a pattern, so the files weren't named individually.
        case files([String], leftOut: [Diagnostic] = [], isSearched: Bool = false)
        case fault(FaultyInput)
    }

    /// The files of a file, a folder, a pattern or `-`, sorted; in folders with these suffixes, `nil`: all files.
    package static func resolve(_ path: String, endings: [String]? = nil) -> Resolution {
        if path == "-" { return .files([path]) }
        if isFolder(path) { return isReadWhole(path) ? .files([path]) : files(in: path, endings) }
        if FileManager.default.fileExists(atPath: path) { return .files([path]) }
        guard !path.contains(where: { "*?".contains($0) }) else { return matches(of: path, endings) }
        let message = "There is no such file. Check the path."
        return .fault(FaultyInput(path: path, fault: .notFound, message: message))
    }

    static func isScanned(_ path: String) -> Bool { path != "-" && !isReadWhole(path) }

    private static func files(in folder: String, _ endings: [String]?) -> Resolution {
        let scan = FolderScan(folder, endings: endings)
        guard scan.files.isEmpty else { return .files(scan.files, leftOut: scan.remarks, isSearched: true) }
        let kind = endings.map { "log (\($0.joined(separator: ", ")))" } ?? "file"
        let message = "The folder holds no \(kind). Check that the tests ran."
        return .fault(FaultyInput(path: folder, fault: .notFound, message: message))
    }

    /// The files that match a pattern. `*` and `?` match text within one name, `**` any number of folders; a matching
    /// folder contributes its files.
    private static func matches(of pattern: String, _ endings: [String]?) -> Resolution {
        var found = [pattern.hasPrefix("/") ? "/" : ""]
        for component in pattern.split(separator: "/").map(String.init) {
            found = component == "**" ? found.flatMap(folders) : found.flatMap { children(of: $0, matching: component) }
        }
        let scans = Set(found).filter { !isReadWhole($0) }.sorted { $0.precedesInUTF8($1) }
            .map { FolderScan($0, endings: endings) }
        let files = Set(found.filter(isReadWhole) + scans.flatMap(\.files))
        return files.isEmpty
            ? .fault(FaultyInput(path: pattern, fault: .notFound, message: "No file matches. Check the pattern."))
            : .files(files.sorted { $0.precedesInUTF8($1) }, leftOut: scans.flatMap(\.remarks), isSearched: true)
    }

    /// Whether a path is a file, or a folder that counts as one.
    private static func isReadWhole(_ path: String) -> Bool { !isFolder(path) || FolderScan.isBundle(path) }

    fileprivate static func isFolder(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
    }

    private static func folders(below folder: String) -> [String] {
        let below = FolderScan.names(below: folder).map { prefix(folder) + $0 }.filter(isFolder)
        return [folder] + below
    }

    /// Whether a path isn't a folder, or one whose content can be listed.
    fileprivate static func isReadable(_ path: String) -> Bool {
        let manager = FileManager.default
        return !isFolder(path) || manager.isReadableFile(atPath: path) && manager.isExecutableFile(atPath: path)
    }

    fileprivate static func prefix(_ folder: String) -> String {
        folder.isEmpty || folder.hasSuffix("/") ? folder : folder + "/"
    }

    private static func children(of folder: String, matching component: String) -> [String] {
        guard component.contains(where: { "*?".contains($0) }) else {
            let path = prefix(folder) + component
            return FileManager.default.fileExists(atPath: path) ? [path] : []
        }
        guard isReadable(folder) else { return [folder] }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.isEmpty ? "." : folder)) ?? []
        let pattern = NamePattern(component)
        return names.filter { !$0.hasPrefix(".") && pattern.matches($0) }.map { prefix(folder) + $0 }
    }
}

/// The visible files in a folder and its subfolders, and what else is there.
package struct FolderScan {
    /// The suffixes of perfgate's logs and of the other files that it writes and reads.
    package static let endings = [".ndjson", ".jsonl", ".json", ".ndjson.gz", ".jsonl.gz", ".json.gz"]
    /// The suffixes that only perfgate's logs have: such a file without log lines is a damaged log.
    private static let ownEndings = [".ndjson", ".ndjson.gz"]
    /// The suffixes of folders that Apple's tools treat as one file.
    private static let bundleEndings = [".xcresult", ".xcbaseline", ".trace"]
    private static let mostNames = 3

    /// The paths of the files, and of bundles, sorted; with folders that can't be listed and links without a target, for
    /// which reading fails, because they may hide logs.
    let files: [String]
    private let folder: String
    /// The sorted names of what isn't read, by kind.
    private let leftOut: [(kind: String, names: [String])]

    /// Searches a folder for files with these suffixes; `nil`: all files.
    init(_ folder: String, endings: [String]? = nil) {
        self.folder = folder
        let prefix = InputPaths.prefix(folder)
        let names = Self.names(below: folder).sorted { $0.precedesInUTF8($1) }
        let bundles = names.filter { Self.isBundle(prefix + $0) && InputPaths.isFolder(prefix + $0) }
        let outside = names.filter { name in !bundles.contains { name.hasPrefix($0 + "/") } && !bundles.contains(name) }
        let isWanted = { (name: String) in endings.map { $0.contains(where: name.hasSuffix) } ?? true }
        let found = outside.filter { ByteStream.size(of: prefix + $0) != nil }
        let links = outside.filter { InputPaths.isFolder(prefix + $0) && Self.isLink(prefix + $0) }
        let others = Set(outside).subtracting(found).filter { !InputPaths.isFolder(prefix + $0) }
        let lost = others.filter { Self.isLink(prefix + $0) && isWanted($0) }
        let closed = InputPaths.isReadable(folder) ? [] : [folder]
        let closedBelow = outside.filter { !links.contains($0) && !InputPaths.isReadable(prefix + $0) }
        let read = (endings == nil ? bundles : []) + found.filter(isWanted) + lost + closedBelow
        files = (closed + read.map { prefix + $0 }).sorted { $0.precedesInUTF8($1) }
        leftOut = [
            ("files with another ending", found.filter { !isWanted($0) } + (endings == nil ? [] : bundles)),
            ("links to folders", links),
            ("neither files nor folders", others.subtracting(lost).filter(isWanted).sorted { $0.precedesInUTF8($1) }),
        ]
    }

    static func isBundle(_ path: String) -> Bool {
        bundleEndings.contains { path.hasSuffix($0) || path.hasSuffix($0 + "/") }
    }

    /// Whether a file's name promises a log, so content without one is reported.
    static func promisesLog(_ path: String) -> Bool { ownEndings.contains(where: path.hasSuffix) }

    /// One diagnostic about what wasn't read; none if everything was.
    var remarks: [Diagnostic] { Self.remarks(of: folder, leftOut) }

    /// One diagnostic about what wasn't read in a folder, with names by kind; none if everything was.
    static func remarks(of folder: String, _ kinds: [(kind: String, names: [String])]) -> [Diagnostic] {
        let told = told(kinds)
        return told.isEmpty ? [] : [Diagnostic(.skippedFiles, path: folder, "Not read in this folder: \(told).")]
    }

    static func told(_ kinds: [(kind: String, names: [String])]) -> String {
        let told = kinds.filter { !$0.names.isEmpty }.map { kind, names in
            "\(kind) (\(names.listed(most: mostNames)))"
        }
        return told.joined(separator: ", ")
    }

    /// The paths of all visible content below a folder, relative to it.
    static func names(below folder: String) -> [String] {
        // A folder that is itself a link is followed; links in it aren't.
        let root = folder.isEmpty ? "." : URL(filePath: folder).resolvingSymlinksInPath().path
        let names = FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String }
        return (names ?? []).filter { !$0.split(separator: "/").contains { $0.hasPrefix(".") } }
    }

    private static func isLink(_ path: String) -> Bool {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: path)) != nil
    }
}
