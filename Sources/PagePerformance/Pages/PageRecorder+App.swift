extension PageRecorder {
    /// The app is about to become inactive: every visible page emits a checkpoint.
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
    /// Whether a page awaits a render cycle that shows its changes.
    public var awaitsRenderCycle: Bool {
        pages.contains { $0.page?.visit?.awaitsCycle ?? false }
    }

    /// Whether a page awaits the commit of its changes.
    public var awaitsCommit: Bool {
        pages.contains { $0.page?.isUncommitted ?? false }
    }

    /// All changes of pages so far are committed: the next render cycle shows them.
    public func didCommit() {
        for page in pages { page.page?.handleCommit() }
    }
}

/// A page that its owner keeps. It is a class, because every frame would copy weak references, which is expensive.
final class WeakPage {
    private(set) weak var page: PPSStateMachine?

    init(_ page: PPSStateMachine) {
        self.page = page
    }
}
