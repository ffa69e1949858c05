#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Writes each part to a file of its own in one folder, and never over a file that is there.
///
/// The files are named `<run>_<part>.ndjson`, where characters other than letters, digits, `-` and `.` become `-`.
public struct FileSink: LogSink {
    /// The folder, which is made if it isn't there.
    public let folder: String
    /// Whether the disk must have the lines too, and not only the system: then they outlive a crash of the device.
    public let synchronizes: Bool

    private var file: FileDescriptor?
    private var path = ""
    private var size = 0

    /// Makes a sink for a folder.
    public init(folder: String, synchronizes: Bool = false) {
        self.folder = folder
        self.synchronizes = synchronizes
    }

    /// The path of the file that a part has.
    public func path(run: String, part: String) -> String {
        "\(folder)/\(Self.slug(run))_\(Self.slug(part)).ndjson"
    }

    /// Makes the part's file; `false`: there is one.
    public mutating func begin(run: String, part: String) throws(LogSinkError) -> Bool {
        if let code = Self.createFolder(folder) { throw .cannotCreate(path: folder, code: code) }
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
        if let code = file.writeAll(lines) {
            ftruncate(file.number, numericCast(size))
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
