import Foundation
@_spi(Stub) import SwiftUI
import Testing
@_spi(Stub) import UIKit

@testable import PagePerformance
@testable import PagePerformanceUIKit

/// Several windows, the commits of both generations of systems, SwiftUI's initial values, and what an app's end undoes.
extension UserInterfaceTests {
    /// A window of a scene of its own, with a page and a list.
    @MainActor
    private final class Desk {
        let scene = UIWindowScene()
        let window: UIWindow
        let controller = UIViewController()
        let list = UIScrollView(frame: CGRect(x: 0, y: 0, width: 400, height: 800))
        let page: PPSStateMachine?

        init(_ name: String) {
            window = UIWindow(windowScene: scene)
            page = controller.measurePage(name)
            controller.view.addSubview(list)
            window.addSubview(controller.view)
            Appearance.begin(controller)
        }
    }

    @Test func aScrollBelongsToTheWindowWhoseListMoves() async {
        let bench = Bench()
        let (left, right) = (Desk("Left"), Desk("Right"))
        for (desk, intervals) in [(left, [1, 1, 4]), (right, [1, 1])] as [(Desk, [Double])] {
            desk.list.moves = true
            track { bench.frames(intervals) }
            desk.list.moves = false
            bench.frames([1])
        }
        // Nobody knows which list this is.
        track { bench.frames([1, 9]) }
        bench.frames([1])
        for desk in [left, right] { bench.hide(desk.controller) }
        let lines = await bench.lines()
        let scrolls = lines.filter { $0.contains(#""type":"scroll""#) }
        #expect(scrolls.count == 2 && scrolls.allSatisfy { $0.contains(#""scroll":"#) }, "\(scrolls)")
        #expect(
            scrolls.first?.contains(#""page":"Left""#) == true && scrolls.last?.contains(#""page":"Right""#) == true)
        let drops = lines.filter { $0.contains(#""type":"frame_drop""#) }
        #expect(drops.count == 1 && drops[0].contains(#""page":"Left""#), "\(drops)")
        // The frames of two windows are one main thread's, so no screen is measured while both are seen.
        let screens = lines.filter { $0.contains(#""type":"screen""#) }
        #expect(!screens.contains { $0.contains("Left") }, "\(screens)")
    }

    /// The list that moves is found once, however deep it is.
    @Test func aDeepListIsFoundInOneSearch() async {
        let bench = Bench()
        let (left, right) = (Desk("Left"), Desk("Right"))
        left.list.removeFromSuperview()
        var place: UIView = left.controller.view
        for _ in 0..<40 {
            let next = UIView(frame: .zero)
            place.addSubview(UIView(frame: .zero))
            place.addSubview(next)
            place = next
        }
        place.addSubview(left.list)
        left.list.moves = true
        track { bench.frames([1, 1]) }
        bench.frames([1])
        for desk in [left, right] { bench.hide(desk.controller) }
        #expect(await bench.lines("scroll").count == 1)
    }

    @Test func aPageThatIsOpenedBelowAnAlertIsNotMeasuredAsIfItWereGone() async throws {
        let bench = Bench()
        let desk = Desk("Left")
        desk.scene.post(UIScene.willDeactivateNotification, .foregroundInactive)
        // Another window of the same scene shows its first page.
        let window = UIWindow(windowScene: desk.scene)
        let late = SearchController()
        window.addSubview(late.view)
        Appearance.begin(late)
        late.page?.handleDidRender(isLoading: true)
        #expect(desk.page?.appState == .resigned && late.page?.appState == .resigned)
        late.page?.handleDidRender(isLoading: false)
        bench.frames([1, 1])
        bench.hide(late)
        let line = try #require(await bench.lines("pps").last)
        #expect(line.contains(#""inactive":true"#) && !line.contains("ttil_ms"), "\(line)")
    }

    @Test func aPageOfASceneInTheBackgroundDoesNotFollowAnotherWindow() async throws {
        let bench = Bench()
        let desk = Desk("Left")
        let scene = UIWindowScene()
        scene.state = .background
        let window = UIWindow(windowScene: scene)
        let late = SearchController()
        late.loadViewIfNeeded()
        late.page?.handleDidRender(isLoading: true)
        window.addSubview(late.view)
        Appearance.begin(late)
        bench.frames([1, 1])
        late.page?.handleDidRender(isLoading: false)
        bench.clock.advance(by: .seconds(600))
        scene.post(UIScene.willEnterForegroundNotification, .foregroundInactive)
        scene.post(UIScene.didActivateNotification, .foregroundActive)
        bench.frames([1, 1])
        bench.hide(late)
        bench.hide(desk.controller)
        let line = try #require(await bench.lines("pps").first { $0.contains("Search") })
        #expect(line.contains(#""inactive":true"#) && !line.contains("ttil_ms"), "\(line)")
    }

    @Test func aRouterHasAScreenForEachWindow() async {
        let bench = Bench()
        let windows = [UIWindow(windowScene: UIWindowScene()), UIWindow(windowScene: UIWindowScene())]
        let first = bench.session.show(page: "A", in: windows[0])
        let second = bench.session.show(page: "B", in: windows[1])
        #expect(first !== second && first?.pageState == .visible)
        #expect(windows[0].performancePage === first && windows[1].performancePage === second)
        bench.session.show(page: nil, in: windows[0])
        #expect(first?.pageState == .absent && second?.pageState == .visible)
        NotificationCenter.default.post(name: UIScene.didDisconnectNotification, object: windows[1].windowScene)
        #expect(second?.pageState == .absent)
        bench.session.stop()
    }

    /// A scene that once showed a page and reports no commits doesn't hold a load of a page without a scene.
    @Test func aLoadDoesNotWaitForASceneInTheBackground() {
        let bench = Bench(mode: .scrolling, hasUpdateLinks: true)
        let desk = Desk("Left")
        desk.scene.post(UIScene.willDeactivateNotification, .foregroundInactive)
        desk.scene.post(UIScene.didEnterBackgroundNotification, .background)
        let page = bench.session.show(page: "Product")
        page?.handleDidRender(isLoading: false)
        for _ in 0..<3 {
            bench.clock.advance(by: .milliseconds(10))
            CADisplayLink.fire(timestamp: Double(bench.clock.now.count) / 1e9, duration: 0.01)
        }
        #expect(page?.visit?.initialLoad.state == .loaded)
        #expect(CADisplayLink.running.filter { !$0.isPaused }.isEmpty)
        bench.session.stop()
    }

    /// A tap that works for a second and then opens another page: the first page hung.
    @Test func aHangBelongsToThePageOnWhichItBegan() async {
        let bench = Bench(mode: .scrolling)
        bench.session.show(page: "List")
        MainRunLoop.idleTurn { bench.clock.advance(by: .milliseconds(20)) }
        MainRunLoop.idleTurn {
            bench.clock.advance(by: .milliseconds(1_000))
            bench.session.show(page: "Detail")
            bench.clock.advance(by: .milliseconds(300))
        }
        bench.clock.advance(by: .milliseconds(100))
        bench.session.show(page: nil)
        let hangs = await bench.lines("screen").map { line in
            line.firstMatch(of: /"page":"(\w+)".*"hang_ms":(\d+)/).map { "\($0.1) \($0.2)" }
        }
        #expect(hangs == ["List 1000", "Detail 300"])
    }

    @Test func aWindowInTheBackgroundTakesNoFrames() {
        let bench = Bench()
        let desk = Desk("Left")
        #expect(CADisplayLink.running.map(\.isPaused) == [false])
        desk.scene.post(UIScene.willDeactivateNotification, .foregroundInactive)
        desk.scene.post(UIScene.didEnterBackgroundNotification, .background)
        #expect(CADisplayLink.running.map(\.isPaused) == [true])
        let other = Desk("Right")
        #expect(CADisplayLink.running.map(\.isPaused) == [false])
        #expect(bench.session.recorder.currentPage === other.page)
        NotificationCenter.default.post(name: UIScene.didDisconnectNotification, object: other.scene)
        #expect(CADisplayLink.running.map(\.isPaused) == [true])
        bench.session.stop()
    }

    /// A page whose layout in the commit takes 400 ms.
    private final class SlowLayout: UIView {
        var work: (() -> Void)?
        override func layoutSubviews() {
            super.layoutSubviews()
            work?()
            work = nil
        }
    }

    @Test(arguments: [false, true]) func aSlowCommitIsPartOfTheLoad(hasUpdateLinks: Bool) async throws {
        let bench = Bench(hasUpdateLinks: hasUpdateLinks)
        let scene = UIWindowScene()
        bench.window.windowScene = scene
        let controller = SearchController()
        bench.show(controller)
        let view = SlowLayout(frame: .zero)
        controller.view.addSubview(view)
        for _ in 0..<10 { bench.tick() }
        view.work = { bench.clock.advance(by: .milliseconds(400)) }
        view.setNeedsLayout()
        // Since iOS 18 the turn in which content is set ends without a commit.
        let turn = hasUpdateLinks ? MainRunLoop.idleTurn : MainRunLoop.turn
        turn { controller.page?.handleDidRender(isLoading: false) }
        for _ in 0..<4 { bench.tick() }
        bench.hide(controller)
        let line = try #require(await bench.lines("pps").last)
        let time = try #require(line.firstMatch(of: /"ttil_ms":([0-9.]+)/).flatMap { Double($0.1) })
        #expect((500...530).contains(time), "\(line)")
    }

    @Test func withoutASceneTheSecondFrameShowsAChange() async throws {
        let bench = Bench(hasUpdateLinks: true)
        let page = bench.session.show(page: "Product")
        page?.handleDidRender(isLoading: false)
        bench.tick()
        #expect(page?.visit?.initialLoad.state != .loaded)
        bench.tick()
        #expect(page?.visit?.initialLoad.state == .loaded)
        bench.session.stop()
    }

    private struct Page: View {
        var isLoading: Bool?
        var body: some View { EmptyView().measurePage("Search", isLoading: isLoading) }
    }

    /// The naive code: `isLoading` is `false` until the page's task sets it.
    @Test func theInitialValueOfAModelIsNoContent() async throws {
        let bench = Bench()
        let host = UIHostingController(rootView: Page(isLoading: false))
        bench.show(host)
        bench.frames([1, 1])
        host.rootView = Page(isLoading: true)
        bench.frames(Array(repeating: 1, count: 88))
        host.rootView = Page(isLoading: false)
        bench.frames([1, 1])
        bench.hide(host)
        let line = try #require(await bench.lines("pps").last)
        #expect(line.contains(#""ttil_ms":910"#) && line.contains(#""outcome":"loaded""#), "\(line)")
    }

    @Test func aPageThatLoadsNothingHasItsTimeFromItsFirstFrame() async throws {
        let bench = Bench()
        let host = UIHostingController(rootView: Page(isLoading: false))
        bench.show(host)
        bench.frames(Array(repeating: 1, count: 150))
        // A load that begins later is one of more.
        host.rootView = Page(isLoading: true)
        bench.frames([1])
        bench.hide(host)
        let lines = await bench.lines("pps")
        #expect(lines.count == 2, "the checkpoint when it was sure, and the end")
        #expect(lines.allSatisfy { $0.contains(#""ttil_ms":10,"#) && $0.contains(#""outcome":"loaded""#) }, "\(lines)")
    }

    private struct Tab: View {
        var name: String
        var body: some View { EmptyView().measurePage(name, isLoading: false) }
    }

    @Test func aPageThatChangesItsNameShowsItsContentAgain() async throws {
        let bench = Bench()
        let host = UIHostingController(rootView: Tab(name: "First"))
        bench.show(host)
        bench.frames([1, 1])
        host.rootView = Tab(name: "Second")
        bench.frames([1, 1])
        bench.hide(host)
        let lines = await bench.lines("pps").filter { !$0.contains("checkpoint") }
        #expect(lines.count == 2 && lines.allSatisfy { $0.contains(#""outcome":"loaded""#) }, "\(lines)")
    }

    /// Its first frame came only when nobody could see it any more, and its model never changed.
    @Test func aPageWhoseInitialValueWasNeverShownIsNotAbandonedLater() async throws {
        let bench = Bench()
        let host = UIHostingController(rootView: Page(isLoading: false))
        bench.show(host)
        NotificationCenter.default.post(name: UIApplication.willResignActiveNotification, object: nil)
        NotificationCenter.default.post(name: UIApplication.didBecomeActiveNotification, object: nil)
        bench.frames([1, 1])
        Appearance.end(host)
        bench.show(host)
        bench.frames([1, 1])
        bench.hide(host)
        let outcomes = await bench.lines("pps").filter { !$0.contains("checkpoint") }.map { line in
            line.firstMatch(of: /"outcome":"(\w+)"/).map { String($0.1) }
        }
        #expect(outcomes == [nil, "loaded"])
    }

    @Test func aPageThatSaysNothingOfItsContentHasNoOutcome() async throws {
        let bench = Bench()
        let host = UIHostingController(rootView: Page(isLoading: nil))
        bench.show(host)
        bench.frames([1, 1])
        bench.hide(host)
        let line = try #require(await bench.lines("pps").last)
        #expect(!line.contains("outcome") && !line.contains("ttil_ms") && !line.contains("inactive"), "\(line)")
    }

    @Test func twoPagesOfOneNameCountTheirOwnBodies() async {
        let bench = Bench()
        let (below, above) = (UIHostingController(rootView: Page()), UIHostingController(rootView: Page()))
        bench.show(below)
        bench.show(above)
        for _ in 0..<3 { above.rootView = Page(isLoading: true) }
        below.rootView = Page(isLoading: true)
        bench.hide(above)
        bench.hide(below)
        let counts = await bench.lines("metric").compactMap {
            $0.firstMatch(of: /"values":\[(\d+)\]/).map { String($0.1) }
        }
        #expect(counts == ["4", "2"])
    }

    @Test func aHostingControllerIsMeasuredInOneLine() async throws {
        let bench = Bench()
        let host = UIHostingController(rootView: EmptyView())
        host.measurePage(.shop)
        bench.show(host)
        bench.frames([1, 1])
        #expect(host.children.isEmpty && host.view.performancePage?.pageName == "Shop")
        bench.hide(host)
        MainRunLoop.turn()
        #expect(await bench.lines("pps").last?.contains(#""page":"Shop""#) == true)
    }

    @Test func aLoadedImageIsNotLookedAtAtEveryFrame() {
        let bench = Bench()
        let marker = PageMarker(.image(url: "a", isLoaded: false))
        bench.window.addSubview(marker)
        #expect(marker.followsSight)
        marker.part = .image(url: "a", isLoaded: true)
        #expect(!marker.followsSight)
        marker.removeFromSuperview()
        bench.session.stop()
    }

    @Test func aDetectorIsReleasedWithItsLink() {
        Bench().session.stop()
        weak var released: FrameDropDetector?
        do {
            let detector = FrameDropDetector(FrameDropDetector.Configuration())
            released = detector
            let link = DetectorLink(detector)
            CADisplayLink.fire(timestamp: 1, duration: 0.01)
            withExtendedLifetime(link) {}
        }
        #expect(released == nil)
        #expect(CADisplayLink.running.isEmpty && MainRunLoop.observerCount == 0)
        NotificationCenter.default.post(name: UIApplication.willResignActiveNotification, object: nil)
    }

    @Test func aTestTakesEveryFrameAndTheFieldOnlyThoseOfScrolls() {
        func mode(_ variables: [String: String]) -> FrameMode {
            FrameMode(LaunchEnvironment({ variables[$0] }, time: .zero, process: 1))
        }
        #expect(mode([:]) == .scrolling)
        #expect(mode(["PERFGATE_RUN_ID": "r"]) == .always)
        #expect(mode(["XCTestConfigurationFilePath": "/a"]) == .always)
        #expect(mode(["ActivePrewarm": "1"]) == .scrolling)
    }

    /// Nothing of the recorder holds a lock once the app is in the background, and its part can be sent.
    @Test func aLogHasNoLockAndIsSentInTheBackground() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "perfgate-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        PerformanceSession.current?.stop()
        let sent = SentParts()
        let uploader = LogUploader(folder: folder) { await sent.take($0.path) }
        let session = PerformanceSession.start(
            app: AppFacts(), folder: .path(folder), tags: ["market": "de"], uploader: uploader)
        for round in 1...3 {
            session.show(page: "Product")?.handleDidRender(isLoading: false)
            await session.log.flush()
            try #expect(Self.lockedFiles(below: folder) == [])
            NotificationCenter.default.post(name: UIApplication.willResignActiveNotification, object: nil)
            NotificationCenter.default.post(name: UIApplication.didEnterBackgroundNotification, object: nil)
            await Task.detached { ExpiringActivities.wait() }.value
            try #expect(Self.lockedFiles(below: folder) == [])
            let parts = await sent.parts
            #expect(parts.count == round)
            #expect(parts.last?.hasPrefix(#"{"type":"run""#) == true && parts.last?.contains(#""type":"end""#) == true)
            #expect(parts.last?.contains(#""tags":{"market":"de"}"#) == true)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
            NotificationCenter.default.post(name: UIApplication.willEnterForegroundNotification, object: nil)
            NotificationCenter.default.post(name: UIApplication.didBecomeActiveNotification, object: nil)
        }
        session.stop()
    }

    private actor SentParts {
        private(set) var parts: [String] = []
        func take(_ path: String) -> Bool {
            parts.append((try? String(contentsOfFile: path, encoding: .utf8)) ?? "")
            return true
        }
    }

    /// The files in a folder that this process holds a lock on, by the kernel's list.
    static func lockedFiles(below folder: String) throws -> [String] {
        let locks = try String(contentsOfFile: "/proc/locks", encoding: .utf8).split(separator: "\n")
        let own = locks.map { $0.split(separator: " ") }.filter { $0.contains("\(getpid())") }
        let inodes = Set(
            own.flatMap { $0.filter { $0.contains(":") } }.compactMap { $0.split(separator: ":").last.map(String.init) }
        )
        return try FileManager.default.contentsOfDirectory(atPath: folder).filter { name in
            let number =
                try FileManager.default.attributesOfItem(atPath: folder + "/" + name)[.systemFileNumber] as? Int
            return number.map { inodes.contains("\($0)") } ?? false
        }
    }

    @Test func nothingIsWrittenWithoutConsentAndAllCanBeDeleted() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "perfgate-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        PerformanceSession.current?.stop()
        let sent = SentParts()
        let session = PerformanceSession.start(
            app: AppFacts(), folder: .path(folder), uploader: LogUploader(folder: folder) { await sent.take($0.path) },
            options: EventLogOptions(hasConsent: false))
        func files() -> [String] { (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] }
        func visit() async {
            session.show(page: "Product")?.handleDidRender(isLoading: false)
            session.show(page: nil)
            await session.log.flush()
        }
        await visit()
        NotificationCenter.default.post(name: UIApplication.didEnterBackgroundNotification, object: nil)
        await Task.detached { ExpiringActivities.wait() }.value
        NotificationCenter.default.post(name: UIApplication.didBecomeActiveNotification, object: nil)
        #expect(files().isEmpty)
        #expect(session.log.counts.withoutConsent > 0)
        session.hasConsent = true
        await visit()
        #expect(files().count == 1)
        session.hasConsent = false
        session.deleteLogs()
        await session.log.flush()
        #expect(files().isEmpty)
        await visit()
        #expect(files().isEmpty)
        #expect(await sent.parts.isEmpty)
        session.stop()
    }
}

extension PageName {
    fileprivate static let shop: Self = "Shop"
}
