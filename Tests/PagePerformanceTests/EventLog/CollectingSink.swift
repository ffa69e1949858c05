import Foundation
import PagePerformance

/// Stores everything it receives, and waits or fails if a test asks for it.
final class CollectingSink: LogSink, @unchecked Sendable {
    // `lock` protects the following.
    private let lock = NSCondition()
    private var parts: [(part: String, text: String)] = []
    private var isBlocked: Bool
    private var failure: LogSinkError?
    private var ends = 0
    private var isReached = false

    init(isBlocked: Bool = false) {
        self.isBlocked = isBlocked
    }

    /// The lines of each part, without the line feeds.
    var lines: [[String]] {
        lock.withLock { parts.map { $0.text.split(separator: "\n").map(String.init) } }
    }

    /// The names of the parts.
    var names: [String] { lock.withLock { parts.map(\.part) } }

    /// The number of calls that ended a part.
    var endCount: Int { lock.withLock { ends } }

    /// Unblocks the writer.
    func unblock() {
        lock.withLock { isBlocked = false }
        lock.broadcast()
    }

    /// Makes every later write fail.
    func fail(_ error: LogSinkError) {
        lock.withLock { failure = error }
    }

    /// Makes later writes succeed again.
    func mend() {
        lock.withLock { failure = nil }
    }

    /// Waits until the writer is blocked.
    func waitUntilReached() {
        lock.lock()
        defer { lock.unlock() }
        while !isReached { lock.wait() }
    }

    func begin(run: String, part: String) throws(LogSinkError) -> Bool {
        lock.withLock { parts.append((part, "")) }
        return true
    }

    func write(_ lines: [UInt8]) throws(LogSinkError) {
        let failure = lock.withLock { () -> LogSinkError? in
            isReached = true
            lock.broadcast()
            while isBlocked { lock.wait() }
            if self.failure == nil { parts[parts.count - 1].text += String(decoding: lines, as: UTF8.self) }
            return self.failure
        }
        if let failure { throw failure }
    }

    func end() {
        lock.withLock { ends += 1 }
    }
}
