// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, NeverUseImplicitlyUnwrappedOptionals, AlwaysUseLowerCamelCase
// Apple documents these; here they only stand in for it.

import Dispatch
import Foundation

// Core Foundation's observers of the main run loop, which Foundation lacks on Linux. A test runs the turns.
public typealias CFOptionFlags = UInt
public typealias CFIndex = Int

public struct CFRunLoopActivity: OptionSet, Sendable {
    public let rawValue: CFOptionFlags
    public init(rawValue: CFOptionFlags) { self.rawValue = rawValue }
    public static let entry = CFRunLoopActivity(rawValue: 1)
    public static let afterWaiting = CFRunLoopActivity(rawValue: 64)
    public static let beforeWaiting = CFRunLoopActivity(rawValue: 32)
    public static let exit = CFRunLoopActivity(rawValue: 128)
}

public struct CFRunLoopMode: Hashable, Sendable {
    let name: String
    public static let commonModes: CFRunLoopMode! = CFRunLoopMode(name: "common")
    public static let defaultMode: CFRunLoopMode! = CFRunLoopMode(name: "default")
}

@MainActor
public final class CFRunLoop {
    static let main = CFRunLoop()
    var observers: [(observer: CFRunLoopObserver, mode: CFRunLoopMode)] = []
}

public final class CFRunLoopObserver {
    let activities: CFOptionFlags
    let repeats: Bool
    let order: CFIndex
    let block: (CFRunLoopObserver?, CFRunLoopActivity) -> Void

    init(
        activities: CFOptionFlags, repeats: Bool, order: CFIndex,
        block: @escaping (CFRunLoopObserver?, CFRunLoopActivity) -> Void
    ) {
        (self.activities, self.repeats, self.order, self.block) = (activities, repeats, order, block)
    }
}

public final class CFAllocator {}

@MainActor
public func CFRunLoopGetMain() -> CFRunLoop! { CFRunLoop.main }

public func CFRunLoopObserverCreateWithHandler(
    _ allocator: CFAllocator!, _ activities: CFOptionFlags, _ repeats: Bool, _ order: CFIndex,
    _ block: ((CFRunLoopObserver?, CFRunLoopActivity) -> Void)!
) -> CFRunLoopObserver! {
    CFRunLoopObserver(activities: activities, repeats: repeats, order: order, block: block)
}

@MainActor
public func CFRunLoopAddObserver(_ loop: CFRunLoop!, _ observer: CFRunLoopObserver!, _ mode: CFRunLoopMode!) {
    loop.observers.append((observer, mode))
}

@MainActor
public func CFRunLoopRemoveObserver(_ loop: CFRunLoop!, _ observer: CFRunLoopObserver!, _ mode: CFRunLoopMode!) {
    loop.observers.removeAll { $0.observer === observer && $0.mode == mode }
}

/// On Linux the main queue has no thread of its own once a program awaits, so the queue is checked.
open class Thread: NSObject {
    private static let key: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    public class var isMainThread: Bool { DispatchQueue.getSpecific(key: key) ?? false }
}

/// The main run loop, run manually.
@MainActor
@_spi(Stub) public enum MainRunLoop {
    /// The actions in a turn's order, for tests that check it.
    public private(set) static var commits = 0

    /// One turn of systems before iOS 18: pending actions, layout, the commit of Core Animation, and the observers that run
    /// before waiting.
    public static func turn(_ body: () -> Void = {}) {
        notify(.afterWaiting)
        body()
        commit()
        notify(.beforeWaiting)
    }

    /// One update pass since iOS 18, from a source of the run loop: events, display links, layout and commit.
    public static func update(timestamp: Double, duration: Double, _ events: () -> Void = {}) {
        notify(.afterWaiting)
        events()
        CADisplayLink.fire(timestamp: timestamp, duration: duration)
        commit()
        for link in UIUpdateLink.all { link.run(.afterCATransactionCommit) }
        notify(.beforeWaiting)
    }

    /// One turn since iOS 18 without an update: nothing is committed.
    public static func idleTurn(_ body: () -> Void = {}) {
        notify(.afterWaiting)
        body()
        notify(.beforeWaiting)
    }

    private static func commit() {
        for window in UIWindow.all { window.layoutIfNeeded() }
        commits += 1
    }

    /// The number of observers.
    public static var observerCount: Int { CFRunLoop.main.observers.count }

    /// The loop enters its default mode again.
    public static func rest() {
        notify(.entry, in: CFRunLoopMode.defaultMode)
    }

    private static func notify(_ activity: CFRunLoopActivity, in mode: CFRunLoopMode? = nil) {
        let heard = CFRunLoop.main.observers.filter {
            $0.observer.activities & activity.rawValue != 0 && (mode == nil || $0.mode == mode)
        }
        for (observer, mode) in heard.sorted(by: { $0.observer.order < $1.observer.order }) {
            if !observer.repeats { CFRunLoopRemoveObserver(CFRunLoop.main, observer, mode) }
            observer.block(observer, activity)
        }
    }
}

/// A phase of an update.
@MainActor
public final class UIUpdateActionPhase {
    public class var afterCATransactionCommit: UIUpdateActionPhase { shared }
    private static let shared = UIUpdateActionPhase()
}

@MainActor
public final class UIUpdateInfo {}

/// Calls its actions during the updates of a scene, which `MainRunLoop.update` makes.
@MainActor
public final class UIUpdateLink {
    private struct Entry {
        weak var link: UIUpdateLink?
    }

    private static var entries: [Entry] = []
    static var all: [UIUpdateLink] { entries.compactMap(\.link) }

    public var isEnabled = false
    private var actions: [(phase: UIUpdateActionPhase, handler: (UIUpdateLink, UIUpdateInfo) -> Void)] = []

    public init(windowScene: UIWindowScene) {
        Self.entries = Self.entries.filter { $0.link != nil } + [Entry(link: self)]
    }

    public func addAction(
        to phase: UIUpdateActionPhase, handler: @escaping (UIUpdateLink, UIUpdateInfo) -> Void
    ) {
        actions.append((phase, handler))
    }

    func run(_ phase: UIUpdateActionPhase) {
        guard isEnabled else { return }
        for action in actions where action.phase === phase { action.handler(self, UIUpdateInfo()) }
    }
}
