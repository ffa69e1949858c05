import Foundation
import LibC

/// Prevents other processes from changing the files of a folder. The lock is on the folder itself, so it ends with the
/// process, even if that is killed. A hidden file in the folder names the holder for waiting processes; it is
/// meaningless when the lock is free.
package struct FolderLock {
    private let descriptor: Int32
    private let note: String
    package static let noteName = ".perfgate-lock"
    /// The default waiting time for a lock in seconds; the variable `PERFGATE_LOCK_SECONDS` overrides it.
    package static let usualPatience = 60.0
    /// The pause between attempts, in microseconds.
    private static let pause: UInt32 = 20_000
    /// The most bytes read from the file that names the holder.
    private static let mostNoteBytes = 300

    /// Waits so many seconds until the lock is free, then takes it; throws `ETIMEDOUT` after too long.
    /// - Parameter isInherited: Whether programs that the process starts hold it, too, until they end.
    package init(_ folder: String, patience: Double? = nil, isInherited: Bool = false) throws(FileError) {
        let flags = O_RDONLY | (isInherited ? 0 : O_CLOEXEC)
        descriptor = Int32(try FileCall.lock.make(on: folder) { Int(open(folder, flags)) })
        note = "\(folder)/\(Self.noteName)"
        do throws(FileError) {
            try take(folder, patience ?? Self.patience)
        } catch {
            close(descriptor)
            throw error
        }
        writeNote()
    }

    /// Takes the lock of a file's folder; the file may be a link or not exist yet.
    package init(besideFile path: String) throws(FileError) {
        try self.init(FileAccess.folder(of: try FileAccess.target(of: path)))
    }

    package func release() {
        unlink(note)
        close(descriptor)
    }

    private func take(_ folder: String, _ patience: Double) throws(FileError) {
        let start = ProcessInfo.processInfo.systemUptime
        while true {
            do throws(FileError) {
                try FileCall.lock.make(on: folder) { Int(flock(descriptor, LOCK_EX | LOCK_NB)) }
                return
            } catch {
                // Some network file systems don't support locks.
                if error.code == ENOTSUP { return }
                guard error.code == EWOULDBLOCK else { throw error }
            }
            guard ProcessInfo.processInfo.systemUptime - start < patience else {
                throw FileError(.lock, path: folder, code: ETIMEDOUT, holder: holder)
            }
            usleep(Self.pause)
        }
    }

    private static var patience: Double {
        let text = ProcessInfo.processInfo.environment["PERFGATE_LOCK_SECONDS"]
        return text.flatMap { Double($0) }.flatMap { $0 >= 0 ? $0 : nil } ?? usualPatience
    }

    /// Writes the holder's name; failures are ignored. Links aren't followed: they could lead anywhere.
    private func writeNote() {
        let file = open(note, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0o644)
        guard file >= 0 else { return }
        defer { close(file) }
        let words = CommandLine.arguments
        let program = words.first?.split(separator: "/").last.map(String.init) ?? ""
        let command = ([program] + words.dropFirst().prefix(2)).joined(separator: " ")
        try? FileAccess.write(Array("process \(getpid()) (\(command))".utf8), to: file, path: note)
    }

    private var holder: String? {
        guard let bytes = try? FileAccess.read(note), !bytes.isEmpty else { return nil }
        return String(decoding: bytes.prefix(Self.mostNoteBytes), as: UTF8.self)
    }
}
