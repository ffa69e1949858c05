import Foundation
@_spi(Stub) import SwiftUI
import Testing
@_spi(Stub) import UIKit

@testable import PagePerformance
@testable import PagePerformanceUIKit

/// Several windows and scenes: whose scroll, hang, frame and screen it is.
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
}
