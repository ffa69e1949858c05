#if canImport(UIKit)
import PagePerformance
import UIKit

/// Measures an app from its start: the recorder, its log, the display link, and the app's own life.
///
///     PerformanceSession.start(app: .mainBundle())
///
/// Pages then measure themselves with one line each: `measurePage("Search")` in `viewDidLoad`, or the view modifier of
/// that name. Without a session these lines do nothing.
@MainActor
public final class PerformanceSession {
    /// The session that pages report to; `nil` where none was started.
    public private(set) static var current: PerformanceSession?

    /// What brings pages, scrolls and frames together.
    public let recorder: PageRecorder
    /// Where it is written.
    public let log: EventLog

    private var reader = DeviceReader()
    private var link: FrameLink?
    private var overlay: PerformanceOverlay?
    private var observers: [any NSObjectProtocol] = []

    private init(log: EventLog, configuration: PPSConfiguration, frames: FrameDropDetector.Configuration) {
        self.log = log
        recorder = PageRecorder(log: log, configuration: configuration, frames: frames)
        link = FrameLink { [weak self] tick, isTracking in self?.tick(tick, isTracking: isTracking) }
        followPages()
        followApp()
    }

    /// Starts the app's session, which writes into any log; where one was started already, returns that one.
    ///
    /// - Parameters:
    ///   - log: Where it writes.
    ///   - configuration: What is chosen about the events of visits.
    ///   - frames: How frames are counted.
    @discardableResult
    public static func start(
        log: EventLog, configuration: PPSConfiguration = PPSConfiguration(),
        frames: FrameDropDetector.Configuration = FrameDropDetector.Configuration()
    ) -> PerformanceSession {
        if let current { return current }
        let session = PerformanceSession(log: log, configuration: configuration, frames: frames)
        current = session
        return session
    }

    /// Begins a repetition of a test, from 0: what is measured from now on belongs to it, and the log says how the
    /// device is.
    public func beginIteration(_ number: Int) {
        log.beginIteration(number, conditions: reader.conditions(isCharging: UIDevice.current.isCharging))
    }

    /// Ends measuring, and the log with it.
    public func stop() {
        link?.invalidate()
        for observer in observers { NotificationCenter.default.removeObserver(observer) }
        observers = []
        log.close()
        if PerformanceSession.current === self { PerformanceSession.current = nil }
    }

    /// Frames are told only while a page has a visit, because a display link costs power.
    func followPages() {
        link?.isPaused = recorder.isIdle
    }

    private func tick(_ tick: FrameTick, isTracking: Bool) {
        recorder.tick(tick, isTracking: isTracking)
        // A page may go with its owner, and never say so.
        followPages()
        overlay?.show(recorder.live)
    }

    private func followApp() {
        follow(UIApplication.willResignActiveNotification) { $0.recorder.appWillResign() }
        follow(UIApplication.didEnterBackgroundNotification) { session in
            session.recorder.appDidSuspend()
            session.log.flush { _ in }
        }
        follow(UIApplication.didBecomeActiveNotification) { $0.recorder.appDidResume() }
    }

    private func follow(
        _ name: Notification.Name, _ change: @escaping @MainActor @Sendable (PerformanceSession) -> Void
    ) {
        let observer = NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { [weak self] _ in
            // UIKit posts these on the main thread, and without a queue they arrive there before it goes on.
            MainActor.assumeIsolated {
                if let self { change(self) }
            }
        }
        observers.append(observer)
    }
}

extension PerformanceSession {
    /// Starts the app's session, which writes into files; where one was started already, returns that one.
    ///
    /// Run, part, iteration, test and folder are those of the launch's environment (`LaunchEnvironment`).
    ///
    /// - Parameters:
    ///   - app: What is measured: `.mainBundle()`.
    ///   - folder: Where the files go if the environment names no folder; `nil`: `perfgate` in the app's documents.
    ///   - configuration: What is chosen about the events of visits.
    ///   - keptTicks: How many ticks of a scroll are kept in memory to write them into the log; 0: none are written.
    ///   - options: How the log uses memory, files and time.
    @discardableResult
    public static func start(
        app: AppFacts, folder: String? = nil, configuration: PPSConfiguration = PPSConfiguration(),
        keptTicks: Int = 0, options: EventLogOptions = EventLogOptions()
    ) -> PerformanceSession {
        if let current { return current }
        var reader = DeviceReader()
        let rate = UIScreen.main.maximumFramesPerSecond
        let log = EventLog(
            folder: folder ?? NSHomeDirectory() + "/Documents/perfgate", app: app,
            device: reader.facts(maxFPS: Double(rate)),
            conditions: reader.conditions(isCharging: UIDevice.current.isCharging), options: options)
        let frames = FrameDropDetector.Configuration(
            clock: configuration.frameClock, maxFPS: rate, keptTicks: keptTicks)
        return start(log: log, configuration: configuration, frames: frames)
    }

    /// Shows live numbers in a corner of a window: frames per second, hitches, and the times of the last page.
    public func showOverlay(in window: UIWindow) {
        overlay?.removeFromSuperview()
        recorder.live = LiveFigures(clock: recorder.configuration.frameClock)
        overlay = PerformanceOverlay(in: window)
    }

    /// Takes the live numbers away.
    public func hideOverlay() {
        overlay?.removeFromSuperview()
        overlay = nil
        recorder.live = nil
    }
}

extension UIDevice {
    /// Whether the device is being charged or full; `nil` where the system doesn't tell.
    ///
    /// It tells only a process that monitors the battery, which this one does from the first call on.
    fileprivate var isCharging: Bool? {
        isBatteryMonitoringEnabled = true
        return switch batteryState {
        case .charging, .full: true
        case .unplugged: false
        default: nil
        }
    }
}
/// Live numbers at the top of a window, which lets touches through.
@MainActor
final class PerformanceOverlay: UILabel {
    /// Adds the numbers to a window, above its views of now.
    init(in window: UIWindow) {
        super.init(frame: .zero)
        numberOfLines = 0
        isUserInteractionEnabled = false
        isAccessibilityElement = false
        font = .monospacedDigitSystemFont(ofSize: 10, weight: .medium)
        textColor = .white
        backgroundColor = .black.withAlphaComponent(0.7)
        translatesAutoresizingMaskIntoConstraints = false
        window.addSubview(self)
        NSLayoutConstraint.activate([
            topAnchor.constraint(equalTo: window.safeAreaLayoutGuide.topAnchor),
            leadingAnchor.constraint(equalTo: window.safeAreaLayoutGuide.leadingAnchor),
        ])
    }

    /// Not made from archives.
    @available(*, unavailable)
    required init?(coder: NSCoder) {
        nil
    }

    /// Shows figures; the text is set only where it differs, since every setting is work for the next frame.
    func show(_ figures: LiveFigures?) {
        let next = figures?.lines.joined(separator: "\n")
        if next != text { text = next }
    }
}
#endif
