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
