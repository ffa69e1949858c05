import Testing
@_spi(Stub) import UIKit

@testable import PagePerformance
@testable import PagePerformanceUIKit

extension UserInterfaceTests {
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

    @Test func aComponentAloneIsAPage() async throws {
        let bench = Bench()
        let button = UIView(frame: CGRect(x: 0, y: 0, width: 100, height: 40))
        bench.window.addSubview(button)
        bench.session.show(page: "component/Button")
        button.performancePage?.handleDidRender(isLoading: false)
        bench.frames([1, 3])
        bench.session.show(page: nil)
        let visit = try #require(await bench.lines("pps").last)
        #expect(visit.contains(#""page":"component/Button""#) && visit.contains("ttil_ms"), "\(visit)")
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
}
