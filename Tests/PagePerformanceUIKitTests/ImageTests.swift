import Testing
@_spi(Stub) import UIKit

@testable import PagePerformance
@testable import PagePerformanceUIKit

extension UserInterfaceTests {
    @Test func anImageViewReportsItsWaits() async throws {
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
}
