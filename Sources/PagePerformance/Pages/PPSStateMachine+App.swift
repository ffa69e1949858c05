extension PPSStateMachine {
    /// The app is about to be inactive: the last certain moment to say what is known, so a checkpoint is emitted.
    public func handleAppWillResign() {
        guard appState == .active else { return }
        visit?.interruptFrames()
        appState = .resigned
        handleCheckpoint()
    }

    /// The app is in the background and may be suspended: nothing that is being timed keeps its time.
    ///
    /// A checkpoint is emitted before, since more may be known than when the app resigned.
    public func handleAppDidSuspend() {
        guard appState != .suspended else { return }
        let checkpoint = checkpoint()
        appState = .suspended
        spoilIfSuspended()
        if let checkpoint { emit(checkpoint) }
    }

    /// The app is active again.
    public func handleAppDidResume() {
        appState = .active
    }

    /// Emits what is known of the visit so far, for an app that may be killed without a word.
    ///
    /// Later events of the visit, at the latest that of its end, replace it.
    public func handleCheckpoint() {
        if let checkpoint = checkpoint() { emit(checkpoint) }
    }

    /// Keeps measurements from starting while the app is suspended.
    func spoilIfSuspended() {
        if appState == .suspended { visit?.spoil(levels) }
    }
}
