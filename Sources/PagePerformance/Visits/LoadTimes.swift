/// The loads of one kind during a visit, as sums in constant memory.
public struct LoadTimes: Hashable, Sendable {
    /// How many there were, those of 0 ms included.
    public private(set) var count = 0
    /// How many of them lasted longer than 0 ms.
    public private(set) var shownCount = 0
    /// The sum of all, in the order in which they were added.
    public private(set) var sum = Milliseconds.zero

    /// No load yet.
    public init() {}

    /// Adds a load; its duration is finite and at least 0.
    public mutating func add(_ duration: Milliseconds) {
        count += 1
        if duration.value > 0 { shownCount += 1 }
        sum = Milliseconds(sum.value + duration.value)
    }

    /// The mean of all; `nil` without a load.
    public var mean: Milliseconds? {
        count > 0 ? Milliseconds(sum.value / Double(count)) : nil
    }

    /// The mean of those that lasted longer than 0 ms; `nil` without one.
    public var meanShown: Milliseconds? {
        shownCount > 0 ? Milliseconds(sum.value / Double(shownCount)) : nil
    }
}
