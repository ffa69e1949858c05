import LibC
#if canImport(Darwin)
import Foundation
#endif

/// The location of an app's logs.
public enum LogFolder: Hashable, Sendable {
    /// `Library/Application Support/perfgate` in the app's container.
    case applicationSupport
    /// `Documents/perfgate` in the app's container, which the user may be able to see.
    case documents
    /// `perfgate` in the container of an app group, which extensions and UI tests share with the app.
    case appGroup(String)
    case path(String)

    /// The folder's path; `nil` for an app group that the app doesn't belong to, and if the system has no such folder.
    public var path: String? {
        switch self {
        case .path(let path): return path
        #if canImport(Darwin)
        case .applicationSupport: return NSHomeDirectory() + "/Library/Application Support/perfgate"
        case .documents: return NSHomeDirectory() + "/Documents/perfgate"
        case .appGroup(let group):
            let folder = FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: group)
            return folder.map { $0.path + "/perfgate" }
        #else
        case .applicationSupport: return Self.home.map { $0 + "/Library/Application Support/perfgate" }
        case .documents: return Self.home.map { $0 + "/Documents/perfgate" }
        case .appGroup: return nil
        #endif
        }
    }

    #if !canImport(Darwin)
    private static var home: String? { getenv("HOME").map { String(cString: $0) } }
    #endif

    /// Excludes a folder from backups, and allows writes to its files while the device is locked. Failures are ignored:
    /// a log in a backup is better than none.
    static func protect(_ path: String) {
        #if canImport(Darwin)
        var url = URL(fileURLWithPath: path, isDirectory: true)
        var values = URLResourceValues()
        values.isExcludedFromBackup = true
        try? url.setResourceValues(values)
        #if os(iOS) || os(tvOS)
        try? FileManager.default.setAttributes(
            [.protectionKey: FileProtectionType.completeUntilFirstUserAuthentication], ofItemAtPath: path)
        #endif
        #endif
    }

    /// Removes all logs in a folder, such as when a user takes back the consent, and returns their number. Called in
    /// the completion of `EventLog.endPart(_:)`, it also removes this launch's parts. A part that another process
    /// writes at that moment is removed too; that process goes on in another part.
    @discardableResult
    public static func removeLogs(in folder: String) -> Int {
        parts(in: folder, isWhole: false).count { unlink($0.path) == 0 }
    }

    /// The parts in a folder, the oldest first; `isWhole` leaves out parts that a process may still write.
    static func parts(in folder: String, isWhole: Bool) -> [Part] {
        guard let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var parts: [Part] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { tuple in
                tuple.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: tuple.pointee)) {
                    String(cString: $0)
                }
            }
            guard name.hasSuffix(".ndjson") || name.contains(".ndjson.") && name.hasSuffix(Part.sending) else {
                continue
            }
            if let part = Part("\(folder)/\(name)"), part.isWhole || !isWhole { parts.append(part) }
        }
        return parts.sorted { ($0.changed, $0.path) < ($1.changed, $1.path) }
    }

    struct Part {
        /// The ending of the name of a part while a process sends it; before it stands the process's number.
        static let sending = ".sending"
        /// The time without a change after which a part without an end is taken for that of a killed process. An app ends its
        /// part when it enters the background; if another still goes on after that time, it does so in another part.
        static let patience = 3_600 * 1_000_000_000
        /// The longest `end` line that is looked for.
        private static let tail = 1 << 10

        var path: String
        /// When it was last written, in ns since 1970.
        let changed: Int
        /// When it was last written, or claimed.
        private let touched: Int
        let bytes: Int
        let hasEnd: Bool

        /// Whether no process writes it any more.
        var isWhole: Bool { (isClaimed ? path.hasSuffix(".\(getpid())\(Self.sending)") : hasEnd) || isOld }

        private var isOld: Bool { Int(Nanoseconds(reading: CLOCK_REALTIME).count) - touched >= Self.patience }

        /// Whether a process sends it, or was killed meanwhile.
        var isClaimed: Bool { path.hasSuffix(Self.sending) }

        /// The file's name before a process claimed it.
        var name: String { original.split(separator: "/").last.map(String.init) ?? "" }

        /// The path before a process claimed it.
        var original: String {
            guard isClaimed else { return path }
            return String(path.dropLast(Self.sending.count).reversed().drop { $0 != "." }.dropFirst().reversed())
        }

        /// Reads a file's attributes; `nil` if it isn't a regular file.
        init?(_ path: String) {
            let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
            guard file >= 0 else { return nil }
            defer { close(file) }
            var status = stat()
            guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
            self.path = path
            bytes = Int(status.st_size)
            hasEnd = Self.endsStream(file, bytes: bytes)
            #if canImport(Darwin)
            let (time, move) = (status.st_mtimespec, status.st_ctimespec)
            #else
            let (time, move) = (status.st_mtim, status.st_ctim)
            #endif
            changed = Int(time.tv_sec) * 1_000_000_000 + Int(time.tv_nsec)
            touched = path.hasSuffix(Self.sending) ? Int(move.tv_sec) * 1_000_000_000 + Int(move.tv_nsec) : changed
        }

        /// Whether the last line of a file is the end of a stream.
        private static func endsStream(_ file: CInt, bytes: Int) -> Bool {
            var buffer = [UInt8](repeating: 0, count: min(bytes, tail))
            let count = pread(file, &buffer, buffer.count, off_t(bytes - buffer.count))
            guard count == buffer.count, buffer.last == UInt8(ascii: "\n") else { return false }
            let last = buffer.dropLast().split(separator: UInt8(ascii: "\n")).last ?? []
            return last.starts(with: Array(#"{"type":"end","#.utf8))
        }
    }
}

/// The bounds of a folder of logs; the oldest files are removed first; a file that a process still writes stays.
public struct LogRetention: Hashable, Sendable {
    /// The most files that a launch keeps besides its own.
    public var files: Int
    /// The most bytes of these files together.
    public var bytes: Int

    /// Sets both bounds.
    public init(files: Int = 200, bytes: Int = 256 << 20) { (self.files, self.bytes) = (files, bytes) }

    /// Removes the files beyond the bounds; returns their number.
    func apply(to folder: String) -> Int {
        let parts = LogFolder.parts(in: folder, isWhole: true)
        var (count, size) = (parts.count, parts.reduce(0) { $0 + $1.bytes })
        var removed = 0
        for part in parts where count > max(0, files) || size > max(0, bytes) {
            guard unlink(part.path) == 0 else { continue }
            removed += 1
            count -= 1
            size -= part.bytes
        }
        return removed
    }
}

/// Sends the closed parts of a log one after the other, and removes each part that arrived.
///
///     let uploader = LogUploader(folder: folder) { batch in await send(batch.path) }
///     await uploader.upload()                 // at launch, and when the app enters the background
///
/// A part that didn't arrive stays, and the next call retries it, also after a relaunch. Each part waits for the answer
/// to the previous part, so on a slow network files only accumulate, within `LogRetention`. The size of a part is
/// `EventLogOptions.partSize`. A part that a process may still write is not sent: it has no `end` line, and was changed
/// within the last hour.
public actor LogUploader {
    /// A closed part of a log.
    public struct Batch: Hashable, Sendable {
        /// The file: lines of JSON, beginning with the launch's `run` line. It has this name while it is sent.
        public let path: String
        /// The part's own name, by which a server recognises a part that arrives twice.
        public let name: String
        /// The file's length in bytes.
        public let bytes: Int
    }

    /// The outcome of a call.
    public struct Outcome: Hashable, Sendable {
        /// The parts that arrived and were removed.
        public internal(set) var sent = 0
        /// The parts that remain.
        public internal(set) var kept = 0
    }

    private let folder: String
    private let send: @Sendable (Batch) async -> Bool
    private var isRunning = false

    /// Makes an uploader for the logs in a folder; `send` returns whether a part arrived.
    public init(folder: String, send: @escaping @Sendable (Batch) async -> Bool) {
        (self.folder, self.send) = (folder, send)
    }

    /// Sends all whole parts, the oldest first, until a part doesn't arrive; a concurrent call sends nothing.
    /// - Parameter isAllowed: Whether the next part may be sent, such as the user's consent.
    @discardableResult
    public func upload(while isAllowed: @Sendable () -> Bool = { true }) async -> Outcome {
        let parts = LogFolder.parts(in: folder, isWhole: true)
        var outcome = Outcome(sent: 0, kept: parts.count)
        guard !isRunning else { return outcome }
        isRunning = true
        defer { isRunning = false }
        for part in parts {
            guard isAllowed() else { break }
            guard let path = Self.claim(part) else { continue }
            guard await send(Batch(path: path, name: part.name, bytes: part.bytes)) else {
                rename(path, part.original)
                break
            }
            if unlink(path) == 0 || errno == ENOENT {
                outcome.sent += 1
                outcome.kept -= 1
            }
        }
        return outcome
    }

    /// The path of a part that is about to be sent, under another name: no other process sends it too, and a process that
    /// writes it after all notices, and goes on in another part. `nil` if somebody else was faster.
    private static func claim(_ part: LogFolder.Part) -> String? {
        let path = "\(part.original).\(getpid())\(LogFolder.Part.sending)"
        return part.path == path || rename(part.path, path) == 0 ? path : nil
    }
}
