#if canImport(UIKit)
import PagePerformance
import UIKit

/// Something that the system calls, until it is invalidated or released.
@MainActor
final class Registration {
    private nonisolated(unsafe) var undo: (@MainActor @Sendable () -> Void)?

    /// Takes the call that undoes it.
    init(_ undo: @escaping @MainActor @Sendable () -> Void) { self.undo = undo }

    func invalidate() {
        undo?()
        undo = nil
    }

    deinit { if let undo { Self.onMain(undo) } }

    /// Calls now on the main thread, and otherwise soon.
    nonisolated static func onMain(_ body: @escaping @MainActor @Sendable () -> Void) {
        guard Thread.isMainThread else {
            Task { @MainActor in body() }
            return
        }
        MainActor.assumeIsolated { body() }
    }
}

/// Moments of the main run loop.
@MainActor
enum RunLoopWatch {
    /// Calls once when the loop is about to wait or to leave its mode, after Core Animation's commit at that moment; of two
    /// such calls, the call with the lower `order` comes first.
    static func afterCommit(order: CFIndex = .max, _ handler: @escaping @MainActor () -> Void) {
        let activities: CFRunLoopActivity = [.beforeWaiting, .exit]
        CFRunLoopAddObserver(
            CFRunLoopGetMain(), observer(activities, repeats: false, order: order) { _ in handler() },
            CFRunLoopMode.commonModes)
    }

    /// Calls whenever the loop enters its default mode, as it does after a scroll came to rest.
    static func onRest(_ handler: @escaping @MainActor () -> Void) -> Registration {
        watch(.entry, in: CFRunLoopMode.defaultMode) { _ in handler() }
    }

    /// The start of a stretch of work of the main thread; `nil` while it waits.
    @MainActor
    final class Work { fileprivate(set) var start: Nanoseconds? }

    /// Calls after each stretch of work of the main thread, from its waking until it waits again, with both times.
    static func onWork(
        _ work: Work, clock: any TimeSource, _ handler: @escaping @MainActor (Nanoseconds, Nanoseconds) -> Void
    ) -> Registration {
        watch([.entry, .afterWaiting, .beforeWaiting, .exit], in: CFRunLoopMode.commonModes) { activity in
            let now = clock.now
            if activity == .entry || activity == .afterWaiting {
                // A loop within another's work continues that work.
                if activity == .afterWaiting || work.start == nil { work.start = now }
                return
            }
            if let start = work.start { handler(start, now) }
            work.start = activity == .exit ? now : nil
        }
    }

    private static func watch(
        _ activities: CFRunLoopActivity, in mode: CFRunLoopMode?,
        _ handler: @escaping @MainActor (CFRunLoopActivity) -> Void
    ) -> Registration {
        let observer = observer(activities, repeats: true, order: .max, handler)
        CFRunLoopAddObserver(CFRunLoopGetMain(), observer, mode)
        return Registration { CFRunLoopRemoveObserver(CFRunLoopGetMain(), observer, mode) }
    }

    private static func observer(
        _ activities: CFRunLoopActivity, repeats: Bool, order: CFIndex,
        _ handler: @escaping @MainActor (CFRunLoopActivity) -> Void
    ) -> CFRunLoopObserver? {
        CFRunLoopObserverCreateWithHandler(nil, activities.rawValue, repeats, order) { _, activity in
            MainActor.assumeIsolated { handler(activity) }
        }
    }
}

/// Tells when changes of the user interface are committed. Since iOS 18 the system's updates run in one pass (events,
/// display links, commit), and not when the run loop is about to wait: `UIUpdateLink` reports the commit of a scene's
/// pass. Earlier systems commit before the run loop waits. Without a known scene, the second frame after a change shows
/// it in both orders.
@MainActor
final class CommitWatch {
    /// Whether the system has `UIUpdateLink`.
    static var hasUpdateLinks: Bool = {
        #if targetEnvironment(macCatalyst)
        false
        #else
        if #available(iOS 18, tvOS 18, *) { true } else { false }
        #endif
    }()

    private let handler: @MainActor () -> Void
    private var links: [SceneID: (scene: WeakScene, registration: Registration, enable: @MainActor (Bool) -> Void)] =
        [:]
    private var isAwaited = false
    /// The frames since a commit is awaited.
    private var frames = 0

    private struct WeakScene { weak var scene: UIWindowScene? }

    /// Makes a watch; `handler` is called once after each call of `awaitCommit()`.
    init(_ handler: @escaping @MainActor () -> Void) { self.handler = handler }

    /// A window scene shows pages.
    func add(_ scene: UIWindowScene) {
        guard Self.hasUpdateLinks, links[SceneID(scene)]?.scene.scene !== scene else { return }
        #if !targetEnvironment(macCatalyst)
        if #available(iOS 18, tvOS 18, *) {
            links = links.filter { $0.value.scene.scene != nil }
            let link = UIUpdateLink(windowScene: scene)
            link.addAction(to: .afterCATransactionCommit) { [weak self] _, _ in self?.didCommit() }
            link.isEnabled = isAwaited
            links[SceneID(scene)] = (
                WeakScene(scene: scene), Registration { link.isEnabled = false }, { link.isEnabled = $0 }
            )
        }
        #endif
    }

    func remove(_ scene: SceneID) { links[scene] = nil }

    /// Calls the handler after the next commit.
    func awaitCommit() {
        guard !isAwaited else { return }
        (isAwaited, frames) = (true, 0)
        guard Self.hasUpdateLinks else { return RunLoopWatch.afterCommit { [weak self] in self?.didCommit() } }
        for link in links.values { link.enable(true) }
    }

    /// A frame's display link has called: its changes are committed right after it. With a scene that reports no commit, such
    /// as one in the background, the next frame is waited for.
    func didTick() {
        guard isAwaited, Self.hasUpdateLinks else { return }
        frames += 1
        if links.isEmpty || frames > 1 { didCommit() }
    }

    private func didCommit() {
        guard isAwaited else { return }
        isAwaited = false
        for link in links.values { link.enable(false) }
        handler()
    }
}

/// The notifications of the app and its scenes, which arrive on any thread.
@MainActor
enum Notices {
    /// Calls a closure for every notification, with its scene: before the poster continues, if on the main thread.
    static func follow(
        _ name: Notification.Name, _ handler: @escaping @MainActor @Sendable (SceneID?) -> Void
    ) -> Registration {
        let observer = NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { notice in
            let scene = (notice.object as? UIScene).map { SceneID($0) }
            Registration.onMain { handler(scene) }
        }
        return Registration { NotificationCenter.default.removeObserver(observer) }
    }
}

/// The frames at which a display link calls.
public enum FrameMode: Hashable, Sendable {
    /// At every frame, with or without scrolling: screens are measured over their whole life by their frames.
    case always
    /// Only while the user scrolls, in the run loop's tracking mode, and while a page's load comes to an end: no other frame
    /// wakes the app. Of screens the hangs are measured, by the main thread's work.
    case scrolling

    /// The mode of a launch: at every frame if a test launched the app, and otherwise only while the user scrolls.
    public init(_ launch: LaunchEnvironment = .current) { self = launch.isTest ? .always : .scrolling }
}

/// Calls a closure at frames of the display, until it is released. The link runs in the main run loop's common modes,
/// so both during scrolling and without it, or only in the tracking mode. The run loop's mode at a frame shows whether
/// the user scrolls. The link requests no frame rate.
@MainActor
final class FrameLink {
    private let handler: @MainActor (FrameTick, _ isTracking: Bool) -> Void
    private let link: CADisplayLink
    private let registration: Registration

    /// Makes a running link that calls `handler` at every frame.
    init(_ mode: FrameMode = .always, _ handler: @escaping @MainActor (FrameTick, _ isTracking: Bool) -> Void) {
        self.handler = handler
        let target = FrameLinkTarget()
        let link = target.makeLink()
        self.link = link
        registration = Registration { link.invalidate() }
        target.owner = self
        link.add(to: .main, forMode: mode == .always ? .common : .tracking)
    }

    var isPaused: Bool {
        get { link.isPaused }
        set { link.isPaused = newValue }
    }

    func invalidate() { registration.invalidate() }

    fileprivate func step(_ link: CADisplayLink) {
        guard let tick = FrameTick(link) else { return }
        handler(tick, RunLoop.current.currentMode == .tracking)
    }
}

/// The target that a display link retains instead of its owner.
@MainActor
private final class FrameLinkTarget: NSObject {
    weak var owner: FrameLink?

    #if canImport(ObjectiveC)
    func makeLink() -> CADisplayLink { CADisplayLink(target: self, selector: #selector(step(_:))) }

    @objc private func step(_ link: CADisplayLink) { forward(link) }
    #else
    func makeLink() -> CADisplayLink { CADisplayLink { self.forward($0) } }
    #endif

    private func forward(_ link: CADisplayLink) { owner?.step(link) }
}

extension FrameTick {
    /// A display link's frame; `nil` before the first.
    @MainActor
    init?(_ link: CADisplayLink) {
        guard let timestamp = Nanoseconds(.seconds(link.timestamp)) else { return nil }
        self.init(
            timestamp: timestamp, target: Nanoseconds(.seconds(link.targetTimestamp)),
            duration: Nanoseconds(.seconds(link.duration)))
    }
}

/// Feeds the display's frames to a detector that is used alone, until the link is released.
///
///     let detector = FrameDropDetector(FrameDropDetector.Configuration(counting: .published))
///     detector.delegate = self
///     link = DetectorLink(detector)           // then detector.resume(), clearFrameDropCount(), pause()
///
/// It follows the app's activation and deactivation, as the published detector does.
@MainActor
public final class DetectorLink {
    private let link: FrameLink
    private let registrations: [Registration]

    /// Makes a running link.
    /// - Parameters:
    ///   - detector: The detector, which belongs to the main actor.
    ///   - mode: The frames that it feeds; with `.scrolling` each scroll is a separate stretch.
    public init(_ detector: FrameDropDetector, mode: FrameMode = .always) {
        link = FrameLink(mode) { tick, _ in detector.tick(tick) }
        registrations = [
            RunLoopWatch.onRest { if mode == .scrolling { detector.interrupt() } },
            Notices.follow(UIApplication.willResignActiveNotification) { _ in detector.willResignActive() },
            Notices.follow(UIApplication.didBecomeActiveNotification) { _ in detector.didBecomeActive() },
        ]
    }

    /// Ends permanently.
    public func invalidate() {
        link.invalidate()
        for registration in registrations { registration.invalidate() }
    }
}
#endif
