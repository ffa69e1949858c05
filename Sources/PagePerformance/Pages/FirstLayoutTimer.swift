/// Time to first layout: from view did load to the end of the first layout of subviews.
struct FirstLayoutTimer {
    /// Where the measurement stands.
    enum State: Hashable {
        /// The view was loaded at this time and not laid out yet.
        case running(since: Nanoseconds)
        /// Measured, or not to be measured in this visit.
        case over
    }

    /// Where the measurement stands.
    private(set) var state: State
    /// The time; `nil` where it was not measured.
    private(set) var time: Nanoseconds?

    /// Starts at view did load; not at all without it.
    init(loadedAt start: Nanoseconds?) {
        state = start.map { .running(since: $0) } ?? .over
    }

    /// Ends with the first layout after the start.
    mutating func layout(at now: Nanoseconds) {
        guard case .running(let start) = state else { return }
        time = now.since(start)
        state = .over
    }

    /// Gives a running measurement up.
    mutating func spoil() {
        state = .over
    }
}
