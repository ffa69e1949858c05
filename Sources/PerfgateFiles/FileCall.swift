import LibC

/// A call to the file system. Each one that changes something goes through here, so that a test can make it fail.
package enum FileCall: String, Sendable, Hashable, CaseIterable {
    case list, read, create, write, synchronise, close, rename, remove, lock
    case makeFolder = "make the folder"
    case setMode = "set the mode"

    /// For tests: gives the `errno` with which a call on a path fails instead of being made; `nil`: it is made.
    @TaskLocal package static var fault: (@Sendable (FileCall, String) -> Int32?)?

    /// Makes the call, again while a signal interrupts it; `-1` is its failure.
    ///
    /// - Parameter path: The path that an error names.
    @discardableResult
    func make(on path: String, _ call: () -> Int) throws(FileError) -> Int {
        try refuse(on: path)
        while true {
            let result = call()
            if result != -1 { return result }
            let code = errno
            // A descriptor whose close was interrupted is closed.
            guard code == EINTR else { throw FileError(self, path: path, code: code) }
            if self == .close { return 0 }
        }
    }

    /// Fails where a test wants that.
    func refuse(on path: String) throws(FileError) {
        if let code = Self.fault?(self, path) { throw FileError(self, path: path, code: code) }
    }
}

/// A call to the file system that failed.
package struct FileError: Error, Hashable, Sendable {
    /// The call.
    package let call: FileCall
    /// The path, as it was given; `-` is standard output.
    package let path: String
    /// The `errno`.
    package let code: Int32
    /// Who holds the lock that was waited for; `nil`: that isn't known, or isn't the reason.
    package let holder: String?

    /// Makes an error of its parts.
    package init(_ call: FileCall, path: String, code: Int32, holder: String? = nil) {
        self.call = call
        self.path = path
        self.code = code
        self.holder = holder
    }
}

extension FileError: CustomStringConvertible {
    /// The error as `path: what failed: why; what to do`.
    package var description: String {
        "\(path == "-" ? "standard output" : path): \(problem)"
    }

    /// The error without the path.
    package var problem: String {
        if call == .lock, code == ETIMEDOUT {
            return "can't lock: \(holder ?? "another process") has been changing it for long; wait until that ends, or "
                + "end it"
        }
        return "can't \(call.rawValue): \(String(cString: strerror(code))); \(advice)"
    }

    private var advice: String {
        switch code {
        case ENOSPC: "free some space, or give a path on another disk"
        case EDQUOT: "your quota of the disk is used up: free some space, or give a path on another disk"
        case EFBIG: "raise the limit on the size of files (ulimit -f), or give a path on another disk"
        case EROFS: "give a path on a disk that can be written"
        case EACCES, EPERM: "change the permissions of the file and its folder, or give another path"
        case ENOENT where call == .read: "check the path"
        case ENOENT: "make its folder, or give another path"
        case ENOTDIR: "a file stands where the path has a folder: give another path"
        case EISDIR: "it is a folder: give the path of a file in it"
        case EEXIST: "a file stands where a folder is needed: remove it, or give another path"
        case ENAMETOOLONG: "give a shorter path"
        case EPIPE: "its reader ended: look where it goes, and run again"
        default: "check that the path is right and that you may use it"
        }
    }
}
