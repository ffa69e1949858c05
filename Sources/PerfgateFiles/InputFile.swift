import LibC

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
        let count: Int
        do throws(FileError) {
            count = try FileCall.read.make(on: path) { read(descriptor, memory, size) }
        } catch {
            // The pipe has a writer, which has written nothing yet.
            guard writerDeadline != nil, error.code == EAGAIN else { throw error }
            awaitNoWriter()
            return nil
        }
        guard let deadline = writerDeadline else { return count }
        // Without a writer, a read returns the end.
        if count == 0 { try NamedPipe.wait(until: deadline, FileError(.read, path: path, code: ETIMEDOUT)) }
        if count > 0 { awaitNoWriter() }
        return count > 0 ? count : nil
    }

    /// From now on, reading blocks for the writer.
    private mutating func awaitNoWriter() {
        NamedPipe.block(descriptor)
        writerDeadline = nil
    }
}

extension InputFile {
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

    /// The instant until which this call waits for the other program.
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
            do throws(FileError) {
                let flags = O_WRONLY | O_CLOEXEC | O_NONBLOCK
                let descriptor = Int32(try FileCall.create.make(on: name) { Int(open(path, flags)) })
                block(descriptor)
                return descriptor
            } catch {
                guard error.code == ENXIO else { throw error }
            }
            try wait(until: deadline, FileError(.create, path: name, code: ETIMEDOUT))
        }
    }

    /// From now on, calls wait for the other program without a limit.
    fileprivate static func block(_ descriptor: Int32) {
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK)
    }
}
