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
    /// user is taken to have waited. An app with scenes is in the background, by its own word, also while a user
    /// launches it; its scene enters the foreground right after it was connected. A scene that is connected in the
    /// background enters it when the user comes.
    static let launchTime = Nanoseconds.seconds(5)

    /// The app changed, or the page's scene. A change to inactive emits a checkpoint: it is the last reliable moment.
    /// Running measurements then end without a time, and a visit whose initial content isn't there yet is inactive
    /// (`PageVisitEvent.isInactive`).
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

/// A window scene of an app, which enters and leaves the foreground on its own.
public struct SceneID: Hashable, Sendable {
    private let identity: ObjectIdentifier

    /// The scene of an object that lives as long as the scene.
    public init(_ scene: AnyObject) { identity = ObjectIdentifier(scene) }
}

/// What is known of a scene.
struct SceneLife {
    var state = PPSStateMachine.AppState.launching
    /// When it last became inactive; `nil` if it never did.
    var awayAt: Nanoseconds?

    var isAway: Bool { state == .resigned || state == .suspended }
}

extension PageRecorder {
    /// The app's state when the recorder begins, if it isn't active.
    package func begin(in state: PPSStateMachine.AppState) {
        appState = state
        see(state.isAttended)
    }

    /// The app changed; pages without a scene follow it.
    public func appDid(_ change: PPSStateMachine.AppChange) {
        appState = appState.after(change)
        noteChange(change, of: nil)
    }

    /// A scene changed, or is known for the first time by its last change; its pages follow it.
    public func sceneDid(_ change: PPSStateMachine.AppChange, _ scene: SceneID) {
        var known = scenes[scene] ?? SceneLife()
        known.state = known.state.after(change)
        if known.isAway { known.awayAt = clock.now }
        scenes[scene] = known
        noteChange(change, of: scene)
    }

    /// A scene is met for the first time: its present state. A scene that is known keeps the state of its last change.
    package func meet(_ scene: SceneID, as state: PPSStateMachine.AppState) {
        guard scenes[scene] == nil else { return }
        scenes[scene] = SceneLife(state: state)
        see(appState.isAttended || scenes.values.contains { $0.state.isAttended })
    }

    /// A scene is gone.
    public func sceneDidDisconnect(_ scene: SceneID) {
        sceneDid(.didEnterBackground, scene)
        scenes[scene] = nil
    }

    /// A page entered a window of a scene: from now on it follows that scene, and no longer the app.
    public func move(_ page: PPSStateMachine, to scene: SceneID) {
        guard page.scene != scene else { return }
        page.scene = scene
        let life = scenes[scene]
        // The scene may have been away and back while the page was loaded for it, outside of its window.
        if let away = life?.awayAt, let start = page.visit?.beganAt, away >= start {
            page.handleApp(.willResignActive)
            page.visit?.forgetLoad()
        }
        switch life?.state {
        case nil: scenes[scene] = SceneLife(state: page.appState)
        case .launching: page.beginLaunch()
        case .entering: page.handleApp(.willEnterForeground)
        case .active: page.handleApp(.didBecomeActive)
        case .resigned: page.handleApp(.willResignActive)
        case .suspended: page.handleApp(.didEnterBackground)
        }
        pageDidChange()
    }

    /// The app is about to become inactive: every visible page emits a checkpoint.
    public func appWillResign() { appDid(.willResignActive) }

    /// The app is in the background and may be suspended.
    public func appDidSuspend() { appDid(.didEnterBackground) }

    /// The app is active again.
    public func appDidResume() { appDid(.didBecomeActive) }

    /// The pages of a scene, or without one the pages of the app, follow a change.
    private func noteChange(_ change: PPSStateMachine.AppChange, of scene: SceneID?) {
        see(appState.isAttended || scenes.values.contains { $0.state.isAttended })
        for case let page? in pages.map(\.page) where page.scene == scene { page.handleApp(change) }
        pageDidChange()
    }

    /// Whether a page that the user sees awaits a render cycle that shows its changes.
    public var awaitsRenderCycle: Bool {
        pages.contains { $0.page.map { $0.appState.isAttended && $0.visit?.awaitsCycle ?? false } ?? false }
    }

    /// Whether a page awaits the commit of its changes.
    public var awaitsCommit: Bool { pages.contains { $0.page?.isUncommitted ?? false } }

    /// All changes of pages so far are committed: the next render cycle shows them.
    public func didCommit() { for page in pages { page.page?.handleCommit() } }
}
