extension PageRecorder {
    /// The app is about to be inactive: every visible page says what it knows.
    public func appWillResign() {
        guard appState == .active else { return }
        appState = .resigned
        detector.willResignActive()
        tracker.interrupt()
        live?.interrupt()
        for page in pages { page.page?.handleAppWillResign() }
    }

    /// The app is in the background and may be suspended.
    public func appDidSuspend() {
        appWillResign()
        appState = .suspended
        for page in pages { page.page?.handleAppDidSuspend() }
    }

    /// The app is active again.
    public func appDidResume() {
        guard appState != .active else { return }
        appState = .active
        detector.didBecomeActive()
        for page in pages { page.page?.handleAppDidResume() }
    }
}

extension PageRecorder {
    /// Whether a page awaits a render cycle that shows what it set.
    public var awaitsRenderCycle: Bool {
        pages.contains { $0.page?.visit?.awaitsCycle ?? false }
    }

    /// Whether a page awaits that what it set is committed.
    public var awaitsCommit: Bool {
        pages.contains { $0.page?.isUncommitted ?? false }
    }

    /// What pages set so far is committed: the next render cycle shows it.
    public func didCommit() {
        for page in pages { page.page?.handleCommit() }
    }
}

/// A page that its owner keeps. A class, because copies of weak references are dear and every frame would make some.
final class WeakPage {
    private(set) weak var page: PPSStateMachine?

    init(_ page: PPSStateMachine) {
        self.page = page
    }
}
