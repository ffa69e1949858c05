import Foundation
import PagePerformance

/// Keeps what it is given, and waits or fails when a test wants it to.
final class CollectingSink: LogSink, @unchecked Sendable {
    // Every access to the following holds `lock`.
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

    /// How often a part was ended.
    var endCount: Int { lock.withLock { ends } }

    /// Lets the writer go on.
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

    /// Waits until the writer waits.
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
