import Foundation
import PagePerformance
@_spi(Stub) import SwiftUI
import Testing
@_spi(Stub) import UIKit

@testable import PagePerformanceUIKit

/// A phone's real day: every launch, every interruption at every state of a page, one to three windows, UIKit and SwiftUI.
///
/// Each life follows one script with the test's own clock. The page's view is loaded at 0 ms, laid out at 40, visible from 60
/// on; its content is there at 405, and it is left at 1,600. What the user waited for is written down by hand for each class
/// (`Life.expected`), and the times are recomputed from the frames that the script made (`Oracle`).
extension UserInterfaceTests {
    enum Launch: CaseIterable {
        /// A launch by the user: without scenes; with scenes, of which an app says that it is in the background; and a session
        /// that starts later, such as after a consent.
        case cold, coldScene, late
        /// The system launched the process long before the user.
        case prewarmed
        /// A push message, and the user comes after 40 minutes; a fetch, and no user comes; a change of place, with a scene.
        case push, fetch, location
        /// A scene that is connected in the background, whose page begins to load there.
        case restored

        var isUsers: Bool { [.cold, .coldScene, .late].contains(self) }
        var hasScene: Bool { ![.cold, .push, .fetch].contains(self) }
    }

    enum Interruption: CaseIterable {
        /// An alert, the control centre or a call covers the app; the user leaves; the device is locked.
        case alert, background, lock
        /// Only the page's own window goes into the background.
        case window
    }

    enum Moment: Int, CaseIterable {
        case beforeLayout = 20, beforeAppearance = 50, loading = 200, contentSet = 406, loaded = 1_500
    }

    enum Told: CaseIterable {
        /// The page reports that it loads, before it does; only once it has loaded (in SwiftUI its model's initial value isn't
        /// loading, and a task changes that); never.
        case before, after, never
    }

    struct Life: CustomStringConvertible {
        var launch: Launch
        var interruption: (kind: Interruption, at: Moment)?
        var windows: Int
        var isSwiftUI: Bool
        var told: Told
        /// Whether commits come as since iOS 18, after the display link in one pass.
        var hasUpdateLinks: Bool
        var mode: FrameMode
        /// Whether the log is in a file, of which nothing may be locked in the background.
        var hasFile: Bool

        var description: String {
            "\(launch), \(interruption.map { "\($0.kind) \($0.at)" } ?? "undisturbed"), \(windows) windows, "
                + "\(isSwiftUI ? "SwiftUI" : "UIKit"), told \(told), \(hasUpdateLinks ? "iOS 18" : "iOS 15"), \(mode)"
        }

        enum Expected: String {
            /// The user waited: first layout, time to initial load, `loaded`.
            case waited
            /// The page says nothing of its content: first layout, no time to initial load, no outcome.
            case unknown
            /// The same, and the user left before the first layout.
            case nothing
            /// Nobody waited for all of it: no time and no outcome.
            case inactive
        }

        /// By hand: what a user would say that he waited for.
        var expected: Expected {
            guard launch.isUsers else { return .inactive }
            switch (told, interruption?.at) {
            case (.never, .beforeLayout): return .nothing
            case (.never, _): return .unknown
            case (_, nil), (_, .loaded): return .waited
            // The content came while he was away, whenever the page said so.
            case (_, _): return .inactive
            }
        }

        static var all: [Life] {
            var lives: [Life] = []
            for launch in Launch.allCases {
                for windows in launch.hasScene ? 1...3 : 1...1 {
                    for told in Told.allCases {
                        let kinds = Interruption.allCases.filter { $0 != .window || windows > 1 }
                        let moments = kinds.flatMap { kind in Moment.allCases.map { (kind: kind, at: $0) } }
                        for interruption in launch.isUsers || launch == .prewarmed ? [nil] + moments : [nil] {
                            // Each system, mode and kind of view: for one window all, for several in turn.
                            let ways = windows == 1 ? Array(0..<8) : [lives.count % 8, (lives.count + 5) % 8]
                            for way in ways {
                                lives.append(
                                    Life(
                                        launch: launch, interruption: interruption, windows: windows,
                                        isSwiftUI: way & 1 != 0, told: told, hasUpdateLinks: way & 2 != 0,
                                        mode: way & 4 != 0 ? .scrolling : .always,
                                        hasFile: lives.count.isMultiple(of: 5)))
                            }
                        }
                    }
                }
            }
            return lives
        }
    }

    @Test func everyLifeIsLoggedAsItWasLived() async throws {
        let lives = Life.all
        #expect(lives.count > 1_500)
        var counts: [Life.Expected: Int] = [:]
        for life in lives {
            let script = LifeScript(life)
            let (line, others, oracle) = try await script.play()
            let expected = life.expected
            counts[expected, default: 0] += 1
            #expect(line["inactive"] == (expected == .inactive ? "true" : nil), "\(life): \(line)")
            #expect(line["outcome"] == (expected == .waited ? #""loaded""# : nil), "\(life): \(line)")
            let hasLayout = expected == .waited || expected == .unknown
            #expect(line["ttfl_ms"] == (hasLayout ? oracle.firstLayout : nil), "\(life): \(line)")
            #expect(line["ttil_ms"] == (expected == .waited ? oracle.initialLoad : nil), "\(life): \(line)")
            #expect(script.locked.isEmpty, "\(life)")
            if let load = line["ttil_ms"].flatMap(Double.init) {
                #expect((405...430).contains(load), "\(life): \(load)")
            }
            // Other windows have lives of their own.
            #expect(others.count == life.windows - 1, "\(life)")
            for other in others { #expect(other["ttil_ms"] != nil || !life.launch.isUsers, "\(life): \(other)") }
        }
        #expect(counts[.waited] ?? 0 > 100 && counts[.inactive] ?? 0 > 400 && counts[.unknown] ?? 0 > 100, "\(counts)")
    }
}

/// What a watch would have shown: the times of the script's own steps.
private struct Oracle {
    var layout: Double?
    var content: Double?
    var frames: [Double] = []
    /// Whether changes of a frame's pass are committed after its display link.
    let hasUpdateLinks: Bool

    var firstLayout: String? { layout.map { "\(Int($0))" } }

    /// The first frame that shows the content: since iOS 18 the frame after the pass that committed it.
    var initialLoad: String? {
        guard let content else { return nil }
        let later = frames.filter { $0 >= content }
        let shown = hasUpdateLinks ? later.dropFirst().first : later.first
        return shown.map { "\(Int($0))" }
    }
}

@MainActor
private final class LifeScript {
    private struct Model {
        var isLoading: Bool?
    }

    private struct Results: View {
        let model: Model
        var body: some View { EmptyView().measurePage("Search", isLoading: model.isLoading) }
    }

    private final class Search: UIViewController {
        override func viewDidLoad() {
            super.viewDidLoad()
            measurePage("Search")
        }
    }

    private final class Other: UIViewController {
        override func viewDidLoad() {
            super.viewDidLoad()
            measurePage("Other")
            performancePage?.handleDidRender(isLoading: false)
        }
    }

    private let life: UserInterfaceTests.Life
    private let bench: Bench
    private let scene: UIWindowScene?
    private let folder: String?
    /// The files that were locked while the app was in the background.
    private(set) var locked: [String] = []
    private var others: [(scene: UIWindowScene, window: UIWindow, controller: UIViewController)] = []
    private var oracle: Oracle
    private let controller: UIViewController
    private var start = Nanoseconds.zero
    /// Whether frames come: to an app in the foreground.
    private var isForeground: Bool

    init(_ life: UserInterfaceTests.Life) {
        self.life = life
        oracle = Oracle(hasUpdateLinks: life.hasUpdateLinks && life.launch.hasScene)
        UIApplication.shared.state = life.launch == .late ? .active : life.launch == .cold ? .inactive : .background
        folder =
            life.hasFile
            ? FileManager.default.temporaryDirectory.appending(path: "perfgate-\(UUID().uuidString)").path : nil
        bench = Bench(
            mode: life.mode, hasUpdateLinks: life.hasUpdateLinks && life.launch.hasScene,
            isPrewarmed: life.launch == .prewarmed, folder: folder)
        scene = life.launch.hasScene ? UIWindowScene() : nil
        scene?.state = life.launch == .late ? .foregroundActive : life.launch == .coldScene ? .unattached : .background
        bench.window.windowScene = scene
        isForeground = life.launch.isUsers
        controller =
            life.isSwiftUI ? UIHostingController(rootView: Results(model: Model(isLoading: nil))) : Search()
        UIApplication.shared.state = .active
    }

    private var now: Double { Double((bench.clock.now.since(start) ?? .zero).count) / 1e6 }

    func play() async throws -> (line: [String: String], others: [[String: String]], Oracle) {
        start = bench.clock.now
        for _ in 1..<life.windows { openOther() }
        setLoading(life.told == .never ? nil : life.told == .before ? true : life.isSwiftUI ? false : nil)
        controller.loadViewIfNeeded()
        if life.launch == .coldScene { enter() }
        run(to: 40)
        bench.window.addSubview(controller.view)
        controller.view.layoutIfNeeded()
        oracle.layout = now
        run(to: 55)
        if life.launch == .coldScene || life.launch == .cold { activate() }
        run(to: 60)
        Appearance.begin(controller)
        run(to: 70)
        if life.told == .after, life.isSwiftUI { setLoading(true) }
        run(to: 405)
        finishLoading()
        run(to: 1_000)
        if !life.launch.isUsers, life.launch != .fetch {
            // A prewarmed process may have the user's launch right after its own.
            bench.clock.advance(by: .seconds(life.launch == .prewarmed ? 1 : 2_400))
            enter()
            activate()
        }
        run(to: now < 1_600 ? 1_600 : now + 600)
        bench.hide(controller)
        for other in others { Appearance.end(other.controller) }
        let lines = await bench.lines("pps").map(Self.members)
        if let folder { try? FileManager.default.removeItem(atPath: folder) }
        let own = lines.filter { $0["page"] == #""Search""# }
        return (try #require(own.last), lines.filter { $0["page"] == #""Other""# && $0["checkpoint"] == nil }, oracle)
    }

    /// The members of a flat line.
    private static func members(_ line: String) -> [String: String] {
        Dictionary(
            line.dropFirst().dropLast().split(separator: ",").compactMap { member in
                let parts = member.split(separator: ":", maxSplits: 1)
                return parts.count == 2 ? (String(parts[0].dropFirst().dropLast()), String(parts[1])) : nil
            }, uniquingKeysWith: { first, _ in first })
    }

    private func openOther() {
        let scene = UIWindowScene()
        scene.state = life.launch.isUsers ? .foregroundActive : .background
        let window = UIWindow(windowScene: scene)
        let controller = Other()
        window.addSubview(controller.view)
        Appearance.begin(controller)
        others.append((scene, window, controller))
    }

    private func setLoading(_ isLoading: Bool?) {
        if let host = controller as? UIHostingController<Results> {
            host.rootView = Results(model: Model(isLoading: isLoading))
        } else if let isLoading {
            controller.loadViewIfNeeded()
            controller.performancePage?.handleDidRender(isLoading: isLoading)
        }
    }

    private func finishLoading() {
        oracle.content = now
        if life.told != .never { setLoading(false) }
    }

    /// Makes frames every 10 ms up to a time, with the interruption on the way. Content arrives also while the user is away.
    private func run(to end: Double) {
        while now < end {
            if let interruption = life.interruption, !isInterrupted, now >= Double(interruption.at.rawValue) {
                isInterrupted = true
                interrupt(interruption.kind)
                continue
            }
            var next = (now / 10).rounded(.down) * 10 + 10
            if let moment = life.interruption?.at, !isInterrupted, Double(moment.rawValue) > now {
                next = min(next, Double(moment.rawValue))
            }
            next = min(next, end)
            bench.clock.advance(by: .milliseconds(UInt64((next - now).rounded())))
            if isForeground, Int(next) % 10 == 0 { frame() }
        }
    }

    private var isInterrupted = false

    private func frame() {
        oracle.frames.append(now)
        bench.frame()
    }

    private func enter() {
        isForeground = true
        scene?.post(UIScene.willEnterForegroundNotification, .foregroundInactive)
        post(UIApplication.willEnterForegroundNotification)
    }

    private func activate() {
        scene?.post(UIScene.didActivateNotification, .foregroundActive)
        post(UIApplication.didBecomeActiveNotification)
    }

    private func post(_ name: Notification.Name) {
        NotificationCenter.default.post(name: name, object: nil)
    }

    /// The user is away for 8 s, in which the page's work goes on.
    private func interrupt(_ kind: UserInterfaceTests.Interruption) {
        let all = kind == .window ? [] : others.map(\.scene)
        for scene in [scene].compactMap({ $0 }) + all {
            scene.post(UIScene.willDeactivateNotification, .foregroundInactive)
        }
        if kind != .window { post(UIApplication.willResignActiveNotification) }
        if kind != .alert {
            for scene in [scene].compactMap({ $0 }) + all {
                scene.post(UIScene.didEnterBackgroundNotification, .background)
            }
            if kind != .window {
                post(UIApplication.didEnterBackgroundNotification)
                if let folder {
                    ExpiringActivities.wait()
                    locked += (try? UserInterfaceTests.lockedFiles(below: folder)) ?? ["no folder"]
                }
            }
        }
        // An alert doesn't stop the frames, and neither does another window.
        isForeground = kind == .alert || kind == .window
        let isLoading = now < 405
        if isLoading {
            bench.clock.advance(by: .milliseconds(4_000))
            if life.told != .never { setLoading(false) }
            if isForeground { frame() }
            bench.clock.advance(by: .milliseconds(4_000))
        } else {
            bench.clock.advance(by: .milliseconds(8_000))
        }
        if isForeground { frame() }
        isForeground = true
        if kind != .alert {
            for scene in [scene].compactMap({ $0 }) + all {
                scene.post(UIScene.willEnterForegroundNotification, .foregroundInactive)
            }
            if kind != .window { post(UIApplication.willEnterForegroundNotification) }
        }
        for scene in [scene].compactMap({ $0 }) + all { scene.post(UIScene.didActivateNotification, .foregroundActive) }
        if kind != .window { post(UIApplication.didBecomeActiveNotification) }
    }
}
