#if canImport(UIKit)
import PagePerformance
import UIKit

/// When a display link calls.
public enum FrameMode: Hashable, Sendable {
    /// At every frame, scrolling or not: screens are measured over their whole life.
    case always
    /// Only while the user scrolls, in the run loop's tracking mode: the app is woken for no frame else, and no screen
    /// is measured.
    case scrolling
}

/// Calls a closure at frames of the display, until it is let go.
///
/// The link is in the main run loop's common modes, so that it runs while the user scrolls and while he doesn't, or in
/// the tracking mode alone. Which of the two it is, the run loop's mode tells. It asks for no frame rate of its own.
@MainActor
final class FrameLink {
    private let handler: @MainActor (FrameTick, _ isTracking: Bool) -> Void
    private let link: CADisplayLink

    /// Makes a link that runs, and calls `handler` at every frame.
    init(_ mode: FrameMode = .always, _ handler: @escaping @MainActor (FrameTick, _ isTracking: Bool) -> Void) {
        self.handler = handler
        let target = FrameLinkTarget()
        link = target.makeLink()
        target.owner = self
        link.add(to: .main, forMode: mode == .always ? .common : .tracking)
    }

    /// Whether no frames are told.
    var isPaused: Bool {
        get { link.isPaused }
        set { link.isPaused = newValue }
    }

    /// Ends for good.
    func invalidate() {
        link.invalidate()
    }

    fileprivate func step(_ link: CADisplayLink) {
        guard let tick = FrameTick(link) else { return }
        handler(tick, RunLoop.current.currentMode == .tracking)
    }
}

/// What a display link keeps alive in place of its owner, whose end then ends the link.
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
    /// The frame that a display link tells of; `nil` before its first.
    @MainActor
    init?(_ link: CADisplayLink) {
        guard let timestamp = Nanoseconds(.seconds(link.timestamp)) else { return nil }
        self.init(
            timestamp: timestamp, target: Nanoseconds(.seconds(link.targetTimestamp)),
            duration: Nanoseconds(.seconds(link.duration)))
    }
}

/// Calls a closure at moments of the main run loop, until it is let go.
@MainActor
final class RunLoopWatch {
    private var observer: CFRunLoopObserver?

    /// Calls once, when the changes of this turn are committed: Core Animation commits when the loop is about to wait or
    /// to leave its mode, and this comes after all that does so; of two such calls the one with the lower `order` first.
    static func afterCommit(order: CFIndex = .max, _ handler: @escaping @MainActor () -> Void) {
        let activities = CFRunLoopActivity.beforeWaiting.rawValue | CFRunLoopActivity.exit.rawValue
        CFRunLoopAddObserver(
            CFRunLoopGetMain(), observer(activities, repeats: false, order: order, handler), CFRunLoopMode.commonModes)
    }

    /// Calls whenever the loop enters its default mode, as it does when a scroll came to rest.
    init(onRest handler: @escaping @MainActor () -> Void) {
        observer = Self.observer(CFRunLoopActivity.entry.rawValue, repeats: true, handler)
        CFRunLoopAddObserver(CFRunLoopGetMain(), observer, CFRunLoopMode.defaultMode)
    }

    /// Ends for good.
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

/// Feeds a detector that is used alone with the frames of the display, until it is let go.
///
///     let detector = FrameDropDetector(FrameDropDetector.Configuration(counting: .published))
///     detector.delegate = self
///     link = DetectorLink(detector)           // then detector.resume(), clearFrameDropCount(), pause()
///
/// It follows the app's becoming active and inactive, as the published detector does.
@MainActor
public final class DetectorLink {
    private let link: FrameLink
    private let watch: RunLoopWatch
    private let notices: AppNotices

    /// Makes a link that runs.
    ///
    /// - Parameters:
    ///   - detector: The detector, which belongs to the main actor.
    ///   - mode: At which frames it is fed; with `.scrolling` each scroll is a stretch of its own.
    public init(_ detector: FrameDropDetector, mode: FrameMode = .always) {
        link = FrameLink(mode) { tick, _ in detector.tick(tick) }
        watch = RunLoopWatch { if mode == .scrolling { detector.interrupt() } }
        notices = AppNotices()
        notices.follow(UIApplication.willResignActiveNotification) { detector.willResignActive() }
        notices.follow(UIApplication.didBecomeActiveNotification) { detector.didBecomeActive() }
    }

    /// Ends for good.
    public func invalidate() {
        link.invalidate()
        watch.invalidate()
        notices.removeAll()
    }
}

/// The app's notifications, which come on any thread.
@MainActor
final class AppNotices {
    private var observers: [any NSObjectProtocol] = []

    /// Calls a closure whenever a notification is posted: before the poster goes on, where that is the main thread.
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

    /// Follows nothing any more.
    func removeAll() {
        for observer in observers { NotificationCenter.default.removeObserver(observer) }
        observers = []
    }
}
#endif
