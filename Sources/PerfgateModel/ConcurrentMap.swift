import Dispatch

extension Array where Element: Sendable {
    /// Transforms the elements on all processors and keeps their order; throws the error of the first element that
    /// fails.
    package func concurrentMap<Result: Sendable, Failure: Error>(
        _ body: @Sendable (Element) throws(Failure) -> Result
    ) throws(Failure) -> [Result] {
        let slots = UnsafeMutableBufferPointer<Swift.Result<Result, Failure>?>.allocate(capacity: count)
        slots.initialize(repeating: nil)
        defer {
            slots.deinitialize()
            slots.deallocate()
        }
        // Each call writes its own slot.
        nonisolated(unsafe) let results = slots
        DispatchQueue.concurrentPerform(iterations: count) { index in
            do throws(Failure) {
                results[index] = .success(try body(self[index]))
            } catch {
                results[index] = .failure(error)
            }
        }
        var all: [Result] = []
        all.reserveCapacity(count)
        for case let result? in slots { all.append(try result.get()) }
        return all
    }
}
