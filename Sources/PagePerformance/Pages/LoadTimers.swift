/// Time to first layout: from view did load to the end of the first layout of subviews.
struct FirstLayoutTimer {
    enum State: Hashable {
        /// The view was loaded at this time and hasn't been laid out.
        case running(since: Nanoseconds)
        /// Measured, or not measurable in this visit.
        case over
    }

    private(set) var state: State
    /// The time; `nil` if it was not measured.
    private(set) var time: Nanoseconds?

    /// Starts at view did load; without it, no measurement starts.
    init(loadedAt start: Nanoseconds?) {
        state = start.map { .running(since: $0) } ?? .over
    }

    /// Ends with the first layout after the start.
    mutating func layout(at now: Nanoseconds) {
        guard case .running(let start) = state else { return }
        time = now.since(start)
        state = .over
    }

    /// Discards a running measurement.
    mutating func spoil() {
        state = .over
    }
}

/// Time to initial load, and with it the outcome of the visit.
///
/// It starts at view did load and ends with the first render cycle that began after loaded content was set. The first
/// shown content or error decides; later ones change nothing.
struct InitialLoadTimer {
    enum State: Hashable {
        /// Neither content nor error was set.
        case waiting
        /// Content was set at this time, and no render cycle has begun since.
        case set(at: Nanoseconds)
        case loaded
        case failed
    }

    private(set) var state: State
    /// The time; `nil` if it was not measured, or isn't over.
    private(set) var time: Nanoseconds?
    private var start: Nanoseconds?

    /// Starts at view did load; without it, the page's present content decides and no time is measured.
    init(loadedAt start: Nanoseconds?, showing content: PageContent) {
        self.start = start
        state = content.isError ? .failed : content.awaitsInitialLoad ? .waiting : .loaded
    }

    /// The outcome if the visit ended now.
    var outcome: PageVisit.Outcome {
        switch state {
        case .waiting, .set: .abandoned
        case .loaded: .loaded
        case .failed: .error
        }
    }

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

    /// Ends the load if the cycle began after content was set.
    mutating func renderCycle(_ cycle: RenderCycle) {
        guard case .set(let setAt) = state, cycle.contains(setAt) else { return }
        time = start.flatMap { cycle.end.since($0) }
        state = .loaded
    }

    /// Stops measuring time; the outcome is still awaited.
    mutating func spoil() {
        start = nil
    }
}

/// Additional load times: how long the user waited at the visible end of a list for more.
///
/// A wait starts when a loader becomes visible beside content, or at the first instant when more is being loaded and a
/// loader or the list's bottom is visible. It ends with the first render cycle that began after content was set and the
/// loader was gone. A load that finished before that instant counts 0.
///
/// A loader that was visible before there was content belongs to the initial load. The bottom of a list alone starts no
/// wait: many lists are short, or end.
struct AdditionalLoadTimer {
    enum State: Hashable {
        case none
        /// More is being loaded, and the user hasn't seen it yet.
        case unseen
        /// It was first seen at this time.
        case waiting(since: Nanoseconds)
        /// Content was set and the loader was gone at the second time; no render cycle has begun since.
        case ending(since: Nanoseconds, at: Nanoseconds)
        /// Its time is unknown: it began before the visit, or the app was suspended meanwhile.
        case spoiled
    }

    /// The state of a page's list at one moment.
    struct Levels: Hashable {
        var content = PageContent.nothing
        var isLoaderVisible = false
        var isBottomVisible = false

        /// Whether the user sees that more is loading.
        var isWaitSeen: Bool { isLoaderVisible || isBottomVisible }
        /// Whether the awaited content is there, and nothing covers it.
        var isWaitOver: Bool { content == .present && !isLoaderVisible }
        /// Whether the page shows content, or is loading more of it.
        var hasContent: Bool { content == .present || content == .loadingMore }
    }

    private(set) var state: State
    /// The loads that are over, in the order of their ends.
    private(set) var times: [Nanoseconds] = []
    private var wasLoaderVisible: Bool

    /// Starts with a visit; a load already in progress is left out.
    init(levels: Levels) {
        state = levels.content == .loadingMore ? .spoiled : .none
        wasLoaderVisible = levels.isLoaderVisible
    }

    mutating func update(_ levels: Levels, at now: Nanoseconds) {
        let didLoaderAppear = levels.isLoaderVisible && !wasLoaderVisible
        wasLoaderVisible = levels.isLoaderVisible
        guard levels.hasContent else { return state = .none }
        let isLoading = levels.content == .loadingMore
        switch state {
        case .none where didLoaderAppear || isLoading && levels.isWaitSeen: state = .waiting(since: now)
        case .none where isLoading: state = .unseen
        case .unseen where isLoading && levels.isWaitSeen: state = .waiting(since: now)
        case .unseen where !isLoading: end(with: .zero)
        case .waiting(let start) where levels.isWaitOver: state = .ending(since: start, at: now)
        case .ending(let start, _) where !levels.isWaitOver: state = .waiting(since: start)
        case .spoiled where !isLoading: state = .none
        case .none, .unseen, .waiting, .ending, .spoiled: break
        }
    }

    /// Ends the wait if the cycle began after it was over.
    mutating func renderCycle(_ cycle: RenderCycle) {
        guard case .ending(let start, let over) = state, cycle.contains(over) else { return }
        end(with: cycle.end.since(start))
    }

    /// Discards a load in progress.
    mutating func spoil(_ levels: Levels) {
        state = levels.content == .loadingMore ? .spoiled : .none
    }

    private mutating func end(with time: Nanoseconds?) {
        if let time { times.append(time) }
        state = .none
    }
}
