import PagePerformance
import SwiftUI
import Testing
import UIKit

@testable import PagePerformanceUIKit

extension UserInterfaceTests {
    @Test func aViewControllerIsAPageWithOneLine() async throws {
        let bench = Bench()
        let controller = SearchController()
        bench.show(controller)
        controller.page?.handleDidRender(isLoading: false)
        bench.frames([1, 1])
        bench.hide(controller)
        let lines = await bench.lines("pps")
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

    @Test func theOverlayShowsFiguresAndLetsTouchesThrough() throws {
        let bench = Bench()
        let controller = SearchController()
        bench.show(controller)
        bench.session.showOverlay(in: bench.window)
        bench.session.showOverlay(in: bench.window)
        let overlay = try #require(bench.window.subviews.last as? UILabel)
        #expect(bench.window.subviews.count { $0 is UILabel } == 1)
        #expect(!overlay.isUserInteractionEnabled)
        bench.frames(Array(repeating: 1, count: 120))
        #expect(overlay.text?.hasPrefix("100 fps") == true)
        bench.session.hideOverlay()
        #expect(!bench.window.subviews.contains { $0 is UILabel })
        bench.hide(controller)
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
        let host = UIViewController()
        func evaluate(_ isLoading: Bool) throws -> any UIViewControllerRepresentable {
            let body = Results(isLoading: isLoading).body
            return try #require(
                Mirror(reflecting: body).children.first { $0.label == "back" }?.value
                    as? any UIViewControllerRepresentable)
        }
        func make<Probe: UIViewControllerRepresentable>(_ view: Probe) -> UIViewController {
            view.makeUIViewController(context: .init())
        }
        func update<Probe: UIViewControllerRepresentable>(_ view: Probe, _ controller: UIViewController) {
            guard let controller = controller as? Probe.UIViewControllerType else { return }
            view.updateUIViewController(controller, context: .init())
        }
        let first = try evaluate(true)
        let probe = make(first)
        host.addChild(probe)
        update(first, probe)
        bench.show(host)
        update(try evaluate(false), probe)
        update(try evaluate(false), probe)
        bench.frames([1, 1])
        bench.hide(host)
        let metrics = await bench.lines("metric").map { $0.split(separator: #""metric":"#).last ?? "" }
        #expect(
            metrics == [
                #""body_evaluations_Row","unit":"evaluations","better":"lower","values":[3]}"#,
                #""body_evaluations_page","unit":"evaluations","better":"lower","values":[3]}"#,
            ])
        let line = try #require(await bench.lines("pps").first)
        #expect(line.contains(#""outcome":"loaded""#) && line.contains("ttil_ms"))
    }
}
