import Dispatch

extension Array where Element: Sendable {
    /// Transforms the elements on all processors and keeps their order; throws the error of the first that fails.
    package func concurrentMap<Result: Sendable, Failure: Error>(
        _ body: @Sendable (Element) throws(Failure) -> Result
    ) throws(Failure) -> [Result] {
        let slots = UnsafeMutableBufferPointer<Swift.Result<Result, Failure>?>.allocate(capacity: count)
        slots.initialize(repeating: nil)
        defer { slots.deallocate() }
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
        var failure: Failure?
        // The results move, since copying large ones takes longer than making them.
        for index in slots.indices {
            switch slots.moveElement(from: index) {
            case .success(let result): all.append(result)
            case .failure(let error): failure = failure ?? error
            case nil: break
            }
        }
        if let failure { throw failure }
        return all
    }
}
