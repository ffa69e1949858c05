#if canImport(UIKit)
import PagePerformance
import UIKit

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

/// Calls a closure at frames of the display, until it is released.
///
/// The link runs in the main run loop's common modes, so both during scrolling and without it, or only in the tracking
/// mode. The run loop's mode at a frame shows whether the user scrolls. The link requests no frame rate.
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
    ///
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
