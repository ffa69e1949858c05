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
        noteChange { $0.scene == nil ? change : nil }
    }

    /// A scene changed, or is known for the first time by its last change; its pages follow it.
    public func sceneDid(_ change: PPSStateMachine.AppChange, _ scene: SceneID) {
        var known = scenes[scene] ?? SceneLife()
        known.state = known.state.after(change)
        if known.isAway { known.awayAt = clock.now }
        scenes[scene] = known
        noteChange { $0.scene == scene ? change : nil }
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

    private func noteChange(_ change: (PPSStateMachine) -> PPSStateMachine.AppChange?) {
        see(appState.isAttended || scenes.values.contains { $0.state.isAttended })
        for case let page? in pages.map(\.page) { if let change = change(page) { page.handleApp(change) } }
        pageDidChange()
    }
}

extension PageRecorder {
    /// Whether a page that the user sees awaits a render cycle that shows its changes.
    public var awaitsRenderCycle: Bool {
        pages.contains { $0.page.map { $0.appState.isAttended && $0.visit?.awaitsCycle ?? false } ?? false }
    }

    /// Whether a page awaits the commit of its changes.
    public var awaitsCommit: Bool { pages.contains { $0.page?.isUncommitted ?? false } }

    /// All changes of pages so far are committed: the next render cycle shows them.
    public func didCommit() { for page in pages { page.page?.handleCommit() } }
}

/// A page that its owner keeps. It is a class, because every frame would copy weak references, which is expensive.
final class WeakPage {
    private(set) weak var page: PPSStateMachine?

    init(_ page: PPSStateMachine) { self.page = page }
}

/// How long a page was on the screen, and how long the main thread hung meanwhile, measured without frames.
struct HangWatch {
    private let threshold: Nanoseconds
    private var since: Nanoseconds?
    private var duration = Nanoseconds.zero
    private var hang = Nanoseconds.zero

    init(threshold: Nanoseconds) { self.threshold = threshold }

    /// The page is on the screen from now on, or no longer.
    mutating func show(_ isShown: Bool, at now: Nanoseconds) {
        if let since, let passed = now.since(since) { duration += passed }
        since = isShown ? now : nil
    }

    /// The main thread worked without a pause; a hang counts as far as the page was on the screen.
    mutating func add(from start: Nanoseconds, to end: Nanoseconds) {
        guard let since, let time = end.since(max(start, since)), time > threshold else { return }
        hang += time
    }

    /// Returns the sums since the last call and resets them; `nil` if the page was never on the screen.
    /// - Parameter work: The start of the main thread's present work, if it works: so far it hung on this page.
    mutating func take(at now: Nanoseconds, workingSince work: Nanoseconds?) -> HangRecord? {
        if let work { add(from: work, to: now) }
        show(false, at: now)
        defer { (duration, hang) = (.zero, .zero) }
        return duration > .zero ? HangRecord(duration: duration, hang: hang, hangThreshold: threshold) : nil
    }
}

/// The hangs of the main thread during a page's time on the screen, measured without frames.
public struct HangRecord: Hashable, Sendable {
    /// The time on the screen while the app was active, above 0.
    public let duration: Nanoseconds
    /// Σ of the times for which the main thread worked without a pause, each above the threshold.
    public let hang: Nanoseconds
    /// The time beyond which the main thread hangs.
    public let hangThreshold: Nanoseconds
}
