#if canImport(os)
import os

/// Gives each line to the system's log, to watch a device with Console; the system cuts lines of more than 1 kB.
public struct SystemLogSink: LogSink {
    private let log: OSLog

    /// Makes a sink; lines appear under the subsystem's name and the category `perfgate`.
    public init(subsystem: String) {
        log = OSLog(subsystem: subsystem, category: "perfgate")
    }

    /// Gives the lines to the system.
    public func write(_ lines: [UInt8]) {
        for line in lines.split(separator: UInt8(ascii: "\n")) {
            os_log("%{public}s", log: log, type: .default, String(decoding: line, as: UTF8.self))
        }
    }
}
#endif
