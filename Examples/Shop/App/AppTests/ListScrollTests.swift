import PagePerformance
import PagePerformanceUIKit
import Shop
import UIKit
import XCTest

/// Scrolls every page at constant speed from within the app, and attaches its log to the test result: for devices with
/// systems older than iOS 17, and for Xcode Cloud.
final class ListScrollTests: XCTestCase {
    @MainActor
    func testScrolls() async throws {
        let session = try XCTUnwrap(PerformanceSession.current, "the app starts no session")
        let router = try XCTUnwrap(Router.current, "the app shows no window")
        let variables = ProcessInfo.processInfo.environment
        let pages = variables["SHOP_PAGES"]?.split(separator: ",").map(String.init) ?? Router.pages
        let iterations = variables["SHOP_ITERATIONS"].flatMap { Int($0) } ?? 5

        for iteration in 0..<iterations {
            session.beginIteration(iteration)
            for page in pages {
                XCTAssertTrue(router.show(page), "there is no page \(page)")
                try await Task.sleep(nanoseconds: 1_500_000_000)
                // The gate judges the drops, so no limit fails the test.
                let limits = FrameDropLimits(framesDropped: .max, dropEvents: .max)
                try await ListScroller(largestListIn: router.tabs.view, in: session, limits: limits).run()
            }
        }

        await session.log.close()
        // The folder may hold logs of earlier runs, too.
        for path in session.log.paths {
            let attachment = XCTAttachment(contentsOfFile: URL(fileURLWithPath: path))
            attachment.name = (path as NSString).lastPathComponent
            attachment.lifetime = .keepAlways
            add(attachment)
        }
    }
}
