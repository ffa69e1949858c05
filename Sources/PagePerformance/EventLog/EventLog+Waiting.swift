extension EventLog {
    /// Waits until everything recorded before is written.
    @discardableResult
    public func flush() async -> Outcome {
        await withCheckedContinuation { continuation in flush { continuation.resume(returning: $0) } }
    }

    /// Ends the stream and waits until it has ended.
    @discardableResult
    public func close() async -> Outcome {
        await withCheckedContinuation { continuation in close { continuation.resume(returning: $0) } }
    }

    /// Blocks the thread until everything recorded before is written: for code that can't await, such as a test's
    /// teardown.
    @available(*, noasync)
    @discardableResult
    public func flushAndWait() -> Outcome {
        wait { flush($0) }
    }

    /// Ends the stream and blocks the thread until it has ended.
    @available(*, noasync)
    @discardableResult
    public func closeAndWait() -> Outcome {
        wait { close($0) }
    }

    private func wait(for start: (@escaping Completion) -> Void) -> Outcome {
        let result = Monitor<Outcome?>(nil)
        start { outcome in
            result.withLock { $0 = outcome }
            result.signal()
        }
        return result.wait(until: { $0 != nil }, then: { $0 ?? .closed })
    }
}
