/// A turn in which what was set before it began was drawn.
struct RenderCycle {
    /// When it began; `nil` where it is only known that it is a later one than that of every change so far.
    var start: Nanoseconds?
    /// When it was told.
    var end: Nanoseconds

    /// Whether it drew a change that was made at `time`.
    func contains(_ time: Nanoseconds) -> Bool {
        start.map { $0 >= time } ?? true
    }
}
