/// Time to initial load, and with it the outcome of the visit.
///
/// It starts at view did load and ends with the first render cycle that began after loaded content was set. The first
/// of content and error to be shown decides; what comes later changes nothing.
struct InitialLoadTimer {
    /// Where the initial load stands.
    enum State: Hashable {
        /// Neither content nor error was set.
        case waiting
        /// Content was set at this time, and no render cycle has begun since.
        case set(at: Nanoseconds)
        /// Content was shown.
        case loaded
        /// An error was shown.
        case failed
    }

    /// Where the initial load stands.
    private(set) var state: State
    /// The time; `nil` where it was not measured, or isn't over.
    private(set) var time: Nanoseconds?
    private var start: Nanoseconds?

    /// Starts at view did load; without it, what the page already shows decides and no time is taken.
    init(loadedAt start: Nanoseconds?, showing content: PageContent) {
        self.start = start
        state = content.isError ? .failed : content.awaitsInitialLoad ? .waiting : .loaded
    }

    /// How the visit ended, if it ended now.
    var outcome: PageVisit.Outcome {
        switch state {
        case .waiting, .set: .abandoned
        case .loaded: .loaded
        case .failed: .error
        }
    }

    /// Takes in what a render set.
    mutating func render(_ content: PageContent, at now: Nanoseconds) {
        switch state {
        case .loaded, .failed: return
        case .set where !content.awaitsInitialLoad && !content.isError: return
        case .waiting, .set: break
        }
        if content.isError {
            state = .failed
        } else {
            state = content.awaitsInitialLoad ? .waiting : .set(at: now)
        }
    }

    /// Ends the load where the cycle began after content was set.
    mutating func renderCycle(_ cycle: RenderCycle) {
        guard case .set(let setAt) = state, cycle.contains(setAt) else { return }
        time = start.flatMap { cycle.end.since($0) }
        state = .loaded
    }

    /// Takes no time any more; the outcome is still awaited.
    mutating func spoil() {
        start = nil
    }
}
