import LibC

/// A file system call. All changes go through here, so tests can make them fail.
package enum FileCall: String, Sendable, Hashable, CaseIterable {
    case list, read, create, write, synchronise, close, rename, remove, lock
    case makeFolder = "make the folder"
    case setMode = "set the mode"

    /// For tests: returns the `errno` with which a call on a path fails; `nil`: the call is made.
    @TaskLocal package static var fault: (@Sendable (FileCall, String) -> Int32?)?

    /// For tests: the most bytes that one call writes.
    @TaskLocal package static var mostWritten = Int.max

    /// Makes the call and repeats it if a signal interrupts it; `-1` is a failure. The path is for errors.
    @discardableResult
    func make(on path: String, _ call: () -> Int) throws(FileError) -> Int {
        try refuse(on: path)
        while true {
            let result = call()
            if result != -1 { return result }
            let code = errno
            // A descriptor is closed even if its close was interrupted.
            guard code == EINTR else { throw FileError(self, path: path, code: code) }
            if self == .close { return 0 }
        }
    }

    /// Throws if a test injects a failure.
    func refuse(on path: String) throws(FileError) {
        if let code = Self.fault?(self, path) { throw FileError(self, path: path, code: code) }
    }
}

package struct FileError: Error, Hashable, Sendable {
    package let call: FileCall
    /// The path as it was given; `-` is standard output.
    package let path: String
    /// The `errno`.
    package let code: Int32
    /// The holder of the lock that was waited for; `nil`: unknown, or not the reason.
    package let holder: String?

    package init(_ call: FileCall, path: String, code: Int32, holder: String? = nil) {
        (self.call, self.path, self.code, self.holder) = (call, path, code, holder)
    }
}

extension FileError: CustomStringConvertible {
    /// The error as `path: call: reason; advice`.
    package var description: String { "\(path == "-" ? "standard output" : path): \(problem)" }

    /// The error without the path.
    package var problem: String {
        if call == .lock, code == ETIMEDOUT {
            return "can't lock: \(holder ?? "another process") has been changing it for long; wait until that ends, or "
                + "end it"
        }
        return "can't \(call.rawValue): \(reason); \(advice)"
    }

    /// What the system says, or that a named pipe has no other end.
    package var reason: String {
        guard code == ETIMEDOUT, call == .read || call == .create else { return String(cString: strerror(code)) }
        let purpose = call == .read ? "writing" : "reading"
        return "no program has opened the pipe for \(purpose) within \(Int(NamedPipe.seconds)) seconds"
    }

    private var advice: String {
        switch code {
        case ENOSPC: "free some space, or give a path on another disk"
        case EDQUOT: "your disk quota is used up: free some space, or give a path on another disk"
        case EFBIG: "raise the limit on the size of files (ulimit -f), or give a path on another disk"
        case EROFS: "give a path on a writable disk"
        case EACCES, EPERM: "change the permissions of the file and its folder, or give another path"
        case ENOENT where call == .read: "check the path"
        case ENOENT: "make its folder, or give another path"
        case ENOTDIR: "the path uses a file as a folder: give another path"
        case EISDIR: "it is a folder: give the path of a file in it"
        case EEXIST: "there is a file instead of a folder: remove it, or give another path"
        case ETIMEDOUT: "start that program, or give the path of a file"
        case ENAMETOOLONG: "give a shorter path"
        case EPIPE: "its reader ended: check the reader, and run again"
        default: "check the path and its permissions"
        }
    }
}
