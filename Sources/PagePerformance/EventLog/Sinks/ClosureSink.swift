/// Gives each line to a closure, such as that of an app's own analytics.
public struct ClosureSink: LogSink {
    private let body: @Sendable (String) -> Void

    /// Makes a sink; `body` gets one JSON object at a time, without a line feed, on the log's thread.
    public init(_ body: @escaping @Sendable (String) -> Void) {
        self.body = body
    }

    /// Gives the lines to the closure.
    public func write(_ lines: [UInt8]) {
        for line in lines.split(separator: UInt8(ascii: "\n")) { body(String(decoding: line, as: UTF8.self)) }
    }
}
