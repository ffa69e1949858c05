import Foundation
import Testing
@_spi(Stub) import UIKit

@testable import PagePerformance
@testable import PagePerformanceUIKit

extension UserInterfaceTests {
    @Test func aPageIsMeasuredWithoutAChild() {
        let bench = Bench()
        let controller = UIViewController()
        let machine = TeamsMachine()
        controller.measurePage(by: machine, probe: .view)
        #expect(controller.children.isEmpty && controller.view.performanceMachine === machine)
        bench.show(controller)
        #expect(machine.told == ["load", "will", "layout"])
        bench.frames([1])
        #expect(machine.told == ["load", "will", "layout", "appear"])
        // A transition moves the view within one turn.
        controller.view.removeFromSuperview()
        bench.window.addSubview(controller.view)
        bench.frames([1])
        #expect(machine.told == ["load", "will", "layout", "appear"])
        bench.hide(controller)
        bench.frames([1])
        #expect(machine.told == ["load", "will", "layout", "appear", "disappear"])
        bench.show(controller)
        bench.hide(controller)
        bench.frames([1])
        #expect(machine.told.suffix(2) == ["will", "disappear"])
        bench.session.stop()
    }

    /// The page and its controller are released in the turn that removes them: that is a visit's usual end.
    @Test func aPageWithoutAChildEndsItsVisitWhereItIsFreed() async throws {
        let bench = Bench()
        var controller: UIViewController? = UIViewController()
        let page = try #require(controller?.measurePage("Search", probe: .view))
        #expect(controller?.measurePage("Search") === page)
        controller.map { bench.show($0) }
        page.handleDidRender(isLoading: false)
        bench.frames([1, 1])
        controller.map { bench.hide($0) }
        controller = nil
        bench.frames([1])
        #expect(page.counts.freed == 0)
        let visit = try #require(await bench.lines("pps").last)
        #expect(visit.contains(#""outcome":"loaded""#) && visit.contains("ttfl_ms") && visit.contains("ttil_ms"))
    }

    /// Asking for the probe of an unloaded page loads it, and the page may ask for its own probe meanwhile.
    @Test(arguments: [PageProbeKind.child, .view])
    func aPageThatMeasuresItselfWhileItIsLoadedHasOneProbe(_ kind: PageProbeKind) async {
        final class Page: UIViewController {
            var kind = PageProbeKind.child
            var page: PPSStateMachine?
            override func viewDidLoad() {
                super.viewDidLoad()
                page = measurePage("Search", probe: kind)
            }
        }
        let bench = Bench()
        let controller = Page()
        controller.kind = kind
        #expect(controller.measurePage("Search", probe: kind) === controller.page)
        #expect(controller.children.count + controller.view.subviews.count { $0 is ProbeView } == 1)
        bench.show(controller)
        bench.frames([1])
        bench.hide(controller)
        bench.frames([1])
        let visits = await bench.lines("pps")
        #expect(visits.count == 1 && visits[0].contains("ttfl_ms"), "\(visits)")
    }

    /// A back swipe that is cancelled leaves no page and starts no visit.
    @Test(arguments: [PageProbeKind.child, .view], [false, true])
    func aCancelledSwipeBackIsNoVisit(_ kind: PageProbeKind, isShared: Bool) async throws {
        let bench = Bench()
        let (below, top) = (UIViewController(), UIViewController())
        let page = try #require(below.measurePage("Home", probe: kind))
        let stack = UINavigationController(rootViewController: below)
        bench.show(stack)
        bench.frames([1])
        if isShared { top.measurePage(by: page, probe: kind) } else { top.measurePage("Product", probe: kind) }
        stack.pushViewController(top, animated: true)
        bench.frames([1])
        let current = try #require(bench.session.recorder.currentPage)
        let visit = try #require(current.visit?.id)
        stack.beginSwipeBack()
        bench.frames([1, 1])
        #expect(bench.session.recorder.currentPage === current)
        stack.endSwipeBack(isCancelled: true)
        bench.frames([1, 1])
        #expect(current.visit?.id == visit && bench.session.recorder.currentPage === current)
        #expect(isShared || page.visit == nil)
        stack.beginSwipeBack()
        bench.frames([1])
        stack.endSwipeBack(isCancelled: false)
        bench.frames([1])
        #expect(page.pageState == .visible && bench.session.recorder.currentPage === page)
        bench.hide(stack)
        bench.frames([1])
        #expect(bench.session.recorder.isIdle)
        let visits = await bench.lines("pps")
        let pages = visits.map { $0.contains("Home") ? "Home" : "Product" }
        #expect(pages == ["Home", isShared ? "Home" : "Product", "Home"], "\(visits)")
        // Each page's time to first layout is in the visit in which its view was loaded, and in no other.
        #expect(visits.map { $0.contains("ttfl_ms") } == [true, !isShared, false], "\(visits)")
    }

    /// Containers get no subview.
    @Test func aContainerGetsNoProbeOfEitherKind() {
        let bench = Bench()
        let stack = UINavigationController(rootViewController: UIViewController())
        let page = stack.measurePage("Checkout", probe: .view)
        #expect(page != nil && stack.view.performancePage === page)
        #expect(stack.children.count == 1 && stack.view.subviews.isEmpty)
        bench.session.stop()
    }

    @Test(arguments: [(120, nil, 120), (nil, nil, 60), (120, 80, 80)] as [(Int?, Int?, Int)])
    func theScreenOfTheWindowsSceneReportsTheRefreshRate(screen: Int?, said: Int?, rate: Int) throws {
        PerformanceSession.current?.stop()
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("log-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let window = UIWindow(frame: .zero)
        window.windowScene = screen.map { UIWindowScene(screen: UIScreen(maximumFramesPerSecond: $0)) }
        let session = PerformanceSession.start(
            app: AppFacts(identifier: "a"), folder: .path(folder.path), window: window, maxFPS: said)
        #expect(session.recorder.detector.configuration.maxFPS == rate)
        session.stop()
    }

    /// A first layout ends with the run loop's turn, after the subviews are placed, unless an earlier time is
    /// requested.
    @Test func aLayoutOfTheProbeComesAfterThatOfThePage() {
        final class Page: UIViewController {
            let machine = TeamsMachine()
            override func viewDidLoad() {
                super.viewDidLoad()
                measurePage(by: machine)
            }
            override func viewDidLayoutSubviews() {
                super.viewDidLayoutSubviews()
                machine.told.append("own layout")
            }
        }
        let bench = Bench()
        let controller = Page()
        bench.show(controller)
        #expect(controller.machine.told == ["load", "will", "own layout", "layout", "appear"])
        bench.frames([1, 1])
        controller.view.setNeedsLayout()
        bench.frames([1])
        #expect(controller.machine.told.last == "own layout")
        bench.hide(controller)
        bench.session.stop()
    }
}
