#if canImport(UIKit)
import PagePerformance
import UIKit

/// Calls a closure at every frame of the display, until it is let go.
///
/// The link is in the main run loop's common modes, so that it runs while the user scrolls and while he doesn't; which
/// of the two it is, the run loop's mode tells. It asks for no frame rate of its own.
@MainActor
final class FrameLink {
    private let handler: @MainActor (FrameTick, _ isTracking: Bool) -> Void
    private let link: CADisplayLink

    /// Makes a link that runs, and calls `handler` at every frame.
    init(_ handler: @escaping @MainActor (FrameTick, _ isTracking: Bool) -> Void) {
        self.handler = handler
        let target = FrameLinkTarget()
        link = target.makeLink()
        target.owner = self
        link.add(to: .main, forMode: .common)
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
#endif
