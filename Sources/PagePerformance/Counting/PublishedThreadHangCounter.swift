/// The intervals of a scroll as a published page performance score takes them: between neighbouring ticks, whatever
/// is told about due times, and never across an interruption.
struct PublishedThreadHangCounter: Sendable {
    /// The last timestamp; `nil` after an interruption.
    private var last: UInt64?

    /// Forgets the last tick.
    mutating func interrupt() {
        last = nil
    }

    /// Moves on to `tick` and returns how long the last frame stayed; `nil` unless the clock moved forwards.
    mutating func advance(to tick: FrameTick) -> Nanoseconds? {
        let now = tick.timestamp.count
        defer { last = now }
        guard let last, now > last else { return nil }
        return Nanoseconds(now &- last)
    }
}
