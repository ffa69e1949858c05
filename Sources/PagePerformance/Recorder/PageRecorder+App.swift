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
