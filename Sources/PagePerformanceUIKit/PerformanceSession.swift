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
    /// The router's screen; `nil` without one.
    public private(set) var routedPage: PPSStateMachine?

    var panel: PerformancePanel?
    private var reader = DeviceReader()
    private let mode: FrameMode
    private var link: FrameLink?
    /// Reports render cycles while a page awaits one, if frames are reported during the user's scrolls only.
    private var cycleLink: FrameLink?
    private var restWatch: RunLoopWatch?
    private let notices = AppNotices()
    private var awaitsCommit = false
    private var shared: [ObjectIdentifier: SharedPage] = [:]
    private var followed: [ObjectIdentifier: FollowedView] = [:]

    /// The machine shared by everything below a view controller.
    private struct SharedPage {
        weak var controller: UIViewController?
        let machine: any PPSStateMachineProtocol
    }

    /// A view whose visibility may change with any frame.
    private struct FollowedView {
        weak var view: (any SightedView)?
    }

    private init(
        log: EventLog, configuration: PPSConfiguration, frames: FrameDropDetector.Configuration, mode: FrameMode,
        clock: any TimeSource
    ) {
        self.log = log
        self.mode = mode
        recorder = PageRecorder(log: log, configuration: configuration, frames: frames, clock: clock)
        recorder.conditions = { VisitConditions.current }
        recorder.followsCommits = true
        recorder.tracksScreens = mode == .always
        link = FrameLink(mode) { [weak self] tick, isTracking in self?.tick(tick, isTracking: isTracking) }
        if mode == .scrolling {
            cycleLink = FrameLink { [weak self] tick, _ in self?.renderCycle(tick) }
        }
        restWatch = RunLoopWatch { [weak self] in self?.didRest() }
        recorder.onPageChange = { [weak self] in
            MainActor.assumeIsolated { self?.followPages() }
        }
        followPages()
        followApp()
    }

    /// Starts the app's session, which writes into any log; if one is already started, returns that session.
    ///
    /// - Parameters:
    ///   - log: The log.
    ///   - configuration: The settings for the events of visits.
    ///   - frames: How frames are counted.
    ///   - mode: The frames at which it is called.
    @discardableResult
    public static func start(
        log: EventLog, configuration: PPSConfiguration = PPSConfiguration(),
        frames: FrameDropDetector.Configuration = FrameDropDetector.Configuration(), mode: FrameMode = .always
    ) -> PerformanceSession {
        start(log: log, configuration: configuration, frames: frames, mode: mode, clock: MonotonicClock())
    }

    /// The same with a source of times, which is that of the frames' timestamps.
    @discardableResult
    static func start(
        log: EventLog, configuration: PPSConfiguration = PPSConfiguration(),
        frames: FrameDropDetector.Configuration, mode: FrameMode, clock: any TimeSource
    ) -> PerformanceSession {
        if let current { return current }
        let session = PerformanceSession(
            log: log, configuration: configuration, frames: frames, mode: mode, clock: clock)
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
    ///
    /// - Parameter name: The screen's name; `nil`: no screen is shown.
    @discardableResult
    public func show(page name: String?) -> PPSStateMachine? {
        routedPage?.handleDidDisappear()
        guard let name else {
            routedPage = nil
            return nil
        }
        let page = routedPage ?? recorder.makePage()
        routedPage = page
        page.handlePageName(name)
        page.handleDidLoad()
        page.handleDidAppear()
        return page
    }

    /// Ends measuring, and the log with it.
    public func stop() {
        show(page: nil)
        link?.invalidate()
        cycleLink?.invalidate()
        restWatch?.invalidate()
        notices.removeAll()
        hideOverlay()
        log.close()
        if PerformanceSession.current === self { PerformanceSession.current = nil }
    }

    /// Frames are reported only while a page has a visit, because a display link costs power.
    private func followPages() {
        link?.isPaused = recorder.isIdle
        cycleLink?.isPaused = !recorder.awaitsRenderCycle
        guard recorder.awaitsCommit, !awaitsCommit else { return }
        awaitsCommit = true
        RunLoopWatch.afterCommit { [weak self] in
            self?.awaitsCommit = false
            self?.recorder.didCommit()
        }
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
    private func didRest() {
        if mode == .scrolling { recorder.interrupt() } else { recorder.scrollDidRest() }
    }

    /// Checks a view's visibility at every frame, until it no longer needs it.
    func follow(_ view: any SightedView) {
        followed[ObjectIdentifier(view)] = FollowedView(view: view)
    }

    func share(_ machine: any PPSStateMachineProtocol, below controller: UIViewController) {
        shared = shared.filter { $0.value.controller != nil }
        shared[ObjectIdentifier(controller)] = SharedPage(controller: controller, machine: machine)
    }

    /// The machine shared below this view controller itself.
    func sharedMachine(of controller: UIViewController) -> (any PPSStateMachineProtocol)? {
        guard let entry = shared[ObjectIdentifier(controller)], entry.controller === controller else { return nil }
        return entry.machine
    }

    private func followApp() {
        follow(UIApplication.willResignActiveNotification) { $0.recorder.appWillResign() }
        follow(UIApplication.didEnterBackgroundNotification) { session in
            session.recorder.appDidSuspend()
            session.log.flush { _ in }
        }
        follow(UIApplication.didBecomeActiveNotification) { session in
            session.recorder.appDidResume()
            // A full disk may have room again, or a locked device may be unlocked.
            session.log.retry()
        }
        follow(UIApplication.willTerminateNotification) { session in
            session.recorder.appWillResign()
            session.log.closeAndWait()
        }
    }

    private func follow(
        _ name: Notification.Name, _ change: @escaping @MainActor @Sendable (PerformanceSession) -> Void
    ) {
        notices.follow(name) { [weak self] in
            if let self { change(self) }
        }
    }
}

extension PerformanceSession {
    /// Starts the app's session, which writes into files; if one is already started, returns that session.
    ///
    /// Run, part, iteration, test and folder come from the launch's environment (`LaunchEnvironment`).
    ///
    /// - Parameters:
    ///   - app: The measured app: `.mainBundle()`.
    ///   - folder: The folder for the files if the environment names none.
    ///   - retention: The files and bytes that the folder keeps.
    ///   - configuration: The settings for the events of visits.
    ///   - mode: The frames at which it is called.
    ///   - keptTicks: The number of a scroll's ticks to keep for pictures of it; no metric needs them.
    ///   - hangThreshold: The interval beyond which a screen hangs.
    ///   - window: The app's window; its scene's screen provides the display's highest refresh rate; `nil`, as in
    ///     `App.init`: `UIScreen.main` provides it.
    ///   - maxFPS: That rate, if the caller knows it.
    ///   - options: The log's use of memory, files and time.
    @discardableResult
    public static func start(
        app: AppFacts, folder: LogFolder = .applicationSupport, retention: LogRetention = LogRetention(),
        configuration: PPSConfiguration = PPSConfiguration(), mode: FrameMode = .always, keptTicks: Int = 0,
        hangThreshold: Nanoseconds = .hangThreshold, window: UIWindow? = nil, maxFPS: Int? = nil,
        options: EventLogOptions = EventLogOptions()
    ) -> PerformanceSession {
        if let current { return current }
        var reader = DeviceReader()
        let rate = maxFPS ?? (window?.windowScene?.screen ?? UIScreen.main).maximumFramesPerSecond
        let launch = LaunchEnvironment.current
        let path = launch.folder ?? folder.path ?? LogFolder.applicationSupport.path ?? NSTemporaryDirectory()
        let log = EventLog(
            launch, to: FileSink(folder: path, retention: retention), app: app,
            device: reader.facts(maxFPS: Double(rate)),
            conditions: reader.conditions(isCharging: UIDevice.current.isCharging), options: options)
        let frames = FrameDropDetector.Configuration(
            clock: configuration.frameClock, maxFPS: rate, keptTicks: keptTicks, hangThreshold: hangThreshold)
        return start(log: log, configuration: configuration, frames: frames, mode: mode)
    }
}

extension UIDevice {
    /// Whether the device is charging or full; `nil` if the system doesn't report it, as tvOS never does.
    ///
    /// The system only reports it to a process that monitors the battery; this process monitors it during the call.
    fileprivate var isCharging: Bool? {
        #if !os(tvOS)
        let wasMonitored = isBatteryMonitoringEnabled
        isBatteryMonitoringEnabled = true
        defer { isBatteryMonitoringEnabled = wasMonitored }
        return switch batteryState {
        case .charging, .full: true
        case .unplugged: false
        default: nil
        }
        #else
        return nil
        #endif
    }
}
#endif
