// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, NeverUseImplicitlyUnwrappedOptionals
// Apple documents these; here they only stand in for it.

import Dispatch
import Foundation

@MainActor
open class UIApplication: UIResponder {
    public struct LaunchOptionsKey: Hashable, Sendable {}

    public enum State: Sendable {
        case active, inactive, background
    }

    public static let shared = UIApplication()
    open var applicationState: State { state }
    @_spi(Stub) public var state = State.active

    public nonisolated static let willEnterForegroundNotification = Notification.Name("willEnterForeground")
    public nonisolated static let willResignActiveNotification = Notification.Name("willResignActive")
    public nonisolated static let didEnterBackgroundNotification = Notification.Name("didEnterBackground")
    public nonisolated static let didBecomeActiveNotification = Notification.Name("didBecomeActive")
    public nonisolated static let willTerminateNotification = Notification.Name("willTerminate")
}

@MainActor
public final class UIScreen {
    public static let main = UIScreen(maximumFramesPerSecond: 60)
    public let maximumFramesPerSecond: Int
    public let bounds = CGRect(x: 0, y: 0, width: 400, height: 800)

    @_spi(Stub) public init(maximumFramesPerSecond: Int) {
        self.maximumFramesPerSecond = maximumFramesPerSecond
    }
}

@MainActor
public final class UIDevice {
    public enum BatteryState: Sendable {
        case unknown, unplugged, charging, full
    }

    public static let current = UIDevice()
    public var isBatteryMonitoringEnabled = false
    public var batteryState: BatteryState { isBatteryMonitoringEnabled ? .unplugged : .unknown }
}

extension ProcessInfo {
    /// Calls on another thread, and never expires; `activities` counts the calls that are still running.
    public func performExpiringActivity(withReason reason: String, using block: @escaping @Sendable (Bool) -> Void) {
        ExpiringActivities.begin()
        DispatchQueue.global().async {
            block(false)
            ExpiringActivities.end()
        }
    }
}

/// The activities that keep the process from being suspended.
@_spi(Stub) public enum ExpiringActivities {
    private static let group = DispatchGroup()

    static func begin() { group.enter() }
    static func end() { group.leave() }

    /// Waits until none is running, as the system does before it suspends the process.
    public static func wait() {
        group.wait()
    }
}

extension RunLoop.Mode {
    /// UIKit's `UITrackingRunLoopMode`.
    public static let tracking = RunLoop.Mode("UITrackingRunLoopMode")
}

/// A display link with frames made by a test.
@MainActor
public final class CADisplayLink {
    /// The links in the common modes.
    @_spi(Stub) public private(set) static var running: [CADisplayLink] = []
    /// The links in the tracking mode only.
    @_spi(Stub) public private(set) static var tracking: [CADisplayLink] = []

    public var isPaused = false
    public private(set) var timestamp = 0.0
    public private(set) var targetTimestamp = 0.0
    public private(set) var duration = 0.0
    private let step: @MainActor (CADisplayLink) -> Void

    public init(step: @escaping @MainActor (CADisplayLink) -> Void) {
        self.step = step
    }

    public func add(to runLoop: RunLoop, forMode mode: RunLoop.Mode) {
        if mode == .common { Self.running.append(self) }
        if mode == .tracking { Self.tracking.append(self) }
    }

    public func invalidate() {
        Self.running.removeAll { $0 === self }
        Self.tracking.removeAll { $0 === self }
    }

    /// Makes every running link call its target once.
    @_spi(Stub) public static func fire(timestamp: Double, duration: Double) {
        let isTracking = RunLoop.current.currentMode == .tracking
        for link in running + (isTracking ? tracking : []) where !link.isPaused {
            (link.timestamp, link.targetTimestamp, link.duration) = (timestamp, timestamp + duration, duration)
            link.step(link)
        }
    }
}
