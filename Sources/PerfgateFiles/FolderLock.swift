import Foundation
import LibC

/// Keeps other processes from changing the files of a folder.
///
/// The lock is on the folder itself, so that it ends with the process, also with one that is killed. A hidden file in the
/// folder says who holds it, for those who wait; it means nothing once the lock is free.
package struct FolderLock {
    private let descriptor: Int32
    private let note: String

    /// The name of the file that says who holds the lock.
    package static let noteName = ".perfgate-lock"
    /// For how many seconds a lock is waited for where the variable `PERFGATE_LOCK_SECONDS` doesn't say.
    package static let usualPatience = 60.0
    /// How long a process sleeps before it asks again, in microseconds.
    private static let pause: UInt32 = 20_000
    /// The most bytes that are read of the file that names the holder.
    private static let mostNoteBytes = 300

    /// Waits until no one else holds the lock, then takes it; fails with `ETIMEDOUT` where that takes too long.
    package init(_ folder: String) throws(FileError) {
        let descriptor = Int32(try FileCall.lock.make(on: folder) { Int(open(folder, O_RDONLY | O_CLOEXEC)) })
        self.descriptor = descriptor
        note = "\(folder)/\(Self.noteName)"
        do throws(FileError) {
            try Self.take(descriptor, of: folder, note)
        } catch {
            close(descriptor)
            throw error
        }
        Self.write(note)
    }

    /// Takes the lock of the folder that a file is in, which may be a link or not be there yet.
    package init(besideFile path: String) throws(FileError) {
        try self.init(FileAccess.folder(of: try FileAccess.target(of: path)))
    }

    /// Gives the lock back.
    package func release() {
        unlink(note)
        close(descriptor)
    }

    private static func take(_ descriptor: Int32, of folder: String, _ note: String) throws(FileError) {
        let start = ProcessInfo.processInfo.systemUptime
        let patience = self.patience
        while true {
            do throws(FileError) {
                try FileCall.lock.make(on: folder) { Int(flock(descriptor, LOCK_EX | LOCK_NB)) }
                return
            } catch {
                // Some network file systems know no locks.
                if error.code == ENOTSUP { return }
                guard error.code == EWOULDBLOCK else { throw error }
            }
            guard ProcessInfo.processInfo.systemUptime - start < patience else {
                throw FileError(.lock, path: folder, code: ETIMEDOUT, holder: holder(note))
            }
            usleep(pause)
        }
    }

    private static var patience: Double {
        let text = ProcessInfo.processInfo.environment["PERFGATE_LOCK_SECONDS"]
        return text.flatMap { Double($0) }.flatMap { $0 >= 0 ? $0 : nil } ?? usualPatience
    }

    /// Says who this is; that it can't be said is no failure. A link isn't followed: it would lead anywhere.
    private static func write(_ note: String) {
        let file = open(note, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0o644)
        guard file >= 0 else { return }
        defer { close(file) }
        let words = CommandLine.arguments
        let command = ([words.first?.split(separator: "/").last.map(String.init) ?? ""] + words.dropFirst().prefix(2))
            .joined(separator: " ")
        try? FileAccess.write(Array("process \(getpid()) (\(command))".utf8), to: file, path: note)
    }

    private static func holder(_ note: String) -> String? {
        guard let bytes = try? FileAccess.read(note), !bytes.isEmpty else { return nil }
        return String(decoding: bytes.prefix(mostNoteBytes), as: UTF8.self)
    }
}
