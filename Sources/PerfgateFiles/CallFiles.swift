import LibC

/// The files that a call reads and writes. No output may replace an input or another output. A file is identified by
/// device and number, not by path: links, hard links and process descriptors count as the file that they lead to. Only
/// `/dev/null` accepts any number of outputs.
package final class CallFiles {
    private var inputs: [Identity: String] = [:]
    private var folders: [Identity: Folder] = [:]
    private var outputs: [Identity: String] = [:]

    private struct Identity: Hashable {
        let device, number: UInt64
        /// The name of a new file in that folder; `nil`: the file itself.
        let name: String?

        init(_ status: stat, name: String? = nil) {
            device = UInt64(truncatingIfNeeded: status.st_dev)
            number = UInt64(truncatingIfNeeded: status.st_ino)
            self.name = name
        }
    }

    private typealias Folder = (name: String, kind: String, endings: [String])

    package init() {}

    /// Records a file that is read, as what it is, such as `the log`.
    package func read(_ path: String, as kind: String) {
        guard path != "-", let identity = Self.identity(ofFileAt: path) else { return }
        inputs[identity] = inputs[identity] ?? "\(kind) '\(path)'"
    }

    /// Records a folder whose files are read, as a plural noun, such as `logs`; `endings` are the suffixes of their names,
    /// and without any each file is read.
    package func readAll(in folder: String, as kind: String, endings: [String] = []) {
        guard FileAccess.isFolder(folder), let identity = Self.identity(ofFileAt: folder) else { return }
        folders[identity] = folders[identity] ?? (folder, kind, endings)
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
                    + "\(folder.kind). Write it elsewhere.")
        }
        return try OutputFile(path)
    }

    /// The recorded folder in which an output would be read as well.
    private func folder(holding path: String) throws -> Folder? {
        guard !folders.isEmpty, !OutputFile.isStream(path) else { return nil }
        let target = try FileAccess.target(of: path)
        guard let resolved = realpath(FileAccess.folder(of: target), nil) else { return nil }
        defer { free(resolved) }
        var folder = String(cString: resolved)
        while true {
            if let identity = Self.identity(ofFileAt: folder), let found = folders[identity] {
                return found.endings.isEmpty || found.endings.contains(where: target.hasSuffix) ? found : nil
            }
            guard folder != "/" else { return nil }
            folder = FileAccess.folder(of: folder)
        }
    }

    private static func identity(ofFileAt path: String) -> Identity? {
        var status = stat()
        return stat(path, &status) == 0 ? Identity(status) : nil
    }

    /// The identity of an output; `nil` for `/dev/null`, and if its folder doesn't exist.
    private static func identity(ofOutput path: String) throws(FileError) -> Identity? {
        var status = stat()
        let target = try FileAccess.target(of: path) { OutputFile.descriptor(named: $0) != nil }
        let isThere =
            OutputFile.descriptor(named: target).map { fstat($0, &status) == 0 } ?? (stat(target, &status) == 0)
        if isThere { return isNull(status) ? nil : Identity(status) }
        guard stat(FileAccess.folder(of: target), &status) == 0 else { return nil }
        return Identity(status, name: target.split(separator: "/").last.map(String.init) ?? "")
    }

    private static func isNull(_ status: stat) -> Bool {
        var null = stat()
        guard status.st_mode & S_IFMT == S_IFCHR, stat("/dev/null", &null) == 0 else { return false }
        return status.st_rdev == null.st_rdev
    }
}

/// Two files of a call are the same, so writing one would destroy the other.
package struct OutputConflict: Error, CustomStringConvertible { package let description: String }

/// A file, a named pipe or standard input, read from its start.
package struct InputFile: ~Copyable {
    private let path: String
    private let descriptor: Int32
    /// The deadline for a program to open the named pipe for writing; `nil`: it is open, or there is no pipe.
    private var writerDeadline: ContinuousClock.Instant?

    /// Opens a path; `-` is standard input.
    package init(_ path: String) throws(FileError) {
        let isPipe = NamedPipe.isAt(path)
        // A blocking open of a pipe would wait for its writer forever.
        let flags = O_RDONLY | O_CLOEXEC | (isPipe ? O_NONBLOCK : 0)
        descriptor = path == "-" ? 0 : Int32(try FileCall.read.make(on: path) { Int(open(path, flags)) })
        self.path = path
        writerDeadline = isPipe ? NamedPipe.deadline : nil
    }

    deinit { if descriptor != 0 { close(descriptor) } }

    /// Fills memory as far as possible: a slow pipe gives no small pieces. Returns the number of bytes, 0 at the end.
    package mutating func fill(_ memory: UnsafeMutableRawBufferPointer) throws(FileError) -> Int {
        var filled = 0
        while filled < memory.count, let base = memory.baseAddress {
            guard let count = try next(base + filled, memory.count - filled) else { continue }
            if count == 0 { break }
            filled += count
        }
        return filled
    }

    /// Reads once; `nil` if the pipe has no bytes yet.
    private mutating func next(_ memory: UnsafeMutableRawPointer, _ size: Int) throws(FileError) -> Int? {
        guard let deadline = writerDeadline else {
            return try FileCall.read.make(on: path) { read(descriptor, memory, size) }
        }
        // EAGAIN: the pipe has a writer, which has written nothing yet.
        let count = try FileCall.read.make(on: path, accepting: [EAGAIN]) { read(descriptor, memory, size) }
        guard count != 0 else {
            // Without a writer, a read returns the end.
            try NamedPipe.wait(until: deadline, FileError(.read, path: path, code: ETIMEDOUT))
            return nil
        }
        // From now on, reading blocks for the writer.
        NamedPipe.block(descriptor)
        writerDeadline = nil
        return count > 0 ? count : nil
    }

    /// The bytes of a path, `-` for standard input; at most one more than `limit`, as in `FileAccess.read`.
    package static func bytes(of path: String, limit: Int) throws(FileError) -> [UInt8] {
        var file = try InputFile(path)
        var bytes: [UInt8] = []
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
        defer { buffer.deallocate() }
        while bytes.count <= limit {
            let count = try file.fill(buffer)
            guard count > 0 else { break }
            let room = limit - bytes.count
            bytes += buffer[..<(count > room ? room + 1 : count)]
        }
        return bytes
    }
}

/// Named pipes, whose other end another program opens.
package enum NamedPipe {
    /// The seconds to wait for the other program.
    @TaskLocal package static var seconds = 60.0

    /// Whether a path is a named pipe. The pipes of a shell's `<(…)` have both ends from the start.
    static func isAt(_ path: String) -> Bool {
        var status = stat()
        let isOfProcess = path.hasPrefix("/dev/") || path.hasPrefix("/proc/")
        return path != "-" && !isOfProcess && stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
    }

    static var deadline: ContinuousClock.Instant { .now + .seconds(seconds) }

    /// Waits a moment; throws the error after the deadline.
    static func wait(until deadline: ContinuousClock.Instant, _ error: FileError) throws(FileError) {
        guard ContinuousClock.now < deadline else { throw error }
        usleep(20_000)
    }

    /// Opens a pipe for writing, as soon as a program has opened it for reading; `name` is the path for errors.
    static func openForWriting(_ path: String, naming name: String) throws(FileError) -> Int32 {
        let deadline = deadline
        while true {
            let pipe = try FileCall.create.make(on: name, accepting: [ENXIO]) {
                Int(open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK))
            }
            guard pipe < 0 else {
                block(Int32(pipe))
                return Int32(pipe)
            }
            try wait(until: deadline, FileError(.create, path: name, code: ETIMEDOUT))
        }
    }

    /// From now on, calls wait for the other program without a limit.
    fileprivate static func block(_ descriptor: Int32) {
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK)
    }
}

/// A file for data that doesn't fit into memory. It has no name, so nothing is left when its process ends. Values are
/// stored in their memory layout: no other process reads them.
package final class ScratchFile {
    /// The position of an array in the file.
    package struct Stored<Element: BitwiseCopyable>: Sendable { fileprivate let offset, count: Int }

    private let folder: String
    private let descriptor: Int32
    private var end = 0

    package init(in folder: String) throws(FileError) {
        self.folder = folder
        descriptor = try TemporaryFile(beside: "\(folder)/scratch", naming: folder).detach()
    }

    deinit { close(descriptor) }

    package func append<Element>(_ elements: [Element]) throws(FileError) -> Stored<Element> {
        let stored = Stored<Element>(offset: end, count: elements.count)
        var written = 0
        let size = elements.count * MemoryLayout<Element>.stride
        while written < size {
            written += try FileCall.write.make(on: folder) {
                elements.withUnsafeBytes { bytes in
                    let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
                    return pwrite(descriptor, rest.baseAddress, rest.count, off_t(end + written))
                }
            }
        }
        end += size
        return stored
    }

    package func read<Element>(_ stored: Stored<Element>) throws(FileError) -> [Element] {
        let size = stored.count * MemoryLayout<Element>.stride
        var fault: FileError?
        let elements = [Element](unsafeUninitializedCapacity: stored.count) { buffer, count in
            let bytes = UnsafeMutableRawBufferPointer(buffer)
            var read = 0
            do throws(FileError) {
                while read < size {
                    let more = try FileCall.read.make(on: folder) {
                        let rest = UnsafeMutableRawBufferPointer(rebasing: bytes[read..<size])
                        return pread(descriptor, rest.baseAddress, rest.count, off_t(stored.offset + read))
                    }
                    guard more > 0 else { throw FileError(.read, path: folder, code: EIO) }
                    read += more
                }
                count = stored.count
            } catch {
                fault = error
            }
        }
        if let fault { throw fault }
        return elements
    }
}
