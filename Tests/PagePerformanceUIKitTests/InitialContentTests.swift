import Foundation
@_spi(Stub) import SwiftUI
import Testing
@_spi(Stub) import UIKit

@testable import PagePerformance
@testable import PagePerformanceUIKit

/// The moment at which content is on the screen: commits of both generations of systems, and SwiftUI's initial values.
extension UserInterfaceTests {
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
}

extension PageName {
    fileprivate static let shop: Self = "Shop"
}
