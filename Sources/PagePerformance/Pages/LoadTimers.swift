/// Time to first layout: from view did load to the end of the first layout of subviews.
struct FirstLayoutTimer {
    /// When the view was loaded; `nil` once it was laid out, or if the time isn't measurable in this visit.
    private var start: Nanoseconds?
    /// The time; `nil` if it was not measured.
    private(set) var time: Nanoseconds?

    /// Starts at view did load; without it, no measurement starts.
    init(loadedAt start: Nanoseconds?) { self.start = start }

    var isTimed: Bool { start != nil }

    /// Ends with the first layout after the start.
    mutating func layout(at now: Nanoseconds) {
        guard let start else { return }
        time = now.since(start)
        spoil()
    }

    mutating func spoil() { start = nil }
}

/// Time to initial load, and with it the outcome of the visit. It starts at view did load and ends with the first
/// render cycle that began after loaded content was set. The first shown content or error decides; later ones change
/// nothing. Content that is only the initial value of a model decides once it was shown for a second without a load, or
/// at the end of the visit.
struct InitialLoadTimer {
    enum State: Hashable {
        /// Neither content nor error was set.
        case waiting
        /// Content was set at this time, and no render cycle has begun since.
        case set(at: Nanoseconds)
        /// The same for content that may be only an initial value.
        case unbegun(at: Nanoseconds)
        /// That content was shown at this time, and a load may still begin.
        case shown(at: Nanoseconds)
        case loaded
        case failed
    }

    /// The time for which an initial value is shown before it counts as content.
    static let patience = Nanoseconds.seconds(1)

    private(set) var state: State
    /// The time; `nil` if it was not measured, or isn't over.
    private(set) var time: Nanoseconds?
    private var start: Nanoseconds?
    /// Whether the page ever reported its content.
    private(set) var isReported: Bool

    /// Starts at view did load; without it, the page's present content decides and no time is measured.
    init(loadedAt start: Nanoseconds?, showing content: PageContent) {
        self.start = start
        isReported = content != .nothing
        state = content.isError ? .failed : content.awaitsInitialLoad ? .waiting : .loaded
    }

    /// Whether the outcome is final.
    var isDecided: Bool { state == .loaded || state == .failed }

    /// Whether the page reported a load or content that wasn't shown for certain yet.
    var isAwaited: Bool { isReported && !isDecided }

    /// Whether its time is being measured.
    var isTimed: Bool { start != nil && !isDecided }

    mutating func spoil() { start = nil }

    /// The outcome if the visit ended now; `nil` if the page never reported its content.
    var outcome: PageVisit.Outcome? {
        switch state {
        case .waiting, .set: isReported ? .abandoned : nil
        case .unbegun, .shown: nil
        case .loaded: .loaded
        case .failed: .error
        }
    }

    mutating func render(_ content: PageContent, at now: Nanoseconds) {
        isReported = true
        switch (state, content) {
        case (.loaded, _), (.failed, _): return
        case (_, .initialError), (_, .laterError): state = .failed
        case (.waiting, .unbegun): state = .unbegun(at: now)
        case (_, .unbegun): return
        case (_, .nothing), (_, .initialLoading): state = .waiting
        case (.unbegun(let since), _): state = .set(at: since)
        case (.shown(let shown), _): end(at: shown)
        case (.set, _): return
        case (.waiting, _): state = .set(at: now)
        }
    }

    /// Ends the load if the cycle began after content was set.
    mutating func renderCycle(_ cycle: RenderCycle) {
        switch state {
        case .set(let since) where cycle.contains(since): end(at: cycle.end)
        case .unbegun(let since) where cycle.contains(since): state = .shown(at: cycle.end)
        default: return
        }
    }

    /// Ends the load if the initial value was shown for long enough, or at the end of a visit; returns whether it did.
    mutating func confirm(at now: Nanoseconds, isEnd: Bool = false) -> Bool {
        guard case .shown(let shown) = state, isEnd || now.since(shown).map({ $0 >= Self.patience }) ?? false else {
            return false
        }
        end(at: shown)
        return true
    }

    private mutating func end(at now: Nanoseconds) {
        time = start.flatMap { now.since($0) }
        state = .loaded
    }
}

/// Additional load times: how long the user waited at the visible end of a list for more. A wait starts when a loader
/// becomes visible beside content, or at the first instant when more is being loaded and a loader or the list's bottom
/// is visible. It ends with the first render cycle that began after content was set and the loader was gone. A load
/// that finished before that instant counts 0. A loader that was visible before there was content belongs to the
/// initial load. The bottom of a list alone starts no wait: many lists are short, or end.
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
    private(set) var times = BoundedList<Nanoseconds>()
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
    mutating func spoil(_ levels: Levels) { state = levels.content == .loadingMore ? .spoiled : .none }

    private mutating func end(with time: Nanoseconds?) {
        if let time { times.append(time, Milliseconds(time)) }
        state = .none
    }
}
