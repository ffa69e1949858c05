import LibC

/// The files that a call reads and writes. No output may replace an input or another output.
///
/// A file is identified by device and number, not by path: links, hard links and process descriptors count as the file
/// that they lead to. Only `/dev/null` accepts any number of outputs.
package final class CallFiles {
    private var inputs: [Identity: String] = [:]
    private var folders: [Identity: (name: String, content: Content)] = [:]
    private var outputs: [Identity: String] = [:]

    private enum Identity: Hashable {
        case present(device: UInt64, number: UInt64)
        /// A new one in an existing folder.
        case absent(device: UInt64, folder: UInt64, name: String)
    }

    package struct Content: Sendable {
        /// The plural noun, such as `logs`.
        let kind: String
        /// The file name suffixes; empty: any name.
        let endings: [String]

        package init(_ kind: String, endings: [String]) { (self.kind, self.endings) = (kind, endings) }
    }

    package init() {}

    /// Records a file that is read, as what it is, such as `the log`.
    package func read(_ path: String, as kind: String) {
        guard path != "-", let identity = Self.identity(ofFileAt: path) else { return }
        inputs[identity] = inputs[identity] ?? "\(kind) '\(path)'"
    }

    package func readAll(in folder: String, as content: Content) {
        guard FileAccess.isFolder(folder), let identity = Self.identity(ofFileAt: folder) else { return }
        folders[identity] = folders[identity] ?? (folder, content)
    }

    /// Opens an output; `flag` is the option that names it, with its dashes, or another name for users.
    package func output(_ path: String, for flag: String) throws -> OutputFile {
        if let identity = try Self.identity(ofOutput: path) {
            if let input = inputs[identity] {
                throw OutputConflict(description: "'\(flag)' would replace \(input). Give it another file.")
            }
            if let other = outputs.updateValue(flag, forKey: identity), other != flag {
                throw OutputConflict(
                    description: "'\(other)' and '\(flag)' both write to '\(path)'. Give each its own output.")
            }
        }
        if let folder = try folder(holding: path) {
            throw OutputConflict(
                description: "'\(flag) \(path)' is in the folder '\(folder.name)', whose files are read as "
                    + "\(folder.content.kind). Write it elsewhere.")
        }
        return try OutputFile(path)
    }

    /// The recorded folder in which an output would be read as well.
    private func folder(holding path: String) throws -> (name: String, content: Content)? {
        guard !folders.isEmpty, !OutputFile.isStream(path) else { return nil }
        let target = try FileAccess.target(of: path)
        guard let resolved = realpath(FileAccess.folder(of: target), nil) else { return nil }
        defer { free(resolved) }
        var folder = String(cString: resolved)
        while true {
            if let identity = Self.identity(ofFileAt: folder), let found = folders[identity] {
                let endings = found.content.endings
                return endings.isEmpty || endings.contains(where: target.hasSuffix) ? found : nil
            }
            guard folder != "/" else { return nil }
            folder = FileAccess.folder(of: folder)
        }
    }

    private static func identity(ofFileAt path: String) -> Identity? {
        var status = stat()
        return stat(path, &status) == 0 ? identity(status) : nil
    }

    /// The identity of an output; `nil` for `/dev/null`, and if its folder doesn't exist.
    private static func identity(ofOutput path: String) throws(FileError) -> Identity? {
        var status = stat()
        let target = try FileAccess.target(of: path) { OutputFile.descriptor(named: $0) != nil }
        let isThere =
            OutputFile.descriptor(named: target).map { fstat($0, &status) == 0 } ?? (stat(target, &status) == 0)
        if isThere { return isNull(status) ? nil : identity(status) }
        guard stat(FileAccess.folder(of: target), &status) == 0 else { return nil }
        let name = target.split(separator: "/").last.map(String.init) ?? ""
        return .absent(
            device: UInt64(truncatingIfNeeded: status.st_dev), folder: UInt64(truncatingIfNeeded: status.st_ino),
            name: name)
    }

    private static func isNull(_ status: stat) -> Bool {
        var null = stat()
        guard status.st_mode & S_IFMT == S_IFCHR, stat("/dev/null", &null) == 0 else { return false }
        return status.st_rdev == null.st_rdev
    }

    private static func identity(_ status: stat) -> Identity {
        .present(device: UInt64(truncatingIfNeeded: status.st_dev), number: UInt64(truncatingIfNeeded: status.st_ino))
    }
}

/// Two files of a call are the same, so writing one would destroy the other.
package struct OutputConflict: Error, CustomStringConvertible {
    package let description: String
}
