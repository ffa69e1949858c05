#if canImport(UIKit)
import PagePerformance
import UIKit

/// The frames at which a display link calls.
public enum FrameMode: Hashable, Sendable {
    /// At every frame, with or without scrolling: screens are measured over their whole life.
    case always
    /// Only while the user scrolls, in the run loop's tracking mode: no other frame wakes the app, and no screen is
    /// measured.
    case scrolling
}

/// Calls a closure at frames of the display, until it is released.
///
/// The link runs in the main run loop's common modes, so both during scrolling and without it, or only in the tracking
/// mode. The run loop's mode at a frame shows whether the user scrolls. The link requests no frame rate.
@MainActor
final class FrameLink {
    private let handler: @MainActor (FrameTick, _ isTracking: Bool) -> Void
    private let link: CADisplayLink

    /// Makes a running link that calls `handler` at every frame.
    init(_ mode: FrameMode = .always, _ handler: @escaping @MainActor (FrameTick, _ isTracking: Bool) -> Void) {
        self.handler = handler
        let target = FrameLinkTarget()
        link = target.makeLink()
        target.owner = self
        link.add(to: .main, forMode: mode == .always ? .common : .tracking)
    }

    var isPaused: Bool {
        get { link.isPaused }
        set { link.isPaused = newValue }
    }

    /// Ends permanently.
    func invalidate() {
        link.invalidate()
    }

    fileprivate func step(_ link: CADisplayLink) {
        guard let tick = FrameTick(link) else { return }
        handler(tick, RunLoop.current.currentMode == .tracking)
    }
}

/// The target that a display link retains instead of its owner; the owner's end then ends the link.
@MainActor
private final class FrameLinkTarget: NSObject {
    weak var owner: FrameLink?

    #if canImport(ObjectiveC)
    func makeLink() -> CADisplayLink {
        CADisplayLink(target: self, selector: #selector(step(_:)))
    }

    @objc private func step(_ link: CADisplayLink) {
        forward(link)
    }
    #else
    func makeLink() -> CADisplayLink {
        CADisplayLink { self.forward($0) }
    }
    #endif

    private func forward(_ link: CADisplayLink) {
        guard let owner else { return link.invalidate() }
        owner.step(link)
    }
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

/// Calls a closure at moments of the main run loop, until it is released.
@MainActor
final class RunLoopWatch {
    private var observer: CFRunLoopObserver?

    /// Calls once, after this turn's changes are committed: Core Animation commits when the loop is about to wait or to
    /// leave its mode, and this call comes later; of two such calls, the call with the lower `order` comes first.
    static func afterCommit(order: CFIndex = .max, _ handler: @escaping @MainActor () -> Void) {
        let activities = CFRunLoopActivity.beforeWaiting.rawValue | CFRunLoopActivity.exit.rawValue
        CFRunLoopAddObserver(
            CFRunLoopGetMain(), observer(activities, repeats: false, order: order, handler), CFRunLoopMode.commonModes)
    }

    /// Calls whenever the loop enters its default mode, as it does after a scroll came to rest.
    init(onRest handler: @escaping @MainActor () -> Void) {
        observer = Self.observer(CFRunLoopActivity.entry.rawValue, repeats: true, handler)
        CFRunLoopAddObserver(CFRunLoopGetMain(), observer, CFRunLoopMode.defaultMode)
    }

    /// Ends permanently.
    func invalidate() {
        CFRunLoopRemoveObserver(CFRunLoopGetMain(), observer, CFRunLoopMode.defaultMode)
        observer = nil
    }

    private static func observer(
        _ activities: CFOptionFlags, repeats: Bool, order: CFIndex = .max, _ handler: @escaping @MainActor () -> Void
    ) -> CFRunLoopObserver? {
        CFRunLoopObserverCreateWithHandler(nil, activities, repeats, order) { _, _ in
            MainActor.assumeIsolated { handler() }
        }
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
    private let watch: RunLoopWatch
    private let notices: AppNotices

    /// Makes a running link.
    ///
    /// - Parameters:
    ///   - detector: The detector, which belongs to the main actor.
    ///   - mode: The frames that it feeds; with `.scrolling` each scroll is a separate stretch.
    public init(_ detector: FrameDropDetector, mode: FrameMode = .always) {
        link = FrameLink(mode) { tick, _ in detector.tick(tick) }
        watch = RunLoopWatch { if mode == .scrolling { detector.interrupt() } }
        notices = AppNotices()
        notices.follow(UIApplication.willResignActiveNotification) { detector.willResignActive() }
        notices.follow(UIApplication.didBecomeActiveNotification) { detector.didBecomeActive() }
    }

    /// Ends permanently.
    public func invalidate() {
        link.invalidate()
        watch.invalidate()
        notices.removeAll()
    }
}

/// The app's notifications, which arrive on any thread.
@MainActor
final class AppNotices {
    private var observers: [any NSObjectProtocol] = []

    /// Calls a closure for every notification: before the poster continues, if it posts on the main thread.
    func follow(_ name: Notification.Name, _ handler: @escaping @MainActor @Sendable () -> Void) {
        let observer = NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { _ in
            guard Thread.isMainThread else {
                Task { @MainActor in handler() }
                return
            }
            MainActor.assumeIsolated { handler() }
        }
        observers.append(observer)
    }

    /// Stops observing.
    func removeAll() {
        for observer in observers { NotificationCenter.default.removeObserver(observer) }
        observers = []
    }
}
#endif
