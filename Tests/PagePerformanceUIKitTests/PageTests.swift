import SwiftUI
import Testing
import UIKit

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
        #expect(lines.map { $0.contains("duration_ms") } == [true, true, false])
        NotificationCenter.default.post(name: UIApplication.willResignActiveNotification, object: nil)
        #expect(bench.session.log.counts.late == 0)
    }

    @Test func anImageViewTellsItsWaits() async throws {
        let bench = Bench()
        let controller = SearchController()
        bench.show(controller)
        let (gray, photo) = (UIImage(), UIImage())
        let first = MeasuredImageView(frame: .zero)
        first.awaitImage(from: "a", placeholder: gray)
        controller.view.addSubview(first)
        first.image = photo
        first.awaitImage(from: "b")
        first.endAwaiting()
        first.image = photo
        let second = MeasuredImageView(frame: .zero)
        second.awaitImage(from: "c")
        second.image = photo
        controller.view.addSubview(second)
        second.removeFromSuperview()
        bench.hide(controller)
        let line = try #require(await bench.lines("pps").first)
        let outcomes = line.split(separator: #""ms":"#).dropFirst().map { $0.contains("loaded") ? "loaded" : "hidden" }
        #expect(outcomes == ["loaded", "hidden", "loaded"])
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
        // This log is in no file, so that there is nothing to share.
        #expect(root.presentedViewController == nil)
        bench.session.hideOverlay()
        #expect(!bench.window.subviews.contains { $0 is UILabel })
        bench.hide(controller)
        bench.session.stop()
    }

    @Test func anImageViewNeedsNoWordOfItsWaits() async throws {
        let bench = Bench()
        let controller = SearchController()
        bench.show(controller)
        let (gray, photo) = (UIImage(), UIImage())
        let view = MeasuredImageView(frame: CGRect(x: 0, y: 0, width: 50, height: 50))
        view.placeholder = gray
        view.image = gray
        controller.view.addSubview(view)
        view.image = photo  // loaded
        view.image = gray
        view.isHidden = true  // hidden
        view.isHidden = false
        view.alpha = 0  // hidden
        view.alpha = 1
        view.image = gray  // hidden: reused for another image
        view.image = photo  // loaded
        view.image = nil
        view.frame.origin.y = 2_000
        bench.frames([1])  // hidden: scrolled away
        view.frame.origin.y = 0
        view.updateSight()
        view.removeFromSuperview()  // hidden
        bench.hide(controller)
        let line = try #require(await bench.lines("pps").last)
        let outcomes = line.split(separator: #""ms":"#).dropFirst().map { $0.contains("loaded") ? "loaded" : "hidden" }
        #expect(outcomes == ["loaded", "hidden", "hidden", "hidden", "loaded", "hidden", "hidden"])
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

    @Test func aRouterMeasuresEveryScreenFromOnePlace() async {
        let bench = Bench()
        let view = UIView(frame: .zero)
        bench.window.addSubview(view)
        for name in ["Home", "Product", "Product"] {
            bench.session.show(page: name)
            view.performancePage?.handleDidRender(isLoading: false)
            bench.frames([1, 1])
        }
        bench.session.show(page: nil)
        #expect(view.performancePage == nil)
        let visits = await bench.lines("pps").filter { !$0.contains("checkpoint") }
        #expect(visits.count == 3 && visits.allSatisfy { $0.contains(#""outcome":"loaded""#) })
    }

    private final class TeamsMachine: PPSStateMachineProtocol {
        var told: [String] = []
        func handleDidLoad() { told.append("load") }
        func handleWillAppear() { told.append("will") }
        func handleDidLayoutSubviews() { told.append("layout") }
        func handleDidAppear() { told.append("appear") }
        func handleDidDisappear() { told.append("disappear") }
        func handleDidRender(isLoading: Bool, isInitialLoading: Bool?, isError: Bool) { told.append("render") }
        func handleImageLoad(imageView: UIImageView, url: URL?, status: LoadingStatus) {
            told.append("\(url?.absoluteString ?? "-") \(status.rawValue)")
        }
    }

    @Test func aPageMayHaveAMachineOfTheTeamsOwn() {
        let bench = Bench()
        let controller = UIViewController()
        let machine = TeamsMachine()
        controller.measurePage(by: machine)
        bench.show(controller)
        let view = MeasuredImageView(frame: CGRect(x: 0, y: 0, width: 9, height: 9))
        controller.view.addSubview(view)
        view.awaitImage(from: "u")
        view.image = UIImage()
        #expect(view.performanceMachine === machine && view.performancePage == nil)
        bench.hide(controller)
        #expect(
            machine.told == [
                "load", "will", "layout", "appear", "- placeholderVisible", "- hidden", "u placeholderVisible",
                "u shown", "u hidden", "disappear",
            ])
        bench.session.stop()
    }

    @Test func thePublishedInitialiserEmitsToTheSession() async {
        let bench = Bench()
        let machine = PPSStateMachine()
        machine.handlePageName("Search")
        machine.handleDidLoad()
        machine.handleDidAppear()
        #expect(CADisplayLink.running.map(\.isPaused) == [false])
        machine.handleDidDisappear()
        #expect(CADisplayLink.running.map(\.isPaused) == [true])
        #expect(await bench.lines("pps").count == 1)
        let silent = PPSStateMachine()
        silent.handlePageName("Search")
        silent.handleDidAppear()
        silent.handleDidDisappear()
        #expect(silent.counts.emitted == 1)
    }

    @Test func aNavigationStackSharesAMachineWithoutAChild() async throws {
        let bench = Bench()
        let stack = UINavigationController(rootViewController: UIViewController())
        let page = try #require(stack.measurePage("Checkout"))
        #expect(stack.measurePage("Checkout") === page)
        #expect(stack.children.count == 1)
        bench.show(stack)
        page.handleDidAppear()
        stack.pushViewController(UIViewController(), animated: false)
        #expect(stack.viewControllers.last?.view.performancePage === page)
        let own = SearchController()
        stack.pushViewController(own, animated: false)
        #expect(own.view.performancePage === own.page && own.page !== page)
        #expect(own.children.map(\.isPerformanceProbe) == [true])
        page.handleDidDisappear()
        stack.popViewController(animated: false)
        #expect(await bench.lines("pps").map { $0.contains("Checkout") } == [true, false])
    }

    @Test func containersGetNoChild() throws {
        let containers: [UIViewController] = [
            UITabBarController(), UISplitViewController(), UIPageViewController(),
            UIHostingController(rootView: EmptyView()),
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

    @Test func screensAreNotMeasuredByTheFramesOfScrollsAlone() async {
        let bench = Bench(mode: .scrolling)
        let controller = SearchController()
        bench.show(controller)
        track { bench.frames([1, 1, 3]) }
        MainRunLoop.rest()
        bench.hide(controller)
        #expect(await bench.lines("screen").isEmpty)
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

    private struct Results: View {
        var isLoading: Bool
        var body: some View {
            EmptyView().measurePage("Search", isLoading: isLoading).countBodyEvaluations(of: "Row", on: "Search")
        }
    }

    @Test func aSwiftUIViewIsAPageThatCountsItsBodies() async throws {
        let bench = Bench()
        let host = UIHostingController(rootView: Results(isLoading: true))
        bench.show(host)
        host.rootView = Results(isLoading: false)
        host.rootView = Results(isLoading: false)
        bench.frames([1, 1])
        bench.hide(host)
        let metrics = await bench.lines("metric").map { $0.split(separator: #""metric":"#).last ?? "" }
        #expect(
            metrics == [
                #""body_evaluations_Row","unit":"evaluations","better":"lower","values":[3]}"#,
                #""body_evaluations_page","unit":"evaluations","better":"lower","values":[3]}"#,
            ])
        let line = try #require(await bench.lines("pps").last)
        #expect(line.contains(#""outcome":"loaded""#) && line.contains("ttil_ms"))
        // Nothing on the page said what was seen of a load.
        #expect(!line.contains("alt_ms") && !line.contains("rclt"))
    }

    private struct SlowStart: View {
        let work: () -> Void
        var body: some View {
            let view = EmptyView().measurePage("Search", isLoading: false)
            work()
            return view
        }
    }

    @Test func timesOfSwiftUIBeginWithTheFirstEvaluationOfTheBody() async throws {
        let bench = Bench()
        var evaluations = 0
        let host = UIHostingController(
            rootView: SlowStart {
                evaluations += 1
                guard evaluations == 1 else { return }
                let start = MonotonicClock().now
                while MonotonicClock().now.since(start) ?? .zero < .milliseconds(30) {}
            })
        bench.show(host)
        host.update()
        let page = try #require(host.view.performancePage)
        #expect(try #require(page.visit?.firstLayout.time) >= .milliseconds(30))
        #expect(evaluations == 2)
        bench.hide(host)
        bench.session.stop()
    }

    private struct Feed: View {
        var isLoading = false
        var hasLoader = false
        var body: some View {
            EmptyView().background(PagePart(hasLoader: hasLoader)).measurePage(
                "Feed", isLoading: isLoading, isInitialLoading: false)
        }
    }

    private struct PagePart: View {
        let hasLoader: Bool
        var body: some View { EmptyView().pageLoader(isShown: hasLoader).background(EmptyView().pageBottom()) }
    }

    @Test func aSwiftUIPageTellsItsLoadersAndBottoms() async throws {
        let bench = Bench()
        let host = UIHostingController(rootView: Feed())
        bench.show(host)
        bench.frames([1, 1])
        host.rootView = Feed(isLoading: true, hasLoader: true)
        bench.frames([1])
        host.rootView = Feed()
        bench.frames([1, 1])
        bench.hide(host)
        let line = try #require(await bench.lines("pps").last)
        #expect(
            line.contains(#""alt_ms":["#) && !line.contains(#""alt_ms":[]"#) && !line.contains(#""alt_ms":[0]"#),
            "\(line)")
    }

    private struct Photo: View {
        var url: String
        var body: some View {
            MeasuredAsyncImage(url: URL(string: url)) { $0.image ?? Image() }.measurePage("Photo")
        }
    }

    @Test func asyncImagesAreWaitedFor() async throws {
        let bench = Bench()
        AsyncImageStub.phase = .empty
        let host = UIHostingController(rootView: Photo(url: "https://a/1"))
        bench.show(host)
        bench.frames([1])
        AsyncImageStub.phase = .success(Image())
        host.update()
        AsyncImageStub.phase = .empty
        host.rootView = Photo(url: "https://a/2")
        bench.hide(host)
        let line = try #require(await bench.lines("pps").last)
        let outcomes = line.split(separator: #""ms":"#).dropFirst().map { $0.contains("loaded") ? "loaded" : "hidden" }
        #expect(outcomes == ["loaded", "hidden"], "\(line)")
    }
}
