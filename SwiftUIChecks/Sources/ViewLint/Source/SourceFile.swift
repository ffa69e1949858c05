import Foundation
import SwiftParser
import SwiftParserDiagnostics
import SwiftSyntax

/// A parsed Swift file.
package struct SourceFile: Sendable {
    /// The path that it was read from.
    package let path: String
    /// The path relative to the configuration's folder, as in baselines and reports.
    package let name: String
    let tree: SourceFileSyntax
    let lines: SourceLocationConverter
    let mentionsSuppressions: Bool

    package init(path: String, name: String, text: String) {
        self.path = path
        self.name = name
        tree = Parser.parse(source: text)
        lines = SourceLocationConverter(fileName: path, tree: tree)
        mentionsSuppressions = text.contains(Suppression.mark)
    }

    func place(_ position: AbsolutePosition) -> Place {
        let location = lines.location(for: position)
        return Place(file: name, line: location.line, column: location.column)
    }

    /// The parser's first error, with its place; nil for a file without errors.
    package var syntaxError: (place: Place, message: String)? {
        guard tree.hasError,
            let error = ParseDiagnosticsGenerator.diagnostics(for: tree)
                .first(where: { $0.diagMessage.severity == .error })
        else { return nil }
        return (place(error.position), error.message)
    }
}

/// A place in a file; line and column count from 1, the column in UTF-8 bytes.
package struct Place: Sendable, Hashable, CustomStringConvertible {
    /// The path relative to the configuration's folder.
    package let file: String
    package let line: Int
    package let column: Int

    package var description: String { "\(file):\(line)" }
}

/// The Swift files at paths.
package enum SourceFiles {
    /// A missing path, or a file that isn't readable as UTF-8.
    package struct Unreadable: Error {
        package let path: String
    }

    /// The named files and the files inside the named folders, sorted; without hidden folders, such as `.build`,
    /// and without `excluded` files and folders (paths relative to the root).
    ///
    /// - Throws: ``Unreadable``.
    package static func find(_ paths: [String], root: String, excluded: [String] = []) throws -> [String] {
        var found: Set<String> = []
        for path in paths {
            var isFolder: ObjCBool = false
            let absolute = absolute(path)
            guard FileManager.default.fileExists(atPath: absolute, isDirectory: &isFolder) else {
                throw Unreadable(path: path)
            }
            guard isFolder.boolValue else {
                found.insert(absolute)
                continue
            }
            let entries = FileManager.default.enumerator(
                at: URL(fileURLWithPath: absolute), includingPropertiesForKeys: nil, options: [.skipsHiddenFiles])
            while let entry = entries?.nextObject() as? URL {
                if excluded.contains(relative(entry.path, to: root)) {
                    entries?.skipDescendants()
                } else if entry.pathExtension == "swift" {
                    found.insert(entry.path)
                }
            }
        }
        return found.sorted().filter { path in
            !excluded.contains { relative(path, to: root) == $0 || relative(path, to: root).hasPrefix($0 + "/") }
        }
    }

    /// Reads and parses files on all processors, in path order.
    ///
    /// - Throws: ``Unreadable``.
    package static func parse(_ paths: [String], root: String) async throws -> [SourceFile] {
        try await inParallel(paths) { path in
            guard let data = FileManager.default.contents(atPath: path), let text = String(data: data, encoding: .utf8)
            else { throw Unreadable(path: path) }
            return SourceFile(path: path, name: relative(path, to: root), text: text)
        }
    }

    package static func absolute(_ path: String) -> String {
        URL(fileURLWithPath: path).standardizedFileURL.path
    }

    /// The path relative to the root; unchanged outside the root.
    package static func relative(_ path: String, to root: String) -> String {
        let prefix = root.hasSuffix("/") ? root : root + "/"
        return path.hasPrefix(prefix) ? String(path.dropFirst(prefix.count)) : path
    }
}

/// Transforms elements on all processors, in their order.
func inParallel<Element: Sendable, Result: Sendable>(
    _ elements: [Element], _ transform: @escaping @Sendable (Element) throws -> Result
) async throws -> [Result] {
    let width = max(1, ProcessInfo.processInfo.activeProcessorCount)
    return try await withThrowingTaskGroup(of: [(Int, Result)].self) { group in
        for worker in 0..<width {
            group.addTask {
                try stride(from: worker, to: elements.count, by: width).map { ($0, try transform(elements[$0])) }
            }
        }
        var results = [Result?](repeating: nil, count: elements.count)
        for try await part in group {
            for (index, result) in part { results[index] = result }
        }
        return results.compactMap(\.self)
    }
}
