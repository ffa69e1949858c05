import LibC
#if canImport(os)
import os
#endif

/// The destination of a log's lines. Only the log's own thread calls it, one call after the other.
public protocol LogSink: Sendable {
    /// Begins a part of a run; `false`: it already exists from an earlier launch, and nothing was begun.
    mutating func begin(run: String, part: String) throws(LogSinkError) -> Bool

    /// Takes whole lines, each with its line feed, in UTF-8; when it returns, they are at their destination.
    mutating func write(_ lines: [UInt8]) throws(LogSinkError)

    /// Ends the part that began last.
    mutating func end()

    /// The number of files of earlier launches that it removed to stay within its bounds.
    var removedFiles: Int { get }

    /// The file that it writes; `nil` without one.
    var currentPath: String? { get }
}

extension LogSink {
    /// Begins every part unconditionally.
    public mutating func begin(run: String, part: String) throws(LogSinkError) -> Bool { true }

    /// Does nothing.
    public mutating func end() {}

    /// None.
    public var removedFiles: Int { 0 }

    /// None.
    public var currentPath: String? { nil }
}

/// The reason why a log can't be written.
public enum LogSinkError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A folder or file can't be created; with its path and the system's error number (`errno`).
    case cannotCreate(path: String, code: CInt)
    /// Lines can't be written; with the path and the system's error number (`errno`).
    case cannotWrite(path: String, code: CInt)
    /// The file was removed while it was written: the log goes on in another part.
    case removed(path: String)
    /// A custom sink failed; with its own message.
    case failed(String)
    /// The system provided no thread for the writer.
    case noThread

    /// One or two sentences; the last is the remedy.
    public var description: String {
        switch self {
        case .cannotCreate(let path, let code):
            "\(path) can't be created (errno \(code)). Give the log a folder that the app may write to."
        case .cannotWrite(let path, let code):
            "\(path) can't be written (errno \(code)). Make room on the disk and run again."
        case .removed(let path): "\(path) was removed while it was written. Let only LogUploader remove parts."
        case .failed(let reason): "\(reason) Check the sink that was given to the log."
        case .noThread: "The system gave no thread for the log. Run again with fewer threads."
        }
    }
}

/// Writes each part to its own file in one folder, and never overwrites an existing file.
///
/// No file is locked, because iOS ends an app that is suspended with a lock in a shared container; a file belongs to one
/// launch of one process, and a part is whole once it has its `end` line. The files are named `<run>_<part>.ndjson`;
/// characters other than letters, digits, `-` and `.` become `-`. The folder keeps as many files and bytes as
/// `LogRetention` allows, and is in no backup. On iOS its files can be written while the device is locked, after its
/// first unlock.
public struct FileSink: LogSink {
    /// The folder, which is created if it doesn't exist.
    public let folder: String
    /// Whether lines are flushed to the disk, and not only passed to the system: then they survive a device crash.
    public let synchronizes: Bool
    /// The bounds of the folder.
    public let retention: LogRetention
    /// The number of files of earlier launches that it removed.
    public private(set) var removedFiles = 0

    private var file: FileDescriptor?
    private var path = ""
    private var size = 0

    /// Makes a sink for a folder.
    public init(folder: String, synchronizes: Bool = false, retention: LogRetention = LogRetention()) {
        (self.folder, self.synchronizes, self.retention) = (folder, synchronizes, retention)
    }

    /// The path of a part's file.
    public func path(run: String, part: String) -> String { "\(folder)/\(slug(run))_\(slug(part)).ndjson" }

    private func slug(_ name: String) -> String { String(plain: name.utf8.prefix(80), filler: "-") }

    /// The file that is being written, or was written last.
    public var currentPath: String? { path.isEmpty ? nil : path }

    /// Creates the part's file; `false`: it exists.
    public mutating func begin(run: String, part: String) throws(LogSinkError) -> Bool {
        if let code = Self.createFolder(folder) { throw .cannotCreate(path: folder, code: code) }
        LogFolder.protect(folder)
        removedFiles += retention.apply(to: folder)
        path = path(run: run, part: part)
        size = 0
        let number = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0o644)
        if number < 0, errno == EEXIST { return false }
        if number < 0 { throw .cannotCreate(path: path, code: errno) }
        file = FileDescriptor(number: number)
        return true
    }

    /// Writes the lines, or none of them.
    public mutating func write(_ lines: [UInt8]) throws(LogSinkError) {
        guard let file else { return }
        guard file.isAt(path) else { throw .removed(path: path) }
        if let code = file.writeAll(lines) {
            _ = ftruncate(file.number, numericCast(size))
            throw .cannotWrite(path: path, code: code)
        }
        size += lines.count
        if synchronizes, fsync(file.number) != 0 { throw .cannotWrite(path: path, code: errno) }
    }

    /// Closes the file.
    public mutating func end() {
        if let file { close(file.number) }
        file = nil
    }

    /// Creates a folder with its parents; the cause (`errno`) if that fails, else `nil`.
    private static func createFolder(_ path: String) -> CInt? {
        if mkdir(path, 0o755) == 0 || errno == EEXIST { return nil }
        guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return errno }
        return createFolder(String(path[..<slash])) ?? (mkdir(path, 0o755) == 0 || errno == EEXIST ? nil : errno)
    }
}

struct FileDescriptor: Sendable {
    let number: CInt

    static let standardError = FileDescriptor(number: 2)

    /// Whether a path still leads to the file.
    func isAt(_ path: String) -> Bool {
        var (own, found) = (stat(), stat())
        guard fstat(number, &own) == 0, lstat(path, &found) == 0 else { return false }
        return own.st_ino == found.st_ino && own.st_dev == found.st_dev
    }

    /// Writes all bytes; the cause (`errno`) if the system refuses them, else `nil`.
    func writeAll(_ bytes: [UInt8]) -> CInt? {
        bytes.withUnsafeBytes { buffer in
            var rest = buffer
            while !rest.isEmpty {
                let count = write(number, rest.baseAddress, rest.count)
                if count < 0, errno == EINTR { continue }
                if count < 0 { return errno }
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
            }
            return nil
        }
    }
}

/// Writes lines to the standard error of the process, where a console or a simulator's log shows them.
public struct StandardErrorSink: LogSink {
    /// Makes a sink.
    public init() {}

    /// Writes the lines.
    public func write(_ lines: [UInt8]) throws(LogSinkError) {
        guard let code = FileDescriptor.standardError.writeAll(lines) else { return }
        throw .cannotWrite(path: "standard error", code: code)
    }
}

#if canImport(os)
/// Writes each line to the system's log, to watch a device with Console; the system truncates lines above 1 kB.
public struct SystemLogSink: LogSink {
    private let log: OSLog

    /// Makes a sink; lines appear under the subsystem's name and the category `perfgate`.
    public init(subsystem: String) { log = OSLog(subsystem: subsystem, category: "perfgate") }

    /// Writes the lines to the system's log.
    public func write(_ lines: [UInt8]) {
        for line in lines.split(separator: UInt8(ascii: "\n")) {
            os_log("%{public}s", log: log, type: .default, String(decoding: line, as: UTF8.self))
        }
    }
}
#endif

/// Passes each line to a closure, such as an app's own analytics.
public struct ClosureSink: LogSink {
    private let body: @Sendable (String) -> Void

    /// Makes a sink; `body` receives one JSON object at a time, without a line feed, on the log's thread.
    public init(_ body: @escaping @Sendable (String) -> Void) { self.body = body }

    /// Passes the lines to the closure.
    public func write(_ lines: [UInt8]) {
        for line in lines.split(separator: UInt8(ascii: "\n")) { body(String(decoding: line, as: UTF8.self)) }
    }
}
