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

/// The file name for a page or the folder name for an environment: a pure function of the true name. It consists of
/// ASCII letters, digits, `-` and `_`, which every file system preserves. A name that equals its slug is used alone;
/// every other gets a hash of its UTF-8 bytes, so names also differ on disks that ignore case.
package struct FileName: Sendable, Hashable, CustomStringConvertible {
    /// The name without extension, 1 to 80 bytes.
    package let text: String

    /// The longest name, in bytes, and the number of digits of its hash.
    package static let (limit, hashLength) = (80, 12)

    package init(for name: String) {
        let slug = Self.slug(of: name)
        guard Self.needsHash(name, slug: slug) else {
            text = name
            return
        }
        let readable = slug.isEmpty ? "unnamed" : slug.prefix(Self.limit - Self.hashLength - 1)
        var hash = UInt64(fnv1a: name.utf8)
        // MurmurHash3's finaliser.
        hash = (hash ^ (hash >> 33)) &* 0xFF51_AFD7_ED55_8CCD
        hash = (hash ^ (hash >> 33)) &* 0xC4CE_B9FE_1A85_EC53
        text = "\(readable)-\((hash ^ (hash >> 33)).upperDigits)"
    }

    private static func needsHash(_ name: String, slug: String) -> Bool {
        slug.isEmpty || slug.utf8.count > limit || !slug.utf8.elementsEqual(name.utf8)
            || slug.utf8.contains { $0 &- UInt8(ascii: "A") < 26 } || reserved.contains(slug) || endsLikeAHash(slug)
    }

    /// The name with every run of other bytes replaced by one hyphen, without hyphens at its ends.
    private static func slug(of name: String) -> String {
        var bytes: [UInt8] = []
        for byte in name.utf8 {
            if isSafe(byte) {
                bytes.append(byte)
            } else if bytes.last != UInt8(ascii: "-") {
                bytes.append(UInt8(ascii: "-"))
            }
        }
        while bytes.last == UInt8(ascii: "-") { bytes.removeLast() }
        return String(decoding: bytes.drop { $0 == UInt8(ascii: "-") }, as: UTF8.self)
    }

    private static func isSafe(_ byte: UInt8) -> Bool {
        let isLetter = (byte | 0x20) &- UInt8(ascii: "a") < 26
        let isDigit = byte &- UInt8(ascii: "0") < 10
        return isLetter || isDigit || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
    }

    /// Whether a slug could equal another text's name with its hash; then it also gets a hash.
    private static func endsLikeAHash(_ slug: String) -> Bool {
        let end = slug.utf8.suffix(hashLength + 1)
        return end.count == hashLength + 1 && end.first == UInt8(ascii: "-")
            && end.dropFirst().allSatisfy { $0 &- UInt8(ascii: "0") < 10 || $0 &- UInt8(ascii: "a") < 6 }
    }

    /// The device names that Windows reserves in every folder.
    private static let reserved: Set<String> = Set(
        ["con", "prn", "aux", "nul"] + (0...9).flatMap { ["com\($0)", "lpt\($0)"] })

    package var description: String { text }
}

extension UInt64 {
    /// 64-bit FNV-1a (G. Fowler, L. C. Noll, K.-P. Vo).
    package init(fnv1a bytes: some Sequence<UInt8>) {
        self = bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }

    /// The upper 48 bits as 12 hexadecimal digits.
    package var upperDigits: String {
        let digits = String(self >> 16, radix: 16)
        return String(repeating: "0", count: 12 - digits.utf8.count) + digits
    }
}
