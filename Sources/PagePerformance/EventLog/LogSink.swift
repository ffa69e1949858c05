import LibC
#if canImport(os)
import os
#endif

/// Where the lines of a log go. Only the log's own thread calls it, one call after the other.
public protocol LogSink: Sendable {
    /// Begins a part of a run; `false`: it already exists, of an earlier launch, and nothing was begun.
    mutating func begin(run: String, part: String) throws(LogSinkError) -> Bool

    /// Takes whole lines, each with its line feed, in UTF-8; when it returns, they are where the sink brings them.
    mutating func write(_ lines: [UInt8]) throws(LogSinkError)

    /// Ends the part that was begun last.
    mutating func end()

    /// How many files of earlier launches it removed to stay within its bounds.
    var removedFiles: Int { get }

    /// The file that is written; `nil` where there is none.
    var currentPath: String? { get }
}

extension LogSink {
    /// Begins every part without ado.
    public mutating func begin(run: String, part: String) throws(LogSinkError) -> Bool { true }

    /// Does nothing.
    public mutating func end() {}

    /// None.
    public var removedFiles: Int { 0 }

    /// None.
    public var currentPath: String? { nil }
}

/// Why a log can't be written.
public enum LogSinkError: Error, Hashable, Sendable {
    /// A folder or file can't be made; with its path, and the system's number for the cause (`errno`).
    case cannotCreate(path: String, code: CInt)
    /// Lines can't be written; with the path, and the system's number for the cause (`errno`).
    case cannotWrite(path: String, code: CInt)
    /// A sink of one's own failed; in its words.
    case failed(String)
    /// The system gave no thread to write on.
    case noThread
}

extension LogSinkError: CustomStringConvertible {
    /// One or two sentences, the last of which says what to do.
    public var description: String {
        switch self {
        case .cannotCreate(let path, let code):
            "\(path) can't be created (errno \(code)). Give the log a folder that the app may write to."
        case .cannotWrite(let path, let code):
            "\(path) can't be written (errno \(code)). Make room on the disk and run again."
        case .failed(let reason): "\(reason) Check the sink that was given to the log."
        case .noThread: "The system gave no thread for the log. Run again with fewer threads."
        }
    }
}

/// Writes each part to a file of its own in one folder, and never over a file that is there.
///
/// The files are named `<run>_<part>.ndjson`, where characters other than letters, digits, `-` and `.` become `-`. The
/// folder keeps so many files and bytes as `LogRetention` allows, and is in no backup; on iOS its files can be written
/// while the device is locked, once it was unlocked after its start.
public struct FileSink: LogSink {
    /// The folder, which is made if it isn't there.
    public let folder: String
    /// Whether the disk must have the lines too, and not only the system: then they outlive a crash of the device.
    public let synchronizes: Bool
    /// What the folder keeps.
    public let retention: LogRetention
    /// How many files of earlier launches it removed.
    public private(set) var removedFiles = 0

    private var file: FileDescriptor?
    private var path = ""
    private var size = 0

    /// Makes a sink for a folder.
    public init(folder: String, synchronizes: Bool = false, retention: LogRetention = LogRetention()) {
        self.folder = folder
        self.synchronizes = synchronizes
        self.retention = retention
    }

    /// The path of the file that a part has.
    public func path(run: String, part: String) -> String {
        "\(folder)/\(Self.slug(run))_\(Self.slug(part)).ndjson"
    }

    /// The file that is written, or was last.
    public var currentPath: String? { path.isEmpty ? nil : path }

    /// Makes the part's file; `false`: there is one.
    public mutating func begin(run: String, part: String) throws(LogSinkError) -> Bool {
        if let code = Self.createFolder(folder) { throw .cannotCreate(path: folder, code: code) }
        LogFolder.protect(folder)
        removedFiles += retention.apply(to: folder)
        path = path(run: run, part: part)
        size = 0
        let number = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0o644)
        if number < 0, errno == EEXIST { return false }
        if number < 0 { throw .cannotCreate(path: path, code: errno) }
        // While it is written, no reader takes it for a whole part, in this process or another.
        flock(number, LOCK_EX | LOCK_NB)
        file = FileDescriptor(number: number)
        return true
    }

    /// Writes the lines, or none of them.
    public mutating func write(_ lines: [UInt8]) throws(LogSinkError) {
        guard let file else { return }
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

    /// Makes a folder with those above it; the cause (`errno`) if that fails, else `nil`.
    private static func createFolder(_ path: String) -> CInt? {
        if mkdir(path, 0o755) == 0 || errno == EEXIST { return nil }
        guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return errno }
        return createFolder(String(path[..<slash])) ?? (mkdir(path, 0o755) == 0 || errno == EEXIST ? nil : errno)
    }

    private static func slug(_ name: String) -> String {
        let safe = name.utf8.prefix(80).map { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."):
                byte
            default: UInt8(ascii: "-")
            }
        }
        return String(decoding: safe, as: UTF8.self)
    }
}

/// An open file, by the number that the system gave it.
struct FileDescriptor: Sendable {
    let number: CInt

    /// The standard error of the process.
    static let standardError = FileDescriptor(number: 2)

    /// Writes all bytes; the cause (`errno`) if the system doesn't take them, else `nil`.
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
/// Gives each line to the system's log, to watch a device with Console; the system cuts lines of more than 1 kB.
public struct SystemLogSink: LogSink {
    private let log: OSLog

    /// Makes a sink; lines appear under the subsystem's name and the category `perfgate`.
    public init(subsystem: String) {
        log = OSLog(subsystem: subsystem, category: "perfgate")
    }

    /// Gives the lines to the system.
    public func write(_ lines: [UInt8]) {
        for line in lines.split(separator: UInt8(ascii: "\n")) {
            os_log("%{public}s", log: log, type: .default, String(decoding: line, as: UTF8.self))
        }
    }
}
#endif

/// Gives each line to a closure, such as that of an app's own analytics.
public struct ClosureSink: LogSink {
    private let body: @Sendable (String) -> Void

    /// Makes a sink; `body` gets one JSON object at a time, without a line feed, on the log's thread.
    public init(_ body: @escaping @Sendable (String) -> Void) {
        self.body = body
    }

    /// Gives the lines to the closure.
    public func write(_ lines: [UInt8]) {
        for line in lines.split(separator: UInt8(ascii: "\n")) { body(String(decoding: line, as: UTF8.self)) }
    }
}
