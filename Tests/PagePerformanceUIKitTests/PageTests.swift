import SwiftUI
import Testing
@_spi(Stub) import UIKit

@testable import PagePerformance
@testable import PagePerformanceUIKit

extension UserInterfaceTests {
    @Test func aViewControllerIsAPageWithOneLine() async throws {
        let bench = Bench()
        let controller = SearchController()
        bench.show(controller)
        controller.page?.handleDidRender(isLoading: false)
        bench.frames([1, 1])
        bench.hide(controller)
        let lines = await bench.lines("pps").filter { !$0.contains("checkpoint") }
        try #require(lines.count == 1)
        #expect(lines[0].contains(#""page":"Search""#))
        #expect(lines[0].contains(#""outcome":"loaded""#))
        #expect(lines[0].contains(#""ttfl_ms":"#))
        #expect(lines[0].contains(#""ttil_ms":"#))
    }

    @Test func aPageIsMeasuredOnceAndMayBeRenamed() async {
        let bench = Bench()
        let controller = SearchController()
        bench.show(controller)
        #expect(controller.measurePage("Search") === controller.page)
        #expect(controller.measurePage("Map") === controller.page)
        #expect(controller.children.count == 1)
        bench.hide(controller)
        let pages = await bench.lines("pps").map { $0.contains(#""page":"Search""#) ? "Search" : "Map" }
        #expect(pages == ["Search", "Map"])
    }

    @Test func withoutASessionNothingIsMeasured() async {
        _ = await Bench().lines("pps")
        let controller = SearchController()
        controller.loadViewIfNeeded()
        #expect(PerformanceSession.current == nil)
        #expect(controller.page == nil)
        #expect(controller.children.isEmpty)
        #expect(controller.view.performancePage == nil)
    }

    @Test func aViewFindsTheNearestPageUpTheResponderChain() {
        let bench = Bench()
        let outer = SearchController()
        let inner = SearchController()
        let plain = UIViewController()
        let view = UIView(frame: .zero)
        bench.show(outer)
        outer.addChild(plain)
        outer.view.addSubview(plain.view)
        plain.view.addSubview(view)
        #expect(view.performancePage === outer.page)
        plain.addChild(inner)
        plain.view.addSubview(inner.view)
        inner.view.addSubview(view)
        #expect(inner.page != nil)
        #expect(view.performancePage === inner.page)
        view.removeFromSuperview()
        #expect(view.performancePage == nil)
        bench.hide(outer)
        bench.session.stop()
    }

    @Test func theDisplayLinkRunsWhileAPageIsVisitedOnly() {
        let bench = Bench()
        #expect(CADisplayLink.running.map(\.isPaused) == [true])
        let controller = SearchController()
        bench.show(controller)
        #expect(CADisplayLink.running.map(\.isPaused) == [false])
        bench.hide(controller)
        #expect(CADisplayLink.running.map(\.isPaused) == [true])
        bench.session.stop()
        #expect(CADisplayLink.running.isEmpty)
    }

    @Test func theDisplayLinkStopsWhenAPageGoesWithoutAWord() {
        let bench = Bench()
        var controller: SearchController? = SearchController()
        controller?.loadViewIfNeeded()
        #expect(CADisplayLink.running.map(\.isPaused) == [false])
        controller = nil
        bench.frames([1])
        #expect(CADisplayLink.running.map(\.isPaused) == [true])
        #expect(controller == nil)
        bench.session.stop()
    }

    @Test func theAppsLifeIsFollowed() async {
        let bench = Bench()
        let controller = SearchController()
        bench.show(controller)
        for name in [
            UIApplication.willResignActiveNotification, UIApplication.didEnterBackgroundNotification,
            UIApplication.didBecomeActiveNotification,
        ] {
            NotificationCenter.default.post(name: name, object: nil)
        }
        bench.hide(controller)
        let lines = await bench.lines("pps")
        // The second checkpoint would say nothing new.
        #expect(lines.map { $0.contains("duration_ms") } == [true, false])
        NotificationCenter.default.post(name: UIApplication.willResignActiveNotification, object: nil)
        #expect(bench.session.log.counts.late == 0)
    }

    @Test func theOverlayShowsFiguresAndOpensAListOfPages() throws {
        let bench = Bench()
        let controller = SearchController()
        bench.show(controller)
        bench.session.showOverlay(in: bench.window)
        bench.session.showOverlay(in: bench.window)
        let overlay = try #require(bench.window.subviews.last as? UILabel)
        #expect(bench.window.subviews.count { $0 is UILabel } == 1)
        bench.frames(Array(repeating: 1, count: 120))
        #expect(overlay.text?.hasPrefix("100 fps") == true)
        controller.page?.handleDidRender(isLoading: false)
        bench.frames([1, 3, 1])
        #expect(overlay.text?.contains("drops ▾2") == true)
        #expect(overlay.text?.contains("Search: loaded") == true)
        let closed = overlay.text?.split(separator: "\n").count ?? 0
        func touch(for duration: TimeInterval) {
            overlay.touchesBegan([UITouch(timestamp: 7)], with: nil)
            overlay.touchesEnded([UITouch(timestamp: 7 + duration)], with: nil)
        }
        touch(for: 0.1)
        #expect(overlay.text?.split(separator: "\n").count == closed + 1)
        touch(for: 0.1)
        #expect(overlay.text?.split(separator: "\n").count == closed)
        let root = UIViewController()
        bench.window.rootViewController = root
        touch(for: 0.6)
        // This log isn't in a file, so there is nothing to share.
        #expect(root.presentedViewController == nil)
        bench.session.hideOverlay()
        #expect(!bench.window.subviews.contains { $0 is UILabel })
        bench.hide(controller)
        bench.session.stop()
    }

    @Test func loadEndsWithTheFirstFrameAfterTheCommit() async throws {
        let bench = Bench()
        let controller = SearchController()
        bench.show(controller)
        controller.page?.handleDidRender(isLoading: false)
        bench.frames([1, 1], committed: false)
        #expect(controller.page?.visit?.initialLoad.state != .loaded)
        MainRunLoop.turn()
        bench.frames([1], committed: false)
        #expect(controller.page?.visit?.initialLoad.state == .loaded)
        bench.hide(controller)
        bench.session.stop()
    }

    @Test func containersGetNoChild() throws {
        let containers: [UIViewController] = [
            UITabBarController(), UISplitViewController(), UIPageViewController(),
        ]
        let bench = Bench()
        for container in containers {
            let page = container.measurePage("Tabs")
            #expect(page != nil && container.view.performancePage === page, "\(container)")
            #expect(container.children.isEmpty && container.view.subviews.isEmpty, "\(container)")
        }
        bench.session.stop()
    }

    @Test func withFramesOfScrollsAloneNothingElseWakesTheApp() async {
        let bench = Bench(mode: .scrolling)
        let controller = SearchController()
        bench.show(controller)
        #expect(CADisplayLink.running.map(\.isPaused) == [true])
        controller.page?.handleDidRender(isLoading: false)
        #expect(CADisplayLink.running.map(\.isPaused) == [false])
        bench.frames([1, 1])
        #expect(CADisplayLink.running.map(\.isPaused) == [true])
        for _ in 0..<2 {
            track { bench.frames([1, 1, 3]) }
            MainRunLoop.rest()
            bench.frames([50])
        }
        bench.hide(controller)
        let visit = await bench.lines("pps").last ?? ""
        #expect(visit.contains(#""ttil_ms":"#))
        #expect(visit.contains(#""sth_ms":[20,20]"#), "\(visit)")
    }

    @Test func withFramesOfScrollsAloneScreensHaveTheHangsOfTheMainThread() async {
        let bench = Bench(mode: .scrolling)
        let controller = SearchController()
        bench.show(controller)
        track { bench.frames([1, 1, 3]) }
        MainRunLoop.rest()
        MainRunLoop.idleTurn { bench.clock.advance(by: .milliseconds(250)) }
        MainRunLoop.idleTurn { bench.clock.advance(by: .milliseconds(400)) }
        bench.clock.advance(by: .milliseconds(300))
        bench.hide(controller)
        let line = await bench.lines("screen").first ?? ""
        #expect(line.contains(#""duration_ms":1000,"hang_ms":400,"counting""#), "\(line)")
    }

    @Test func aDetectorIsUsedAloneWithALinkOfItsOwn() {
        Bench().session.stop()
        let detector = FrameDropDetector(FrameDropDetector.Configuration(counting: .published))
        let link = DetectorLink(detector)
        func fire(_ times: [Double]) { for time in times { CADisplayLink.fire(timestamp: time, duration: 0.01) } }
        fire([1, 1.05])
        #expect(detector.currentFrameDropCount == 0)
        detector.resume()
        fire([2, 2.05])
        #expect((detector.currentFrameDropCount, detector.currentFrameDropEventCount) == (5, 1))
        NotificationCenter.default.post(name: UIApplication.willResignActiveNotification, object: nil)
        #expect(detector.isPaused)
        link.invalidate()
        #expect(CADisplayLink.running.isEmpty)
    }

    @Test func noticesFromOtherThreadsAreTakenToo() async {
        let bench = Bench()
        let controller = SearchController()
        bench.show(controller)
        await Task.detached {
            NotificationCenter.default.post(name: UIApplication.willResignActiveNotification, object: nil)
        }.value
        for _ in 0..<1_000 where controller.page?.appState == .active { await Task.yield() }
        #expect(controller.page?.appState == .resigned)
        bench.hide(controller)
        bench.session.stop()
    }

    @Test func theEndOfTheAppIsItsLastChance() async {
        let bench = Bench()
        let controller = SearchController()
        bench.show(controller)
        NotificationCenter.default.post(name: UIApplication.willTerminateNotification, object: nil)
        bench.hide(controller)
        #expect(bench.session.log.counts.late > 0)
        #expect(await bench.lines("end").count == 1)
    }

    @Test func theBatteryIsMonitoredForAsLongAsItIsAsked() {
        let bench = Bench()
        bench.session.beginIteration(0)
        #expect(!UIDevice.current.isBatteryMonitoringEnabled)
        bench.session.stop()
    }
}
