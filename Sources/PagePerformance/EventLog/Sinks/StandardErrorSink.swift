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
