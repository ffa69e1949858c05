/// The app's life, as far as a page's times depend on it: a time counts if a user waited for it.
extension PPSStateMachine {
    /// A change of the app, or of a scene of it.
    public enum AppChange: Hashable, Sendable, CaseIterable {
        /// It is about to enter the foreground, also at a launch by the user.
        case willEnterForeground
        /// The user can use it.
        case didBecomeActive
        /// It is about to become inactive: an alert, the control centre or a call covers it, or the user leaves it.
        case willResignActive
        /// It is in the background and may be suspended.
        case didEnterBackground
    }

    /// The longest time between a page's start during a launch and its scene's entry into the foreground for which the
    /// user is taken to have waited.
    ///
    /// An app with scenes is in the background, by its own word, also while a user launches it; its scene enters the
    /// foreground right after it was connected. A scene that is connected in the background enters it when the user comes.
    static let launchTime = Nanoseconds.seconds(5)

    /// The app changed, or the page's scene.
    ///
    /// A change to inactive emits a checkpoint: it is the last reliable moment. Running measurements then end without a time,
    /// and a visit whose initial content isn't there yet is inactive (`PageVisitEvent.isInactive`).
    public func handleApp(_ change: AppChange) {
        let next = appState.after(change)
        guard next != appState else { return }
        let hasLeft = isTimed && !(next.isAttended || next == .launching) || next == .suspended
        confirmInitialValue(at: clock.now)
        if next.isAttended, !appState.isAttended { endLaunch() }
        appState = next
        stopTimesIfAway()
        if hasLeft { handleCheckpoint() } else { tellOutcome() }
    }

    /// The app is about to become inactive.
    public func handleAppWillResign() { handleApp(.willResignActive) }

    /// The app is in the background and may be suspended.
    public func handleAppDidSuspend() { handleApp(.didEnterBackground) }

    /// The app is active again.
    public func handleAppDidResume() { handleApp(.didBecomeActive) }

    /// Emits the visit so far, for an app that may be killed without notice, unless nothing but its duration changed.
    ///
    /// Later events of the visit, at the latest the final event, replace it.
    public func handleCheckpoint() { if let checkpoint = checkpoint() { tell(checkpoint) } }

    /// Ends the running measurements if nobody waits.
    func stopTimesIfAway() {
        switch appState {
        case .launching, .entering, .active: break
        case .resigned: visit?.interrupt(levels)
        case .suspended: visit?.suspend(levels)
        }
    }

    /// Called when the page turns out to be in a scene that may or may not have a user waiting.
    func beginLaunch() {
        guard appState != .launching else { return }
        appState = .launching
        visit?.beginLaunch(at: uptime.now)
    }

    /// The user is there: did he wait for the visit in progress?
    private func endLaunch() {
        guard let start = visit?.launchedAt else { return }
        let passed = uptime.now.since(start)
        let hasUserWaited = !(recorder?.isPrewarmed ?? false) && passed.map { $0 <= Self.launchTime } ?? false
        visit?.endLaunch(hasUserWaited: hasUserWaited, levels)
    }
}

extension PPSStateMachine.AppState {
    /// The state after a change; a change that makes no sense in the present state is ignored.
    func after(_ change: PPSStateMachine.AppChange) -> Self {
        switch (change, self) {
        case (.willEnterForeground, .active): .active
        case (.willEnterForeground, _): .entering
        case (.didBecomeActive, _): .active
        case (.willResignActive, .suspended): .suspended
        case (.willResignActive, _): .resigned
        case (.didEnterBackground, _): .suspended
        }
    }
}

extension PPSStateMachine {
    /// A body was evaluated; a repeated number is the same evaluation, and 0 is none.
    package func countBodyEvaluation(_ number: Int, of view: String) {
        guard number > lastEvaluation else { return }
        lastEvaluation = number
        bodyEvaluations[view, default: 0] += 1
    }
}
