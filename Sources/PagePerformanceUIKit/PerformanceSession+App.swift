#if canImport(UIKit)
import PagePerformance
import UIKit
#if canImport(os)
import os
#endif

/// The session's part in the app's life.
extension PerformanceSession {
    /// Follows the app's and its scenes' notifications.
    func followApp() {
        let app: [(Notification.Name, PPSStateMachine.AppChange)] = [
            (UIApplication.willEnterForegroundNotification, .willEnterForeground),
            (UIApplication.didBecomeActiveNotification, .didBecomeActive),
            (UIApplication.willResignActiveNotification, .willResignActive),
            (UIApplication.didEnterBackgroundNotification, .didEnterBackground),
        ]
        for (name, change) in app { follow(name) { session, _ in session.appDid(change) } }
        let scene: [(Notification.Name, PPSStateMachine.AppChange)] = [
            (UIScene.willEnterForegroundNotification, .willEnterForeground),
            (UIScene.didActivateNotification, .didBecomeActive),
            (UIScene.willDeactivateNotification, .willResignActive),
            (UIScene.didEnterBackgroundNotification, .didEnterBackground),
        ]
        for (name, change) in scene {
            follow(name) { session, scene in if let scene { session.recorder.sceneDid(change, scene) } }
        }
        follow(UIScene.didDisconnectNotification) { session, scene in
            guard let scene else { return }
            session.recorder.sceneDidDisconnect(scene)
            session.forget(scene)
        }
        follow(UIApplication.willTerminateNotification) { session, _ in
            session.recorder.appDid(.willResignActive)
            session.log.closeAndWait()
        }
    }

    private func follow(
        _ name: Notification.Name, _ change: @escaping @MainActor @Sendable (PerformanceSession, SceneID?) -> Void
    ) {
        registrations.append(Notices.follow(name) { [weak self] scene in if let self { change(self, scene) } })
    }

    private func appDid(_ change: PPSStateMachine.AppChange) {
        recorder.appDid(change)
        // A full disk may have room again, or a locked device may be unlocked.
        if change == .didBecomeActive { log.retry() }
        if change == .didEnterBackground { leave() }
    }

    /// The app is in the background: the log's part ends and is sent, before the system suspends the app.
    private func leave() {
        let (log, uploader) = (log, uploader)
        ProcessInfo.processInfo.performExpiringActivity(withReason: "perfgate ends and sends its log") {
            @Sendable isExpired in
            guard !isExpired else { return }
            log.endPartAndWait()
            guard let uploader, log.hasConsent else { return }
            let isSent = DispatchSemaphore(value: 0)
            Task {
                await uploader.upload { log.hasConsent }
                isSent.signal()
            }
            _ = isSent.wait(timeout: .now() + .seconds(20))
        }
    }

    /// Sends the parts of the log, if there is an uploader and consent.
    func upload() {
        guard let uploader, log.hasConsent else { return }
        Task { [log] in await uploader.upload { log.hasConsent } }
    }
}

extension UIApplication {
    /// The app; `nil` before it exists, as in a SwiftUI app's `init`, and in an extension, which has none.
    static var current: UIApplication? {
        #if canImport(ObjectiveC)
        // An extension may not name the property.
        UIApplication.perform(NSSelectorFromString("sharedApplication"))?.takeUnretainedValue() as? UIApplication
        #else
        UIApplication.shared
        #endif
    }
}

extension UIApplication? {
    /// The app's state at the start of a session. An app with scenes is in the background, by its own word, during every
    /// launch, and before it exists nothing is known.
    @MainActor
    var stateAtStart: PPSStateMachine.AppState {
        switch self?.applicationState {
        case .active: .active
        case .inactive: .entering
        default: .launching
        }
    }
}

extension UIView {
    /// The list within this view that a finger or its momentum moves; `nil` without one.
    var movingList: UIScrollView? {
        if let list = self as? UIScrollView, list.isDragging || list.isDecelerating { return list }
        // A lazy collection would search every level twice.
        for view in subviews { if let list = view.movingList { return list } }
        return nil
    }
}

extension PerformanceSession {
    struct Setup {
        var log: EventLog
        var configuration = PPSConfiguration()
        var frames = FrameDropDetector.Configuration()
        var mode = FrameMode()
        var tags: [String: String] = [:]
        var folder: String?
        var uploader: LogUploader?
        var clock: any TimeSource = MonotonicClock()
        var isPrewarmed = LaunchEnvironment.current.isPrewarmed
        var signposter = systemSignposter
    }

    /// Starts the app's session, which writes into files; if one is already started, returns that session. Run, part,
    /// iteration, test and folder come from the launch's environment (`LaunchEnvironment`).
    /// - Parameters:
    ///   - app: The measured app: `.mainBundle()`.
    ///   - folder: The folder for the files if the environment names none.
    ///   - retention: The files and bytes that the folder keeps.
    ///   - configuration: The settings for the events of visits.
    ///   - mode: The frames at which it is called: those of `FrameMode.init(_:)`, if it is left out.
    ///   - tags: The app's own dimensions, for field data.
    ///   - uploader: Sends the folder's parts at launch and in the background, each at most 1 MB; `nil`: the app does.
    ///   - keptTicks: The number of a scroll's ticks to keep for pictures of it; no metric needs them.
    ///   - hangThreshold: The interval beyond which a screen hangs.
    ///   - window: The app's window; its scene's screen provides the display's highest refresh rate; `nil`, as in
    ///     `App.init`: `UIScreen.main` provides it.
    ///   - maxFPS: That rate, if the caller knows it.
    ///   - options: The log's use of memory, files and time.
    @discardableResult
    public static func start(
        app: AppFacts, folder: LogFolder = .applicationSupport, retention: LogRetention = LogRetention(),
        configuration: PPSConfiguration = PPSConfiguration(), mode: FrameMode = FrameMode(),
        tags: [String: String] = [:], uploader: LogUploader? = nil, keptTicks: Int = 0,
        hangThreshold: Nanoseconds = .hangThreshold, window: UIWindow? = nil, maxFPS: Int? = nil,
        options: EventLogOptions = EventLogOptions()
    ) -> PerformanceSession {
        if let current { return current }
        var reader = DeviceReader()
        let rate = maxFPS ?? (window?.windowScene?.screen ?? UIScreen.main).maximumFramesPerSecond
        let launch = LaunchEnvironment.current
        let path = launch.folder ?? folder.path ?? LogFolder.applicationSupport.path ?? NSTemporaryDirectory()
        var options = options
        if uploader != nil { options.partSize = min(options.partSize ?? .max, EventLogOptions.fieldPartSize) }
        let log = EventLog(
            launch, to: FileSink(folder: path, retention: retention), app: app,
            device: reader.facts(maxFPS: Double(rate)),
            conditions: reader.conditions(isCharging: UIDevice.current.isCharging), tags: LogTags(tags),
            options: options)
        let frames = FrameDropDetector.Configuration(
            clock: configuration.frameClock, maxFPS: rate, keptTicks: keptTicks, hangThreshold: hangThreshold)
        return start(
            Setup(
                log: log, configuration: configuration, frames: frames, mode: mode, tags: tags, folder: path,
                uploader: uploader, isPrewarmed: launch.isPrewarmed))
    }
}

extension UIDevice {
    /// Whether the device is charging or full; `nil` if the system doesn't report it, as tvOS never does. The system
    /// only reports it to a process that monitors the battery; this process monitors it during the call.
    var isCharging: Bool? {
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

extension PerformanceSession.Setup {
    /// Shows pages in Instruments, with the subsystem `perfgate` and the category `page`; `nil` without signposts.
    static var systemSignposter: (any PageSignposting)? {
        #if canImport(os)
        SystemSignposter()
        #else
        nil
        #endif
    }
}

#if canImport(os)
private struct SystemSignposter: PageSignposting {
    private let signposter = OSSignposter(subsystem: "perfgate", category: "page")

    var isEnabled: Bool { signposter.isEnabled }

    func begin(_ interval: PageInterval, _ message: String) -> () -> Void {
        let name = interval.signpostName
        let state = signposter.beginInterval(name, id: signposter.makeSignpostID(), "\(message, privacy: .public)")
        return { [signposter] in signposter.endInterval(name, state) }
    }
}

extension PageInterval {
    /// The raw value as the literal that a signpost needs.
    fileprivate var signpostName: StaticString {
        switch self {
        case .visit: "visit"
        case .load: "load"
        case .firstLayout: "first-layout"
        case .scroll: "scroll"
        }
    }
}
#endif
#endif
