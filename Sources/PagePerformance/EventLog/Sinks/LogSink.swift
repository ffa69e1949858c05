/// Where the lines of a log go. Only the log's own thread calls it, one call after the other.
public protocol LogSink: Sendable {
    /// Begins a part of a run; `false`: it is there already, of an earlier launch, and nothing was begun.
    mutating func begin(run: String, part: String) throws(LogSinkError) -> Bool

    /// Takes whole lines, each with its line feed, in UTF-8; when it returns, they are where the sink brings them.
    mutating func write(_ lines: [UInt8]) throws(LogSinkError)

    /// Ends the part that was begun last.
    mutating func end()
}

extension LogSink {
    /// Begins every part without ado.
    public mutating func begin(run: String, part: String) throws(LogSinkError) -> Bool { true }

    /// Does nothing.
    public mutating func end() {}
}
