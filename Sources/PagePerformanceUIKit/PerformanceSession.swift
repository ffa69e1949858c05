#if canImport(UIKit)
import PagePerformance
import UIKit

/// Measures an app from its start: the recorder, its log, the display link, and the app's own life.
///
///     PerformanceSession.start(app: .mainBundle())
///
/// Pages then measure themselves with one line each: `measurePage("Search")` in `viewDidLoad`, or the view modifier of
/// that name. Or a router tells of every screen, by `show(page:)`. Without a session these lines do nothing.
@MainActor
public final class PerformanceSession {
    /// The session that pages report to; `nil` where none was started.
    public private(set) static var current: PerformanceSession?

    /// What brings pages, scrolls and frames together.
    public let recorder: PageRecorder
    /// Where it is written.
    public let log: EventLog
    /// The screen that a router shows; `nil` where none does.
    public private(set) var routedPage: PPSStateMachine?

    var panel: PerformancePanel?
    private var reader = DeviceReader()
    private let mode: FrameMode
    private var link: FrameLink?
    /// Reports render cycles while one is awaited, where frames are reported during the user's scrolls only.
    private var cycleLink: FrameLink?
    private var restWatch: RunLoopWatch?
    private let notices = AppNotices()
    private var awaitsCommit = false
    private var shared: [ObjectIdentifier: SharedPage] = [:]
    private var followed: [ObjectIdentifier: FollowedView] = [:]

    /// A machine that was made that of everything below a view controller.
    private struct SharedPage {
        weak var controller: UIViewController?
        let machine: any PPSStateMachineProtocol
    }

    /// A view whose sight may change with any frame.
    private struct FollowedView {
        weak var view: (any SightedView)?
    }

    private init(
        log: EventLog, configuration: PPSConfiguration, frames: FrameDropDetector.Configuration, mode: FrameMode
    ) {
        self.log = log
        self.mode = mode
        recorder = PageRecorder(log: log, configuration: configuration, frames: frames)
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

    /// Starts the app's session, which writes into any log; where one was started already, returns that one.
    ///
    /// - Parameters:
    ///   - log: Where it writes.
    ///   - configuration: What is chosen about the events of visits.
    ///   - frames: How frames are counted.
    ///   - mode: At which frames it is called.
    @discardableResult
    public static func start(
        log: EventLog, configuration: PPSConfiguration = PPSConfiguration(),
        frames: FrameDropDetector.Configuration = FrameDropDetector.Configuration(), mode: FrameMode = .always
    ) -> PerformanceSession {
        if let current { return current }
        let session = PerformanceSession(log: log, configuration: configuration, frames: frames, mode: mode)
        current = session
        return session
    }

    /// Begins a repetition of a test, from 0: what is measured from now on belongs to it, and the log says how the
    /// device is.
    public func beginIteration(_ number: Int) {
        log.beginIteration(number, conditions: reader.conditions(isCharging: UIDevice.current.isCharging))
    }

    /// Shows a screen in place of the one before, as a router tells it: each call is a visit of its own.
    ///
    /// So every screen of an app is measured from one place: its frames, scrolls and duration, and its load where it is
    /// told of it through the page that this returns, or through `performancePage` of a view on it. Screens that measure
    /// themselves keep their own pages.
    ///
    /// - Parameter name: The screen's name; `nil`: none is shown any more.
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

    /// Frames are told only while a page has a visit, because a display link costs power.
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
        // A page may go with its owner, and never say so.
        followPages()
        panel?.show(recorder.live)
    }

    /// The user's scroll came to rest. Without frames else, what comes until the next one is nobody's.
    private func didRest() {
        if mode == .scrolling { recorder.interrupt() } else { recorder.scrollDidRest() }
    }

    /// Looks at a view's sight with every frame, until it says that it needn't be.
    func follow(_ view: any SightedView) {
        followed[ObjectIdentifier(view)] = FollowedView(view: view)
    }

    /// Makes a machine that of everything below a view controller.
    func share(_ machine: any PPSStateMachineProtocol, below controller: UIViewController) {
        shared = shared.filter { $0.value.controller != nil }
        shared[ObjectIdentifier(controller)] = SharedPage(controller: controller, machine: machine)
    }

    /// The machine that was shared below this very view controller.
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
            // A full disk may have room again, and a locked device is unlocked.
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
    /// Starts the app's session, which writes into files; where one was started already, returns that one.
    ///
    /// Run, part, iteration, test and folder are those of the launch's environment (`LaunchEnvironment`).
    ///
    /// - Parameters:
    ///   - app: What is measured: `.mainBundle()`.
    ///   - folder: Where the files go if the environment names no folder.
    ///   - retention: How many files and bytes the folder keeps.
    ///   - configuration: What is chosen about the events of visits.
    ///   - mode: At which frames it is called.
    ///   - keptTicks: How many ticks of a scroll are kept to draw pictures of it; no metric needs them.
    ///   - hangThreshold: Beyond which an interval is a hang.
    ///   - window: The app's window, whose scene's screen tells the display's highest refresh rate; `nil`, as in
    ///     `App.init`: `UIScreen.main` does.
    ///   - maxFPS: That rate, where the caller knows it.
    ///   - options: How the log uses memory, files and time.
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
    /// Whether the device is being charged or full; `nil` where the system doesn't tell, as tvOS never does.
    ///
    /// It tells only a process that monitors the battery, which this one does for as long as it asks.
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
