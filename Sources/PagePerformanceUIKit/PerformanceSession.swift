#if canImport(UIKit)
import PagePerformance
import UIKit

/// Measures an app from its start: the recorder, its log, the display link, and the app's own life.
///
///     PerformanceSession.start(app: .mainBundle())
///
/// Pages then measure themselves with one line each: `measurePage("Search")` in `viewDidLoad`, or the view modifier
/// with the same name. Or a router reports every screen, with `show(page:)`. Without a session these lines do nothing.
@MainActor
public final class PerformanceSession {
    /// The session that pages report to; `nil` without one.
    public private(set) static var current: PerformanceSession?

    /// The recorder, which combines pages, scrolls and frames.
    public let recorder: PageRecorder
    /// The log.
    public let log: EventLog
    /// The router's screen that was shown last; `nil` without one.
    public private(set) weak var routedPage: PPSStateMachine?
    /// The router's screens by their windows' scenes; without a scene, the app's.
    private var routed: [SceneID?: PPSStateMachine] = [:]

    /// The app's own dimensions of all later measurements, such as `["market": "de"]`, for field data (`LogTags`).
    public var tags: [String: String] { didSet { if tags != oldValue { log.setTags(LogTags(tags)) } } }

    /// Whether the user allows measurements to be written and sent. Without consent nothing is; `deleteLogs()` removes what
    /// was written before.
    public var hasConsent: Bool {
        get { log.hasConsent }
        set {
            log.hasConsent = newValue
            if newValue { upload() }
        }
    }

    var panel: PerformancePanel?
    /// The list that a test scrolls; `nil` without one.
    weak var scriptedList: UIScrollView?
    private var reader = DeviceReader()
    private let mode: FrameMode
    private let folder: String?
    let uploader: LogUploader?
    private var link: FrameLink?
    /// Reports render cycles while a page awaits one, if frames are reported during the user's scrolls only.
    private var cycleLink: FrameLink?
    private var commits: CommitWatch?
    var registrations: [Registration] = []
    private var shared: [ObjectIdentifier: SharedPage] = [:]
    private var followed: [ObjectIdentifier: FollowedView] = [:]
    private var windows: [WeakWindow] = []

    /// The machine shared by everything below a view controller.
    private struct SharedPage {
        weak var controller: UIViewController?
        let machine: any PPSStateMachineProtocol
    }

    /// A view whose visibility may change with any frame.
    private struct FollowedView { weak var view: (any SightedView)? }

    private struct WeakWindow { weak var window: UIWindow? }

    private init(_ setup: Setup) {
        (log, mode, tags) = (setup.log, setup.mode, setup.tags)
        (folder, uploader) = (setup.folder, setup.uploader)
        recorder = PageRecorder(log: log, configuration: setup.configuration, frames: setup.frames, clock: setup.clock)
        recorder.conditions = { VisitConditions.current }
        recorder.followsCommits = true
        recorder.signposter = setup.signposter
        recorder.tracksScreens = mode == .always
        recorder.isPrewarmed = setup.isPrewarmed
        recorder.begin(in: UIApplication.current.stateAtStart)
        recorder.scrolledPage = { [weak self] in
            nonisolated(unsafe) var page: PPSStateMachine?
            MainActor.assumeIsolated { page = self?.scrolledPage }
            return page
        }
        commits = CommitWatch { [weak self] in self?.recorder.didCommit() }
        link = FrameLink(mode) { [weak self] tick, isTracking in self?.tick(tick, isTracking: isTracking) }
        registrations = [RunLoopWatch.onRest { [weak self] in self?.didRest() }]
        if mode == .scrolling {
            cycleLink = FrameLink { [weak self] tick, _ in self?.renderCycle(tick) }
            let work = RunLoopWatch.Work()
            recorder.workStart = { MainActor.assumeIsolated { work.start } }
            registrations.append(
                RunLoopWatch.onWork(work, clock: setup.clock) { [weak self] in
                    self?.recorder.mainThreadDidWork(from: $0, to: $1)
                })
        }
        recorder.onPageChange = { [weak self] in
            // A page may be released anywhere.
            Registration.onMain { self?.followPages() }
        }
        followPages()
        followApp()
        upload()
    }

    /// Starts the app's session, which writes into any log; if one is already started, returns that session.
    /// - Parameters:
    ///   - log: The log.
    ///   - configuration: The settings for the events of visits.
    ///   - frames: How frames are counted.
    ///   - mode: The frames at which it is called: those of `FrameMode.init(_:)`, if it is left out.
    @discardableResult
    public static func start(
        log: EventLog, configuration: PPSConfiguration = PPSConfiguration(),
        frames: FrameDropDetector.Configuration = FrameDropDetector.Configuration(), mode: FrameMode = FrameMode()
    ) -> PerformanceSession {
        start(Setup(log: log, configuration: configuration, frames: frames, mode: mode))
    }

    /// The same with every part of a session.
    @discardableResult
    static func start(_ setup: @autoclosure () -> Setup) -> PerformanceSession {
        if let current { return current }
        let session = PerformanceSession(setup())
        current = session
        return session
    }

    /// Begins a repetition of a test, from 0: later measurements belong to it, and the log records the device's
    /// conditions.
    public func beginIteration(_ number: Int) {
        log.beginIteration(number, conditions: reader.conditions(isCharging: UIDevice.current.isCharging))
    }

    /// Shows a screen in place of the previous one, for a router: each call is a separate visit.
    ///
    /// So one place measures every screen of an app: its frames, scrolls and duration, and its load if the app reports
    /// it through the returned page, or through `performancePage` of a view on it. Screens that measure themselves keep
    /// their own pages.
    /// - Parameters:
    ///   - name: The screen's name; `nil`: no screen is shown.
    ///   - window: Its window, for an app with several; `nil`: the page follows the app's life.
    @discardableResult
    public func show(page name: String?, in window: UIWindow? = nil) -> PPSStateMachine? {
        let scene = window?.windowScene.map { SceneID($0) }
        routed[scene]?.handleDidDisappear()
        guard let name else {
            routed[scene] = nil
            return nil
        }
        let page = routed[scene] ?? recorder.makePage()
        (routed[scene], routedPage) = (page, page)
        page.handlePageName(name)
        join(page, window)
        page.handleDidLoad()
        page.handleDidAppear()
        return page
    }

    /// The same with a name of the app's catalogue.
    @discardableResult
    public func show(page name: PageName, in window: UIWindow? = nil) -> PPSStateMachine? {
        show(page: name.rawValue, in: window)
    }

    /// The router's screen in a window; `nil` without one.
    func routedPage(in window: UIWindow?) -> PPSStateMachine? {
        window?.windowScene.flatMap { routed[SceneID($0)] } ?? routed[nil]
    }

    /// A page's view is in a window: from now on the page follows that window's scene.
    func join(_ page: (any PPSStateMachineProtocol)?, _ window: UIWindow?) {
        guard let page = page as? PPSStateMachine, let window, let scene = window.windowScene else { return }
        if !windows.contains(where: { $0.window === window }) {
            windows = windows.filter { $0.window != nil } + [WeakWindow(window: window)]
            commits?.add(scene)
        }
        // A scene in the background may be that of a launch, which enters the foreground next.
        recorder.meet(
            SceneID(scene),
            as: scene.activationState == .foregroundActive
                ? .active : scene.activationState == .foregroundInactive ? .entering : .launching)
        recorder.move(page, to: SceneID(scene))
    }

    /// The page whose list is scrolled, by a test or by a finger and its momentum.
    private var scrolledPage: PPSStateMachine? {
        let list = scriptedList ?? windows.lazy.compactMap { $0.window?.movingList }.first
        return list?.performancePage
    }

    /// Removes all logs in the session's folder, with those of this launch; later measurements begin another part.
    /// - Returns: Whether it can; `false` for a session that was started with the app's own log.
    @discardableResult
    public func deleteLogs() -> Bool {
        guard let folder else { return false }
        log.endPart { _ in LogFolder.removeLogs(in: folder) }
        return true
    }

    /// A scene is gone, and the router's page with it.
    func forget(_ scene: SceneID) {
        commits?.remove(scene)
        routed.removeValue(forKey: scene)?.handleDidDisappear()
    }

    /// Ends measuring, and the log with it.
    public func stop() {
        for page in routed.values { page.handleDidDisappear() }
        routed = [:]
        link?.invalidate()
        cycleLink?.invalidate()
        for registration in registrations { registration.invalidate() }
        hideOverlay()
        log.close()
        if PerformanceSession.current === self { PerformanceSession.current = nil }
    }

    /// Frames are reported only while the user sees a page, because a display link costs power.
    private func followPages() {
        link?.isPaused = recorder.isIdle
        cycleLink?.isPaused = !recorder.awaitsRenderCycle
        if recorder.awaitsCommit { commits?.awaitCommit() }
    }

    private func tick(_ tick: FrameTick, isTracking: Bool) {
        recorder.tick(tick, isTracking: isTracking)
        didTick()
    }

    private func renderCycle(_ tick: FrameTick) {
        recorder.renderCycle(startedAt: tick.timestamp)
        didTick()
    }

    private func didTick() {
        commits?.didTick()
        for (key, entry) in followed {
            guard let view = entry.view, view.followsSight else {
                followed[key] = nil
                continue
            }
            view.updateSight()
        }
        // A page may be released with its owner without a report.
        followPages()
        panel?.show(recorder.live)
    }

    /// The user's scroll came to rest. In scrolling mode, the time until the next scroll counts for no scroll.
    private func didRest() { if mode == .scrolling { recorder.interrupt() } else { recorder.scrollDidRest() } }

    /// Checks a view's visibility at every frame, until it no longer needs it.
    func follow(_ view: any SightedView) { followed[ObjectIdentifier(view)] = FollowedView(view: view) }

    func share(_ machine: any PPSStateMachineProtocol, below controller: UIViewController) {
        shared = shared.filter { $0.value.controller != nil }
        shared[ObjectIdentifier(controller)] = SharedPage(controller: controller, machine: machine)
    }

    /// The machine shared below this view controller itself.
    func sharedMachine(of controller: UIViewController) -> (any PPSStateMachineProtocol)? {
        guard let entry = shared[ObjectIdentifier(controller)], entry.controller === controller else { return nil }
        return entry.machine
    }
}
#endif
